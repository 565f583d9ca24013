/*
 * figures_test.c -- figures of fixed data are, byte for byte, the reviewed ones.
 *
 * A figure that differs is written to a file, whose path is printed: look at it, and if it is
 * right, copy it to tests/golden/figures/.
 */
#include "golden/figures_data.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const crd_metric_info infos[] = {
  { .name = "accuracy", .high = 1, .direction = CRD_HIGHER_IS_BETTER },
  { .name = "confidence", .high = 1, .direction = CRD_NEITHER_IS_BETTER },
  { .name = "ece", .high = 1, .direction = CRD_LOWER_IS_BETTER },
  { .name = "nll", .high = (double)INFINITY, .direction = CRD_LOWER_IS_BETTER },
  { .name = "auroc", .high = 1, .direction = CRD_HIGHER_IS_BETTER },
};

static const crd_metric_value before[] = {
  { &infos[0], 0.78, NULL, 0.75, 0.81, NO, NO, NULL },
  { &infos[1], 0.84, NULL, 0.83, 0.85, NO, NO, NULL },
  { &infos[2], 0.0625, NULL, 0.05, 0.08, 0.015, NO, NULL },
  { &infos[3], 0.7, NULL, 0.65, 0.75, NO, NO, NULL },
  { &infos[4], 0.85, NULL, 0.83, 0.87, NO, NO, NULL },
};
static const crd_metric_value after[] = {
  { &infos[0], 0.78, NULL, 0.75, 0.81, NO, NO, NULL },
  { &infos[1], 0.785, NULL, 0.775, 0.795, NO, NO, NULL },
  { &infos[2], 0.02, NULL, 0.01, 0.035, 0.0175, NO, NULL },
  { &infos[3], 0.6, NULL, 0.56, 0.64, NO, NO, NULL },
  { &infos[4], 0.852, NULL, 0.832, 0.872, NO, NO, NULL },
};
/* Further metrics that figures of a profile need. */
static const crd_metric_info further_infos[] = {
  { .name = "smece" },        { .name = "aurc" },       { .name = "e-aurc" },
  { .name = "aupr-success" }, { .name = "aupr-error" }, { .name = "aece" },
  { .name = "ece-debiased" }, { .name = "sce" },
};
static const crd_metric_value further[] = {
  { &infos[0], 0.78, NULL, 0.75, 0.81, NO, NO, NULL },
  { &infos[1], 0.84, NULL, 0.83, 0.85, NO, NO, NULL },
  { &infos[2], 0.0625, NULL, 0.05, 0.08, 0.015, NO, NULL },
  { &infos[3], 0.7, NULL, 0.65, 0.75, NO, NO, NULL },
  { &infos[4], 0.85, NULL, 0.83, 0.87, NO, NO, NULL },
  { &further_infos[0], 0.058, NULL, 0.045, 0.07, NO, NO, NULL },
  { &further_infos[1], 0.1, NULL, 0.09, 0.11, NO, NO, NULL },
  { &further_infos[2], 0.07, NULL, 0.06, 0.08, NO, NO, NULL },
  { &further_infos[3], 0.93, NULL, 0.9, 0.95, NO, NO, NULL },
  { &further_infos[4], 0.45, NULL, 0.4, 0.5, NO, NO, NULL },
  { &further_infos[5], 0.06, NULL, 0.05, 0.07, NO, NO, NULL },
  { &further_infos[6], 0.055, NULL, 0.04, 0.07, NO, NO, NULL },
  { &further_infos[7], 0.02, NULL, NO, NO, NO, NO, NULL },
};

/* No intervals, an undefined AUROC, an NLL out of range. */
static const crd_metric_value far[] = {
  { &infos[0], 0.77, NULL, NO, NO, NO, NO, NULL },
  { &infos[1], 0.79, NULL, NO, NO, NO, NO, NULL },
  { &infos[2], 0.03, NULL, NO, NO, 0.02, NO, NULL },
  { &infos[3], 5.25, NULL, NO, NO, NO, NO, NULL },
  { &infos[4], NO, "all rows are correct", NO, NO, NO, NO, NULL },
};

/* Empty, overconfident, underconfident, and a gap that may be noise. */
static const crd_reliability_bin bins[] = {
  { 0, 0.25, 0, 0, NO, NO, NO, NO, NO, NO },
  { 0.25, 0.5, 40, 0.04, 0.4375, 0.25, 0.14, 0.4, 0.28, 0.6 },
  { 0.5, 0.75, 260, 0.26, 0.65, 0.75, 0.69, 0.8, 0.59, 0.71 },
  { 0.75, 1, 700, 0.7, 0.93, 0.9225, 0.9, 0.94, 0.91, 0.95 },
};

#define RESULT(numbers)                                                                            \
  {                                                                                                \
    .name = "dir/<b>\"\xc3\xa4\".csv", .rows = 1000, .classes = 3, .resamples = 500,               \
    .value_count = 5, .values = numbers, .bin_count = 4, .bins = bins                              \
  }
static const crd_result results[] = { RESULT(before), RESULT(after), RESULT(far) };

static const crd_candidate candidates[] = {
  { .name = "identity", .result = &results[0] },
  { .name = "temperature", .result = &results[1] },
  { .name = "histogram(edges=equal-mass,bins=20)", .result = &results[2] },
  { .name = "vector", .failure = "it has too few rows" },
};

static const crd_contest contest = {
  .calibrate_name = "val.csv",
  .test_name = "test & more.csv",
  .calibrate_rows = 500,
  .test_rows = 1000,
  .resamples = 500,
  .count = 4,
  .candidates = candidates,
  .chosen = &candidates[1],
  .verdict = "Choose temperature: ECE 0.0625 -> 0.02.",
};

/* Two corruptions, whose severities are out of order, and a set without a severity. */
static const crd_shift shifts[] = {
  { .name = "<noise>:5", .family = "<noise>", .severity = 5, .result = &results[2] },
  { .name = "<noise>:2", .family = "<noise>", .severity = 2, .result = &results[1] },
  { .name = "night", .family = "night", .severity = 1, .result = &results[1] },
};
static const crd_shift_table shift = { COUNT(shifts), shifts };

static const crd_shifted_candidate there[][4] = {
  { { .result = &results[2] }, { .result = &results[1] }, { .result = &results[2] }, { 0 } },
  { { .result = &results[1] }, { .result = &results[0] }, { .result = &results[0] }, { 0 } },
};
static const crd_contest_shift shifted[] = {
  { .name = "a:3", .family = "a", .severity = 3, .candidates = there[0] },
  { .name = "a:1.5", .family = "a", .severity = 1.5, .candidates = there[1] },
  { .name = "b:3", .family = "b", .severity = 3, .candidates = there[1] },
};

/* Ten classes, so that a colour recurs with another mark; every third point is incorrect. */
enum { POINTS = 30 };
static size_t rows[POINTS], labels[POINTS];
static double xs[POINTS], ys[POINTS];
static unsigned char is_right[POINTS];

static crd_embedding scatter(void) {
  for (size_t i = 0; i < POINTS; i++) {
    rows[i] = 7 * i;
    labels[i] = i % 10;
    xs[i] = (double)(i * i % 31) / 4 - 3;
    ys[i] = (double)(i * 11 % 29) / 8;
    is_right[i] = i % 3 > 0;
  }
  return (crd_embedding){ .name = "dir/<b>.npz",
                          .all_rows = 203,
                          .count = POINTS,
                          .classes = 10,
                          .perplexity = 9,
                          .row = rows,
                          .x = xs,
                          .y = ys,
                          .label = labels,
                          .correct = is_right };
}

/* Three channels; the largest magnitude is negative, and some elements are 0. */
enum { HEIGHT = 4, WIDTH = 6 };
static float delta[3 * HEIGHT * WIDTH];

static crd_perturbation ripple(void) {
  for (size_t i = 0; i < 3 * HEIGHT * WIDTH; i++)
    delta[i] = (float)((int)(i * 7 % 23) - 12) / 64 * (float)(i / (HEIGHT * WIDTH) + 1);
  return (crd_perturbation){ .name = "dir/<b>.json",
                             .rank = 3,
                             .dims = { 3, HEIGHT, WIDTH },
                             .values = delta,
                             .temperature = 1.25 };
}

/* Two training methods and two post-hoc methods, one of which failed on few rows. */
static const crd_sized sized[2][4] = {
  { { 100, { .mean = 0.031 } },
    { 1000, { .mean = 0.0125 } },
    { 100, { .mean = (double)NAN } },
    { 1000, { .mean = 0.04 } } },
  { { 100, { .mean = 0.028 } },
    { 1000, { .mean = 0.017 } },
    { 100, { .mean = 0.09 } },
    { 1000, { .mean = 0.036 } } },
};
static const crd_trained trained[] = { { .name = "ce & <b>", .runs = 2, .sized = sized[0] },
                                       { .name = "ls", .runs = 1, .sized = sized[1] } };
static const crd_calibratability_column trained_columns[] = {
  { .kind = CRD_CALIBRATABILITY_METRIC, .name = "ece" },
  { .kind = CRD_CALIBRATABILITY_AFTER, .name = "after temperature" },
  { .kind = CRD_CALIBRATABILITY_AFTER, .name = "after histogram" },
};
static const size_t sizes[] = { 100, 0 };
static const crd_calibratability calibratability = { .name = "ce & <b>, ls",
                                                     .count = 2,
                                                     .items = trained,
                                                     .column_count = 3,
                                                     .columns = trained_columns,
                                                     .method_count = 2,
                                                     .bins = 15,
                                                     .size_count = 2,
                                                     .sizes = sizes,
                                                     .draws = 20 };

/* The second training method compresses the logits, and its rows were all learned at once. */
static const crd_learned_bin histogram[][4] = {
  { { -1, 1, 0, 0 }, { 1, 3, 1, 0.05 }, { 3, 5, 3, 0.15 }, { 5, 7, 6, 0.3 } },
  { { -1, 1, 1, 0.05 }, { 1, 3, 3, 0.15 }, { 3, 5, 2, 0.1 }, { 5, 7, 0, 0 } },
  { { -1, 1, 2, 0.1 }, { 1, 3, 2, 0.1 }, { 3, 5, 0, 0 }, { 5, 7, 0, 0 } },
  { { -1, 1, 4, 0.2 }, { 1, 3, 16, 0.8 }, { 3, 5, 0, 0 }, { 5, 7, 0, 0 } },
  { { -1, 1, 0, 0 }, { 1, 3, 0, 0 }, { 3, 5, 0, 0 }, { 5, 7, 0, 0 } },
};
static const crd_learned_training learners[] = {
  { .name = "ce & <b>",
    .runs = 1,
    .rho = { 1, -0.625, (double)NAN, NULL },
    .thirds = { { .rows = 10, .bins = histogram[0] },
                { .rows = 6, .bins = histogram[1] },
                { .rows = 4, .bins = histogram[2] } } },
  { .name = "ls",
    .runs = 1,
    .rho = { 0, (double)NAN, (double)NAN, NULL },
    .thirds = { { .rows = 20, .bins = histogram[3] },
                { .bins = histogram[4] },
                { .bins = histogram[4] } } },
};
static const crd_learned learned = {
  .name = "ce & <b>, ls", .count = 2, .items = learners, .bins = 4, .low = -1, .high = 7
};

static char *read_all(const char *path) {
  FILE *const file = fopen(path, "rb");
  char *const bytes = calloc(1, 1 << 20);
  assert_non_null(bytes);
  if (file) {
    const size_t count = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[count] = '\0';
    fclose(file);
  }
  return bytes;
}

static void figures_look_as_they_did(void **state) {
  crd_context *const ctx = *state;
  crd_result result = results[0];
  result.profile = &profile;
  result.values = further;
  result.value_count = COUNT(further);
  result.shift = &shift;
  crd_contest with_shift = contest;
  with_shift.shift = shifted;
  with_shift.shift_count = COUNT(shifted);
  const crd_embedding embedding = scatter();
  const crd_perturbation perturbation = ripple();
  crd_calibrator *calibrator = NULL;
  const crd_run *run = NULL;
  assert_int_equal(crd_run_load(ctx, CREDENCE_SOURCE "/tests/cli/data/training.run.json", &run),
                   CRD_OK);
  assert_int_equal(
      crd_calibrator_load(ctx, CREDENCE_SOURCE "/tests/cli/data/matrix.json", &calibrator), CRD_OK);
  const crd_figure_data data = { .size = sizeof data,
                                 .result = &result,
                                 .contest = &with_shift,
                                 .calibrator = calibrator,
                                 .embedding = &embedding,
                                 .run = run,
                                 .perturbation = &perturbation,
                                 .calibratability = &calibratability,
                                 .learned = &learned };
  size_t differing = 0;
  for (size_t i = 0; i < crd_figure_count(); i++) {
    char golden[512], name[64], path[256];
    crd_output *output = NULL;
    snprintf(name, sizeof name, "%s.svg", crd_figure_at(i)->name);
    snprintf(golden, sizeof golden, CREDENCE_SOURCE "/tests/golden/figures/%s", name);
    assert_int_equal(crd_output_open(ctx, temporary_path(path, name), &output), CRD_OK);
    assert_int_equal(crd_figure_write(ctx, crd_figure_at(i)->name, &data, NULL, output), CRD_OK);
    assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
    char *const expected = read_all(golden), *const found = read_all(path);
    if (strcmp(expected, found) != 0) {
      print_error("%s differs from %s\n", path, golden);
      differing++;
    } else unlink(path);
    free(expected);
    free(found);
  }
  crd_calibrator_destroy(calibrator);
  crd_run_destroy(run);
  assert_int_equal(differing, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(figures_look_as_they_did) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

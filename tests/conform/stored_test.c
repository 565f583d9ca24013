/*
 * stored_test.c -- stored JSON round-trips: reading it and writing it again gives the same bytes,
 * and every output format and figure is the same from it.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char *bytes;
  size_t length;
} drawn;

static drawn read_file(const char *path) {
  FILE *const file = fopen(path, "rb");
  drawn d = { NULL, 0 };
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  d.length = (size_t)ftell(file);
  rewind(file);
  d.bytes = calloc(1, d.length + 1);
  assert_non_null(d.bytes);
  assert_int_equal(fread(d.bytes, 1, d.length, file), d.length);
  fclose(file);
  return d;
}

/* Writes a part in an output format, as a figure if the format is NULL, or as a page, to the path.
 */
static drawn draw(crd_context *ctx, const crd_page_part *part, const char *form, const char *figure,
                  const char *path) {
  const crd_report_options options = { .size = sizeof options,
                                       .diagnosis = part->diagnosis,
                                       .provenance = part->provenance };
  const crd_figure_data data = { .size = sizeof data,
                                 .result = part->result,
                                 .contest = part->contest };
  crd_output *output = NULL;
  crd_status status;
  assert_int_equal(crd_output_open(ctx, path, &output), CRD_OK);
  if (figure) status = crd_figure_write(ctx, figure, &data, NULL, output);
  else if (!form) status = crd_page_write(ctx, part, 1, NULL, output);
  else if (part->result) status = crd_report_write(ctx, part->result, form, &options, output);
  else status = crd_contest_write(ctx, part->contest, form, &options, output);
  if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  assert_int_equal(crd_output_commit(ctx, output), CRD_OK);
  return read_file(path);
}

static void expect_same(crd_context *ctx, const crd_page_part *fresh, const crd_page_part *stored,
                        const char *form, const char *figure) {
  char path[256];
  temporary_path(path, "drawn");
  drawn a = draw(ctx, fresh, form, figure, path), b = draw(ctx, stored, form, figure, path);
  if (a.length != b.length || memcmp(a.bytes, b.bytes, a.length) != 0) {
    size_t at = 0;
    while (at < a.length && at < b.length && a.bytes[at] == b.bytes[at]) at++;
    const size_t from = at > 60 ? at - 60 : 0;
    fail_msg("%s differs at byte %zu:\n%.160s\n---\n%.160s",
             figure ? figure
             : form ? form
                    : "the page",
             at, a.bytes + from, b.bytes + from);
  }
  free(a.bytes);
  free(b.bytes);
  unlink(path);
}

static bool allows(const crd_page_part *part, const crd_figure_info *figure) {
  const crd_profile *const profile = part->result ? part->result->profile : NULL;
  const bool given[] = {
    [CRD_FIGURE_OF_RESULT] = part->result,
    [CRD_FIGURE_OF_PROFILE] = profile && !(figure->profile & ~profile->parts),
    [CRD_FIGURE_OF_CONTEST] = part->contest,
    [CRD_FIGURE_OF_CALIBRATOR] = false, /* not stored in this JSON */
    [CRD_FIGURE_OF_EMBEDDING] = false,  /* neither is this */
    [CRD_FIGURE_OF_RUN] = false,        /* nor this */
    [CRD_FIGURE_OF_PERTURBATION] = false,
    [CRD_FIGURE_OF_CALIBRATABILITY] = false,
    [CRD_FIGURE_OF_LEARNED] = false,
    [CRD_FIGURE_OF_SHIFT] = part->result && part->result->shift,
    [CRD_FIGURE_OF_SHIFTED_CONTEST] = part->contest && part->contest->shift_count,
  };
  return given[figure->source];
}

static void check(crd_context *ctx, const crd_page_part *fresh) {
  char path[256];
  crd_stored *stored = NULL;
  drawn json = draw(ctx, fresh, "json", NULL, temporary_path(path, "stored.json"));
  if (crd_stored_load(ctx, path, &stored) != CRD_OK)
    fail_msg("%s\n%.2000s", crd_context_message(ctx), json.bytes);
  const crd_page_part *const part = crd_stored_part(stored);
  assert_true(!part->result == !fresh->result && !part->contest == !fresh->contest);
  for (size_t i = 0; i < crd_report_count(); i++)
    expect_same(ctx, fresh, part, crd_report_at(i)->name, NULL);
  for (size_t i = 0; i < crd_figure_count(); i++)
    if (allows(fresh, crd_figure_at(i)))
      expect_same(ctx, fresh, part, NULL, crd_figure_at(i)->name);
  expect_same(ctx, fresh, part, NULL, NULL);
  crd_stored_destroy(stored);
  free(json.bytes);
  unlink(path);
}

/* ---- Results. */

static const crd_source sources[] = {
  { "a \"b\".npz", 7, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
  { "c.csv", UINT64_C(1) << 40,
    "0000000000000000000000000000000000000000000000000000000000000000" },
};
static const crd_provenance provenance = { .command = "credence evaluate 'a \"b\".npz'",
                                           .version = "0.1.0",
                                           .seed = UINT64_MAX,
                                           .source_count = 2,
                                           .sources = sources };

static const char *const group_names[] = { "north", "\x01 \"south\"", "never" };

/* Stores everything that can be reported about predictions. */
static void check_result(crd_context *ctx, const crd_predictions *p, unsigned resamples,
                         const char *peer) {
  const crd_evaluate_options options = {
    .size = sizeof options, .metrics = "all", .bins = 10, .resamples = resamples
  };
  crd_evidence *one = NULL, *other = NULL;
  const crd_result *judged = NULL, *result = NULL;
  const crd_comparison *paired = NULL;
  const crd_group_table *groups = NULL;
  const crd_compat_table *compat = NULL;
  const crd_profile *profile = NULL;
  const crd_diagnosis *diagnosis = NULL;
  const crd_shift_table *shift = NULL;
  /* They are not changed: their clusters are those of the original. */
  crd_predictions *const same = (crd_predictions *)(uintptr_t)p;
  const crd_shift_set sets[] = { { "noise:1", same }, { "a \"b\"", same } };
  assert_int_equal(crd_evidence_gather(ctx, p, &options, 0, &one), CRD_OK);
  assert_int_equal(crd_evidence_gather(ctx, p, &options, 0, &other), CRD_OK);
  assert_int_equal(crd_evidence_judge(ctx, one, &judged), CRD_OK);
  check(ctx, &(crd_page_part){ .result = judged });
  assert_int_equal(crd_evidence_compare(ctx, one, other, &paired), CRD_OK);
  assert_int_equal(crd_compat(ctx, p, peer, 10, &compat), CRD_OK);
  assert_int_equal(crd_diagnose(ctx, p, &diagnosis), CRD_OK);
  assert_int_equal(crd_profile_make(ctx, p,
                                    &(crd_profile_options){ .size = sizeof(crd_profile_options),
                                                            .resamples = resamples },
                                    &profile),
                   CRD_OK);
  if (crd_evaluate_groups(ctx, p, &options, &groups) != CRD_OK) assert_null(groups);
  assert_int_equal(crd_evaluate_shift(ctx, p, one, sets, 2, CRD_SHIFT_AUTO, &shift), CRD_OK);
  const crd_result_parts parts = { .size = sizeof parts,
                                   .paired = paired,
                                   .groups = groups,
                                   .compat = compat,
                                   .profile = profile,
                                   .shift = shift };
  assert_int_equal(crd_result_with(ctx, judged, &parts, &result), CRD_OK);
  check(ctx,
        &(crd_page_part){ .result = result, .diagnosis = diagnosis, .provenance = &provenance });
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_comparison_destroy(paired);
  crd_group_table_destroy(groups);
  crd_shift_table_destroy(shift);
  crd_compat_destroy(compat);
  crd_profile_destroy(profile);
  crd_diagnosis_destroy(diagnosis);
  crd_evidence_destroy(one);
  crd_evidence_destroy(other);
}

static void check_contest(crd_context *ctx, const crd_predictions *p, const char *methods,
                          unsigned resamples, unsigned folds) {
  crd_predictions *const same = (crd_predictions *)(uintptr_t)p; /* it is not changed */
  const crd_shift_set sets[] = { { "noise:1", same }, { "a \"b\"", same } };
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = methods,
                                        .resamples = resamples,
                                        .profile = resamples ? CRD_PROFILE_ALL : 0,
                                        .shift = sets,
                                        .shift_count = folds ? 0 : 2 };
  const crd_contest *contest = NULL;
  const crd_status status = folds ? crd_contest_folds(ctx, p, folds, &options, &contest)
                                  : crd_contest_split(ctx, p, 0.5, &options, &contest);
  if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  check(ctx, &(crd_page_part){ .contest = contest, .provenance = &provenance });
  crd_contest_destroy(contest);
}

typedef struct {
  test_recipe recipe;
  bool grouped, named, clustered;
  crd_binary binary;
  unsigned resamples;
} kind;

static const kind kinds[] = {
  { .recipe = { .rows = 200, .classes = 3, .seed = 1, .spread = 2, .accuracy = 0.7 },
    .grouped = true,
    .named = true,
    .resamples = 20 },
  { .recipe = { .rows = 120,
                .classes = 4,
                .seed = 2,
                .spread = 3,
                .accuracy = 0.6,
                .weighted = true },
    .grouped = true,
    .clustered = true,
    .resamples = 20 },
  { .recipe = { .rows = 60, .classes = 2, .seed = 3, .spread = 2, .accuracy = 0.7 },
    .binary = CRD_BINARY_POS },
  { .recipe = { .rows = 60, .classes = 2, .seed = 4, .spread = 2, .accuracy = 0.7 },
    .resamples = 10 },
  { .recipe = { .rows = 40, .classes = 3, .seed = 5, .spread = 2, .accuracy = 1 } },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static crd_predictions *predictions_of(crd_context *ctx, const kind *k, const test_data *data,
                                       int64_t *groups) {
  for (size_t i = 0; i < data->rows; i++) groups[i] = (int64_t)(i % 3 ? i % 2 : 0);
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->scores, CRD_F64, data->rows, data->classes),
    .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
    .binary = k->binary,
    .cluster = k->clustered ? "groups" : NULL,
    .name = "dir/\xc3\xa4 \x7f.npz",
  };
  if (data->weights) parts.weights = crd_array_matrix(data->weights, CRD_F64, data->rows, 1);
  if (k->grouped) parts.groups = crd_array_matrix(groups, CRD_I64, data->rows, 1);
  if (k->named) {
    parts.group_names = group_names;
    parts.group_name_count = 3;
  }
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static void results_stay(void **state) {
  for (size_t i = 0; i < KINDS; i++) {
    test_data data = make_data(kinds[i].recipe);
    int64_t groups[200];
    crd_predictions *const p = predictions_of(*state, &kinds[i], &data, groups);
    check_result(*state, p, kinds[i].resamples, crd_peer_at(i % crd_peer_count())->name);
    crd_predictions_destroy(p);
    free_data(&data);
  }
}

static void contests_stay(void **state) {
  for (size_t i = 0; i + 1 < KINDS; i++) {
    test_data data = make_data(kinds[i].recipe);
    int64_t groups[200];
    crd_predictions *const p = predictions_of(*state, &kinds[i], &data, groups);
    /* density-ratio fails: there are no features. */
    check_contest(*state, p, "temperature,platt(scope=top-1),isotonic,vector,density-ratio",
                  kinds[i].resamples, i % 2 ? 0 : 2);
    crd_predictions_destroy(p);
    free_data(&data);
  }
}

static void pairs_stay(void **state) {
  double confidence[50];
  unsigned char correct[50];
  crd_predictions *p = NULL;
  for (size_t i = 0; i < 50; i++) {
    confidence[i] = (double)(i * 37 % 50 + 1) / 51;
    correct[i] = i % 3 != 0;
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, 50, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, 50, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  check_result(*state, p, 10, "netcal");
  check_contest(*state, p, "platt,isotonic,histogram", 10, 0);
  crd_predictions_destroy(p);
}

/* Every method, with its parameters. */
static void methods_stay(void **state) {
  test_data data = make_data(kinds[0].recipe);
  int64_t groups[200];
  crd_predictions *const p = predictions_of(*state, &kinds[0], &data, groups);
  check_contest(*state, p, "all", 0, 0);
  crd_predictions_destroy(p);
  free_data(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(results_stay),
                                      cmocka_unit_test(contests_stay), cmocka_unit_test(pairs_stay),
                                      cmocka_unit_test(methods_stay) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

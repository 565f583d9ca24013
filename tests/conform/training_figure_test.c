/* training_figure_test.c -- the figure of a training run: odd values, and many sets of data. */
#include "conform/figures.h"

static const double falling[] = { 2, 1, 0.5 }, rising[] = { 0.25, 0.5, 0.75 };

/* Draws the training of one column "a.accuracy", both ways; the caller frees the SVG. */
static char *draw_values(crd_context *ctx, size_t epochs, const double *values) {
  const crd_run_column only = { "a.accuracy", "a", "accuracy", values };
  const crd_run run = {
    .network = "mlp", .epochs = epochs, .kept = epochs, .column_count = 1, .columns = &only
  };
  char *const text = print(ctx, "training", &(sources){ .run = &run }, 1);
  expect_narrow("training", text, true);
  free(text);
  char *const svg = draw(ctx, "training", &(sources){ .run = &run }, NULL);
  expect_well_formed("training", svg);
  assert_null(strstr(svg, "nan"));
  assert_null(strstr(svg, "inf\""));
  return svg;
}

/* One epoch has a mark, as no line can be drawn; no values are a sentence; values as far apart as
 * possible are drawn somehow. */
static void odd_runs_are_drawn(void **state) {
  static const double far[] = { -1.7976931348623157e308, 1.7976931348623157e308, 4.9e-324 };
  static const double none[] = { (double)NAN, (double)INFINITY };
  static double many[5000];
  char *svg = draw_values(*state, 1, rising);
  expect_has("training", svg, ">1</text>");
  expect_has("training", svg, "h0"); /* the disc */
  assert_null(strstr(svg, "best epoch"));
  free(svg);
  svg = draw_values(*state, 2, none);
  expect_has("training", svg, "has no values to draw");
  free(svg);
  free(draw_values(*state, 3, far));
  for (size_t i = 0; i < 5000; i++) many[i] = (double)(i % 7) / 8;
  svg = draw_values(*state, 5000, many);
  if (strlen(svg) > 100000) fail_msg("5000 epochs: %zu bytes", strlen(svg));
  free(svg);
}

/* As many sets of data as there may be, with all values, and one more. */
static void data_of_runs_are_limited(void **state) {
  enum { MOST = 11 };
  static const char *const measures[] = { "loss", "nll",          "accuracy",
                                          "ece",  "ece_oracle_t", "temperature" };
  static char names[MOST + 1][8];
  crd_run_column all[6 * MOST + 9 + 1];
  crd_run run = { .network = "mlp", .epochs = 3, .kept = 2, .best = 1, .columns = all };
  for (size_t i = 0; i <= MOST; i++) snprintf(names[i], sizeof *names, "d%zu", i);
  snprintf(names[0], sizeof *names, "train");
  all[run.column_count++] = (crd_run_column){ "loss", NULL, "loss", falling };
  for (size_t i = 0; i < 9; i++)
    all[run.column_count++] = (crd_run_column){ "loss.ce", "loss", "ce", falling };
  for (size_t i = 0; i < 6 * MOST; i++)
    all[run.column_count++] = (crd_run_column){ measures[i % 6], names[i / 6], measures[i % 6],
                                                i % 2 ? falling : rising };
  for (int ascii = 0; ascii < 2; ascii++) {
    char *const text = print(*state, "training", &(sources){ .run = &run }, ascii);
    expect_narrow("training", text, ascii);
    expect_has("training", text, "d10");
    free(text);
  }
  char *const svg = draw(*state, "training", &(sources){ .run = &run }, NULL);
  expect_well_formed("training", svg);
  free(svg);
  all[run.column_count - 1].data = names[MOST];
  assert_int_equal(
      crd_figure_write(*state, "training",
                       &(crd_figure_data){ .size = sizeof(crd_figure_data), .run = &run }, NULL,
                       NULL),
      CRD_EUSAGE);
  assert_string_equal(crd_context_message(*state),
                      "the run: too many sets of data to draw, allowed are up to 11");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(odd_runs_are_drawn),
    cmocka_unit_test(data_of_runs_are_limited),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

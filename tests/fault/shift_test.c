/* shift_test.c -- every allocation fails once while shifted sets are evaluated, compared, drawn,
 * stored and read again. */
#include "fault/sweep.h"

/* A paired set, and one without labels. */
typedef struct {
  crd_predictions *p, *bare;
  crd_shift_set sets[2];
} shifted;

static crd_status open_sets(crd_context *ctx, shifted *s) {
  crd_predictions_parts parts = data_parts();
  *s = (shifted){ 0 };
  crd_status status = create(ctx, &s->p);
  parts.labels = (crd_array){ 0 };
  parts.labels_optional = 1;
  if (status == CRD_OK) status = crd_predictions_create(ctx, &parts, &s->bare);
  s->sets[0] = (crd_shift_set){ "noise:2", s->p };
  s->sets[1] = (crd_shift_set){ "new", s->bare };
  return status;
}

static void close_sets(shifted *s) {
  crd_predictions_destroy(s->p);
  crd_predictions_destroy(s->bare);
}

/* What is written of a result or a contest: an output format, a figure, or (neither) a page. */
typedef struct {
  const char *form, *figure;
} target;

static crd_status put(crd_context *ctx, const crd_page_part *part, const target *to) {
  crd_output *output = NULL;
  const crd_figure_data data_of = { .size = sizeof data_of,
                                    .result = part->result,
                                    .contest = part->contest };
  crd_status status = crd_output_open(ctx, folder_file, &output);
  if (status != CRD_OK) return status;
  if (to->figure) status = crd_figure_write(ctx, to->figure, &data_of, NULL, output);
  else if (!to->form) status = crd_page_write(ctx, part, 1, NULL, output);
  else if (part->result) status = crd_report_write(ctx, part->result, to->form, NULL, output);
  else status = crd_contest_write(ctx, part->contest, to->form, NULL, output);
  return crd_output_finish(ctx, output, status);
}

static crd_status evaluate(crd_context *ctx, const void *to) {
  const crd_evaluate_options options = { .size = sizeof options, .resamples = 3, .paired = 1 };
  shifted s;
  crd_evidence *evidence = NULL;
  const crd_result *judged = NULL, *result = NULL;
  static const crd_target half = { CRD_TARGET_COVERAGE, 0.5 };
  const crd_operating_options goal = { .size = sizeof goal,
                                       .targets = &half,
                                       .target_count = 1,
                                       .guarantee = CRD_GUARANTEE_BOOTSTRAP,
                                       .resamples = 3 };
  const crd_operating_table *points = NULL;
  const crd_shift_table *table = NULL;
  crd_status status = open_sets(ctx, &s);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, s.p, &options, 0, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, &judged);
  if (status == CRD_OK)
    status = crd_evaluate_shift(ctx, s.p, evidence, s.sets, 2, CRD_SHIFT_AUTO, &table);
  assert_true((status == CRD_OK) == (table != NULL));
  if (status == CRD_OK) status = crd_operating_find(ctx, s.p, &goal, &points);
  if (status == CRD_OK) status = crd_operating_apply_shift(ctx, points, s.p, s.sets, 3, &table);
  const crd_result_parts with = { .size = sizeof with, .shift = table };
  if (status == CRD_OK) status = crd_result_with(ctx, judged, &with, &result);
  if (status == CRD_OK) status = put(ctx, &(crd_page_part){ .result = result }, to);
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_operating_destroy(points);
  crd_shift_table_destroy(table);
  crd_evidence_destroy(evidence);
  close_sets(&s);
  return status;
}

static crd_status compete(crd_context *ctx, const void *to) {
  shifted s;
  const crd_contest *contest = NULL;
  crd_status status = open_sets(ctx, &s);
  static const crd_target goal = { CRD_TARGET_COVERAGE, 0.5 };
  static const crd_operating_options operating = { .size = sizeof operating,
                                                   .targets = &goal,
                                                   .target_count = 1 };
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature",
                                        .resamples = 3,
                                        .operating = &operating,
                                        .shift = s.sets,
                                        .shift_count = 1 };
  if (status == CRD_OK) status = crd_contest_split(ctx, s.p, 0.5, &options, &contest);
  assert_true((status == CRD_OK) == (contest != NULL));
  if (status == CRD_OK) status = put(ctx, &(crd_page_part){ .contest = contest }, to);
  crd_contest_destroy(contest);
  close_sets(&s);
  return status;
}

static crd_status load_stored(crd_context *ctx, const void *path) {
  crd_stored *stored = NULL;
  const crd_status status = crd_stored_load(ctx, path, &stored);
  assert_true((status == CRD_OK) == (stored != NULL));
  crd_stored_destroy(stored);
  return status;
}

static void results_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_report_count(); i++)
    sweep(evaluate, &(target){ .form = crd_report_at(i)->name }, crd_report_at(i)->name);
  sweep(evaluate, &(target){ .figure = "shift" }, "a figure");
  sweep(evaluate, &(target){ 0 }, "a page");
}

/* Forms of tables append text only, as the two do. */
static void contests_survive(void **state) {
  (void)state;
  sweep(compete, &(target){ .form = "text" }, "text");
  sweep(compete, &(target){ .form = "json" }, "json");
  sweep(compete, &(target){ .figure = "shift-methods" }, "a figure");
  sweep(compete, &(target){ 0 }, "a page");
}

static void stored_sets_survive(void **state) {
  crd_context *const ctx = test_context();
  (void)state;
  assert_int_equal(evaluate(ctx, &(target){ .form = "json" }), CRD_OK);
  sweep(load_stored, folder_file, "a stored result");
  assert_int_equal(compete(ctx, &(target){ .form = "json" }), CRD_OK);
  sweep(load_stored, folder_file, "a stored contest");
  crd_context_destroy(ctx);
  unlink(folder_file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_survive),
    cmocka_unit_test(contests_survive),
    cmocka_unit_test(stored_sets_survive),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

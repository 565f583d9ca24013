/* drawn_test.c -- every allocation fails once while results are drawn, stored and read again. */
#include "fault/sweep.h"

static crd_status render(crd_context *ctx, const void *form) {
  crd_predictions *p = NULL;
  const crd_result *judged = NULL, *result = NULL;
  const crd_group_table *groups = NULL;
  crd_output *output = NULL;
  crd_predictions_parts parts = data_parts();
  parts.groups = parts.labels;
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &judged);
  if (status == CRD_OK) status = crd_evaluate_groups(ctx, p, NULL, &groups);
  const crd_result_parts with = { .size = sizeof with, .groups = groups };
  if (status == CRD_OK) status = crd_result_with(ctx, judged, &with, &result);
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_report_write(ctx, result, form, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_group_table_destroy(groups);
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_predictions_destroy(p);
  return status;
}

static const char record_file[] = CREDENCE_SOURCE "/tests/cli/data/training.run.json";

static crd_status train(crd_context *ctx, const crd_predictions *p,
                        const crd_calibratability **out) {
  static const size_t sizes[] = { 5 };
  static const crd_calibratability_options options = {
    .size = sizeof options, .methods = "temperature", .sizes = sizes, .size_count = 1, .draws = 1
  };
  const crd_trained_run runs[] = { { "ce", p, p }, { "ls", p, p } };
  return crd_calibratability_measure(ctx, runs, 2, &options, out);
}

static crd_status learn(crd_context *ctx, const crd_learned **out) {
  static const uint32_t epochs[] = { 1, 0 };
  static const float logits[] = { 2, 1 };
  const crd_learned_run run = { "ce", 2, epochs, logits };
  return crd_learned_measure(ctx, &run, 1, 3, out);
}

/* Calibratability and learned epochs in one form. */
static crd_status tabulate(crd_context *ctx, const void *form) {
  crd_predictions *p = NULL;
  const crd_calibratability *trained = NULL;
  const crd_learned *learned = NULL;
  crd_output *output = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = train(ctx, p, &trained);
  if (status == CRD_OK) status = learn(ctx, &learned);
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_calibratability_write(ctx, trained, form, NULL, output);
  if (status == CRD_OK) status = crd_learned_write(ctx, learned, form, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_calibratability_destroy(trained);
  crd_learned_destroy(learned);
  crd_predictions_destroy(p);
  return status;
}

static void tables_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_report_count(); i++)
    sweep(tabulate, crd_report_at(i)->name, crd_report_at(i)->name);
  unlink(folder_file);
}

/* Every figure, from the same predictions, or from a stored record. */
static crd_status picture(crd_context *ctx, const void *name) {
  static const crd_embed_options few_points = { .size = sizeof few_points,
                                                .rows = 8,
                                                .iterations = 3 };
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature",
                                        .resamples = 3 };
  crd_predictions *p = NULL;
  const crd_result *judged = NULL, *result = NULL;
  const crd_contest *contest = NULL;
  const crd_profile *profile = NULL;
  crd_calibrator *calibrator = NULL;
  const crd_embedding *embedding = NULL;
  const crd_run *run = NULL;
  crd_output *output = NULL;
  const crd_figure_info *const figure = crd_figure_find(name);
  const crd_profile_options parts = { .size = sizeof parts,
                                      .parts = figure->profile,
                                      .resamples = 3 };
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &judged);
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_CONTEST)
    status = crd_contest_split(ctx, p, 0.5, &options, &contest);
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_PROFILE)
    status = crd_profile_make(ctx, p, &parts, &profile);
  const crd_result_parts with = { .size = sizeof with, .profile = profile };
  if (status == CRD_OK) status = crd_result_with(ctx, judged, &with, &result);
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_CALIBRATOR)
    status = crd_calibrator_fit(ctx, "vector", NULL, p, &calibrator);
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_EMBEDDING) {
    status = crd_embed(ctx, p, &few_points, &embedding);
    assert_true((status == CRD_OK) == (embedding != NULL));
  }
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_RUN) {
    status = crd_run_load(ctx, record_file, &run);
    assert_true((status == CRD_OK) == (run != NULL));
  }
  const crd_calibratability *trained = NULL;
  const crd_learned *learned = NULL;
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_CALIBRATABILITY)
    status = train(ctx, p, &trained);
  if (status == CRD_OK && figure->source == CRD_FIGURE_OF_LEARNED) status = learn(ctx, &learned);
  static const float values[] = { 1, -2, 0, 3 };
  static const crd_perturbation perturbation = {
    .rank = 2, .dims = { 2, 2 }, .values = values, .temperature = 1
  };
  const crd_figure_data drawn = { .size = sizeof drawn,
                                  .result = result,
                                  .contest = contest,
                                  .calibrator = calibrator,
                                  .embedding = embedding,
                                  .run = run,
                                  .perturbation = &perturbation,
                                  .calibratability = trained,
                                  .learned = learned };
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_figure_write(ctx, name, &drawn, NULL, output);
  if (status == CRD_OK) status = crd_figure_print(ctx, name, &drawn, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_contest_destroy(contest);
  crd_calibrator_destroy(calibrator);
  crd_embedding_destroy(embedding);
  crd_run_destroy(run);
  crd_calibratability_destroy(trained);
  crd_learned_destroy(learned);
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_profile_destroy(profile);
  crd_predictions_destroy(p);
  return status;
}

static void figures_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_figure_count(); i++)
    if (!strstr(crd_figure_at(i)->name, "shift")) /* shift_test.c */
      sweep(picture, crd_figure_at(i)->name, crd_figure_at(i)->name);
  unlink(folder_file);
}

/* Writes a page of a result with every optional part, and of a contest. */
static crd_status tell(crd_context *ctx, const void *what) {
  const crd_contest_options options = {
    .size = sizeof options, .methods = "temperature", .resamples = 3, .profile = CRD_PROFILE_BINS
  };
  const crd_provenance provenance = { .command = "credence", .version = "0", .seed = 1 };
  crd_predictions *p = NULL;
  const crd_result *judged = NULL, *result = NULL;
  const crd_contest *contest = NULL;
  const crd_diagnosis *diagnosis = NULL;
  crd_output *output = NULL;
  (void)what;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &judged);
  if (status == CRD_OK) status = crd_contest_split(ctx, p, 0.5, &options, &contest);
  if (status == CRD_OK) status = crd_diagnose(ctx, p, &diagnosis);
  const crd_page_part parts[] = { { .result = result, .diagnosis = diagnosis },
                                  { .contest = contest, .provenance = &provenance } };
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_page_write(ctx, parts, 2, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_diagnosis_destroy(diagnosis);
  crd_contest_destroy(contest);
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_predictions_destroy(p);
  return status;
}

static void reports_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_report_count(); i++)
    sweep(render, crd_report_at(i)->name, crd_report_at(i)->name);
  sweep(tell, NULL, "a page");
  unlink(folder_file);
}

/* Writes a cross-validated contest in an output format. */
static crd_status compete(crd_context *ctx, const void *form) {
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature,platt(scope=top-1)",
                                        .resamples = 3,
                                        .profile = CRD_PROFILE_BINS | CRD_PROFILE_GROUPS };
  crd_predictions *p = NULL;
  const crd_contest *contest = NULL;
  crd_output *output = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_contest_folds(ctx, p, 2, &options, &contest);
  assert_true((status == CRD_OK) == (contest != NULL));
  if (status == CRD_OK) status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK) status = crd_contest_write(ctx, contest, form, NULL, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_contest_destroy(contest);
  crd_predictions_destroy(p);
  return status;
}

static void contests_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_report_count(); i++)
    sweep(compete, crd_report_at(i)->name, crd_report_at(i)->name);
  unlink(folder_file);
}

/* ---- Series: two contests, in an output format or (NULL) as a page. */

static crd_status show_series(crd_context *ctx, const crd_contest *contest,
                              const crd_series_summary *series, const char *form) {
  const crd_page_part part = { .contest = contest, .series = series };
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, folder_file, &output);
  if (status == CRD_OK)
    status = form ? crd_series_write(ctx, series, form, NULL, output)
                  : crd_page_write(ctx, &part, 1, NULL, output);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

/* density-ratio fails: its error message is copied too. */
static crd_status repeat(crd_context *ctx, const void *form) {
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature,density-ratio" };
  const crd_series_options kind = { .size = sizeof kind,
                                    .kind = CRD_SERIES_SPLITS,
                                    .caption = "splits" };
  crd_predictions_parts parts = data_parts();
  crd_predictions *p = NULL;
  const crd_contest *contests[2] = { NULL };
  crd_series *series = NULL;
  parts.features = (crd_array){ 0 };
  crd_status status = crd_predictions_create(ctx, &parts, &p);
  if (status == CRD_OK) {
    status = crd_series_create(ctx, &kind, &series);
    assert_true((status == CRD_OK) == (series != NULL));
  }
  for (size_t i = 0; status == CRD_OK && i < 2; i++) {
    crd_context_set_seed(ctx, i);
    status = crd_contest_split(ctx, p, 0.5, &options, &contests[i]);
    if (status != CRD_OK) continue;
    status = crd_series_add(ctx, series, contests[i]);
    assert_int_equal(crd_series_describe(series)->runs, i + (status == CRD_OK));
  }
  if (status == CRD_OK) {
    assert_int_equal(crd_series_describe(series)->candidates[2].failures, 2);
    status = show_series(ctx, contests[0], crd_series_describe(series), form);
  }
  crd_series_destroy(series);
  for (size_t i = 0; i < 2; i++) crd_contest_destroy(contests[i]);
  crd_predictions_destroy(p);
  return status;
}

static void series_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_report_count(); i++)
    sweep(repeat, crd_report_at(i)->name, crd_report_at(i)->name);
  sweep(repeat, NULL, "the page of a series");
  unlink(folder_file);
}

/* ---- Stored results: a contest, and a result with every optional part. */

static crd_status load_stored(crd_context *ctx, const void *path) {
  crd_stored *stored = NULL;
  const crd_status status = crd_stored_load(ctx, path, &stored);
  assert_true((status == CRD_OK) == (stored != NULL));
  crd_stored_destroy(stored);
  return status;
}

static crd_status tell_all(crd_context *ctx, const void *path) {
  static const crd_source source = {
    "a.csv", 7, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  };
  crd_predictions *p = NULL;
  const crd_result *judged = NULL, *result = NULL;
  const crd_profile *profile = NULL;
  const crd_diagnosis *diagnosis = NULL;
  const crd_compat_table *compat = NULL;
  crd_output *output = NULL;
  crd_status status = create(ctx, &p);
  if (status == CRD_OK) status = crd_evaluate(ctx, p, NULL, &judged);
  if (status == CRD_OK) status = crd_profile_make(ctx, p, NULL, &profile);
  if (status == CRD_OK) status = crd_diagnose(ctx, p, &diagnosis);
  if (status == CRD_OK) status = crd_compat(ctx, p, "netcal", 0, &compat);
  static const char *const note = "a note";
  const crd_result_parts with = { .size = sizeof with,
                                  .compat = compat,
                                  .profile = profile,
                                  .metrics = "ece,accuracy",
                                  .notes = &note,
                                  .note_count = 1 };
  if (status == CRD_OK) status = crd_result_with(ctx, judged, &with, &result);
  if (status == CRD_OK) status = crd_output_open(ctx, path, &output);
  const crd_provenance provenance = { .source_count = 1, .sources = &source };
  const crd_report_options options = { .size = sizeof options,
                                       .diagnosis = diagnosis,
                                       .provenance = &provenance };
  if (status == CRD_OK) status = crd_report_write(ctx, result, "json", &options, output);
  if (status == CRD_OK) status = crd_output_commit(ctx, output);
  else crd_output_discard(output);
  crd_compat_destroy(compat);
  crd_diagnosis_destroy(diagnosis);
  crd_profile_destroy(profile);
  crd_result_destroy(result);
  crd_result_destroy(judged);
  crd_predictions_destroy(p);
  return status;
}

static void stored_results_survive(void **state) {
  crd_context *const ctx = test_context();
  (void)state;
  assert_int_equal(compete(ctx, "json"), CRD_OK);
  sweep(load_stored, folder_file, "a stored contest");
  assert_int_equal(tell_all(ctx, folder_file), CRD_OK);
  sweep(load_stored, folder_file, "a stored result");
  crd_context_destroy(ctx);
  unlink(folder_file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(reports_survive), cmocka_unit_test(tables_survive),
    cmocka_unit_test(figures_survive), cmocka_unit_test(contests_survive),
    cmocka_unit_test(series_survive),  cmocka_unit_test(stored_results_survive),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

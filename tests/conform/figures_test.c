/*
 * figures_test.c -- properties of every figure: well-formed, with a title and a description, names
 * escaped, and the same bytes each time. An XML parser reads them all too (tests/golden/figures).
 */
#include "conform/figures.h"

static const char evil[] = "</title><script>alert(\"1\")</script>&'\x01\x1b[31m\xff\xc3\xa4";

/* A run of three epochs whose names are as given, with values that do not exist. */
static const double falling[] = { 2, 1, 0.5 }, rising[] = { 0.25, 0.5, 0.75 };
static const double broken[] = { (double)NAN, 1, (double)NAN };
static crd_run_column columns[] = {
  { "loss", NULL, "loss", falling },
  { "loss.ce", "loss", "ce", falling },
  { "loss.x", "loss", "x", broken },
  { "train.accuracy", "train", "accuracy", rising },
  { "a.accuracy", "", "accuracy", rising },
  { "a.ece", "", "ece", broken },
  { "a.ece_oracle_t", "", "ece_oracle_t", falling },
};
enum { COLUMNS = sizeof columns / sizeof *columns };
static crd_run_setting settings[] = { { "loss", "" }, { "best", "" } };

static const crd_run *make_run(const char *name) {
  static crd_run run;
  for (size_t i = 4; i < COLUMNS; i++) columns[i].data = name;
  columns[2].measure = name;
  settings[0].value = settings[1].value = name;
  run = (crd_run){ .name = name,
                   .network = name,
                   .rows = 1,
                   .classes = 2,
                   .epochs = 3,
                   .kept = 2,
                   .best = 1,
                   .setting_count = 2,
                   .settings = settings,
                   .column_count = COLUMNS,
                   .columns = columns };
  return &run;
}

static const crd_perturbation *make_perturbation(const char *name) {
  static const float values[] = { 0.5F, 0, -1, 0.25F, 0.125F, -0.0625F };
  static crd_perturbation p;
  p = (crd_perturbation){
    .name = name, .rank = 3, .dims = { 3, 1, 2 }, .values = values, .temperature = 2
  };
  return &p;
}

static void join(crd_context *ctx, sources *s) {
  const crd_result_parts parts = { .size = sizeof parts, .profile = s->profile, .shift = s->shift };
  assert_int_equal(crd_result_with(ctx, s->judged, &parts, &s->result), CRD_OK);
}

static sources make(crd_context *ctx, test_recipe recipe, const char *name) {
  test_data data = make_data(recipe);
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data.scores, CRD_F64, data.rows, data.classes),
    .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1),
    .name = name,
  };
  sources s = { 0 };
  crd_predictions *p = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  assert_int_equal(crd_evaluate(ctx, p,
                                &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                         .resamples = 20,
                                                         .bins = 10 },
                                &s.judged),
                   CRD_OK);
  assert_int_equal(crd_profile_make(ctx, p,
                                    &(crd_profile_options){ .size = sizeof(crd_profile_options),
                                                            .resamples = 20 },
                                    &s.profile),
                   CRD_OK);
  crd_evidence *evidence = NULL;
  const crd_shift_set sets[] = { { "noise:2", p }, { "noise:5", p }, { name, p } };
  assert_int_equal(crd_evidence_gather(ctx, p, NULL, 0, &evidence), CRD_OK);
  assert_int_equal(crd_evaluate_shift(ctx, p, evidence, sets, 3, CRD_SHIFT_AUTO, &s.shift), CRD_OK);
  crd_evidence_destroy(evidence);
  join(ctx, &s);
  const crd_contest_options options = { .size = sizeof options,
                                        .methods = "temperature,isotonic",
                                        .resamples = 20,
                                        .shift = sets,
                                        .shift_count = 3 };
  assert_int_equal(crd_contest_split(ctx, p, 0.5, &options, &s.contest), CRD_OK);
  assert_int_equal(crd_calibrator_fit(ctx, "matrix", NULL, p, &s.calibrator), CRD_OK);
  assert_int_equal(
      crd_embed(ctx, p, &(crd_embed_options){ .size = sizeof(crd_embed_options), .iterations = 50 },
                &s.embedding),
      CRD_OK);
  s.run = make_run(name);
  s.perturbation = make_perturbation(name);
  const crd_trained_run trained[] = { { name, p, NULL }, { "other", p, NULL } };
  static const size_t sizes[] = { 20, 0 };
  const crd_calibratability_options sized = {
    .size = sizeof sized, .sizes = sizes, .size_count = 2, .draws = 2
  };
  assert_int_equal(crd_calibratability_measure(ctx, trained, 2, &sized, &s.calibratability),
                   CRD_OK);
  static const uint32_t epochs[] = { 1, 2, 0 };
  static const float logits[] = { 3, 2, 2 };
  const crd_learned_run learned[] = { { name, 3, epochs, logits }, { "other", 2, epochs, logits } };
  assert_int_equal(crd_learned_measure(ctx, learned, 2, 0, &s.learned), CRD_OK);
  crd_predictions_destroy(p);
  free_data(&data);
  return s;
}

static void drop(sources *s) {
  crd_result_destroy(s->result);
  crd_result_destroy(s->judged);
  crd_profile_destroy(s->profile);
  crd_shift_table_destroy(s->shift);
  crd_contest_destroy(s->contest);
  crd_calibrator_destroy(s->calibrator);
  crd_embedding_destroy(s->embedding);
  crd_calibratability_destroy(s->calibratability);
  crd_learned_destroy(s->learned);
}

static const test_recipe usual = {
  .rows = 300, .classes = 3, .seed = 7, .spread = 3, .accuracy = 0.7
};

static void every_figure_is_sound(void **state) {
  crd_context *const ctx = *state;
  sources s = make(ctx, usual, evil);
  for (size_t i = 0; i < crd_figure_count(); i++) {
    const char *const name = crd_figure_at(i)->name;
    char *const svg = draw(ctx, name, &s, NULL), *const again = draw(ctx, name, &s, NULL);
    expect_well_formed(name, svg);
    assert_string_equal(svg, again);
    expect_has(name, svg, " role=\"img\" aria-labelledby=\"");
    expect_has(name, svg, "<title id=\"");
    expect_has(name, svg, "<desc id=\"");
    expect_has(name, svg, "prefers-color-scheme:dark");
    if (crd_figure_at(i)->source != CRD_FIGURE_OF_CALIBRATOR) /* which holds no name from outside */
      expect_has(name, svg, "&lt;script&gt;");
    assert_null(strstr(svg, "<script"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf\""));
    free(svg);
    free(again);
  }
  drop(&s);
}

/* Titles and ids given by the caller are escaped too. */
static void titles_are_shown(void **state) {
  crd_context *const ctx = *state;
  sources s = make(ctx, usual, "plain");
  const crd_figure_options options = { .size = sizeof options,
                                       .title = "My \"own\" <title>",
                                       .id = "a\"><script>" };
  for (size_t i = 0; i < crd_figure_count(); i++) {
    const char *const name = crd_figure_at(i)->name;
    char *const svg = draw(ctx, name, &s, &options);
    expect_well_formed(name, svg);
    expect_has(name, svg, ">My &quot;own&quot; &lt;title&gt;</text>");
    expect_has(name, svg, "<title id=\"a&quot;&gt;&lt;script&gt;-title\">");
    free(svg);
  }
  drop(&s);
}

static void terminals_have_eighty_columns(void **state) {
  crd_context *const ctx = *state;
  sources s = make(ctx, usual, "\x1b[31m<\xc3\xa4\xff>");
  for (size_t i = 0; i < 2 * crd_figure_count(); i++) {
    const char *const name = crd_figure_at(i / 2)->name;
    char *const text = print(ctx, name, &s, i % 2);
    expect_narrow(name, text, i % 2);
    free(text);
  }
  drop(&s);
}

/* One row; all rows correct; results without metrics: no division by 0, and something is drawn. */
static void odd_data_is_drawn(void **state) {
  crd_context *const ctx = *state;
  static const double scores[] = { 0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4 };
  static const int64_t labels[] = { 0, 0, 0, 0 };
  for (size_t rows = 1; rows <= 4; rows += 3)
    for (size_t i = 0; i < crd_figure_count(); i++) {
      const crd_figure_source source = crd_figure_at(i)->source;
      if (source != CRD_FIGURE_OF_RESULT && source != CRD_FIGURE_OF_PROFILE) continue;
      const crd_predictions_parts parts = { .size = sizeof parts,
                                            .scores = crd_array_matrix(scores, CRD_F64, rows, 2),
                                            .labels = crd_array_matrix(labels, CRD_I64, rows, 1) };
      crd_predictions *p = NULL;
      sources s = { 0 };
      assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
      assert_int_equal(crd_evaluate(ctx, p,
                                    &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                             .metrics = "brier" },
                                    &s.judged),
                       CRD_OK);
      assert_int_equal(crd_profile_make(ctx, p, NULL, &s.profile), CRD_OK);
      join(ctx, &s);
      char *const svg = draw(ctx, crd_figure_at(i)->name, &s, NULL);
      expect_well_formed(crd_figure_at(i)->name, svg);
      if (strcmp(crd_figure_at(i)->name, "roc") == 0)
        expect_has("roc", svg, "No curve: all rows are correct, or all incorrect.");
      free(svg);
      drop(&s);
      crd_predictions_destroy(p);
    }
}

/* Weights are drawn for methods that learn weights; the error message names these methods. */
static void weights_are_of_those_who_learn_them(void **state) {
  crd_context *const ctx = *state;
  test_data data = make_data(usual);
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data.scores, CRD_F64, data.rows, data.classes),
    .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1),
    .features = data_features(&data),
  };
  crd_predictions *p = NULL;
  size_t drawn = 0;
  assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
  for (size_t i = 0; i < crd_method_count(); i++) {
    const char *const method = crd_method_at(i)->name;
    sources s = { 0 };
    assert_int_equal(crd_calibrator_fit(ctx, method, NULL, p, &s.calibrator), CRD_OK);
    size_t square = 0;
    for (size_t k = 0; crd_calibrator_learnt(s.calibrator, k); k++)
      square += strcmp(crd_calibrator_learnt(s.calibrator, k)->name, "W") == 0;
    const bool linear = square || strstr(method, "vector");
    if (linear) {
      char *const svg = draw(ctx, "weights", &s, NULL);
      expect_well_formed(method, svg);
      expect_has(method, svg, square ? "class 2, from class 0: " : "class 2, w: ");
      expect_has(method, svg, "class 2, b: ");
      free(svg);
      drawn++;
    } else {
      const crd_figure_data only = { .size = sizeof only, .calibrator = s.calibrator };
      assert_int_equal(crd_figure_write(ctx, "weights", &only, NULL, NULL), CRD_EUSAGE);
      expect_has(method, crd_context_message(ctx), method);
      expect_has(method, crd_context_message(ctx),
                 " has no weights to draw, allowed are calibrators of vector, matrix, "
                 "matrix-odir, dirichlet-odir, structured-vector, structured-matrix");
    }
    drop(&s);
  }
  assert_int_equal(drawn, 6);
  crd_predictions_destroy(p);
  free_data(&data);
}

/* Many points, half of them incorrect: the file stays small enough for a page. */
static void many_points_are_a_small_file(void **state) {
  enum { POINTS = 5000, CLASSES = 100 };
  static double x[POINTS], y[POINTS];
  static size_t label[POINTS];
  static unsigned char correct[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    x[i] = (double)(i * 7919 % 4999);
    y[i] = (double)(i * 104729 % 4973);
    label[i] = i * i % CLASSES;
    correct[i] = i % 2;
  }
  crd_embedding points = { .all_rows = POINTS,
                           .count = POINTS,
                           .classes = CLASSES,
                           .perplexity = 30,
                           .x = x,
                           .y = y,
                           .label = label,
                           .correct = correct };
  char *const svg = draw(*state, "tsne", &(sources){ .embedding = &points }, NULL);
  expect_well_formed("tsne", svg);
  if (strlen(svg) > 400000) fail_msg("%d points: %zu bytes", POINTS, strlen(svg));
  free(svg);
}

/* A hundred classes are ten thousand cells; a terminal is too small for them. */
static void many_weights_are_a_small_file(void **state) {
  enum { ROWS = 150, CLASSES = 100 };
  crd_context *const ctx = *state;
  test_data data = make_data(
      (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 5, .spread = 2, .accuracy = 0.5 });
  crd_predictions *const p = data_predictions(ctx, &data, 0, ROWS);
  sources s = { 0 };
  assert_int_equal(crd_calibrator_fit(ctx, "matrix-odir", "lambda=1", p, &s.calibrator), CRD_OK);
  char *const svg = draw(ctx, "weights", &s, NULL);
  expect_well_formed("weights", svg);
  if (strlen(svg) > 700000) fail_msg("%d classes: %zu bytes", CLASSES, strlen(svg));
  const crd_figure_data only = { .size = sizeof only, .calibrator = s.calibrator };
  assert_int_equal(crd_figure_print(ctx, "weights", &only, NULL, NULL), CRD_EUSAGE);
  assert_string_equal(crd_context_message(ctx),
                      "100 classes are too many to draw on a terminal, allowed are up to 30");
  free(svg);
  drop(&s);
  crd_predictions_destroy(p);
  free_data(&data);
}

static void expect_refused(crd_context *ctx, const char *name, const crd_figure_data *data,
                           const char *sentence) {
  assert_int_equal(crd_figure_write(ctx, name, data, NULL, NULL), CRD_EUSAGE);
  if (!strstr(crd_context_message(ctx), sentence))
    fail_msg("%s, expected %s", crd_context_message(ctx), sentence);
}

static void refusals_are_sentences(void **state) {
  crd_context *const ctx = *state;
  const crd_result fine = { .bin_count = 201 };
  expect_refused(ctx, "reliabilty", &(crd_figure_data){ .size = sizeof(crd_figure_data) },
                 "unknown figure 'reliabilty', allowed are reliability");
  expect_refused(ctx, "reliability",
                 &(crd_figure_data){ .size = sizeof(crd_figure_data), .result = &fine },
                 "201 bins are too many to draw, allowed are up to 200");
  const crd_profile bins = { .parts = CRD_PROFILE_BINS };
  const crd_result plain = { .rows = 1 }, binned = { .rows = 1, .profile = &bins };
  expect_refused(ctx, "roc",
                 &(crd_figure_data){ .size = sizeof(crd_figure_data), .result = &plain },
                 "the figure 'roc' is drawn from the profile of a result, none was given");
  expect_refused(ctx, "roc",
                 &(crd_figure_data){ .size = sizeof(crd_figure_data), .result = &binned },
                 "a profile with curves, which were not requested");
  for (size_t i = 0; i < crd_figure_count(); i++)
    expect_refused(ctx, crd_figure_at(i)->name,
                   &(crd_figure_data){ .size = sizeof(crd_figure_data) }, "none was given");
  assert_null(crd_figure_at(crd_figure_count()));
  assert_null(crd_figure_find("x"));
  assert_ptr_equal(crd_figure_find("reliability"), crd_figure_at(0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_figure_is_sound),
    cmocka_unit_test(titles_are_shown),
    cmocka_unit_test(terminals_have_eighty_columns),
    cmocka_unit_test(odd_data_is_drawn),
    cmocka_unit_test(weights_are_of_those_who_learn_them),
    cmocka_unit_test(many_points_are_a_small_file),
    cmocka_unit_test(many_weights_are_a_small_file),
    cmocka_unit_test(refusals_are_sentences),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

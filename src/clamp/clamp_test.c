/*
 * clamp_test.c -- whole fits: temperature scaling as special case and bound, determinism,
 * interrupts, summaries.
 */
#include "clamp/testing.h"

#include "credence/calibrator.h"

/* ---- Temperature scaling. */

static double fit_temperature(crd_context *ctx, const scene *s, const char *method,
                              const char *settings) {
  float logits[ROWS * CLASSES];
  crd_predictions *predictions;
  crd_calibrator *calibrator;
  for (size_t r = 0; r < s->samples.rows; r++) {
    double z[CLASSES];
    plain_logits(&s->net, s->samples.inputs + r * INPUTS, NULL, z);
    for (size_t k = 0; k < CLASSES; k++) logits[r * CLASSES + k] = (float)z[k];
  }
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(logits, CRD_F32, s->samples.rows, CLASSES),
    .labels = crd_array_matrix(s->samples.labels, CRD_I64, s->samples.rows, 1),
    .weights = crd_array_matrix(s->samples.weighted ? s->samples.weights : NULL, CRD_F64,
                                s->samples.rows, 1),
    .input = CRD_INPUT_LOGITS
  };
  WORKS(ctx, crd_predictions_create(ctx, &parts, &predictions));
  WORKS(ctx, crd_calibrator_fit(ctx, method, settings, predictions, &calibrator));
  const double temperature = crd_calibrator_learnt(calibrator, 0)->values[0];
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(predictions);
  return temperature;
}

static void without_delta_it_is_temperature_scaling(void **state) {
  static const char *const gammas[] = { NULL, "gamma=0.35", "gamma=1", "gamma=2.5" };
  static scene s;
  for (size_t i = 0; i < 8; i++) {
    const char *const gamma = gammas[i / 2];
    char settings[80];
    open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = i % 2 }, &s);
    snprintf(settings, sizeof settings, "lambda=infinite%s%s", gamma ? "," : "",
             gamma ? gamma : "");
    crd_clamp *const clamp = fit_with(*state, &s, settings);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    const double expected =
        fit_temperature(*state, &s, gamma ? "temperature-focal" : "temperature", gamma);
    assert_true(same_bits(found->temperature, expected) && same_bits(found->scaling, expected));
    assert_true(same_bits(found->objective, found->temperature_objective));
    assert_true(same_bits(found->after.nll, found->scaled.nll));
    assert_true(same_bits(found->only_delta.ece, found->before.ece));
    assert_true(same_bits(found->only_temperature.ece, found->after.ece));
    assert_true(found->delta_norm == 0 && isinf(found->lambda) && isinf(found->weight));
    for (size_t k = 0; k < INPUTS; k++) assert_true(found->delta[k] == 0);
    assert_true(found->converged && !found->interrupted && found->passes == 2);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

static void never_above_temperature_scaling(void **state) {
  static const char *const starts[] = { "zero", "random,spread=2", "entropy", "logits" };
  static const double gammas[] = { 0, 1, 3 }, lambdas[] = { 0, 0.1, 10 };
  static scene s;
  size_t below = 0;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < 4 * 3 * 3 * 2; i++) {
    char settings[120];
    snprintf(settings, sizeof settings, "gamma=%g,lambda=%g,start=%s,penalty=%s,passes=12",
             gammas[i % 3], lambdas[i / 3 % 3], starts[i / 9 % 4], i < 36 ? "square" : "norm");
    crd_clamp *const clamp = fit_with(*state, &s, settings);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    if (found->objective > found->temperature_objective)
      fail_msg("%s: %.17g, temperature scaling %.17g", settings, found->objective,
               found->temperature_objective);
    below += found->objective < found->temperature_objective - 1e-4;
    crd_clamp_destroy(clamp);
  }
  assert_true(below > 20);
  close_scene(&s);
}

/* ---- What holds at the optimum. */

/* A start so bad that the steps end above temperature scaling, which is returned then: the summary
 * describes that, and not the point that was given up. */
static void a_fall_back_is_temperature_scaling(void **state) {
  static const char *const settings[] = { "gamma=0,lambda=10", "gamma=1,lambda=0.5",
                                          "gamma=0.5,lambda=10,penalty=norm" };
  static const double gammas[] = { 0, 1, 0.5 };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < 3; i++) {
    char text[120];
    double zero[INPUTS] = { 0 }, gradient[INPUTS + 1];
    snprintf(text, sizeof text, "%s,start=random,spread=9,passes=1", settings[i]);
    crd_clamp *const clamp = fit_with(*state, &s, text);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    assert_true(found->delta_norm == 0 && same_bits(found->temperature, found->scaling));
    assert_true(same_bits(found->objective, found->temperature_objective));
    plain_gradient(&s, gammas[i], zero, found->scaling, gradient);
    assert_true(near(found->gradient_norm, plain_norm(gradient), 1e-4));
    assert_true(found->converged && !found->interrupted);
    crd_clamp_destroy(clamp);
  }
  close_scene(&s);
}

/* Lemma 3.1; the temperature is exact, so that it holds wherever the steps end. */
static void the_residual_vanishes(void **state) {
  static const char *const settings[] = { "lambda=0.1", "lambda=0.1,passes=2", "lambda=infinite",
                                          "lambda=3,penalty=norm" };
  static scene s;
  for (size_t i = 0; i < 8; i++) {
    open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = i % 2 }, &s);
    crd_clamp *const clamp = fit_with(*state, &s, settings[i / 2]);
    assert_true(fabs(crd_clamp_describe(clamp)->residual) < 1e-6);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "lambda=0.1,gamma=1");
  assert_true(fabs(crd_clamp_describe(clamp)->residual) > 1e-3);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

static void entropy_rises_with_gamma(void **state) {
  static scene s;
  double last = 0;
  open_scene(*state, &(plan){ .sharpness = 0.8 }, &s);
  for (unsigned i = 0; i <= 5; i++) {
    char settings[40];
    snprintf(settings, sizeof settings, "lambda=0.5,gamma=%g", 0.5 * i);
    crd_clamp *const clamp = fit_with(*state, &s, settings);
    const double entropy = crd_clamp_describe(clamp)->after.entropy;
    assert_true(entropy > last);
    last = entropy;
    crd_clamp_destroy(clamp);
  }
  close_scene(&s);
}

/* ---- The summary. */

static size_t plain_argmax(const scene *s, size_t row, const double *delta) {
  double z[CLASSES];
  size_t best = 0;
  plain_logits(&s->net, s->samples.inputs + row * INPUTS, delta, z);
  for (size_t k = 1; k < CLASSES; k++) best = z[k] > z[best] ? k : best;
  return best;
}

static double plain_accuracy(const scene *s, const double *delta) {
  double hits = 0;
  for (size_t r = 0; r < ROWS; r++)
    hits += plain_argmax(s, r, delta) == (size_t)s->samples.labels[r];
  return hits / ROWS;
}

static size_t plain_changes(const scene *s, const double *delta) {
  size_t count = 0;
  for (size_t r = 0; r < ROWS; r++) count += plain_argmax(s, r, delta) != plain_argmax(s, r, NULL);
  return count;
}

static void summaries(void **state) {
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  double delta[INPUTS];
  open_scene(*state, &(plan){ .sharpness = 1, .shift = shift }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "lambda=0.2,gamma=1");
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  const double t = found->temperature;
  for (size_t k = 0; k < INPUTS; k++) delta[k] = found->delta[k];
  assert_true(found->rank == 1 && found->dims[0] == INPUTS && found->count == INPUTS);
  assert_true(found->classes == CLASSES && found->rows == ROWS && found->channels == 0);
  assert_true(found->gamma == 1 && found->lambda == 0.2 && found->candidate_count == 0);
  assert_true(near(found->delta_norm, plain_norm(delta), 1e-6) && found->delta_norm > 0.05);
  assert_true(near(found->objective,
                   plain_loss(&s, 1, delta, t) + found->weight * pow(plain_norm(delta), 2), 1e-6));
  assert_true(near(found->temperature_objective, plain_loss(&s, 1, NULL, found->scaling), 1e-6));
  assert_true(near(found->before.nll, plain_loss(&s, 0, NULL, 1), 1e-6));
  assert_true(near(found->scaled.nll, plain_loss(&s, 0, NULL, found->scaling), 1e-6));
  assert_true(near(found->after.nll, plain_loss(&s, 0, delta, t), 1e-6));
  assert_true(near(found->only_delta.nll, plain_loss(&s, 0, delta, 1), 1e-6));
  assert_true(near(found->only_temperature.nll, plain_loss(&s, 0, NULL, t), 1e-6));
  assert_true(near(found->before.entropy, plain_entropy(&s, NULL, 1), 1e-6));
  assert_true(near(found->after.entropy, plain_entropy(&s, delta, t), 1e-6));
  assert_true(near(found->before.accuracy, plain_accuracy(&s, NULL), 1e-12));
  assert_true(near(found->after.accuracy, plain_accuracy(&s, delta), 1e-12));
  assert_true(found->argmax_changes == plain_changes(&s, delta) && found->argmax_changes > 0);
  assert_true(
      near(found->accuracy_change.value, found->after.accuracy - found->before.accuracy, 1e-12));
  assert_true(found->seconds >= found->scaling_seconds && found->scaling_seconds >= 0);
  assert_string_equal(found->settings,
                      "gamma=1,lambda=0.2,unit=loss,penalty=square,reduction=mean,start=zero,"
                      "spread=0.01,fit=both,optimiser=lbfgs,passes=60,rate=0.001,momentum=0,"
                      "batch=512,epochs=100,project=no,low=0,high=1");
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* Rows that only one side predicts correctly decide. Weights and groups have a bootstrap instead; 7
 * equal rows of a group make the interval wider. */
static void accuracy_has_an_interval(void **state) {
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  double width[3];
  for (size_t i = 0; i < 3; i++) {
    const plan how = {
      .sharpness = 1, .shift = shift, .weighted = i == 1, .group = i == 2 ? 7 : 0
    };
    open_scene(*state, &how, &s);
    crd_clamp *const clamp = fit_with(*state, &s, "lambda=0.05");
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    const crd_clamp_change *const change = &found->accuracy_change;
    assert_true(found->delta_norm > 0.1);
    assert_true(near(change->value, found->after.accuracy - found->before.accuracy, 1e-9));
    assert_true(change->low <= change->value && change->value <= change->high);
    width[i] = change->high - change->low;
    assert_true(width[i] > 0.01 && width[i] < 0.5);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
  assert_true(width[2] > 1.5 * width[0]);
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, "lambda=infinite");
  const crd_clamp_change change = crd_clamp_describe(clamp)->accuracy_change;
  assert_true(change.value == 0 && change.low < 0 && change.high > 0); /* 203 rows are few */
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* The text of the settings gives the same fit again. */
static void settings_can_be_repeated(void **state) {
  static const char *const settings[] = { "gamma=1", "lambda=infinite", "start=random,lambda=0.3" };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < 3; i++) {
    crd_clamp *const once = fit_with(*state, &s, settings[i]);
    const crd_clamp_summary *const a = crd_clamp_describe(once);
    crd_clamp *const twice = fit_with(*state, &s, a->settings);
    const crd_clamp_summary *const b = crd_clamp_describe(twice);
    assert_string_equal(a->settings, b->settings);
    assert_true(same_bits(a->objective, b->objective));
    assert_true(same_bits(a->temperature, b->temperature));
    assert_memory_equal(a->delta, b->delta, INPUTS * sizeof(float));
    crd_clamp_destroy(once);
    crd_clamp_destroy(twice);
  }
  close_scene(&s);
}

static void recipes(void **state) {
  static scene s;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; crd_clamp_recipe_at(i); i++) {
    const crd_clamp_options options = { .size = sizeof options,
                                        .recipe = crd_clamp_recipe_at(i)->name,
                                        .settings = "epochs=3" };
    WORKS(*state, crd_clamp_fit(*state, s.network, s.data, &options, &clamp));
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    assert_non_null(strstr(found->settings, "optimiser=sgd"));
    assert_non_null(strstr(found->settings, "epochs=3,"));
    assert_non_null(
        strstr(found->settings, i ? "rate=0.01,momentum=0.9" : "rate=0.001,momentum=0,"));
    assert_true(found->gamma == (i ? 0 : 1) && found->delta_norm > 0);
    crd_clamp_destroy(clamp);
  }
  assert_non_null(crd_clamp_recipe_at(1));
  assert_null(crd_clamp_recipe_at(2));
  assert_string_equal(crd_clamp_setting_at(0)->name, "gamma");
  assert_null(crd_clamp_setting_at(99));
  close_scene(&s);
}

/* ---- Classes. */

/* Labels numbered in another order have the same classes, by the names of the encoding. */
static void labels_are_mapped_by_name(void **state) {
  static const char *const own[CLASSES] = { "north", "west", "east" };
  static char texts[CLASSES][6] = { "west", "east", "north" };
  char *names[CLASSES] = { texts[0], texts[1], texts[2] };
  const crd_encoding encoding = { .class_count = CLASSES, .class_names = names };
  const crd_clamp_options options = { .size = sizeof options,
                                      .settings = "lambda=infinite",
                                      .encoding = &encoding };
  static scene s;
  static int64_t moved[ROWS];
  crd_dataset *data;
  crd_clamp *other;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t r = 0; r < ROWS; r++) moved[r] = (s.samples.labels[r] + 1) % CLASSES;
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs =
                                          crd_array_matrix(s.samples.inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(moved, CRD_I64, ROWS, 1),
                                      .classes = CLASSES,
                                      .class_names = own };
  WORKS(*state, crd_dataset_create(*state, &arrays, &data));
  WORKS(*state, crd_clamp_fit(*state, s.network, data, &options, &other));
  crd_clamp *const clamp = fit_with(*state, &s, "lambda=infinite");
  assert_true(
      same_bits(crd_clamp_describe(clamp)->temperature, crd_clamp_describe(other)->temperature));
  assert_int_equal(crd_dataset_label(data, 0), moved[0]); /* the caller's, unchanged */
  crd_clamp_destroy(clamp);
  crd_clamp_destroy(other);
  crd_dataset_destroy(data);
  close_scene(&s);
}

/* ---- The valid range. */

static void projected_inputs_stay_valid(void **state) {
  static scene s;
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  for (size_t i = 0; i < 3; i++) {
    static const char *const optimisers[] = { "lambda=0.1", "lambda=auto",
                                              "optimiser=sgd,lambda=0.1,rate=1,epochs=5" };
    char settings[120];
    open_scene(*state, &(plan){ .sharpness = 1, .shift = shift }, &s);
    snprintf(settings, sizeof settings, "%s,project=yes,low=-0.25,high=1.25", optimisers[i]);
    crd_clamp *const clamp = fit_with(*state, &s, settings);
    assert_true(s.net.least >= -0.25F && s.net.most <= 1.25F);
    assert_true(crd_clamp_describe(clamp)->delta_norm > 0);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* ---- Interrupts and progress. */

static void interrupts(void **state) {
  static const char *const settings[] = { NULL, "lambda=0.1", "lambda=0.1,gamma=1,start=random",
                                          "start=entropy,lambda=1" };
  static scene s;
  enum { BATCHES = (ROWS + BATCH - 1) / BATCH };
  for (size_t i = 0; i < 4; i++)
    for (size_t at = BATCHES + 1; at < 2000; at += at < 40 ? 1 : 37) {
      open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
      s.net.interrupt_at = at;
      crd_clamp *const clamp = fit_with(*state, &s, settings[i]);
      const crd_clamp_summary *const found = crd_clamp_describe(clamp);
      const bool reached = s.net.runs > at, late = s.net.runs == at;
      assert_true(late || (found->interrupted != 0) == reached);
      assert_true(found->objective <= found->temperature_objective);
      assert_true(isfinite(found->objective) && found->temperature > 0);
      assert_true(found->after.nll > 0);
      crd_clamp_destroy(clamp);
      close_scene(&s);
      (void)crd__check_interrupt(*state);
      if (!reached) break;
    }
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  s.net.interrupt_at = 2; /* not even temperature scaling is known */
  crd_clamp *clamp = (crd_clamp *)state;
  FAILS(*state, CRD_EINTERRUPTED, crd_clamp_fit(*state, s.network, s.data, NULL, &clamp),
        "interrupted");
  assert_null(clamp);
  close_scene(&s);
}

typedef struct {
  uint64_t done, total;
  size_t calls;
} seen;

static void watch(void *self, const char *what, uint64_t done, uint64_t total) {
  seen *const s = self;
  if (strcmp(what, "clamping") != 0) return;
  assert_true(done > s->done && done <= total && (s->total == 0 || s->total == total));
  s->done = done;
  s->total = total;
  s->calls++;
}

static void progress_grows_up_to_its_total(void **state) {
  static const char *const settings[] = { NULL, "lambda=0,passes=7",
                                          "start=entropy,lambda=0,passes=7",
                                          "start=entropy,fit=temperature",
                                          "start=random,lambda=0.1,optimiser=adam,epochs=3" };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    seen progress = { 0 };
    crd_context_set_progress(*state, watch, &progress);
    crd_clamp_destroy(fit_with(*state, &s, settings[i]));
    assert_true(progress.calls > 2);
  }
  crd_context_set_progress(*state, NULL, NULL);
  close_scene(&s);
}

static void same_bits_for_repeated_calls(void **state) {
  static const char *const settings[] = { NULL, "lambda=0.1", "lambda=0.1,gamma=1,penalty=norm" };
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .shift = shift, .weighted = true }, &s);
  for (size_t i = 0; i < 3; i++) {
    crd_clamp *const once = fit_with(*state, &s, settings[i]);
    crd_clamp *const twice = fit_with(*state, &s, settings[i]);
    const crd_clamp_summary *const a = crd_clamp_describe(once), *const b =
                                                                     crd_clamp_describe(twice);
    assert_memory_equal(a->delta, b->delta, INPUTS * sizeof(float));
    assert_memory_equal(&a->after, &b->after, sizeof a->after);
    assert_true(same_bits(a->temperature, b->temperature));
    assert_true(same_bits(a->objective, b->objective) && a->passes == b->passes);
    for (size_t k = 0; k < a->candidate_count; k++)
      assert_true(same_bits(a->candidates[k].nll, b->candidates[k].nll));
    crd_clamp_destroy(once);
    crd_clamp_destroy(twice);
  }
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(without_delta_it_is_temperature_scaling),
                                      TEST(never_above_temperature_scaling),
                                      TEST(a_fall_back_is_temperature_scaling),
                                      TEST(the_residual_vanishes),
                                      TEST(entropy_rises_with_gamma),
                                      TEST(summaries),
                                      TEST(accuracy_has_an_interval),
                                      TEST(settings_can_be_repeated),
                                      TEST(recipes),
                                      TEST(labels_are_mapped_by_name),
                                      TEST(projected_inputs_stay_valid),
                                      TEST(interrupts),
                                      TEST(progress_grows_up_to_its_total),
                                      TEST(same_bits_for_repeated_calls) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

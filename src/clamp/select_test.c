/* select_test.c -- gamma by the expected calibration error: in plain calls, and after interrupts.
 */
#include "clamp/testing.h"

#include "clamp/paired.h"

static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };

static crd_clamp *select_with(crd_context *ctx, scene *s, const char *rule, const char *settings) {
  const crd_clamp_options options = { .size = sizeof options,
                                      .settings = settings,
                                      .select = rule };
  crd_clamp *clamp;
  WORKS(ctx, crd_clamp_fit(ctx, s->network, s->data, &options, &clamp));
  return clamp;
}

/* ---- The expected calibration error in plain loops. */

enum { BINS = 15 };

typedef struct {
  double gap[BINS], weight;
} bins;

static void add_row(bins *b, const scene *s, size_t row, const double *delta, double temperature) {
  double z[CLASSES], q[CLASSES];
  size_t top = 0;
  plain_logits(&s->net, s->samples.inputs + row * INPUTS, delta, z);
  plain_softmax(z, temperature, q);
  for (size_t k = 1; k < CLASSES; k++) top = q[k] > q[top] ? k : top;
  const double weight = plain_weight(&s->samples, row);
  const size_t bin = (size_t)ceil(q[top] * BINS) - 1;
  b->gap[bin] += weight * (q[top] - (top == (size_t)s->samples.labels[row]));
  b->weight += weight;
}

static double error_of(const bins *b) {
  double sum = 0;
  for (size_t i = 0; i < BINS; i++) sum += fabs(b->gap[i]);
  return sum / b->weight;
}

/* Fits on each half with given settings, and evaluates on the other. */
static double cross_validated(crd_context *ctx, scene *s, const char *settings) {
  const crd_clamp_options options = { .size = sizeof options, .settings = settings };
  crd_dataset *halves[2];
  bins b = { 0 };
  for (size_t k = 0; k < 2; k++)
    WORKS(ctx, crd_dataset_part(ctx, s->data, 50 * (double)k, 50 * (double)(k + 1),
                                CRD_SPLIT_STRATIFIED, ctx->seed, &halves[k]));
  for (size_t k = 0; k < 2; k++) {
    crd_clamp *clamp;
    double delta[INPUTS];
    WORKS(ctx, crd_clamp_fit(ctx, s->network, halves[k], &options, &clamp));
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    for (size_t i = 0; i < INPUTS; i++) delta[i] = found->delta[i];
    for (size_t r = 0; r < crd_dataset_describe(halves[1 - k])->rows; r++)
      add_row(&b, s, crd_dataset_index(halves[1 - k], r), delta, found->temperature);
    crd_clamp_destroy(clamp);
  }
  crd_dataset_destroy(halves[0]);
  crd_dataset_destroy(halves[1]);
  return error_of(&b);
}

/* ---- Both rules. */

static void check_selection(const crd_clamp_summary *found, const char *rule) {
  size_t best = 0, scaling = 0;
  assert_string_equal(found->select, rule);
  assert_int_equal(found->selection_count, CRD__CLAMP_GAMMAS);
  for (size_t k = 0; k < CRD__CLAMP_GAMMAS; k++) {
    const crd_clamp_selection *const c = &found->selection[k];
    assert_true(near(c->gamma, 0.05 * (double)k, 1e-12) && isfinite(c->lambda));
    assert_true(c->ece > 0 && c->ece < 1 && c->temperature_ece > 0 && c->temperature_ece < 1);
    if (c->ece < found->selection[best].ece) best = k;
    if (c->temperature_ece < found->selection[scaling].temperature_ece) scaling = k;
  }
  assert_true(found->selected == best && found->scaling_selected == scaling);
  assert_true(near(found->ece_change.value,
                   found->selection[best].ece - found->selection[scaling].temperature_ece, 1e-9));
  assert_true(found->ece_change.low < found->ece_change.high);
}

static void held_out_in_plain_calls(void **state) {
  static const size_t some[] = { 0, 7, 20 };
  static scene s;
  for (size_t i = 0; i < 3; i++) {
    const plan how = {
      .sharpness = 1, .shift = shift, .weighted = i == 1, .group = i == 2 ? 3 : 0
    };
    char settings[120];
    open_scene(*state, &how, &s);
    crd_clamp *const clamp = select_with(*state, &s, "held-out", "lambda=0.5");
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    check_selection(found, "held-out");
    for (size_t k = 0; k < 3; k++) {
      snprintf(settings, sizeof settings, "lambda=infinite,gamma=%g", 0.05 * (double)some[k]);
      assert_true(near(found->selection[some[k]].temperature_ece,
                       cross_validated(*state, &s, settings), 1e-5));
    }
    /* The first gamma starts at 0, as a fit of its own does. */
    snprintf(settings, sizeof settings, "lambda=%.17g,unit=one,passes=15",
             0.5 * plain_loss(&s, 0, NULL, 1));
    assert_true(near(found->selection[0].ece, cross_validated(*state, &s, settings), 1e-5));
    assert_true(found->gamma == found->selection[found->selected].gamma && found->lambda == 0.5);
    assert_true(found->objective <= found->temperature_objective);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* The fit after the choice is that of its settings. */
static void the_choice_can_be_repeated(void **state) {
  static const char *const rules[] = { "held-out", "in-sample" };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .shift = shift }, &s);
  for (size_t i = 0; i < 2; i++) {
    crd_clamp *const chosen = select_with(*state, &s, rules[i], NULL);
    const crd_clamp_summary *const a = crd_clamp_describe(chosen);
    crd_clamp *const again = fit_with(*state, &s, a->settings);
    const crd_clamp_summary *const b = crd_clamp_describe(again);
    assert_true(a->gamma == b->gamma && a->lambda == b->lambda);
    assert_true(same_bits(a->weight, b->weight) && same_bits(a->scaling, b->scaling));
    assert_true(same_bits(a->temperature_objective, b->temperature_objective));
    assert_true(near(a->objective, b->objective, i ? 1e-3 : 1e-15));
    assert_true(same_bits(a->scaled.ece, b->scaled.ece) && b->select == NULL);
    crd_clamp_destroy(chosen);
    crd_clamp_destroy(again);
  }
  close_scene(&s);
}

/* Labels are drawn from the softmax of the logits over T: no perturbation helps, and temperature
 * scaling with its own best gamma remains. A given lambda is kept. */
static void no_help_beyond_noise(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.3 }, &s);
  crd_clamp *clamp = select_with(*state, &s, "held-out", NULL);
  const crd_clamp_summary *found = crd_clamp_describe(clamp);
  check_selection(found, "held-out");
  assert_true(found->ece_change.high >= 0);
  assert_true(isinf(found->lambda) && found->delta_norm == 0 && found->converged);
  assert_true(found->gamma == found->selection[found->scaling_selected].gamma);
  assert_true(same_bits(found->temperature, found->scaling));
  assert_int_equal(found->candidate_count, CRD__CLAMP_CANDIDATES);
  crd_clamp_destroy(clamp);
  clamp = select_with(*state, &s, "held-out", "lambda=1");
  found = crd_clamp_describe(clamp);
  assert_true(found->lambda == 1 && found->delta_norm > 0);
  assert_true(found->gamma == found->selection[found->selected].gamma);
  crd_clamp_destroy(clamp);
  clamp = select_with(*state, &s, "held-out", "lambda=infinite");
  found = crd_clamp_describe(clamp);
  for (size_t k = 0; k < found->selection_count; k++)
    assert_true(found->selection[k].ece == found->selection[k].temperature_ece);
  assert_true(found->delta_norm == 0 && found->ece_change.value == 0);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* Labels are nearly certain before the inputs are shifted: clamping is far better, also for groups
 * of two. */
static void help_beyond_noise(void **state) {
  static scene s;
  for (size_t i = 0; i < 2; i++) {
    const plan how = {
      .sharpness = 20, .shift = shift, .linear = true, .seed = 100, .group = i ? 2 : 0
    };
    open_scene(*state, &how, &s);
    crd_clamp *const clamp = select_with(*state, &s, "held-out", NULL);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    check_selection(found, "held-out");
    assert_true(found->ece_change.high < 0);
    assert_true(found->lambda == found->selection[0].lambda && found->delta_norm > 0);
    assert_true(found->gamma == found->selection[found->selected].gamma);
    assert_true(found->after.ece < found->scaled.ece);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* The paper's rule: the errors are those of the rows of the fit, which the result shows again. */
static void in_sample(void **state) {
  static scene s;
  for (size_t i = 0; i < 2; i++) {
    open_scene(*state, &(plan){ .sharpness = 1, .shift = shift, .weighted = i > 0 }, &s);
    crd_clamp *const clamp = select_with(*state, &s, "in-sample", NULL);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    check_selection(found, "in-sample");
    assert_true(found->lambda == 0.1 && found->candidate_count == 0);
    assert_true(found->gamma == found->selection[found->selected].gamma);
    assert_true(near(found->after.ece, found->selection[found->selected].ece, 1e-6));
    assert_true(near(found->scaled.ece, found->selection[found->selected].temperature_ece, 1e-9));
    assert_true(found->converged && found->gradient_norm > 0 && found->delta_norm > 0);
    assert_true(found->objective <= found->temperature_objective);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* ---- Interrupts, progress, costs. */

static void check_interrupted(crd_context *ctx, const char *rule, const char *settings, size_t at,
                              size_t *partly) {
  static scene s;
  open_scene(ctx, &(plan){ .sharpness = 1, .shift = shift }, &s);
  s.net.interrupt_at = at;
  crd_clamp *const clamp = select_with(ctx, &s, rule, settings);
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  const bool reached = s.net.runs > at, late = s.net.runs == at;
  assert_true(late || (found->interrupted != 0) == reached);
  assert_true(found->objective <= found->temperature_objective);
  assert_true(isfinite(found->objective) && found->temperature > 0);
  if (found->selection_count > 0 && found->selection_count < CRD__CLAMP_GAMMAS) {
    const bool kept = found->gamma == found->selection[found->selected].gamma;
    assert_true(kept || found->gamma == found->selection[found->scaling_selected].gamma);
    *partly += found->delta_norm > 0;
    assert_true(s.net.runs < at + 4 * ((ROWS + BATCH - 1) / BATCH)); /* it ends soon */
  }
  crd_clamp_destroy(clamp);
  close_scene(&s);
  (void)crd__check_interrupt(ctx);
}

/* The number of a run of the network; later ones may not be reached. */
static void interrupts(void **state) {
  static const size_t moments[] = { 8, 30, 200, 400, 650, 1000, 1200 };
  size_t partly[2] = { 0 };
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    check_interrupted(*state, "held-out", "lambda=0.5,start=random", moments[i], &partly[0]);
    check_interrupted(*state, "in-sample", NULL, moments[i], &partly[1]);
  }
  check_interrupted(*state, "held-out", NULL, 100, &partly[0]);
  assert_true(partly[0] >= 2 && partly[1] >= 2);
}

typedef struct {
  uint64_t done, total;
  char text[200];
} seen;

static void watch(void *self, const char *what, uint64_t done, uint64_t total) {
  seen *const s = self;
  if (strcmp(what, "clamping") != 0) return;
  assert_true(done > s->done && done <= total && (s->total == 0 || s->total == total));
  s->done = done;
  s->total = total;
}

static void listen(void *self, crd_log_level level, const char *message) {
  seen *const s = self;
  assert_int_equal(level, CRD_LOG_INFO);
  assert_true(s->done == ROWS && *s->text == '\0'); /* after the first pass */
  snprintf(s->text, sizeof s->text, "%s", message);
}

/* 2 passes; 66 for lambda; 1 and 16 for each gamma; 60 for the fit. */
static void costs(void **state) {
  static const struct {
    const char *rule, *settings, *text;
  } cases[] = {
    { "held-out", NULL, "gamma by held-out ECE: 51 fits, at most 465 passes over 203 rows, " },
    { "held-out", "lambda=0.5", "gamma by held-out ECE: 43 fits, at most 399 passes over " },
    { "held-out", "lambda=infinite", "gamma by held-out ECE: 0 fits, at most 24 passes over " },
    { "in-sample", "passes=20", "gamma by in-sample ECE: 21 fits, at most 444 passes over " },
    { "in-sample", "start=entropy,passes=9",
      "gamma by in-sample ECE: 21 fits, at most 215 passes" },
  };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    seen found = { 0 };
    crd_context_set_progress(*state, watch, &found);
    crd_context_set_log(*state, listen, &found);
    crd_clamp *const clamp = select_with(*state, &s, cases[i].rule, cases[i].settings);
    assert_true(crd_clamp_describe(clamp)->passes <= found.total / ROWS);
    if (strncmp(found.text, cases[i].text, strlen(cases[i].text)) != 0)
      fail_msg("%s, expected %s", found.text, cases[i].text);
    assert_non_null(strstr(found.text, " minutes as estimated from the first pass"));
    crd_clamp_destroy(clamp);
  }
  crd_context_set_progress(*state, NULL, NULL);
  crd_context_set_log(*state, NULL, NULL);
  close_scene(&s);
}

static void refusals(void **state) {
  static const struct {
    crd_clamp_options options;
    const char *message;
  } cases[] = {
    { { .select = "test" }, "select is 'test', allowed are held-out and in-sample" },
    { { .select = "held-out", .settings = "lambda=1,gamma=0" },
      "select chooses gamma: leave it out of the settings" },
    { { .select = "in-sample", .settings = "start=entropy,fit=temperature" },
      "select needs optimiser=lbfgs and fit=both" },
    { { .select = "in-sample", .recipe = "paper" }, "select needs optimiser=lbfgs and fit=both" },
  };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_clamp *clamp = (crd_clamp *)state;
    crd_clamp_options options = cases[i].options;
    options.size = sizeof options;
    FAILS(*state, CRD_EUSAGE, crd_clamp_fit(*state, s.network, s.data, &options, &clamp),
          cases[i].message);
    assert_null(clamp);
  }
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(held_out_in_plain_calls),
                                      TEST(the_choice_can_be_repeated),
                                      TEST(no_help_beyond_noise),
                                      TEST(help_beyond_noise),
                                      TEST(in_sample),
                                      TEST(interrupts),
                                      TEST(costs),
                                      TEST(refusals) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

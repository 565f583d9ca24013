/* minibatch_test.c -- steps of SGD and Adam against plain loops. */
#include "clamp/testing.h"

/* Delta, then T. */
typedef struct {
  double at[INPUTS + 1], first[INPUTS + 1], second[INPUTS + 1];
} walker;

typedef struct {
  const char *settings;
  double gamma, weight, rate, momentum;
  bool norm, sum, adam, weighted;
} recipe;

/* One step with all rows. */
static void plain_step(const scene *s, const recipe *r, unsigned t, walker *w) {
  double g[INPUTS + 1];
  const double norm = plain_norm(w->at);
  plain_gradient(s, r->gamma, w->at, w->at[INPUTS], g);
  for (size_t i = 0; r->sum && i <= INPUTS; i++) g[i] *= plain_total(&s->samples);
  for (size_t i = 0; i < INPUTS && norm > 0; i++)
    g[i] += r->weight * w->at[i] * (r->norm ? 1 / norm : 2);
  for (size_t i = 0; i <= INPUTS; i++) {
    if (r->adam) {
      w->first[i] = 0.9 * w->first[i] + 0.1 * g[i];
      w->second[i] = 0.999 * w->second[i] + 0.001 * g[i] * g[i];
      w->at[i] -= r->rate * w->first[i] / (1 - pow(0.9, t)) /
                  (sqrt(w->second[i] / (1 - pow(0.999, t))) + 1e-8);
    } else {
      w->first[i] = r->momentum * w->first[i] + g[i];
      w->at[i] -= r->rate * w->first[i];
    }
  }
}

static const recipe recipes[] = {
  { .settings = "optimiser=sgd,lambda=0.5,unit=one,rate=0.1", .weight = 0.5, .rate = 0.1 },
  { .settings = "optimiser=sgd,lambda=0.5,unit=one,rate=0.1,momentum=0.9,penalty=norm,gamma=1",
    .gamma = 1,
    .weight = 0.5,
    .rate = 0.1,
    .momentum = 0.9,
    .norm = true },
  { .settings = "optimiser=sgd,lambda=3,unit=one,rate=0.0005,momentum=0.9,reduction=sum",
    .weight = 3,
    .rate = 0.0005,
    .momentum = 0.9,
    .sum = true,
    .weighted = true },
  { .settings = "optimiser=adam,lambda=0.5,unit=one,rate=0.01,gamma=2.5",
    .gamma = 2.5,
    .weight = 0.5,
    .rate = 0.01,
    .adam = true,
    .weighted = true },
};

/* A mini-batch of all rows is run in parts, since the network's own batch is smaller; the order of
 * the rows does not matter then. */
static void ten_steps_of_all_rows(void **state) {
  static scene s;
  for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
    const recipe *const r = &recipes[i];
    walker w = { .at = { [INPUTS] = 1 } };
    char settings[200];
    open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = r->weighted }, &s);
    snprintf(settings, sizeof settings, "%s,start=random,spread=0.1,batch=%d,epochs=10",
             r->settings, ROWS);
    crd_clamp *const clamp = fit_with(*state, &s, settings);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    crd_clamp *const start = fit_with(*state, &s, "start=random,spread=0.1,fit=temperature");
    for (size_t k = 0; k < INPUTS; k++) w.at[k] = crd_clamp_describe(start)->delta[k];
    for (unsigned t = 1; t <= 10; t++) plain_step(&s, r, t, &w);
    for (size_t k = 0; k < INPUTS; k++)
      if (!(fabs(found->delta[k] - w.at[k]) < 1e-6))
        fail_msg("%s: delta %zu is %.9g, expected %.9g", settings, k, found->delta[k], w.at[k]);
    assert_true(fabs(found->temperature - w.at[INPUTS]) < 1e-6);
    const double norm = plain_norm(w.at), penalty = r->norm ? norm : norm * norm;
    const double total = r->sum ? plain_total(&s.samples) : 1;
    assert_true(near(found->weight, r->weight / total, 1e-12));
    assert_true(near(found->objective,
                     plain_loss(&s, r->gamma, w.at, w.at[INPUTS]) + r->weight / total * penalty,
                     1e-5));
    crd_clamp_destroy(clamp);
    crd_clamp_destroy(start);
    close_scene(&s);
  }
}

/* At delta = 0 the slope of |delta| is taken as 0. */
static void the_norm_at_zero(void **state) {
  static scene s;
  const recipe r = { .weight = 100, .rate = 0.001, .norm = true };
  walker w = { .at = { [INPUTS] = 1 } };
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  crd_clamp *const clamp = fit_with(
      *state, &s, "optimiser=sgd,lambda=100,unit=one,penalty=norm,rate=0.001,batch=1000,epochs=1");
  plain_step(&s, &r, 1, &w);
  for (size_t k = 0; k < INPUTS; k++)
    assert_true(fabs(crd_clamp_describe(clamp)->delta[k] - w.at[k]) < 1e-7);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* Mini-batches reach what L-BFGS reaches, and are a function of the seed alone. */
static void many_epochs(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = true }, &s);
  static const char steps[] = "optimiser=adam,lambda=0.3,rate=0.01,batch=50,epochs=300";
  crd_clamp *const best = fit_with(*state, &s, "lambda=0.3");
  crd_clamp *const found = fit_with(*state, &s, steps), *const again = fit_with(*state, &s, steps);
  crd_context_set_seed(*state, 77);
  crd_clamp *const other = fit_with(*state, &s, steps);
  const crd_clamp_summary *const b = crd_clamp_describe(best), *const f = crd_clamp_describe(found),
                                 *const a = crd_clamp_describe(again),
                                 *const o = crd_clamp_describe(other);
  assert_true(f->objective >= b->objective - 1e-6 && f->objective < 1.01 * b->objective);
  assert_memory_equal(f->delta, a->delta, INPUTS * sizeof(float));
  assert_true(same_bits(f->temperature, a->temperature));
  assert_memory_not_equal(f->delta, o->delta, INPUTS * sizeof(float));
  crd_clamp_destroy(best);
  crd_clamp_destroy(found);
  crd_clamp_destroy(again);
  crd_clamp_destroy(other);
  close_scene(&s);
}

/* A quarter of the rows have weight 0: a batch of one row may weigh nothing. */
static void batches_without_weight(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4, .weighted = true, .rows = 40 }, &s);
  crd_clamp *const clamp =
      fit_with(*state, &s, "optimiser=sgd,lambda=0.1,rate=0.01,batch=1,epochs=2");
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  assert_true(isfinite(found->temperature) && isfinite(found->objective));
  for (size_t k = 0; k < INPUTS; k++) assert_true(isfinite(found->delta[k]));
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

static void temperatures_stay_positive(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 50 }, &s);
  crd_clamp *const clamp =
      fit_with(*state, &s, "optimiser=sgd,lambda=1,rate=1000,batch=1000,epochs=1");
  assert_true(crd_clamp_describe(clamp)->temperature > 0);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* An interrupt ends the steps, not the fit. */
static void interrupts_keep_the_last_step(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 0.4 }, &s);
  s.net.interrupt_at = 60;
  crd_clamp *const clamp =
      fit_with(*state, &s, "optimiser=sgd,lambda=1,rate=0.01,batch=64,epochs=100");
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  assert_true(found->interrupted && found->passes < 20 && found->delta_norm > 0);
  assert_true(isfinite(found->objective));
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(ten_steps_of_all_rows),
                                      TEST(the_norm_at_zero),
                                      TEST(many_epochs),
                                      TEST(batches_without_weight),
                                      TEST(temperatures_stay_positive),
                                      TEST(interrupts_keep_the_last_step) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* choose_test.c -- the weight of the penalty: where delta helps, and where it cannot. */
#include "clamp/testing.h"

#include "clamp/temperature.h"

static const double lambdas[] = { (double)INFINITY, 100, 10, 1, 0.1 };

static void check_candidates(const crd_clamp_summary *found) {
  size_t best = 0;
  assert_int_equal(found->candidate_count, CRD__CLAMP_CANDIDATES);
  for (size_t k = 0; k < found->candidate_count; k++) {
    const crd_clamp_candidate *const c = &found->candidates[k];
    assert_true(c->lambda == lambdas[k] && c->nll > 0);
    assert_true(fabs(c->excess - (c->nll - found->candidates[0].nll)) < 1e-12);
    assert_true(k ? c->error > 0 : c->error == 0 && c->excess == 0);
    if (c->nll < found->candidates[best].nll) best = k;
  }
  const crd_clamp_candidate *const c = &found->candidates[best];
  assert_true(found->lambda == (-c->excess > c->error ? c->lambda : (double)INFINITY));
}

/* Labels are drawn from the softmax of the logits over T: no perturbation helps. */
static void delta_that_cannot_help(void **state) {
  static scene s;
  for (uint64_t seed = 0; seed < 3; seed++) {
    open_scene(*state, &(plan){ .sharpness = 0.3, .seed = 100 * seed }, &s);
    crd_clamp *const clamp = fit_with(*state, &s, NULL);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    check_candidates(found);
    assert_true(isinf(found->lambda) && isinf(found->weight) && found->delta_norm == 0);
    assert_true(same_bits(found->temperature, found->scaling));
    assert_true(same_bits(found->objective, found->temperature_objective));
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* Inputs are shifted after labels were drawn: delta undoes it. */
static void delta_that_undoes_a_shift(void **state) {
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .shift = shift }, &s);
  crd_clamp *const clamp = fit_with(*state, &s, NULL);
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  double along = 0, reached = 0, wanted = 0;
  check_candidates(found);
  for (size_t j = 0; j < HIDDEN; j++) { /* the network sees no more of its inputs than W1 x */
    double moved = 0, undone = 0;
    for (size_t i = 0; i < INPUTS; i++) {
      moved += s.net.w1[j * INPUTS + i] * shift[i];
      undone -= s.net.w1[j * INPUTS + i] * found->delta[i];
    }
    along += moved * undone;
    wanted += moved * moved;
    reached += undone * undone;
  }
  assert_true(isfinite(found->lambda) && found->delta_norm > 0.1);
  if (!(along > 0.5 * sqrt(wanted * reached)))
    fail_msg("cosine %g", along / sqrt(wanted * reached));
  assert_true(found->objective < found->temperature_objective);
  assert_true(found->after.nll < found->scaled.nll && found->after.nll < found->before.nll);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

/* ---- The same in plain calls: fits on halves, evaluated on the other halves. */

typedef struct {
  double nll, excess, weight;
  double unit_excess[ROWS], unit_weight[ROWS]; /* of each group, or row */
} tally;

/* Standard error of the mean excess, clustered by group. */
static double clustered_error(const tally *t) {
  const double mean = t->excess / t->weight;
  double square = 0, units = 0;
  for (size_t u = 0; u < ROWS; u++) {
    square += pow(t->unit_excess[u] - mean * t->unit_weight[u], 2);
    units += t->unit_weight[u] > 0;
  }
  return sqrt(square * units / (units - 1)) / t->weight;
}

static void add_half(crd_context *ctx, scene *s, crd_dataset *const halves[2], size_t fitted,
                     double weight, tally *out) {
  char settings[80];
  scene part = *s;
  crd_clamp *plain, *clamp;
  const crd_clamp_options none = { .size = sizeof none, .settings = "lambda=infinite" },
                          some = { .size = sizeof some, .settings = settings };
  snprintf(settings, sizeof settings, "lambda=%.17g,unit=one,passes=15", weight);
  WORKS(ctx, crd_clamp_fit(ctx, s->network, halves[fitted], &none, &plain));
  WORKS(ctx, crd_clamp_fit(ctx, s->network, halves[fitted], &some, &clamp));
  const crd_clamp_summary *const p = crd_clamp_describe(plain), *const c =
                                                                    crd_clamp_describe(clamp);
  const crd_dataset *const test = halves[1 - fitted];
  for (size_t r = 0; r < crd_dataset_describe(test)->rows; r++) {
    double z[CLASSES], q[CLASSES], delta[INPUTS];
    const size_t row = crd_dataset_index(test, r);
    const int64_t label = crd_dataset_label(test, r);
    for (size_t i = 0; i < INPUTS; i++) delta[i] = c->delta[i];
    plain_logits(&part.net, s->samples.inputs + row * INPUTS, NULL, z);
    plain_softmax(z, p->temperature, q);
    const double scaled = -log(q[label]), w = plain_weight(&s->samples, row);
    plain_logits(&part.net, s->samples.inputs + row * INPUTS, delta, z);
    plain_softmax(z, c->temperature, q);
    const double excess = -log(q[label]) - scaled;
    out->nll += w * (excess + scaled);
    out->excess += w * excess;
    out->weight += w;
    const size_t unit = s->samples.grouped ? (size_t)s->samples.groups[row] : row;
    out->unit_excess[unit] += w * excess;
    out->unit_weight[unit] += w;
  }
  crd_clamp_destroy(plain);
  crd_clamp_destroy(clamp);
}

/* The first finite candidate starts at delta = 0, as a fit of its own does; the others end near
 * theirs. */
static void check_candidate(crd_context *ctx, scene *s, crd_dataset *const halves[2], size_t index,
                            const crd_clamp_candidate *found) {
  const double tolerance = index == 1 ? 1e-6 : index < 4 ? 5e-4 : 2e-3;
  tally t = { 0 };
  for (size_t k = 0; k < 2; k++)
    add_half(ctx, s, halves, k, found->lambda * plain_loss(s, 0, NULL, 1), &t);
  const double mean = t.excess / t.weight, error = clustered_error(&t);
  assert_true(index < 4 || mean < -0.05);
  if (!(fabs(found->nll - t.nll / t.weight) < tolerance && fabs(found->excess - mean) < tolerance &&
        fabs(found->error - error) < 0.05 * error))
    fail_msg("lambda %g: nll %g, excess %g +- %g, expected %g, %g +- %g", found->lambda, found->nll,
             found->excess, found->error, t.nll / t.weight, mean, error);
}

/* Without weights, with weights, and with groups, which no half divides. */
static void candidates_in_plain_calls(void **state) {
  static const double shift[INPUTS] = { 0.6, -0.5, 0.4, 0.5, -0.6, 0.5 };
  static scene s;
  for (size_t i = 0; i < 3; i++) {
    const plan how = {
      .sharpness = 1, .shift = shift, .weighted = i == 1, .group = i == 2 ? 2 : 0
    };
    crd_dataset *halves[2];
    open_scene(*state, &how, &s);
    crd_clamp *const clamp = fit_with(*state, &s, NULL);
    for (size_t k = 0; k < 2; k++)
      WORKS(*state, crd_dataset_part(*state, s.data, k ? 50 : 0, k ? 100 : 50, CRD_SPLIT_STRATIFIED,
                                     ((crd_context *)*state)->seed, &halves[k]));
    for (size_t k = 1; k < CRD__CLAMP_CANDIDATES; k++)
      check_candidate(*state, &s, halves, k, &crd_clamp_describe(clamp)->candidates[k]);
    crd_dataset_destroy(halves[0]);
    crd_dataset_destroy(halves[1]);
    crd_clamp_destroy(clamp);
    close_scene(&s);
  }
}

/* Certain and correct: the initial loss is 0, and so is every weight but infinity. */
static void nothing_to_gain(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .linear = true, .rows = 64 }, &s);
  for (size_t i = 0; i < CLASSES * HIDDEN; i++) s.net.w2[i] *= 1e9;
  for (size_t r = 0; r < 64; r++) {
    double z[CLASSES];
    plain_logits(&s.net, s.samples.inputs + r * INPUTS, NULL, z);
    s.samples.labels[r] = z[0] > z[1] && z[0] > z[2] ? 0 : z[1] > z[2] ? 1 : 2;
  }
  crd_dataset_destroy(s.data);
  s.data = make_dataset(*state, &s.samples);
  crd_clamp *const clamp = fit_with(*state, &s, NULL);
  const crd_clamp_summary *const found = crd_clamp_describe(clamp);
  assert_true(isinf(found->lambda) && isinf(found->weight) && found->delta_norm == 0);
  assert_true(found->objective == 0 && found->temperature_objective == 0);
  crd_clamp_destroy(clamp);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(delta_that_cannot_help), TEST(delta_that_undoes_a_shift),
                                      TEST(candidates_in_plain_calls), TEST(nothing_to_gain) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* pass_test.c -- values and gradients of an evaluation, against differences of plain loops. */
#include "clamp/testing.h"

#include "clamp/pass.h"
#include "clamp/start.h"
#include "clamp/temperature.h"

static const double shift[INPUTS] = { 0.1, -0.2, 0.05, 0.3, -0.1, 0.02 };

/* An evaluation and what it needs. */
typedef struct {
  scene scene;
  crd_loss *loss;
  crd__clamp_pass pass;
} stage;

static void begin(crd_context *ctx, const plan *p, double gamma, stage *s) {
  const crd_loss_options options = { .size = sizeof options, .reduction = CRD_REDUCTION_SUM };
  char text[40];
  snprintf(text, sizeof text, "focal(gamma=%.3f)", gamma);
  open_scene(ctx, p, &s->scene);
  WORKS(ctx, crd_loss_create(ctx, text, &options, &s->loss));
  const crd__clamp_chain chain = { .network = s->scene.network };
  WORKS(ctx, crd__clamp_pass_make(ctx, &chain, s->scene.data, s->loss, &s->pass));
}

static void end(const crd_context *ctx, stage *s) {
  crd__clamp_pass_clear(&ctx->alloc, &s->pass);
  crd_loss_destroy(s->loss);
  close_scene(&s->scene);
}

/* Rows fill six batches and eleven rows of a seventh; in the second plan one batch is enough. */
static const plan plans[] = { { .sharpness = 0.5 },
                              { .sharpness = 0.5, .weighted = true, .rows = 101 },
                              { .sharpness = 2, .linear = true, .rows = 20 } };
enum { PLANS = sizeof plans / sizeof *plans };

static void gradients_of_the_loss(void **state) {
  static const double gammas[] = { 0, 1, 2.5 };
  static stage s;
  for (size_t i = 0; i < PLANS * 3; i++) {
    const double gamma = gammas[i % 3], t = 1.7;
    double value, gradient[INPUTS], expected[INPUTS + 1];
    begin(*state, &plans[i / 3], gamma, &s);
    WORKS(*state, crd__clamp_pass_run(*state, &s.pass, shift, t, &value, gradient));
    assert_true(near(value, plain_loss(&s.scene, gamma, shift, t), 1e-6));
    plain_gradient(&s.scene, gamma, shift, t, expected);
    for (size_t k = 0; k < INPUTS; k++) assert_true(fabs(gradient[k] - expected[k]) < 1e-6);
    end(*state, &s);
  }
}

/* The slope with respect to 1 / T is -T^2 times the one with respect to T. */
static void slopes_of_the_temperature(void **state) {
  static const double gammas[] = { 0, 1, 2.5 };
  static stage s;
  for (size_t i = 0; i < PLANS * 3; i++) {
    const double gamma = gammas[i % 3], t = 0.8;
    float logits[BATCH * CLASSES];
    double gradient[INPUTS] = { 0 }, expected[INPUTS + 1];
    crd__clamp_sums sums = { 0 };
    begin(*state, &plans[i / 3], gamma, &s);
    crd_loader_seek(s.pass.loader, 0, 0);
    for (size_t b = 0; b < crd_loader_batches(s.pass.loader); b++) {
      crd_batch batch;
      WORKS(*state, crd_loader_next(*state, s.pass.loader, &batch));
      WORKS(*state,
            crd__clamp_pass_batch(*state, &s.pass, &batch, shift, t, logits, &sums, gradient));
    }
    plain_gradient(&s.scene, gamma, shift, t, expected);
    assert_true(near(sums.weight, plain_total(&s.scene.samples), 1e-12));
    assert_true(near(sums.loss / sums.weight, plain_loss(&s.scene, gamma, shift, t), 1e-6));
    assert_true(fabs(sums.slope / sums.weight + t * t * expected[INPUTS]) < 1e-6);
    for (size_t k = 0; k < INPUTS; k++)
      assert_true(fabs(gradient[k] / sums.weight - expected[k]) < 1e-6);
    end(*state, &s);
  }
}

static void gradients_of_other_measures(void **state) {
  static const struct {
    crd__clamp_measure measure;
    double (*plain)(const scene *, const double *, double);
  } measures[] = { { CRD__CLAMP_OF_ENTROPY, plain_entropy }, { CRD__CLAMP_OF_LOGITS, plain_sum } };
  static const double h = 1e-5, t = 1.3;
  static stage s;
  for (size_t i = 0; i < PLANS * 2; i++) {
    double value, gradient[INPUTS];
    begin(*state, &plans[i / 2], 0, &s);
    s.pass.measure = measures[i % 2].measure;
    WORKS(*state, crd__clamp_pass_run(*state, &s.pass, shift, t, &value, gradient));
    assert_true(near(value, measures[i % 2].plain(&s.scene, shift, t), 1e-6));
    for (size_t k = 0; k < INPUTS; k++) {
      double up[INPUTS], down[INPUTS];
      memcpy(up, shift, sizeof up);
      memcpy(down, shift, sizeof down);
      up[k] += h;
      down[k] -= h;
      const double slope =
          (measures[i % 2].plain(&s.scene, up, t) - measures[i % 2].plain(&s.scene, down, t)) /
          (2 * h);
      assert_true(near(gradient[k], slope, 1e-5));
    }
    end(*state, &s);
  }
}

/* Logits as large as float32 allows: no NaN in entropies and their gradients. */
static void entropies_of_certain_predictions(void **state) {
  static stage s;
  double value, gradient[INPUTS];
  begin(*state, &plans[0], 0, &s);
  s.pass.measure = CRD__CLAMP_OF_ENTROPY;
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, NULL, 1e-6, &value, gradient));
  assert_true(value >= 0 && value < 1e-3);
  for (size_t k = 0; k < INPUTS; k++) assert_true(isfinite(gradient[k]));
  end(*state, &s);
}

static void logits_and_what_follows_from_them(void **state) {
  static stage s;
  double nll[ROWS], loss, residual = 0, mean = 0;
  begin(*state, &(plan){ .sharpness = 0.5, .weighted = true }, 1, &s);
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, shift, 1, NULL, NULL));
  assert_int_equal(s.pass.done, 1);
  WORKS(*state, crd__clamp_loss(*state, &s.pass, 2, &loss));
  assert_true(near(loss, plain_loss(&s.scene, 1, shift, 2), 1e-6));
  crd__clamp_row_nll(&s.pass, 2, nll);
  for (size_t r = 0; r < ROWS; r++) {
    double z[CLASSES], q[CLASSES], inner = 0;
    const int64_t y = s.scene.samples.labels[r];
    plain_logits(&s.scene.net, s.scene.samples.inputs + r * INPUTS, shift, z);
    plain_softmax(z, 2, q);
    for (size_t k = 0; k < CLASSES; k++) {
      assert_true(near(s.pass.logits[r * CLASSES + k], z[k], 1e-5));
      inner += q[k] * z[k];
    }
    assert_true(near(nll[r], -log(q[y]), 1e-6));
    residual += s.scene.samples.weights[r] * (z[y] - inner);
    mean += s.scene.samples.weights[r] * nll[r];
  }
  const double total = plain_total(&s.scene.samples);
  assert_true(near(crd__clamp_residual(&s.pass, 2), residual / total, 1e-6));
  assert_true(near(mean / total, plain_loss(&s.scene, 0, shift, 2), 1e-6));
  end(*state, &s);
}

/* ---- Projection. */

static double projected_loss(scene *s, const double *delta, double low, double high) {
  double sum = 0;
  for (size_t r = 0; r < s->samples.rows; r++) {
    float x[INPUTS];
    double z[CLASSES], q[CLASSES];
    for (size_t i = 0; i < INPUTS; i++)
      x[i] = (float)fmin(fmax(s->samples.inputs[r * INPUTS + i] + delta[i], low), high);
    plain_logits(&s->net, x, NULL, z);
    plain_softmax(z, 1, q);
    sum -= log(q[s->samples.labels[r]]);
  }
  return sum / (double)s->samples.rows;
}

/* Between 0.3 and 0.7 many inputs are cut off; those have no gradient. */
static void projected_inputs(void **state) {
  static const double h = 1e-4;
  static stage s;
  float low[INPUTS], high[INPUTS];
  double value, gradient[INPUTS];
  begin(*state, &(plan){ .sharpness = 0.5 }, 0, &s);
  crd__clamp_range(&(crd__clamp_settings){ .low = 0.3, .high = 0.7 }, NULL, INPUTS, low, high);
  s.pass.low = low;
  s.pass.high = high;
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, shift, 1, &value, gradient));
  assert_true(s.scene.net.least == low[0] && s.scene.net.most == high[0]);
  assert_true(near(value, projected_loss(&s.scene, shift, 0.3, 0.7), 1e-6));
  for (size_t k = 0; k < INPUTS; k++) {
    double up[INPUTS], down[INPUTS];
    memcpy(up, shift, sizeof up);
    memcpy(down, shift, sizeof down);
    up[k] += h;
    down[k] -= h;
    const double slope =
        (projected_loss(&s.scene, up, 0.3, 0.7) - projected_loss(&s.scene, down, 0.3, 0.7)) /
        (2 * h);
    assert_true(fabs(gradient[k] - slope) < 2e-3); /* some inputs are within h of an end */
  }
  end(*state, &s);
}

/* Inputs at the ends of the range, as pixels are, count if a descent moves them inside. */
static void projected_inputs_at_the_ends(void **state) {
  static const double none[INPUTS] = { 0 };
  static stage s;
  float low[INPUTS], high[INPUTS];
  double value, free[INPUTS], gradient[INPUTS], expected[INPUTS] = { 0 };
  begin(*state, &(plan){ .sharpness = 0.5 }, 0, &s);
  crd__clamp_pass_clear(&((crd_context *)*state)->alloc, &s.pass);
  crd_dataset_destroy(s.scene.data);
  for (size_t i = 0; i < ROWS * INPUTS; i++)
    s.scene.samples.inputs[i] = (float)(crd__random_bits(4, 0, i) % 3) / 2; /* 0, 0.5 and 1 */
  s.scene.data = make_dataset(*state, &s.scene.samples);
  const crd__clamp_chain chain = { .network = s.scene.network };
  WORKS(*state, crd__clamp_pass_make(*state, &chain, s.scene.data, s.loss, &s.pass));
  crd__clamp_range(&(crd__clamp_settings){ .low = 0, .high = 1 }, NULL, INPUTS, low, high);
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, none, 1, &value, free));
  s.pass.low = low;
  s.pass.high = high;
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, none, 1, &value, gradient));
  for (size_t r = 0; r < ROWS; r++) { /* the gradient of each row alone */
    const float *const x = s.scene.samples.inputs + r * INPUTS;
    float g[BATCH * INPUTS], up[BATCH * CLASSES] = { 0 }, in[BATCH * INPUTS] = { 0 },
                                        out[BATCH * CLASSES];
    double z[CLASSES], q[CLASSES];
    memcpy(in, x, INPUTS * sizeof *in);
    WORKS(*state, net_run(&s.scene.net, *state, in, out));
    plain_logits(&s.scene.net, x, NULL, z);
    plain_softmax(z, 1, q);
    for (size_t k = 0; k < CLASSES; k++)
      up[k] = (float)(q[k] - (k == (size_t)s.scene.samples.labels[r]));
    WORKS(*state, net_backward(&s.scene.net, *state, up, g));
    for (size_t i = 0; i < INPUTS; i++)
      if (x[i] == 0.5F || (x[i] == 0 ? g[i] < 0 : g[i] > 0)) expected[i] += g[i] / ROWS;
  }
  for (size_t i = 0; i < INPUTS; i++) {
    assert_true(fabs(gradient[i] - expected[i]) < 1e-6);
    assert_true(fabs(gradient[i] - free[i]) > 1e-3);
  }
  s.pass.measure = CRD__CLAMP_OF_ENTROPY; /* which rises: all inputs are valid */
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, none, 1, &value, gradient));
  s.pass.low = NULL;
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, none, 1, &value, free));
  for (size_t i = 0; i < INPUTS; i++) assert_true(near(gradient[i], free[i], 1e-12));
  end(*state, &s);
}

static void ranges_after_normalisation(void **state) {
  const crd__clamp_settings settings = { .low = 0, .high = 1 };
  double mean[] = { 0.5, 0.1 }, std[] = { 0.25, 2 };
  const crd_encoding encoding = { .channels = 2, .mean = mean, .std = std };
  float low[6], high[6];
  (void)state;
  crd__clamp_range(&settings, &encoding, 6, low, high);
  for (size_t i = 0; i < 6; i++) {
    assert_true(near(low[i], i < 3 ? -2 : -0.05, 1e-6));
    assert_true(near(high[i], i < 3 ? 2 : 0.45, 1e-6));
  }
  crd__clamp_range(&settings, NULL, 6, low, high);
  for (size_t i = 0; i < 6; i++) assert_true(low[i] == 0 && high[i] == 1);
}

/* ---- Failures. */

static void logits_must_be_finite(void **state) {
  static stage s;
  begin(*state, &plans[0], 0, &s);
  s.scene.net.overflow_at = 3;
  FAILS(*state, CRD_ENUMERIC, crd__clamp_pass_run(*state, &s.pass, NULL, 1, NULL, NULL),
        "the network's logits are not finite in batch row 0");
  WORKS(*state, crd__clamp_pass_run(*state, &s.pass, NULL, 1, NULL, NULL));
  end(*state, &s);
}

static void weights_must_not_vanish(void **state) {
  static scene s;
  crd__clamp_pass pass;
  open_scene(*state, &(plan){ .sharpness = 1 }, &s);
  crd_dataset_destroy(s.data);
  memset(s.samples.weights, 0, sizeof s.samples.weights);
  s.samples.weighted = true;
  s.data = make_dataset(*state, &s.samples);
  const crd__clamp_chain chain = { .network = s.network };
  FAILS(*state, CRD_EINPUT, crd__clamp_pass_make(*state, &chain, s.data, NULL, &pass),
        "all weights are 0");
  crd__clamp_pass_clear(&((crd_context *)*state)->alloc, &pass);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(gradients_of_the_loss),
                                      TEST(slopes_of_the_temperature),
                                      TEST(gradients_of_other_measures),
                                      TEST(entropies_of_certain_predictions),
                                      TEST(logits_and_what_follows_from_them),
                                      TEST(projected_inputs),
                                      TEST(projected_inputs_at_the_ends),
                                      TEST(ranges_after_normalisation),
                                      TEST(logits_must_be_finite),
                                      TEST(weights_must_not_vanish) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

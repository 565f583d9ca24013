/* solve_test.c -- optima of small problems, penalties, temperature scaling as the upper bound. */
#include "clamp/testing.h"

#include "clamp/solve.h"
#include "clamp/temperature.h"

typedef struct {
  scene scene;
  crd_loss *loss;
  crd__clamp_pass pass;
  double delta[INPUTS];
  crd__clamp_point point;
} stage;

static void begin(crd_context *ctx, const plan *p, double gamma, stage *s) {
  const crd_loss_options options = { .size = sizeof options, .reduction = CRD_REDUCTION_SUM };
  char text[40];
  snprintf(text, sizeof text, "focal(gamma=%.3f)", gamma);
  open_scene(ctx, p, &s->scene);
  WORKS(ctx, crd_loss_create(ctx, text, &options, &s->loss));
  const crd__clamp_chain chain = { .network = s->scene.network };
  WORKS(ctx, crd__clamp_pass_make(ctx, &chain, s->scene.data, s->loss, &s->pass));
  memset(s->delta, 0, sizeof s->delta);
  s->point = (crd__clamp_point){ .delta = s->delta, .temperature = 1 };
}

static void end(const crd_context *ctx, stage *s) {
  crd__clamp_pass_clear(&ctx->alloc, &s->pass);
  crd_loss_destroy(s->loss);
  close_scene(&s->scene);
}

static double plain_objective(const scene *s, const crd__clamp_goal *goal, const double *delta,
                              double temperature) {
  const double norm = plain_norm(delta);
  return plain_loss(s, goal->gamma, delta, temperature) +
         goal->weight * (goal->norm ? norm : norm * norm);
}

/* Descends with momentum along differences, until nothing is left to gain. */
static double plain_optimum(const scene *s, const crd__clamp_goal *goal, double *delta) {
  double velocity[INPUTS + 1] = { 0 }, gradient[INPUTS + 1], t = 1, largest = 1;
  memset(delta, 0, INPUTS * sizeof *delta);
  for (size_t i = 0; i < 5000 && largest > 1e-7; i++) {
    const double norm = plain_norm(delta);
    plain_gradient(s, goal->gamma, delta, t, gradient);
    for (size_t k = 0; k < INPUTS; k++)
      gradient[k] += goal->weight * delta[k] * (goal->norm ? 1 / norm : 2);
    largest = 0;
    for (size_t k = 0; k <= INPUTS; k++) {
      velocity[k] = 0.9 * velocity[k] - 0.05 * gradient[k];
      *(k < INPUTS ? &delta[k] : &t) += velocity[k];
      largest = fmax(largest, fabs(gradient[k]));
    }
  }
  assert_true(largest <= 1e-7);
  return plain_objective(s, goal, delta, t);
}

/* With a linear network the loss is convex in delta. */
static void convex_optima(void **state) {
  static const struct { double gamma, weight; } cases[] = { { 0, 0.05 }, { 0, 2 }, { 1, 0.05 } };
  static stage s;
  const double moved[INPUTS] = { 0.3, -0.2, 0.4, 0.1, -0.3, 0.2 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const crd__clamp_goal goal = { .gamma = cases[i].gamma,
                                   .weight = cases[i].weight,
                                   .passes = 60 };
    double delta[INPUTS];
    begin(
        *state,
        &(plan){ .sharpness = 0.6, .linear = true, .rows = 60, .shift = moved, .weighted = i == 1 },
        goal.gamma, &s);
    WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
    const double best = plain_optimum(&s.scene, &goal, delta);
    assert_true(s.point.converged && !s.point.interrupted);
    assert_true(s.pass.done <= 60);
    assert_true(near(s.point.objective,
                     plain_objective(&s.scene, &goal, s.delta, s.point.temperature), 1e-6));
    if (!(fabs(s.point.objective - best) < 1e-5 * best))
      fail_msg("case %zu: objective %.9g, optimum %.9g", i, s.point.objective, best);
    for (size_t k = 0; k < INPUTS; k++) assert_true(fabs(s.delta[k] - delta[k]) < 0.02);
    end(*state, &s);
  }
}

/* From any start, however few passes: never above that start with its best temperature. */
static void the_objective_does_not_rise(void **state) {
  static const unsigned passes[] = { 1, 2, 3, 5, 10, 60 };
  static const double weights[] = { 0, 0.01, 0.3, 100 };
  static stage s;
  double last = 0;
  begin(*state, &(plan){ .sharpness = 0.4 }, 1, &s);
  for (size_t i = 0; i < 6 * 4 * 4; i++) {
    const crd__clamp_goal goal = {
      .gamma = 1, .weight = weights[i / 6 % 4], .norm = i / 24 % 2, .passes = passes[i % 6]
    };
    const double spread = i < 48 ? 0 : 0.3;
    double t, start;
    for (size_t k = 0; k < INPUTS; k++) s.delta[k] = spread * crd__random_normal(8, 0, k);
    s.point.temperature = 1;
    WORKS(*state, crd__clamp_pass_run(*state, &s.pass, s.delta, 1, NULL, NULL));
    WORKS(*state, crd__clamp_temperature(*state, &s.pass, 1, &t));
    WORKS(*state, crd__clamp_loss(*state, &s.pass, t, &start));
    start += crd__clamp_penalty(&goal, s.delta, INPUTS);
    const unsigned before = s.pass.done;
    WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
    assert_true(s.pass.done - before <= goal.passes);
    assert_true(s.point.objective <= start);
    assert_true(i % 6 == 0 || s.point.objective <= last); /* more passes */
    last = s.point.objective;
  }
  end(*state, &s);
}

static void an_infinite_weight_keeps_delta(void **state) {
  static stage s;
  const crd__clamp_goal goal = { .weight = (double)INFINITY, .passes = 60 };
  double t;
  begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
  WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
  assert_int_equal(s.pass.done, 1);
  WORKS(*state, crd__clamp_temperature(*state, &s.pass, 0, &t));
  assert_true(same_bits(s.point.temperature, t) && t > 1.2);
  assert_true(plain_norm(s.delta) == 0);
  end(*state, &s);
}

/* A network whose output does not depend on its input has nothing to gain, with any weight. */
static void networks_without_slopes(void **state) {
  static const double weights[] = { 0, 1 };
  static stage s;
  for (size_t i = 0; i < 4; i++) {
    const crd__clamp_goal goal = { .weight = weights[i % 2], .norm = i > 1, .passes = 60 };
    begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
    memset(s.scene.net.w1, 0, sizeof s.scene.net.w1);
    WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
    assert_true(s.point.converged && plain_norm(s.delta) == 0);
    assert_true(near(s.point.objective, log(CLASSES), 1e-6));
    end(*state, &s);
  }
}

static void penalties_and_their_gradients(void **state) {
  const double delta[] = { 3, 0, -4 }, none[3] = { 0 };
  const crd__clamp_goal square = { .weight = 2 }, norm = { .weight = 2, .norm = true };
  const crd__clamp_goal infinite = { .weight = (double)INFINITY };
  double g[3] = { 1, 1, 1 };
  (void)state;
  assert_true(crd__clamp_penalty(&square, delta, 3) == 50);
  assert_true(crd__clamp_penalty(&norm, delta, 3) == 10);
  assert_true(crd__clamp_penalty(&infinite, none, 3) == 0);
  crd__clamp_penalty_gradient(&square, delta, 3, g);
  assert_true(g[0] == 13 && g[1] == 1 && g[2] == -15);
  crd__clamp_penalty_gradient(&norm, delta, 3, g);
  assert_true(near(g[0], 14.2, 1e-12) && g[1] == 1 && near(g[2], -16.6, 1e-12));
  crd__clamp_penalty_gradient(&norm, none, 3, g);
  crd__clamp_penalty_gradient(&infinite, none, 3, g);
  assert_true(near(g[0], 14.2, 1e-12) && g[1] == 1 && near(g[2], -16.6, 1e-12));
}

/* A step so long that the network overflows is shortened. */
static void overflows_shorten_steps(void **state) {
  static stage s;
  const crd__clamp_goal goal = { .weight = 0.01, .passes = 20 };
  begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
  WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
  const double best = s.point.objective;
  end(*state, &s);
  begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
  s.scene.net.overflow_at = 10; /* in the second pass */
  WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
  assert_true(s.point.objective < 1.001 * best);
  end(*state, &s);
}

/* Whatever the run that an interrupt arrives in: the best so far remains. */
static void interrupts_keep_the_best(void **state) {
  static stage s;
  const crd__clamp_goal goal = { .weight = 0.01, .passes = 20 };
  double first = 0;
  for (size_t at = 8; at < 120; at += 13) {
    begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
    s.scene.net.interrupt_at = at;
    WORKS(*state, crd__clamp_solve(*state, &s.pass, &goal, &s.point));
    assert_true(s.point.interrupted && !s.point.converged);
    assert_true(near(s.point.objective,
                     plain_objective(&s.scene, &goal, s.delta, s.point.temperature), 1e-6));
    if (at == 8) first = s.point.objective;
    assert_true(s.point.objective <= first);
    end(*state, &s);
  }
  begin(*state, &(plan){ .sharpness = 0.4 }, 0, &s);
  s.scene.net.interrupt_at = 3; /* there is no point yet */
  assert_int_equal(crd__clamp_solve(*state, &s.pass, &goal, &s.point), CRD_EINTERRUPTED);
  end(*state, &s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(convex_optima),
                                      TEST(the_objective_does_not_rise),
                                      TEST(an_infinite_weight_keeps_delta),
                                      TEST(networks_without_slopes),
                                      TEST(penalties_and_their_gradients),
                                      TEST(overflows_shorten_steps),
                                      TEST(interrupts_keep_the_best) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

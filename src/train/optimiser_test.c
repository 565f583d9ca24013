/* optimiser_test.c -- texts of optimisers and schedules; steps cut over any number of threads;
 * warm-up; what does not decay. */
#include "io/testing.h"
#include "train/optimiser.h"
#include "train/parameters.h"
#include "train/schedule.h"

#include <math.h>

/* ---- Texts. */

/* An optimiser or a schedule; the caller clears it. */
static crd__train_part optimiser(crd_context *ctx, const char *text) {
  crd__train_part part;
  WORKS(ctx, crd__train_part_read(ctx, &crd__train_optimisers, text, &part));
  return part;
}

static crd__train_part schedule(crd_context *ctx, const char *text) {
  crd__train_part part;
  WORKS(ctx, crd__train_part_read(ctx, &crd__train_schedules, text, &part));
  return part;
}

static void clear(const crd_context *ctx, crd__train_part *part) {
  crd__train_part_clear(&ctx->alloc, part);
}

static void settings_are_read(void **state) {
  crd__train_part part = optimiser(*state, "sgd(rate=0.5,nesterov=yes)");
  assert_string_equal(part.info->name, "sgd");
  assert_memory_equal(part.chosen.values, ((double[]){ 0.5, 1e-4, 0.9, 1 }), 4 * sizeof(double));
  clear(*state, &part);
}

static void spells(crd_context *ctx, crd__train_part part, const char *expected) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__train_part_spell(&part, &text);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
  clear(ctx, &part);
}

static void texts_of_equal_meaning_are_spelled_alike(void **state) {
  static const char *const texts[] = { "adamw", "adamw(rate=1e-3)",
                                       "adamw(beta1=0.90,weight-decay=0.0001)" };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    spells(*state, optimiser(*state, texts[i]),
           "adamw(rate=0.001,weight-decay=0.0001,beta1=0.9,beta2=0.999,epsilon=1e-08)");
  spells(*state, schedule(*state, "step(at=0.25,0.5)"), "step(warm-up=0,at=0.25,0.5,factor=0.1)");
}

static void bad_texts_are_named(void **state) {
  static const struct {
    const crd__choices *table;
    const char *text, *message;
  } faults[] = {
    { &crd__train_optimisers, "addam", "no optimiser is called 'addam'; did you mean 'adam'?" },
    { &crd__train_optimisers, "adam(rate=-1)", "adam: rate=-1, allowed are numbers from 0 to" },
    { &crd__train_optimisers, "adam(speed=1)", "it has rate, weight-decay, beta1, beta2, epsilon" },
    { &crd__train_optimisers, "adam x", "expected the end" },
    { &crd__train_schedules, "cosin", "no schedule is called 'cosin'; did you mean 'cosine'?" },
    { &crd__train_schedules, "step(at=0.5,1.5)", "step: at=1.5, allowed are numbers from 0 to 1" },
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    crd__train_part part;
    FAILS(*state, CRD_EUSAGE, crd__train_part_read(*state, faults[i].table, faults[i].text, &part),
          faults[i].message);
    clear(*state, &part);
  }
}

static void every_entry_is_described(void **state) {
  const crd_training_part_info *info;
  (void)state;
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; (info = k ? crd_schedule_at(i) : crd_optimiser_at(i)); i++) {
      assert_true(*info->name && *info->summary && info->reference);
      assert_true(info->setting_count > 0);
      assert_string_equal(info->settings[0].name, k ? "warm-up" : "rate");
      for (size_t s = 0; s < info->setting_count; s++) assert_true(*info->settings[s].help);
    }
}

/* ---- Schedules. */

/* Warm-up rises linearly to the schedule's first value; then the schedule takes the rest. */
static void warm_up_rises_linearly(void **state) {
  enum { STEPS = 100 };
  crd__train_part cosine = schedule(*state, "cosine(warm-up=0.1)");
  crd__train_part step = schedule(*state, "step(at=0.5,warm-up=0.1)");
  for (size_t s = 0; s < STEPS; s++) {
    const double expected =
        s < 10 ? (double)(s + 1) / 10 : (1 + cos(3.141592653589793 * (double)(s - 10) / 90)) / 2;
    assert_true(near(crd__train_schedule_factor(&cosine, s, STEPS), expected, 1e-15));
  }
  assert_true(near(crd__train_schedule_factor(&step, 4, STEPS), 0.5, 1e-15));
  assert_true(crd__train_schedule_factor(&step, 49, STEPS) == 1);
  assert_true(near(crd__train_schedule_factor(&step, 50, STEPS), 0.1, 1e-15));
  clear(*state, &cosine);
  clear(*state, &step);
}

static void factors_are_in_range_for_any_length(void **state) {
  static const char *const texts[] = { "cosine",
                                       "cosine(warm-up=1)",
                                       "one-cycle",
                                       "one-cycle(warm-up=0)",
                                       "one-cycle(warm-up=1)",
                                       "step",
                                       "step(warm-up=0.5)",
                                       "constant(warm-up=0.5)" };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    crd__train_part part = schedule(*state, texts[i]);
    for (uint64_t steps = 1; steps < 12; steps++)
      for (uint64_t s = 0; s < steps; s++) {
        const double factor = crd__train_schedule_factor(&part, s, steps);
        if (!(factor > 0 && factor <= 1))
          fail_msg("%s: %g at %u of %u", texts[i], factor, (unsigned)s, (unsigned)steps);
      }
    clear(*state, &part);
  }
}

/* ---- Steps. */

enum { MATRIX = 50000, VECTOR = 7, ELEMENTS = MATRIX + 2 * VECTOR };

typedef struct {
  float values[ELEMENTS], gradient[ELEMENTS], states[CRD__TRAIN_STATES_MAX][ELEMENTS];
  crd_parameter shapes[3];
  crd__train_parameter items[3];
  double partial[64];
  crd__train_parameters all;
} bench;

static void begin(bench *b) {
  static const size_t counts[] = { VECTOR, MATRIX, VECTOR };
  size_t first = 0;
  memset(b, 0, sizeof *b);
  for (size_t i = 0; i < 3; first += counts[i++]) {
    b->shapes[i] = (crd_parameter){ .shape.rank = i == 1 ? 2 : 1,
                                    .count = counts[i],
                                    .values = b->values + first,
                                    .gradient = b->gradient + first };
    b->items[i] = (crd__train_parameter){ &b->shapes[i], first, i == 1 };
  }
  for (size_t i = 0; i < ELEMENTS; i++) {
    b->values[i] = (float)sin((double)i);
    b->gradient[i] = (float)cos((double)(3 * i));
  }
  b->all = (crd__train_parameters){ .count = 3,
                                    .trained = 3,
                                    .items = b->items,
                                    .elements = ELEMENTS,
                                    .all = ELEMENTS,
                                    .states = { b->states[0], b->states[1] },
                                    .partial = b->partial };
}

static bench *new_bench(void) {
  bench *const b = calloc(1, sizeof *b);
  assert_non_null(b);
  begin(b);
  return b;
}

static void threads_do_not_change_bits(void **state) {
  bench *const one = new_bench(), *const many = new_bench();
  for (size_t o = 0; crd__train_optimiser_at(o); o++) {
    crd__train_part part = optimiser(*state, crd_optimiser_at(o)->name);
    begin(one);
    begin(many);
    for (uint64_t step = 1; step < 4; step++) {
      const crd__train_update u = { part.chosen.values, 0.01, step, 0.1, 0.5F };
      crd__train_parameters_step(&one->all, crd__train_optimiser_at(o), &u, 1);
      crd__train_parameters_step(&many->all, crd__train_optimiser_at(o), &u, 3);
    }
    assert_memory_equal(one->values, many->values, sizeof one->values);
    assert_memory_equal(one->states, many->states, sizeof one->states);
    clear(*state, &part);
  }
  free(one);
  free(many);
}

static void norms_are_exact_for_any_threads(void **state) {
  bench *const b = new_bench();
  double expected = 0, norms[2];
  for (size_t i = 0; i < ELEMENTS; i++) expected += (double)b->gradient[i] * (double)b->gradient[i];
  for (unsigned t = 0; t < 2; t++) {
    crd_context_set_threads(*state, t + 1);
    WORKS(*state, crd__train_parameters_norm(*state, &b->all, &norms[t]));
  }
  assert_true(near(norms[0], sqrt(expected), 1e-12));
  assert_true(same_bits(norms[0], norms[1]));
  assert_true(crd__train_clip(3, 0) == 1 && crd__train_clip(3, 4) == 1);
  assert_true(near((double)crd__train_clip(4, 1), 0.25, 1e-6));
  free(b);
}

/* With gradients of 0, plain SGD moves only what decays. */
static void only_weights_decay(void **state) {
  bench *const b = new_bench(), *const before = new_bench();
  crd__train_part part = optimiser(*state, "sgd(momentum=0)");
  memset(b->gradient, 0, sizeof b->gradient);
  const crd__train_update u = { part.chosen.values, 1, 1, 0.5, 1 };
  crd__train_parameters_step(&b->all, crd__train_optimiser_at(part.chosen.index), &u, 2);
  for (size_t i = 0; i < ELEMENTS; i++) {
    const bool matrix = i >= VECTOR && i < VECTOR + MATRIX;
    assert_true(b->values[i] == (matrix ? 0.5F : 1) * before->values[i]);
  }
  clear(*state, &part);
  free(b);
  free(before);
}

static void values_that_are_not_finite_are_found(void **state) {
  bench *const b = new_bench();
  (void)state;
  assert_null(crd__train_parameters_invalid(&b->all));
  b->values[VECTOR + MATRIX] = (float)INFINITY;
  assert_ptr_equal(crd__train_parameters_invalid(&b->all), &b->shapes[2]);
  b->values[VECTOR + MATRIX] = (float)NAN;
  assert_ptr_equal(crd__train_parameters_invalid(&b->all), &b->shapes[2]);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(settings_are_read),          TEST(texts_of_equal_meaning_are_spelled_alike),
    TEST(bad_texts_are_named),        TEST(every_entry_is_described),
    TEST(warm_up_rises_linearly),     TEST(factors_are_in_range_for_any_length),
    TEST(threads_do_not_change_bits), TEST(norms_are_exact_for_any_threads),
    TEST(only_weights_decay),         TEST(values_that_are_not_finite_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

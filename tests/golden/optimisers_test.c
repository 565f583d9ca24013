/*
 * optimisers_test.c -- steps of our optimisers, and rates of our schedules, against those of
 * torch.optim (tests/golden/make-optimisers ran it).
 */
#include "support.h"
#include "train/parameters.h"
#include "train/schedule.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MATRIX = 12, VECTOR = 5, ELEMENTS = MATRIX + VECTOR };
static const double tolerance = 1e-6;

static json_t *fixtures(void) {
  json_error_t error;
  json_t *const root = json_load_file(CREDENCE_SOURCE "/tests/golden/optimisers.json", 0, &error);
  if (!root) fail_msg("%s", error.text);
  return root;
}

static double number(const json_t *list, size_t index) {
  return json_number_value(json_array_get(list, index));
}

/* A matrix and a vector, with their gradients and what an optimiser keeps. */
typedef struct {
  float values[ELEMENTS], gradient[ELEMENTS], states[CRD__TRAIN_STATES_MAX][ELEMENTS];
  crd_parameter shapes[2];
  crd__train_parameter items[2];
  double partial[16];
  crd__train_parameters all;
} bench;

static void fill(float *out, const json_t *integers, double scale) {
  assert_int_equal(json_array_size(integers), ELEMENTS);
  for (size_t i = 0; i < ELEMENTS; i++) out[i] = (float)(number(integers, i) / scale);
}

static void set_up_bench(bench *b, bool decay_all) {
  *b = (bench){ .shapes = { { "matrix", { .rank = 2, .dims = { 3, 4 } }, MATRIX, NULL, NULL },
                            { "vector", { .rank = 1, .dims = { 5 } }, VECTOR, NULL, NULL } } };
  for (size_t i = 0; i < 2; i++) {
    b->shapes[i].values = b->values + i * MATRIX;
    b->shapes[i].gradient = b->gradient + i * MATRIX;
    b->items[i] = (crd__train_parameter){ &b->shapes[i], i * MATRIX, i == 0 || decay_all };
  }
  b->all = (crd__train_parameters){ .count = 2,
                                    .trained = 2,
                                    .items = b->items,
                                    .elements = ELEMENTS,
                                    .all = ELEMENTS,
                                    .states = { b->states[0], b->states[1] },
                                    .partial = b->partial };
}

static void compare(const bench *b, const json_t *theirs, const char *name, size_t step) {
  for (size_t i = 0; i < ELEMENTS; i++)
    if (!near((double)b->values[i], number(theirs, i), tolerance))
      fail_msg("%s: after step %zu element %zu is %.9g, not %.9g", name, step, i,
               (double)b->values[i], number(theirs, i));
}

static float clipped(crd_context *ctx, const bench *b, double clip) {
  double norm;
  assert_int_equal(crd__train_parameters_norm(ctx, &b->all, &norm), CRD_OK);
  return crd__train_clip(norm, clip);
}

static void run_case(crd_context *ctx, const json_t *root, const json_t *c) {
  const char *const text = json_string_value(json_object_get(c, "optimiser"));
  const json_t *const inputs = json_object_get(root, "inputs"), *const theirs = json_object_get(
                                                                    c, "parameters");
  const double scale = json_number_value(json_object_get(root, "scale"));
  const double clip = json_number_value(json_object_get(c, "clip"));
  crd__train_part part;
  bench b;
  if (crd__train_part_read(ctx, &crd__train_optimisers, text, &part) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  set_up_bench(&b, strcmp(json_string_value(json_object_get(c, "decay")), "all") == 0);
  fill(b.values, json_array_get(inputs, 0), scale);
  assert_true(json_array_size(theirs) >= 5);
  for (size_t step = 0; step < json_array_size(theirs); step++) {
    fill(b.gradient, json_array_get(inputs, step + 1), scale);
    const crd__train_update update = { .settings = part.chosen.values,
                                       .rate = part.chosen.values[CRD__TRAIN_RATE] *
                                               number(json_object_get(c, "factors"), step),
                                       .step = step + 1,
                                       .decay = part.chosen.values[CRD__TRAIN_DECAY],
                                       .scale = clipped(ctx, &b, clip) };
    if (clip > 0) assert_true(update.scale < 1);
    crd__train_parameters_step(&b.all, crd__train_optimiser_at(part.chosen.index), &update, 2);
    compare(&b, json_array_get(theirs, step), text, step + 1);
  }
  crd__train_part_clear(&ctx->alloc, &part);
}

static void steps_follow_torch(void **state) {
  json_t *const root = fixtures();
  const json_t *const cases = json_object_get(root, "steps");
  assert_true(json_array_size(cases) >= 8);
  for (size_t i = 0; i < json_array_size(cases); i++)
    run_case(*state, root, json_array_get(cases, i));
  json_decref(root);
}

static void schedules_follow_torch(void **state) {
  json_t *const root = fixtures();
  const json_t *const cases = json_object_get(root, "schedules");
  assert_true(json_array_size(cases) >= 7);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    const json_t *const c = json_array_get(cases, i), *const rates = json_object_get(c, "rates");
    const char *const text = json_string_value(json_object_get(c, "schedule"));
    crd__train_part part;
    if (crd__train_part_read(*state, &crd__train_schedules, text, &part) != CRD_OK)
      fail_msg("%s", crd_context_message(*state));
    for (size_t s = 0; s < json_array_size(rates); s++) {
      const double ours = crd__train_schedule_factor(&part, s, json_array_size(rates));
      if (!near(ours, number(rates, s), 1e-12))
        fail_msg("%s: step %zu has %.17g, not %.17g", text, s, ours, number(rates, s));
    }
    crd__train_part_clear(&((crd_context *)*state)->alloc, &part);
  }
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(steps_follow_torch),
    cmocka_unit_test(schedules_follow_torch),
  };
  if (!crd_optimiser_at(0)) {
    cannot_test_networks("optimisers against PyTorch");
    return 0;
  }
  return cmocka_run_group_tests(tests, open_context, close_context);
}

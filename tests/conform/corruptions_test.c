/*
 * corruptions_test.c -- every corruption: five severities that change images more and more, values
 * within [0, 1], random numbers that depend on the key alone. References: corruption_references.
 */
#include "support.h"

#include "dataset/transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CHANNELS = 3, COUNT = CHANNELS * SIDE * SIDE };

/* A smooth picture with some texture, in [0, 1]. */
static float *draw(const crd__transform_call *call, uint64_t seed) {
  const size_t area = call->height * call->width, count = call->channels * area;
  float *const image = malloc(count * sizeof *image);
  for (size_t i = 0; i < count; i++) {
    const double x = (double)(i % call->width), y = (double)(i % area / call->width);
    const double value = 0.45 + 0.35 * sin(0.35 * x + (double)(i / area)) * cos(0.2 * y) +
                         0.05 * crd__random_normal(seed, 9, i);
    image[i] = (float)fmin(fmax(value, 0), 1);
  }
  return image;
}

/* Returns the mean absolute change; all values must be within [0, 1]. */
static double change(const crd__transform_call *call, const float *before, const float *after) {
  const size_t count = call->channels * call->height * call->width;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(after[i] >= 0 && after[i] <= 1)) fail_msg("value %zu is %g", i, (double)after[i]);
    sum += fabs((double)after[i] - (double)before[i]);
  }
  return sum / (double)count;
}

/* Applies a corruption; NULL if it is not built in. */
static float *corrupt(crd_context *ctx, const crd__transform *transform,
                      const crd__transform_call *call, const float *in) {
  const size_t count = call->channels * call->height * call->width;
  float *const out = malloc(count * sizeof *out);
  memset(out, 0xff, count * sizeof *out); /* NaN */
  const crd_status status = transform->apply(ctx, call, in, out);
  if (status == CRD_OK) return out;
  free(out);
  if (status != CRD_EABSENT) fail_msg("%s: %s", transform->info.name, crd_context_message(ctx));
  cannot_test_images("conform-corruptions");
  return NULL;
}

static void each(void **state, void (*test)(crd_context *, const crd__transform *)) {
  size_t count = 0;
  for (; crd__transform_corruption_at(count); count++)
    test(*state, crd__transform_corruption_at(count));
  assert_int_equal(count, 8);
}

static void rises(crd_context *ctx, const crd__transform *transform) {
  static const size_t sizes[][3] = {
    { 32, 32, 3 }, { 28, 28, 1 }, { 90, 130, 3 }, { 224, 224, 1 }
  };
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    double before = 0;
    crd__transform_call call = {
      .height = sizes[s][0], .width = sizes[s][1], .channels = sizes[s][2], .key = 5, .stream = 1
    };
    float *const image = draw(&call, 1);
    for (call.severity = 1; call.severity <= 5; call.severity++) {
      float *const out = corrupt(ctx, transform, &call, image);
      const double here = out ? change(&call, image, out) : before + 1;
      if (here <= before)
        fail_msg("%s, %zu x %zu, severity %u: a change of %g after %g", transform->info.name,
                 call.height, call.width, call.severity, here, before);
      before = here;
      free(out);
    }
    free(image);
  }
}

static void test_severities(void **state) { each(state, rises); }

/* The same key gives the same bits; another one another image, if anything is random. */
static void repeats(crd_context *ctx, const crd__transform *transform) {
  static const char *const fixed[] = { "defocus-blur", "contrast", "brightness", "jpeg" };
  crd__transform_call call = {
    .height = SIDE, .width = SIDE, .channels = CHANNELS, .severity = 3, .key = 5, .stream = 1
  };
  float *const image = draw(&call, 1);
  float *const first = corrupt(ctx, transform, &call, image);
  float *const second = corrupt(ctx, transform, &call, image);
  call.key = 6;
  float *const third = corrupt(ctx, transform, &call, image);
  bool random = true;
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    random = random && strcmp(fixed[i], transform->info.name) != 0;
  if (first && second && third) {
    assert_memory_equal(first, second, COUNT * sizeof *first);
    assert_true((memcmp(first, third, COUNT * sizeof *first) != 0) == random);
  }
  free(image);
  free(first);
  free(second);
  free(third);
}

static void test_keys(void **state) { each(state, repeats); }

/* Images of a single pixel, row or column; black and white ones. */
static void survives(crd_context *ctx, const crd__transform *transform) {
  static const size_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 2, 3 }, { 70, 2 } };
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (unsigned severity = 1; severity <= 5; severity++) {
      const crd__transform_call call = { .height = sizes[s][0],
                                         .width = sizes[s][1],
                                         .channels = 3,
                                         .severity = severity,
                                         .key = severity };
      const size_t count = 3 * call.height * call.width;
      float *const image = draw(&call, 2);
      for (int shade = -1; shade < 2; shade++) {
        for (size_t i = 0; shade >= 0 && i < count; i++) image[i] = (float)shade;
        float *const out = corrupt(ctx, transform, &call, image);
        if (out) (void)change(&call, image, out);
        free(out);
      }
      free(image);
    }
}

static void test_edges(void **state) { each(state, survives); }

static void test_channels(void **state) {
  float values[2] = { 0, 1 };
  const crd__transform_call call = { .channels = 2, .height = 1, .width = 1, .severity = 1 };
  const crd__transform *jpeg;
  assert_int_equal(crd__transform_corruption_find(*state, "jpeg", 4, &jpeg), CRD_OK);
  assert_int_equal(jpeg->apply(*state, &call, values, values), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state),
                      "the corruption jpeg takes images of 1 or 3 channels, found 2");
}

/* Memory that runs out anywhere is reported and not leaked. */
static void runs_out(crd_context *unused, const crd__transform *transform) {
  const crd__transform_call call = {
    .height = SIDE, .width = SIDE, .channels = CHANNELS, .severity = 5
  };
  float *const image = draw(&call, 1), *const out = malloc(COUNT * sizeof *out);
  crd_status status = CRD_ENOMEM;
  (void)unused;
  for (long n = 1; status == CRD_ENOMEM; n++) {
    test_allocator memory = { .fail_at = n };
    const crd_allocator failing = failing_allocator(&memory);
    crd_context *ctx;
    assert_int_equal(crd_context_create(&failing, &ctx), CRD_OK);
    status = transform->apply(ctx, &call, image, out);
    crd_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
  }
  assert_true(status == CRD_OK || status == CRD_EABSENT);
  free(image);
  free(out);
}

static void test_memory(void **state) { each(state, runs_out); }

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_severities),
                                      cmocka_unit_test(test_keys), cmocka_unit_test(test_edges),
                                      cmocka_unit_test(test_channels),
                                      cmocka_unit_test(test_memory) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

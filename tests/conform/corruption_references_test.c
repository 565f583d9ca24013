/*
 * corruption_references_test.c -- corruptions against their definitions as plain loops, and noise
 * against its distribution.
 */
#include "support.h"

#include "dataset/transform/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const crd__transform *named(crd_context *ctx, const char *name) {
  const crd__transform *found;
  assert_int_equal(crd__transform_corruption_find(ctx, name, strlen(name), &found), CRD_OK);
  return found;
}

static float *apply(crd_context *ctx, const char *name, const crd__transform_call *call,
                    const float *in) {
  float *const out = calloc(call->channels * call->height * call->width, sizeof *out);
  assert_int_equal(named(ctx, name)->apply(ctx, call, in, out), CRD_OK);
  return out;
}

static float *draw(const crd__transform_call *call) {
  const size_t count = call->channels * call->height * call->width;
  float *const image = calloc(count, sizeof *image);
  for (size_t i = 0; i < count; i++) image[i] = (float)crd__random_uniform(3, 4, i);
  return image;
}

/* ---- Blurs: the value of one pixel. */

typedef double (*pixel_fn)(const crd__transform_call *call, const float *plane, long y, long x);

static long mirrored(long at, long length) {
  while (at < 0 || at >= length) at = length == 1 ? 0 : at < 0 ? -at : 2 * (length - 1) - at;
  return at;
}

static double scale_of(const crd__transform_call *call) {
  return fmax(1, fmin((double)call->height, (double)call->width) / 32);
}

/* The kernel as a matrix: the disk, smoothed by the Gaussian. */
static double kernel_at(double radius, double sigma, long edge, long dy, long dx) {
  double sum = 0, weights = 0, area = 0;
  const long reach = (long)radius;
  for (long y = -reach; y <= reach; y++)
    for (long x = -reach; x <= reach; x++) area += (double)(y * y + x * x) <= radius * radius;
  for (long y = -edge; y <= edge; y++)
    for (long x = -edge; x <= edge; x++) {
      const double weight = exp(-(double)(y * y + x * x) / (2 * sigma * sigma));
      const double far = (double)((dy - y) * (dy - y) + (dx - x) * (dx - x));
      sum += far <= radius * radius ? weight / area : 0;
      weights += weight;
    }
  return sum / weights;
}

static double defocus_pixel(const crd__transform_call *call, const float *plane, long y, long x) {
  static const double radii[] = { 0.3, 0.4, 0.5, 1, 1.5 }, sigmas[] = { 0.4, 0.5, 0.6, 0.2, 0.1 };
  const double radius = scale_of(call) * radii[call->severity - 1];
  const long edge = radius > 8 ? 2 : 1, reach = (long)radius + edge;
  double sum = 0;
  for (long dy = -reach; dy <= reach; dy++)
    for (long dx = -reach; dx <= reach; dx++)
      sum += kernel_at(radius, sigmas[call->severity - 1], edge, dy, dx) *
             (double)plane[mirrored(y + dy, (long)call->height) * (long)call->width +
                           mirrored(x + dx, (long)call->width)];
  return sum;
}

static long clamped(double at, long length) {
  const long place = (long)floor(at + 0.5);
  return place < 0 ? 0 : place < length ? place : length - 1;
}

static double motion_pixel(const crd__transform_call *call, const float *plane, long y, long x) {
  static const double radii[] = { 6, 6, 6, 8, 9 }, sigmas[] = { 1, 1.5, 2, 2.25, 2.5 };
  const double sigma = scale_of(call) * sigmas[call->severity - 1];
  const double angle =
      (crd__random_uniform(call->key, call->stream, 0) - 0.5) * (3.14159265358979323846 / 2);
  double sum = 0, weights = 0;
  const size_t last = 2 * (size_t)ceil(scale_of(call) * radii[call->severity - 1]);
  for (size_t step = 0; step <= last; step++) {
    const double i = (double)step;
    const double weight = exp(-i * i / (2 * sigma * sigma));
    const long row = clamped((double)y + floor(i * sin(angle) + 0.5), (long)call->height);
    const long column = clamped((double)x + floor(i * cos(angle) + 0.5), (long)call->width);
    sum += weight * (double)plane[row * (long)call->width + column];
    weights += weight;
  }
  return sum / weights;
}

static void compare(crd_context *ctx, const char *name, pixel_fn pixel, double tolerance) {
  static const size_t sizes[][2] = { { 8, 8 }, { 5, 1 }, { 1, 1 }, { 33, 40 }, { 180, 7 } };
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (unsigned severity = 1; severity <= 5; severity++) {
      const crd__transform_call call = { .channels = 2,
                                         .height = sizes[s][0],
                                         .width = sizes[s][1],
                                         .severity = severity,
                                         .key = 11 + severity,
                                         .stream = 2 };
      const size_t area = call.height * call.width;
      float *const in = draw(&call), *const out = apply(ctx, name, &call, in);
      for (size_t i = 0; i < 2 * area; i++) {
        const double wanted = pixel(&call, in + i / area * area, (long)(i % area / call.width),
                                    (long)(i % call.width));
        if (!near((double)out[i], wanted, tolerance))
          fail_msg("%s, severity %u, %zu x %zu, value %zu: %g, expected %g", name, severity,
                   call.height, call.width, i, (double)out[i], wanted);
      }
      free(in);
      free(out);
    }
}

static void test_defocus(void **state) { compare(*state, "defocus-blur", defocus_pixel, 1e-6); }
/* Terms beyond five deviations are left out. */
static void test_motion(void **state) { compare(*state, "motion-blur", motion_pixel, 1e-5); }

/* A disk of more than 8 pixels is smoothed over 5 x 5. */
static void test_large_disk(void **state) {
  const crd__transform_call call = { .channels = 1, .height = 200, .width = 200, .severity = 5 };
  float *const in = calloc(40000, sizeof *in);
  in[100 * 200 + 100] = 1;
  float *const out = apply(*state, "defocus-blur", &call, in);
  for (long y = 80; y < 120; y++)
    for (long x = 80; x < 120; x++)
      assert_true(near((double)out[y * 200 + x],
                       kernel_at(200.0 / 32 * 1.5, 0.1, 2, 100 - y, 100 - x), 1e-6));
  free(in);
  free(out);
}

/* ---- Colours. */

static void test_contrast(void **state) {
  static const double factors[] = { 0.75, 0.5, 0.4, 0.3, 0.15 };
  for (unsigned severity = 1; severity <= 5; severity++) {
    const crd__transform_call call = {
      .channels = 3, .height = 4, .width = 5, .severity = severity
    };
    float *const in = draw(&call), *const out = apply(*state, "contrast", &call, in);
    for (size_t c = 0; c < 3; c++) {
      double mean = 0;
      for (size_t i = 0; i < 20; i++) mean += (double)in[c * 20 + i] / 20;
      for (size_t i = 0; i < 20; i++)
        assert_true(near((double)out[c * 20 + i],
                         mean + factors[severity - 1] * ((double)in[c * 20 + i] - mean), 1e-6));
    }
    free(in);
    free(out);
  }
}

/* Hue and saturation stay: the differences of channels, relative to the largest one. */
static void test_brightness(void **state) {
  static const double steps[] = { 0.05, 0.1, 0.15, 0.2, 0.3 };
  for (unsigned severity = 1; severity <= 5; severity++) {
    const crd__transform_call call = {
      .channels = 3, .height = 6, .width = 5, .severity = severity
    };
    float *const in = draw(&call);
    in[0] = in[30] = in[60] = 0;
    float *const out = apply(*state, "brightness", &call, in);
    for (size_t i = 0; i < 30; i++) {
      const double before = fmax((double)in[i], fmax((double)in[30 + i], (double)in[60 + i]));
      const double after = fmax((double)out[i], fmax((double)out[30 + i], (double)out[60 + i]));
      assert_true(near(after, fmin(1, before + steps[severity - 1]), 1e-6));
      for (size_t c = 0; c < 3 && i > 0; c++)
        assert_true(near((double)out[c * 30 + i] / after, (double)in[c * 30 + i] / before, 1e-5));
    }
    for (size_t c = 0; c < 3; c++)
      assert_true(near((double)out[c * 30], steps[severity - 1], 1e-6));
    free(in);
    free(out);
  }
}

/* ---- Noise: mean and variance over many values of one grey level. */

typedef struct {
  double mean, variance, zeros, ones;
} moments;

enum { MANY = 40000 };

static moments measure(crd_context *ctx, const char *name, unsigned severity, double level) {
  const crd__transform_call call = {
    .channels = 1, .height = 200, .width = MANY / 200, .severity = severity, .key = 1, .stream = 3
  };
  float *const in = calloc(MANY, sizeof *in);
  moments found = { 0 };
  for (size_t i = 0; i < MANY; i++) in[i] = (float)level;
  float *const out = apply(ctx, name, &call, in);
  for (size_t i = 0; i < MANY; i++) {
    found.mean += (double)out[i] / MANY;
    found.variance += ((double)out[i] - level) * ((double)out[i] - level) / MANY;
    found.zeros += (out[i] == 0) / (double)MANY;
    found.ones += (out[i] == 1) / (double)MANY;
  }
  free(in);
  free(out);
  return found;
}

static void test_gaussian_noise(void **state) {
  static const double sigmas[] = { 0.04, 0.06, 0.08, 0.09, 0.10 };
  for (unsigned severity = 1; severity <= 5; severity++) {
    const moments found = measure(*state, "gaussian-noise", severity, 0.5);
    const double variance = sigmas[severity - 1] * sigmas[severity - 1];
    assert_true(fabs(found.mean - 0.5) < 4 * sigmas[severity - 1] / sqrt(MANY));
    assert_true(fabs(found.variance / variance - 1) < 4 * sqrt(2.0 / MANY));
  }
}

static void test_shot_noise(void **state) {
  static const double photons[] = { 500, 250, 100, 75, 50 }, levels[] = { 0.01, 0.1, 0.3, 0.6 };
  for (unsigned severity = 1; severity <= 5; severity++)
    for (size_t i = 0; i < 4; i++) {
      const moments found = measure(*state, "shot-noise", severity, levels[i]);
      const double variance = levels[i] / photons[severity - 1];
      const double none = exp(-levels[i] * photons[severity - 1]);
      assert_true(fabs(found.mean - levels[i]) < 4 * sqrt(variance / MANY));
      assert_true(fabs(found.variance / variance - 1) < 5 * sqrt(3.0 / MANY) + 0.05);
      assert_true(fabs(found.zeros - none) < 4 * sqrt(none / MANY) + 1e-4);
    }
}

static void test_impulse_noise(void **state) {
  static const double fractions[] = { 0.01, 0.02, 0.03, 0.05, 0.07 };
  for (unsigned severity = 1; severity <= 5; severity++) {
    const moments found = measure(*state, "impulse-noise", severity, 0.4);
    const double half = fractions[severity - 1] / 2;
    assert_true(fabs(found.zeros - half) < 4 * sqrt(half / MANY));
    assert_true(fabs(found.ones - half) < 4 * sqrt(half / MANY));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_defocus),    cmocka_unit_test(test_motion),
    cmocka_unit_test(test_large_disk), cmocka_unit_test(test_contrast),
    cmocka_unit_test(test_brightness), cmocka_unit_test(test_gaussian_noise),
    cmocka_unit_test(test_shot_noise), cmocka_unit_test(test_impulse_noise),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

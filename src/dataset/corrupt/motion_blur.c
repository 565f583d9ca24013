/*
 * motion_blur.c -- a moving camera: a weighted mean along a line of random direction, at most 45
 * degrees from the horizontal (corrupt.h).
 *
 *   out(p) = sum_i w_i in(p + i d) / sum_i w_i,   w_i = exp(-i^2 / 2 s^2),  i = 0 .. 2 ceil(r)
 *
 * with the nearest pixels, and those of the border repeated, as ImageMagick's motion blur, which
 * the paper uses; (r, s) is (6, 1) to (9, 2.5). Terms beyond 5 s, below 4e-6, are left out. The
 * paper's severities 3 and 4 differ in r alone, by terms below 1e-7; here s is 2.25 at 4.
 */
#include "base/memory.h"
#include "dataset/corrupt/corrupt.h"

#include <math.h>

typedef struct {
  double weight;
  ptrdiff_t down, right;
} tap;

static size_t nearest_inside(size_t at, ptrdiff_t by, size_t length) {
  const ptrdiff_t place = (ptrdiff_t)at + by;
  return place < 0 ? 0 : (size_t)place < length ? (size_t)place : length - 1;
}

static void fill_taps(const crd__transform_call *call, double deviation, tap *taps, size_t count) {
  const double degrees = 90 * crd__random_uniform(call->key, call->stream, 0) - 45;
  const double angle = degrees * (3.14159265358979323846 / 180);
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const double distance = (double)i;
    taps[i] = (tap){ .weight = exp(-distance * distance / (2 * deviation * deviation)),
                     .down = (ptrdiff_t)floor(distance * sin(angle) + 0.5),
                     .right = (ptrdiff_t)floor(distance * cos(angle) + 0.5) };
    sum += taps[i].weight;
  }
  for (size_t i = 0; i < count; i++) taps[i].weight /= sum;
}

static void blur_plane(const crd__transform_call *call, const tap *taps, size_t count,
                       const float *in, float *out) {
  const size_t height = call->height, width = call->width;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      double sum = 0;
      for (size_t i = 0; i < count; i++)
        sum += taps[i].weight * (double)in[nearest_inside(y, taps[i].down, height) * width +
                                           nearest_inside(x, taps[i].right, width)];
      out[y * width + x] = crd__corrupt_clip(sum);
    }
}

static crd_status motion_blur_apply(crd_context *ctx, const crd__transform_call *call,
                                    const float *in, float *out) {
  static const double radii[CRD__CORRUPT_SEVERITIES] = { 6, 6, 6, 8, 9 };
  static const double deviations[CRD__CORRUPT_SEVERITIES] = { 1, 1.5, 2, 2.25, 2.5 };
  const double scale = crd__corrupt_scale(call);
  const double deviation = scale * deviations[call->severity - 1];
  const double whole = 2 * ceil(scale * radii[call->severity - 1]) + 1;
  const size_t count = (size_t)fmin(whole, ceil(5 * deviation) + 1);
  const size_t area = call->height * call->width;
  tap *taps;
  CRD_TRY(crd__new(ctx, count, sizeof *taps, "a motion blur", &taps));
  fill_taps(call, deviation, taps, count);
  for (size_t c = 0; c < call->channels; c++)
    blur_plane(call, taps, count, in + c * area, out + c * area);
  crd__free(&ctx->alloc, taps);
  return CRD_OK;
}

const crd__transform crd__corruption_motion_blur = {
  .info = { .name = "motion-blur",
            .summary = "blur along a random direction; its length grows with the image",
            .reference = CRD__CORRUPT_PAPER },
  .apply = motion_blur_apply,
};

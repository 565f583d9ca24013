/*
 * defocus_blur.c -- an image out of focus: the mean over a disk of radius r, whose edge a Gaussian
 * of 3 x 3 pixels (5 x 5 from r = 8 on) and deviation s smooths (corrupt.h).
 *
 *   out = in * [ x^2 + y^2 <= r^2 ] / area * g_s,   (r, s) from (0.3, 0.4) to (1.5, 0.1)
 *
 * Beyond the border the image is mirrored about its outermost pixels. r grows with the image; s, in
 * pixels, does not. A row of the disk is a difference of two running sums, so that the cost grows
 * with r and not with its square.
 */
#include "base/memory.h"
#include "dataset/corrupt/corrupt.h"

#include <math.h>

typedef struct {
  size_t height, width; /* of the image */
  size_t reach;         /* of the disk, in whole pixels */
  size_t edge;          /* of the Gaussian: 1 or 2 */
  double radius, gauss[5];
  double *sums;   /* running sums of rows of the mirrored image, each beginning with 0 */
  double *disk;   /* the image after the disk, `edge` pixels larger on each side */
  double *across; /* after the Gaussian along rows */
} blur;

/* Mirrors: 0 .. length-1, length-2 .. 1, and again; `at` counts from `before` pixels outside. */
static size_t mirror(size_t at, size_t before, size_t length) {
  if (length == 1) return 0;
  const size_t period = 2 * (length - 1);
  const size_t place = (at + before / period * period + period - before) % period;
  return place < length ? place : period - place;
}

static void fill_gauss(blur *b, double deviation) {
  double sum = 0;
  for (size_t i = 0; i <= 2 * b->edge; i++) {
    const double distance = (double)i - (double)b->edge;
    sum += b->gauss[i] = exp(-distance * distance / (2 * deviation * deviation));
  }
  for (size_t i = 0; i <= 2 * b->edge; i++) b->gauss[i] /= sum;
}

static void sum_rows(const blur *b, const float *in) {
  const size_t pad = b->reach + b->edge, width = b->width + 2 * pad;
  for (size_t y = 0; y < b->height + 2 * pad; y++) {
    const float *const row = in + mirror(y, pad, b->height) * b->width;
    double *const sums = b->sums + y * (width + 1);
    sums[0] = 0;
    for (size_t x = 0; x < width; x++)
      sums[x + 1] = sums[x] + (double)row[mirror(x, pad, b->width)];
  }
}

static void apply_disk(const blur *b) {
  const size_t height = b->height + 2 * b->edge, width = b->width + 2 * b->edge;
  const size_t stride = width + 2 * b->reach + 1;
  double area = 0;
  for (size_t i = 0; i < height * width; i++) b->disk[i] = 0;
  for (size_t dy = 0; dy <= 2 * b->reach; dy++) {
    const double down = (double)dy - (double)b->reach;
    const size_t half = (size_t)sqrt(b->radius * b->radius - down * down);
    area += 2 * (double)half + 1;
    for (size_t y = 0; y < height; y++) {
      const double *const sums = b->sums + (y + dy) * stride + b->reach - half;
      for (size_t x = 0; x < width; x++) b->disk[y * width + x] += sums[x + 2 * half + 1] - sums[x];
    }
  }
  for (size_t i = 0; i < height * width; i++) b->disk[i] /= area;
}

static void apply_gauss(const blur *b, float *out) {
  const size_t wide = b->width + 2 * b->edge, high = b->height + 2 * b->edge;
  for (size_t y = 0; y < high; y++)
    for (size_t x = 0; x < b->width; x++) {
      double sum = 0;
      for (size_t k = 0; k <= 2 * b->edge; k++) sum += b->gauss[k] * b->disk[y * wide + x + k];
      b->across[y * b->width + x] = sum;
    }
  for (size_t y = 0; y < b->height; y++)
    for (size_t x = 0; x < b->width; x++) {
      double sum = 0;
      for (size_t k = 0; k <= 2 * b->edge; k++)
        sum += b->gauss[k] * b->across[(y + k) * b->width + x];
      out[y * b->width + x] = crd__corrupt_clip(sum);
    }
}

static crd_status allocate(crd_context *ctx, blur *b) {
  const size_t pad = b->reach + b->edge, high = b->height + 2 * b->edge;
  CRD_TRY(crd__new(ctx, (b->height + 2 * pad) * (b->width + 2 * pad + 1), sizeof(double), "a blur",
                   &b->sums));
  CRD_TRY(crd__new(ctx, high * (b->width + 2 * b->edge), sizeof(double), "a blur", &b->disk));
  return crd__new(ctx, high * b->width, sizeof(double), "a blur", &b->across);
}

static crd_status defocus_blur_apply(crd_context *ctx, const crd__transform_call *call,
                                     const float *in, float *out) {
  static const double radii[CRD__CORRUPT_SEVERITIES] = { 0.3, 0.4, 0.5, 1, 1.5 };
  static const double deviations[CRD__CORRUPT_SEVERITIES] = { 0.4, 0.5, 0.6, 0.2, 0.1 };
  const double radius = crd__corrupt_scale(call) * radii[call->severity - 1];
  const size_t area = call->height * call->width;
  blur b = { .height = call->height,
             .width = call->width,
             .radius = radius,
             .reach = (size_t)radius,
             .edge = radius > 8 ? 2 : 1 };
  fill_gauss(&b, deviations[call->severity - 1]);
  const crd_status status = allocate(ctx, &b);
  for (size_t c = 0; status == CRD_OK && c < call->channels; c++) {
    sum_rows(&b, in + c * area);
    apply_disk(&b);
    apply_gauss(&b, out + c * area);
  }
  crd__free(&ctx->alloc, b.sums);
  crd__free(&ctx->alloc, b.disk);
  crd__free(&ctx->alloc, b.across);
  return status;
}

const crd__transform crd__corruption_defocus_blur = {
  .info = { .name = "defocus-blur",
            .summary = "blur by a disk, whose radius grows with the image",
            .reference = CRD__CORRUPT_PAPER },
  .apply = defocus_blur_apply,
};

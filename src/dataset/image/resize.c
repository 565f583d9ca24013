/*
 * resize.c -- bilinear resizing with antialiasing, as Pillow's resize and torchvision's
 * antialias=True: the same bytes as Pillow.
 *
 *   out[i] = sum_k w_k in[k] / sum_k w_k,   w_k = max(0, 1 - |k + 1/2 - c_i| / s)
 *   c_i = (i + 1/2) r,  r = input / output size,  s = max(r, 1)
 *
 * The triangle is as wide as an output pixel when the image shrinks, so that no pixel is skipped.
 * First along rows, then along columns, each rounded to bytes, in integers of 22 fractional bits:
 * the sum of a row's weights times 255 fits in 31 bits, and no result depends on the compiler.
 *
 * An image of another aspect ratio is resized until it covers the wanted size, and its centre is
 * kept (a half pixel goes to the even side, as in torchvision's centre crop). Only that part is
 * computed.
 */
#include "dataset/image/image.h"

#include "base/memory.h"

#include <math.h>

enum { BITS = 22, SIDE_MAX = 1 << 15 };

/* The kept part of one dimension of the resized image. */
typedef struct {
  size_t size;   /* before */
  size_t full;   /* after */
  size_t offset; /* of the kept part */
  size_t count;  /* length of the kept part */
} axis;

/* Weights of the inputs of each kept output: from[i] .. from[i] + count[i]. */
typedef struct {
  size_t *from, *count;
  int32_t *weights; /* `most` per output */
  size_t most;
} filter;

static void filter_clear(const crd_allocator *alloc, filter *f) {
  crd__free(alloc, f->from);
  crd__free(alloc, f->count);
  crd__free(alloc, f->weights);
}

static void fill_weights(const axis *a, filter *f, size_t i) {
  const double ratio = (double)a->size / (double)a->full;
  const double reach = ratio > 1 ? ratio : 1;
  const double centre = ((double)(i + a->offset) + 0.5) * ratio;
  const double low = floor(centre - reach + 0.5), high = floor(centre + reach + 0.5);
  const size_t from = low > 0 ? (size_t)low : 0;
  const size_t to = high < (double)a->size ? (size_t)high : a->size;
  double sum = 0;
  f->from[i] = from;
  f->count[i] = to - from;
  for (size_t k = from; k < to; k++) {
    const double weight = 1 - fabs((double)k + 0.5 - centre) / reach;
    sum += weight > 0 ? weight : 0;
  }
  for (size_t k = from; k < to; k++) {
    const double weight = 1 - fabs((double)k + 0.5 - centre) / reach;
    f->weights[i * f->most + k - from] =
        (int32_t)floor((weight > 0 ? weight : 0) / sum * (1 << BITS) + 0.5);
  }
}

static crd_status filter_make(crd_context *ctx, const axis *a, filter *f) {
  const double ratio = (double)a->size / (double)a->full;
  f->most = (size_t)ceil(ratio > 1 ? ratio : 1) * 2 + 1;
  CRD_TRY(crd__new(ctx, a->count, sizeof *f->from, "resizing an image", &f->from));
  CRD_TRY(crd__new(ctx, a->count, sizeof *f->count, "resizing an image", &f->count));
  size_t cells;
  if (!crd__size_mul(a->count, f->most, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *f->weights, "resizing an image", &f->weights));
  for (size_t i = 0; i < a->count; i++) fill_weights(a, f, i);
  return CRD_OK;
}

/* Weighted sum of `count` bytes, `stride` apart. */
static unsigned char blend(const unsigned char *in, size_t stride, const int32_t *weights,
                           size_t count) {
  int32_t sum = 1 << (BITS - 1);
  for (size_t k = 0; k < count; k++) sum += weights[k] * in[k * stride];
  const int32_t value = sum >> BITS;
  return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Resizes the rows from .. from + out->height of `in`. */
static void resize_rows(const crd__image *in, size_t from, const filter *f, crd__image *out) {
  const size_t channels = in->channels;
  for (size_t y = 0; y < out->height; y++) {
    const unsigned char *const row = in->pixels + (y + from) * in->width * channels;
    unsigned char *to = out->pixels + y * out->width * channels;
    for (size_t x = 0; x < out->width; x++)
      for (size_t c = 0; c < channels; c++)
        *to++ =
            blend(row + f->from[x] * channels + c, channels, f->weights + x * f->most, f->count[x]);
  }
}

/* Resizes columns; row 0 of `in` is row `from` of the image that the filter belongs to. */
static void resize_columns(const crd__image *in, size_t from, const filter *f, crd__image *out) {
  const size_t stride = in->width * in->channels;
  for (size_t y = 0; y < out->height; y++)
    for (size_t x = 0; x < stride; x++)
      out->pixels[y * stride + x] = blend(in->pixels + (f->from[y] - from) * stride + x, stride,
                                          f->weights + y * f->most, f->count[y]);
}

static crd_status resample(crd_context *ctx, const crd__image *in, const axis *rows,
                           const axis *columns, filter f[2], crd__image *middle, crd__image *out) {
  CRD_TRY(filter_make(ctx, rows, &f[0]));
  CRD_TRY(filter_make(ctx, columns, &f[1]));
  const size_t last = rows->count - 1, from = f[0].from[0];
  *middle =
      (crd__image){ f[0].from[last] + f[0].count[last] - from, columns->count, in->channels, NULL };
  CRD_TRY(crd__image_allocate(ctx, middle));
  *out = (crd__image){ rows->count, columns->count, in->channels, NULL };
  CRD_TRY(crd__image_allocate(ctx, out));
  resize_rows(in, from, &f[1], middle);
  resize_columns(middle, from, &f[0], out);
  return CRD_OK;
}

/* The centre of `count` of `full` pixels. */
static axis centre(size_t size, size_t full, size_t count) {
  const size_t spare = full - count, half = spare / 2;
  return (axis){ size, full, half + (spare % 2 && half % 2), count };
}

/* Sets both axes so that the resized image covers height x width. */
static void cover(const crd__image *image, size_t height, size_t width, axis *rows, axis *columns) {
  const size_t h = image->height, w = image->width;
  const size_t tall = h * width / w, wide = w * height / h; /* at most 2^28 * 2^15 */
  *rows = centre(h, tall > height ? tall : height, height);
  *columns = centre(w, wide > width ? wide : width, width);
}

crd_status crd__image_fit(crd_context *ctx, crd__image *image, size_t height, size_t width,
                          crd_resize how) {
  axis rows = { image->height, height, 0, height }, columns = { image->width, width, 0, width };
  filter f[2] = { { 0 }, { 0 } };
  crd__image middle = { 0 }, out = { 0 };
  if (height == 0 || height > SIDE_MAX || width == 0 || width > SIDE_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%s: images of %zu x %zu pixels, allowed are 1 to %d",
                     crd__spell(ctx, "height"), height, width, SIDE_MAX);
  if (image->height == height && image->width == width) return CRD_OK;
  if (how == CRD_RESIZE_CROP) cover(image, height, width, &rows, &columns);
  const crd_status status = resample(ctx, image, &rows, &columns, f, &middle, &out);
  for (size_t i = 0; i < 2; i++) filter_clear(&ctx->alloc, &f[i]);
  crd__image_clear(&ctx->alloc, &middle);
  if (status == CRD_OK) {
    crd__image_clear(&ctx->alloc, image);
    *image = out;
  } else crd__image_clear(&ctx->alloc, &out);
  return status;
}

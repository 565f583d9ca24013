/*
 * chunk_fit.c -- images of an array in the wanted size, with the channels first.
 *
 * Done once for all images when they are opened, by all threads: a network reads them many times.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "dataset/chunks.h"
#include "dataset/image/image.h"

enum { ROWS = 64 }; /* of a piece of work */

typedef struct {
  crd_array samples; /* before */
  size_t height, width, channels;
  crd_resize resize;
  bool fit; /* size or channels change */
  unsigned char *out;
} arranging;

bool crd__dataset_chunks_in_order(const crd_array *samples) {
  ptrdiff_t expected = (ptrdiff_t)crd_dtype_size(samples->dtype);
  for (size_t i = 4; i-- > 1;) {
    if (samples->dims[i] > 1 && samples->strides[i] != expected) return false;
    expected *= (ptrdiff_t)samples->dims[i];
  }
  return true;
}

/* ---- One image. */

static void copy_planes(const crd_array *samples, const unsigned char *from, unsigned char *out) {
  const ptrdiff_t *const stride = samples->strides;
  for (int64_t c = 0; c < samples->dims[1]; c++)
    for (int64_t y = 0; y < samples->dims[2]; y++) {
      const unsigned char *at = from + c * stride[1] + y * stride[2];
      for (int64_t x = 0; x < samples->dims[3]; x++, at += stride[3]) *out++ = *at;
    }
}

/* Takes grey or RGB pixels; a fourth channel is opacity, and left out. */
static crd_status take_image(crd_context *ctx, const crd_array *samples, const unsigned char *from,
                             crd__image *out) {
  const ptrdiff_t *const stride = samples->strides;
  *out = (crd__image){ .height = (size_t)samples->dims[2],
                       .width = (size_t)samples->dims[3],
                       .channels = samples->dims[1] == 1 ? 1 : 3 };
  CRD_TRY(crd__image_allocate(ctx, out));
  unsigned char *to = out->pixels;
  for (size_t y = 0; y < out->height; y++)
    for (size_t x = 0; x < out->width; x++)
      for (size_t c = 0; c < out->channels; c++)
        *to++ =
            from[(ptrdiff_t)c * stride[1] + (ptrdiff_t)y * stride[2] + (ptrdiff_t)x * stride[3]];
  return CRD_OK;
}

static crd_status fit_image(crd_context *ctx, const arranging *a, const unsigned char *from,
                            unsigned char *out) {
  crd__image image = { 0 };
  crd_status status = take_image(ctx, &a->samples, from, &image);
  if (status == CRD_OK) status = crd__image_convert(ctx, &image, a->channels);
  if (status == CRD_OK) status = crd__image_fit(ctx, &image, a->height, a->width, a->resize);
  if (status == CRD_OK) crd__image_planes(&image, out);
  crd__image_clear(&ctx->alloc, &image);
  return status;
}

/* ---- All of them. */

static crd_status arrange_rows(crd_context *local, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const arranging *const a = arg;
  const size_t size = a->channels * a->height * a->width;
  (void)worker;
  for (size_t i = from; i < to; i++) {
    const unsigned char *const row =
        (const unsigned char *)a->samples.data + (ptrdiff_t)i * a->samples.strides[0];
    if (a->fit) CRD_TRY(fit_image(local, a, row, a->out + i * size));
    else copy_planes(&a->samples, row, a->out + i * size);
  }
  return CRD_OK;
}

/* Sets the size to arrive at. */
static void choose_size(const crd__dataset_chunks *chunks, arranging *a) {
  const int64_t *const dims = a->samples.dims;
  const bool size = chunks->height && chunks->width;
  a->height = size ? chunks->height : (size_t)dims[2];
  a->width = size ? chunks->width : (size_t)dims[3];
  a->channels = chunks->channels ? chunks->channels : (size_t)dims[1];
  a->resize = chunks->resize;
  a->fit =
      a->height != (size_t)dims[2] || a->width != (size_t)dims[3] || a->channels != (size_t)dims[1];
  if (a->fit && a->channels == 4) a->channels = 3;
}

static void replace(const arranging *a, crd_array *samples) {
  const int64_t dims[] = { samples->dims[0], (int64_t)a->channels, (int64_t)a->height,
                           (int64_t)a->width };
  ptrdiff_t stride = 1;
  samples->data = a->out;
  for (size_t i = 4; i-- > 0;) {
    samples->dims[i] = dims[i];
    samples->strides[i] = stride;
    stride *= (ptrdiff_t)dims[i];
  }
}

crd_status crd__dataset_chunks_arrange(crd_context *ctx, crd__dataset_store *store,
                                       const char *file, crd_array *samples) {
  const size_t rows = (size_t)samples->dims[0];
  arranging a = { .samples = *samples };
  size_t size;
  choose_size(store->self, &a);
  if (samples->dtype != CRD_U8) {
    if (!a.fit) return CRD_OK;
    return crd__fail(ctx, CRD_EUSAGE,
                     "%.300s: images of %s cannot be resized or change channels, only bytes can",
                     file, crd_dtype_name(samples->dtype));
  }
  if (!crd__size_mul(a.height, a.width, &size) || !crd__size_mul(size, a.channels, &size))
    return crd__fail(ctx, CRD_EUSAGE, "%s: images of %zu x %zu pixels are too large",
                     crd__spell(ctx, "height"), a.height, a.width);
  const bool large = rows > crd__machine_memory() / 4 / size;
  if (!a.fit && (crd__dataset_chunks_in_order(samples) || large)) return CRD_OK;
  CRD_TRY(crd__new(ctx, rows, size, "images", &a.out));
  CRD_TRY(crd__dataset_chunks_keep(ctx, store, (crd__dataset_kept){ .owned = a.out }));
  CRD_TRY(crd__parallel_for(ctx, NULL, rows, ROWS, arrange_rows, &a));
  replace(&a, samples);
  return CRD_OK;
}

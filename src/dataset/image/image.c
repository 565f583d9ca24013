/*
 * image.c -- recognises image files, limits their size, converts colours.
 *
 * A decompression bomb is a small file that asks for much memory. Deflate expands at most 1032-fold
 * and a JPEG file spends at least a bit on a block of 64 pixels, so that complete images beyond
 * PIXELS_FREE need a byte for PIXELS_PER_BYTE pixels, except nearly blank ones of few colours.
 */
#include "dataset/image/image.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 1 << 16, PIXELS_MAX = 1 << 28, PIXELS_FREE = 1 << 24, PIXELS_PER_BYTE = 2000 };

static const crd__image_codec *const codecs[] = {
#define CODEC(name) &crd__image_codec_##name,
#include "dataset/image/list.h"
#undef CODEC
};

const crd__image_codec *crd__image_codec_at(size_t index) {
  return index < sizeof codecs / sizeof *codecs ? codecs[index] : NULL;
}

crd_status crd__image_allocate(crd_context *ctx, crd__image *image) {
  size_t bytes;
  image->pixels = NULL;
  if (crd__size_mul(image->height, image->width, &bytes) &&
      crd__size_mul(bytes, image->channels, &bytes) && bytes > 0)
    image->pixels = crd__resize(&ctx->alloc, NULL, bytes, 1);
  if (image->pixels) return CRD_OK;
  return crd__fail(ctx, CRD_ENOMEM, "no memory for an image of %zu x %zu pixels", image->height,
                   image->width);
}

void crd__image_clear(const crd_allocator *alloc, crd__image *image) {
  crd__free(alloc, image->pixels);
  *image = (crd__image){ 0 };
}

crd_status crd__image_allow(crd_context *ctx, size_t height, size_t width, size_t length) {
  size_t pixels;
  if (height == 0 || width == 0)
    return crd__fail(ctx, CRD_EINPUT, "the image has %zu x %zu pixels", height, width);
  if (height > SIDE_MAX || width > SIDE_MAX || !crd__size_mul(height, width, &pixels) ||
      pixels > PIXELS_MAX)
    return crd__fail(ctx, CRD_EINPUT,
                     "an image of %zu x %zu pixels, allowed are %d per side and %d in all", height,
                     width, SIDE_MAX, PIXELS_MAX);
  if (pixels > PIXELS_FREE && pixels / PIXELS_PER_BYTE > length)
    return crd__fail(ctx, CRD_EINPUT,
                     "a decompression bomb: %zu x %zu pixels in a file of %zu bytes", height, width,
                     length);
  return CRD_OK;
}

/* ---- Formats. */

static const crd__image_codec *recognise(const unsigned char *bytes, size_t length) {
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    if (length >= codecs[i]->magic_length &&
        memcmp(bytes, codecs[i]->magic, codecs[i]->magic_length) == 0)
      return codecs[i];
  return NULL;
}

static crd_status refuse(crd_context *ctx, const unsigned char *bytes, size_t length) {
  char found[3 * 8 + 1] = "", known[64] = "";
  size_t at = 0;
  if (length == 0) return crd__fail(ctx, CRD_EINPUT, "the file is empty");
  for (size_t i = 0; i < length && i < 8; i++)
    snprintf(found + 3 * i, sizeof found - 3 * i, " %02x", bytes[i]);
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs && at < sizeof known; i++) {
    const int more =
        snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", codecs[i]->name);
    at += more > 0 ? (size_t)more : 0;
  }
  return crd__fail(ctx, CRD_EINPUT,
                   "the content is not an image of a supported format (%s): it begins with the "
                   "bytes%s",
                   known, found);
}

crd_status crd__image_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                             crd__image_extent extent, crd__image *out) {
  const crd__image_codec *const codec = recognise(bytes, length);
  *out = (crd__image){ 0 };
  if (!codec) return refuse(ctx, bytes, length);
  const crd_status status = codec->decode(ctx, bytes, length, extent, out);
  if (status != CRD_OK) crd__image_clear(&ctx->alloc, out);
  return status;
}

/* ---- Colours. */

/* Integers of 16 fractional bits whose sum is 2^16, as in Pillow: the same bytes. */
static unsigned char luma(const unsigned char *rgb) {
  return (unsigned char)((19595U * rgb[0] + 38470U * rgb[1] + 7471U * rgb[2] + 0x8000U) >> 16);
}

crd_status crd__image_convert(crd_context *ctx, crd__image *image, size_t channels) {
  if (image->channels == channels) return CRD_OK;
  const size_t pixels = image->height * image->width;
  crd__image made = { image->height, image->width, channels, NULL };
  CRD_TRY(crd__image_allocate(ctx, &made));
  for (size_t i = 0; i < pixels; i++) {
    if (channels == 1) made.pixels[i] = luma(image->pixels + 3 * i);
    else memset(made.pixels + 3 * i, image->pixels[i], 3);
  }
  crd__image_clear(&ctx->alloc, image);
  *image = made;
  return CRD_OK;
}

void crd__image_planes(const crd__image *image, unsigned char *out) {
  const size_t pixels = image->height * image->width, channels = image->channels;
  for (size_t k = 0; k < channels; k++)
    for (size_t i = 0; i < pixels; i++) out[k * pixels + i] = image->pixels[i * channels + k];
}

/*
 * jpeg.c -- JPEG compression at quality 80 to 40: written and read through libjpeg-turbo, with its
 * usual subsampling of colours (corrupt.h).
 */
#include "dataset/corrupt/corrupt.h"
#include "dataset/image/image.h"

/* To bytes, channels last, and back. */
static void to_bytes(const float *in, crd__image *image) {
  const size_t area = image->height * image->width, channels = image->channels;
  for (size_t c = 0; c < channels; c++)
    for (size_t i = 0; i < area; i++)
      image->pixels[i * channels + c] =
          (unsigned char)((double)crd__corrupt_clip((double)in[c * area + i]) * 255 + 0.5);
}

static void from_bytes(const crd__image *image, float *out) {
  const size_t area = image->height * image->width, channels = image->channels;
  for (size_t c = 0; c < channels; c++)
    for (size_t i = 0; i < area; i++)
      out[c * area + i] = (float)image->pixels[i * channels + c] / 255.0F;
}

static crd_status jpeg_apply(crd_context *ctx, const crd__transform_call *call, const float *in,
                             float *out) {
  static const int qualities[CRD__CORRUPT_SEVERITIES] = { 80, 65, 58, 50, 40 };
  crd__image image = { call->height, call->width, call->channels, NULL }, again = { 0 };
  crd__text file;
  if (call->channels != 1 && call->channels != 3)
    return crd__fail(ctx, CRD_EINPUT,
                     "the corruption jpeg takes images of 1 or 3 channels, found %zu",
                     call->channels);
  CRD_TRY(crd__image_allocate(ctx, &image));
  crd__text_init(&file, &ctx->alloc);
  to_bytes(in, &image);
  crd_status status =
      crd__image_codec_jpeg.encode(ctx, &image, qualities[call->severity - 1], &file);
  if (status == CRD_OK)
    status = crd__image_decode(ctx, (const unsigned char *)file.bytes, file.length,
                               CRD__IMAGE_PIXELS, &again);
  if (status == CRD_OK) from_bytes(&again, out);
  crd__image_clear(&ctx->alloc, &image);
  crd__image_clear(&ctx->alloc, &again);
  crd__text_clear(&file);
  return status;
}

const crd__transform crd__corruption_jpeg = {
  .info = { .name = "jpeg",
            .summary = "JPEG compression at quality 80 to 40",
            .reference = CRD__CORRUPT_PAPER },
  .apply = jpeg_apply,
};

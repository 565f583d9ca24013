/* jpeg_absent.c -- JPEG images without libjpeg-turbo: recognised, fail with EABSENT. */
#include "base/absent.h"
#include "dataset/image/image.h"

static crd_status refuse(crd_context *ctx) {
  return crd__fail(
      ctx, CRD_EABSENT,
      "JPEG images need the library libjpeg-turbo" CRD__INSTALL("libjpeg62-turbo-dev"));
}

static crd_status jpeg_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                              crd__image_extent extent, crd__image *out) {
  (void)bytes;
  (void)length;
  (void)extent;
  (void)out;
  return refuse(ctx);
}

static crd_status jpeg_encode(crd_context *ctx, const crd__image *image, int quality,
                              crd__text *out) {
  (void)image;
  (void)quality;
  (void)out;
  return refuse(ctx);
}

const crd__image_codec crd__image_codec_jpeg = {
  .name = "JPEG",
  .summary = "JPEG image: not built in, it needs libjpeg-turbo",
  .magic = "\xff\xd8\xff",
  .magic_length = 3,
  .media = "image/jpeg",
  .decode = jpeg_decode,
  .encode = jpeg_encode,
};

/* png_absent.c -- PNG images without libpng: recognised, fail with EABSENT. */
#include "base/absent.h"
#include "dataset/image/image.h"

static crd_status refuse(crd_context *ctx) {
  return crd__fail(ctx, CRD_EABSENT,
                   "PNG images need the library libpng" CRD__INSTALL("libpng-dev"));
}

static crd_status png_decode(crd_context *ctx, const unsigned char *bytes, size_t length,
                             crd__image_extent extent, crd__image *out) {
  (void)bytes;
  (void)length;
  (void)extent;
  (void)out;
  return refuse(ctx);
}

static crd_status png_encode(crd_context *ctx, const crd__image *image, int quality,
                             crd__text *out) {
  (void)image;
  (void)quality;
  (void)out;
  return refuse(ctx);
}

const crd__image_codec crd__image_codec_png = {
  .name = "PNG",
  .summary = "PNG image: not built in, it needs libpng",
  .magic = "\x89PNG\r\n\x1a\n",
  .magic_length = 8,
  .media = "image/png",
  .decode = png_decode,
  .encode = png_encode,
};

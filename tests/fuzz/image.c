/*
 * image.c -- any bytes as an image: it fails with an error message, or has the size that its header
 * says, and can be converted and resized. FUZZ_NAME is the format that the corpus is about.
 *
 * A changed PNG file fails its checksums; so it is read a second time with the right ones.
 */
#include "fuzz.h"

#include "base/context.h"
#include "dataset/image/image.h"

#include <string.h>

enum { PIXELS_MOST = 1 << 21 }; /* larger ones would only be slow */

static void check_pixels(crd_context *ctx, crd__image *image) {
  const size_t count = image->height * image->width * image->channels;
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) sum += image->pixels[i];
  volatile unsigned keep = sum;
  (void)keep;
  HOLDS(crd__image_fit(ctx, image, 7, 5, count % 2 ? CRD_RESIZE_CROP : CRD_RESIZE_STRETCH) ==
        CRD_OK);
  HOLDS(crd__image_convert(ctx, image, image->channels == 1 ? 3 : 1) == CRD_OK);
  HOLDS(image->height == 7 && image->width == 5);
}

/* Overwrites the checksums of all complete chunks of a PNG file. */
static void repair(uint8_t *bytes, size_t length) {
  size_t at = 8;
  while (at + 12 <= length) {
    const size_t size = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                        (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    uint32_t crc = 0xffffffff;
    if (size > length - at - 12) return;
    for (size_t i = at + 4; i < at + 8 + size; i++) {
      crc ^= bytes[i];
      for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    at += 8 + size;
    for (size_t i = 0; i < 4; i++) bytes[at + i] = (uint8_t)(~crc >> (24 - 8 * i));
    at += 4;
  }
}

static void check_image(crd_context *ctx, const uint8_t *bytes, size_t length) {
  crd__image size, image;
  const crd_status header = crd__image_decode(ctx, bytes, length, CRD__IMAGE_SIZE, &size);
  HOLDS(!size.pixels && (header == CRD_OK || crd_context_message(ctx)[0] != '\0'));
  if (header != CRD_OK || size.height * size.width > PIXELS_MOST) return;
  const crd_status status = crd__image_decode(ctx, bytes, length, CRD__IMAGE_PIXELS, &image);
  if (status == CRD_OK) {
    HOLDS(image.height == size.height && image.width == size.width &&
          image.channels == size.channels);
    check_pixels(ctx, &image);
  } else HOLDS(status == CRD_EINPUT && crd_context_message(ctx)[0] != '\0');
  crd__image_clear(&ctx->alloc, &image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  check_image(ctx, bytes, length);
  if (strcmp(FUZZ_NAME, "png") == 0) {
    uint8_t *const copy = malloc(length + 1);
    HOLDS(copy != NULL);
    if (length) memcpy(copy, bytes, length);
    repair(copy, length);
    check_image(ctx, copy, length);
    free(copy);
  }
  crd_context_destroy(ctx);
  return 0;
}

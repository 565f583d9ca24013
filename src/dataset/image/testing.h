/* testing.h -- images for tests: smooth patterns with noise, and files of them. */
#ifndef CRD_DATASET_IMAGE_TESTING_H
#define CRD_DATASET_IMAGE_TESTING_H

#include "io/testing.h"

#include "base/random.h"
#include "dataset/image/image.h"

#include <math.h>

/* Makes a picture; release with crd__image_clear. */
static inline crd__image draw_image(crd_context *ctx, size_t height, size_t width, size_t channels,
                                    uint64_t seed) {
  crd__image image = { height, width, channels, NULL };
  WORKS(ctx, crd__image_allocate(ctx, &image));
  for (size_t i = 0; i < height * width * channels; i++) {
    const double x = (double)(i / channels % width), y = (double)(i / channels / width);
    const double value = 128 + 90 * sin(0.4 * x + (double)(i % channels)) * cos(0.3 * y) +
                         10 * crd__random_normal(seed, 1, i);
    image.pixels[i] = (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
  return image;
}

/* Returns whether this build has the codec; calls cannot_test_images() if not. */
static inline bool has_codec(crd_context *ctx, const crd__image_codec *codec) {
  const crd_status status = codec->decode(ctx, (const unsigned char *)codec->magic,
                                          codec->magic_length, CRD__IMAGE_SIZE, &(crd__image){ 0 });
  if (status == CRD_EABSENT) cannot_test_images("dataset-image");
  return status != CRD_EABSENT;
}

#endif

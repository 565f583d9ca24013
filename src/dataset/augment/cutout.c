/*
 * cutout.c -- a square at a random place loses its content: its centre is any pixel of the image,
 * and what reaches over the border is cut off.
 *
 * The paper sets normalised pixels to 0, the mean of the training images. Here images are not yet
 * normalised, and the square gets the image's own mean of each channel, or a given value.
 *
 *   DeVries, Taylor: Improved regularization of convolutional neural networks with cutout.
 *   arXiv 1708.04552, 2017.
 */
#include "base/settings.h"
#include "dataset/transform/transform.h"

#include <string.h>

enum { SIZE, FILL };

/* The covered part, from .. to, of a side of `length` pixels. */
typedef struct {
  size_t from, to;
} span;

static span draw(const crd__transform_call *call, uint64_t index, size_t length) {
  const size_t size = (size_t)call->settings[SIZE];
  const size_t centre =
      (size_t)(crd__random_uniform(call->key, call->stream, index) * (double)length);
  const size_t before = size / 2, after = size - before;
  return (span){ centre > before ? centre - before : 0,
                 length - centre > after ? centre + after : length };
}

static float fill_of(const crd__transform_call *call, const float *plane, size_t area) {
  double sum = 0;
  if (call->settings[FILL] >= 0) return (float)call->settings[FILL];
  for (size_t i = 0; i < area; i++) sum += (double)plane[i];
  return (float)(sum / (double)area);
}

static crd_status cutout_apply(crd_context *ctx, const crd__transform_call *call, const float *in,
                               float *out) {
  const size_t width = call->width, area = call->height * width;
  const span rows = draw(call, 0, call->height), columns = draw(call, 1, width);
  (void)ctx;
  memcpy(out, in, call->channels * area * sizeof *out);
  for (size_t c = 0; c < call->channels; c++) {
    const float fill = fill_of(call, in + c * area, area);
    for (size_t y = rows.from; y < rows.to; y++)
      for (size_t x = columns.from; x < columns.to; x++) out[c * area + y * width + x] = fill;
  }
  return CRD_OK;
}

static const crd_setting_info settings[] = {
  { .name = "size",
    .help = "side of the square in pixels",
    .standard = "8",
    .low = 1,
    .high = 65536,
    .whole = 1 },
  { .name = "fill",
    .help = "value of its pixels: a number, or the mean of the image",
    .standard = "mean",
    .words = "mean",
    .low = 0,
    .high = 1 },
};

const crd__transform crd__augmentation_cutout = {
  .info = { .name = "cutout",
            .summary = "erase a square at a random place",
            .reference = "DeVries, Taylor: Improved regularization of convolutional neural "
                         "networks with cutout (arXiv 1708.04552)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .apply = cutout_apply,
};

/*
 * crop.c -- random crop after padding: the image moves by -pad .. pad pixels in each direction,
 * and what comes in from outside is black.
 *
 *   He, Zhang, Ren, Sun: Deep residual learning for image recognition. CVPR 2016, section 4.2.
 */
#include "dataset/transform/transform.h"

enum { PAD };

/* Returns one of 0 .. 2 * pad, all equally likely. */
static ptrdiff_t draw(const crd__transform_call *call, uint64_t index) {
  const double count = 2 * call->settings[PAD] + 1;
  return (ptrdiff_t)(crd__random_uniform(call->key, call->stream, index) * count);
}

static void crop_move(const crd__transform_call *call, crd__transform_move *move) {
  const ptrdiff_t pad = (ptrdiff_t)call->settings[PAD];
  move->y_0 = draw(call, 0) - pad;
  move->x_0 = draw(call, 1) - pad;
}

static const crd_setting_info settings[] = {
  { .name = "pad",
    .help = "pixels of black border on each side before cropping",
    .standard = "4",
    .low = 0,
    .high = 4096,
    .whole = 1 },
};

const crd__transform crd__augmentation_crop = {
  .info = { .name = "crop",
            .summary = "pad with black pixels and crop at a random place",
            .reference = "He et al.: Deep residual learning for image recognition (CVPR 2016)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .move = crop_move,
};

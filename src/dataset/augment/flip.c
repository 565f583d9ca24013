/* flip.c -- mirrors an image from left to right with probability p. */
#include "dataset/transform/transform.h"

enum { P };

static void flip_move(const crd__transform_call *call, crd__transform_move *move) {
  if (crd__random_uniform(call->key, call->stream, 0) >= call->settings[P]) return;
  move->x_0 = (ptrdiff_t)call->width - 1;
  move->x_x = -1;
}

static const crd_setting_info settings[] = {
  { .name = "p", .help = "probability", .standard = "0.5", .low = 0, .high = 1 },
};

const crd__transform crd__augmentation_flip = {
  .info = { .name = "flip",
            .summary = "mirror from left to right with probability p",
            .reference = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .move = flip_move,
};

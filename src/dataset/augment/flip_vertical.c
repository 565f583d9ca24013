/* flip_vertical.c -- mirrors an image from top to bottom with probability p. */
#include "dataset/transform/transform.h"

enum { P };

static void flip_vertical_move(const crd__transform_call *call, crd__transform_move *move) {
  if (crd__random_uniform(call->key, call->stream, 0) >= call->settings[P]) return;
  move->y_0 = (ptrdiff_t)call->height - 1;
  move->y_y = -1;
}

static const crd_setting_info settings[] = {
  { .name = "p", .help = "probability", .standard = "0.5", .low = 0, .high = 1 },
};

const crd__transform crd__augmentation_flip_vertical = {
  .info = { .name = "flip-vertical",
            .summary = "mirror from top to bottom with probability p",
            .reference = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .move = flip_vertical_move,
};

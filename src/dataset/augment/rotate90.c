/*
 * rotate90.c -- turns an image by 0, 90, 180 or 270 degrees, all equally likely; one that is not
 * square keeps its shape and turns by 0 or 180.
 */
#include "dataset/transform/transform.h"

static void rotate90_move(const crd__transform_call *call, crd__transform_move *move) {
  const ptrdiff_t bottom = (ptrdiff_t)call->height - 1, right = (ptrdiff_t)call->width - 1;
  const unsigned step = call->height == call->width ? 1 : 2;
  const uint64_t turns = crd__random_bits(call->key, call->stream, 0) % 4 / step * step;
  const crd__transform_move moves[] = {
    { .y_y = 1, .x_x = 1 },
    { .y_x = 1, .x_0 = right, .x_y = -1 }, /* counter-clockwise */
    { .y_0 = bottom, .y_y = -1, .x_0 = right, .x_x = -1 },
    { .y_0 = bottom, .y_x = -1, .x_y = 1 },
  };
  *move = moves[turns];
}

const crd__transform crd__augmentation_rotate90 = {
  .info = { .name = "rotate90",
            .summary = "turn by a random multiple of 90 degrees (of 180 unless it is square)",
            .reference = "" },
  .move = rotate90_move,
};

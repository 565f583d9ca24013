/* place.c -- moves pixels, applies augmentations and normalises, in as few passes as possible. */
#include "dataset/transform/place.h"

#include <string.h>

/* ---- Moves after each other. */

crd__transform_placement crd__transform_placement_identity(size_t height, size_t width) {
  return (crd__transform_placement){ .move = { .y_y = 1, .x_x = 1 },
                                     .bottom = (ptrdiff_t)height,
                                     .right = (ptrdiff_t)width };
}

static ptrdiff_t larger(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }
static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

/* Restricts from .. to to those v with low <= start + sign * v < high. */
static void restrict_to(ptrdiff_t start, ptrdiff_t sign, ptrdiff_t low, ptrdiff_t high,
                        ptrdiff_t *from, ptrdiff_t *to) {
  *from = larger(*from, sign > 0 ? low - start : start - high + 1);
  *to = smaller(*to, sign > 0 ? high - start : start - low + 1);
}

void crd__transform_placement_add(crd__transform_placement *p, const crd__transform_move *s,
                                  size_t height, size_t width) {
  const crd__transform_move m = p->move;
  crd__transform_placement after = crd__transform_placement_identity(height, width);
  after.move = (crd__transform_move){
    .y_0 = m.y_0 + m.y_y * s->y_0 + m.y_x * s->x_0,
    .y_y = m.y_y * s->y_y + m.y_x * s->x_y,
    .y_x = m.y_y * s->y_x + m.y_x * s->x_x,
    .x_0 = m.x_0 + m.x_y * s->y_0 + m.x_x * s->x_0,
    .x_y = m.x_y * s->y_y + m.x_x * s->x_y,
    .x_x = m.x_y * s->y_x + m.x_x * s->x_x,
  };
  if (s->y_y) {
    restrict_to(s->y_0, s->y_y, p->top, p->bottom, &after.top, &after.bottom);
    restrict_to(s->x_0, s->x_x, p->left, p->right, &after.left, &after.right);
  } else {
    restrict_to(s->y_0, s->y_x, p->top, p->bottom, &after.left, &after.right);
    restrict_to(s->x_0, s->x_y, p->left, p->right, &after.top, &after.bottom);
  }
  if (after.bottom <= after.top || after.right <= after.left)
    after.top = after.bottom = after.left = after.right = 0;
  *p = after;
}

/* ---- Scaling. */

static float scaled(const crd__transform_scale *s, size_t channel, float value) {
  return s->mean ? (float)(((double)value - s->mean[channel]) / s->std[channel]) : value;
}

void crd__transform_scale_fill(const crd__transform_scale *scale, float *table) {
  for (size_t b = 0; b < 256; b++) table[b] = (float)b / 255.0F;
  for (size_t c = 0; c < scale->channels; c++)
    for (size_t b = 0; b < 256; b++) table[256 * (c + 1) + b] = scaled(scale, c, table[b]);
}

void crd__transform_scale_plane(const crd__transform_scale *s, size_t channel, float *values,
                                size_t count) {
  if (!s->mean) return;
  const double mean = s->mean[channel], std = s->std[channel];
  for (size_t i = 0; i < count; i++) values[i] = (float)(((double)values[i] - mean) / std);
}

/* ---- Placing. */

static void place_bytes(const unsigned char *from, ptrdiff_t step, const float *table, size_t count,
                        float *out) {
  if (step == 1)
    for (size_t i = 0; i < count; i++) out[i] = table[from[i]];
  else
    for (size_t i = 0; i < count; i++, from += step) out[i] = table[*from];
}

static void place_values(const float *from, ptrdiff_t step, size_t count, float *out) {
  if (step == 1) memcpy(out, from, count * sizeof *out);
  else
    for (size_t i = 0; i < count; i++, from += step) out[i] = *from;
}

static void fill(float *out, ptrdiff_t count, float value) {
  for (ptrdiff_t i = 0; i < count; i++) out[i] = value;
}

/* Places `count` pixels of channel c that begin at `at` in the source, `step` apart. */
static void place_run(const crd__transform_scale *s, size_t c, crd__transform_source source,
                      ptrdiff_t at, ptrdiff_t step, size_t count, float *out) {
  if (source.bytes) {
    const float *const table = s->table + (s->mean ? 256 * (c + 1) : 0);
    place_bytes(source.bytes + at, step, table, count, out);
  } else {
    place_values(source.values + at, step, count, out);
    crd__transform_scale_plane(s, c, out, count);
  }
}

void crd__transform_place(const crd__transform_scale *s, const crd__transform_placement *p,
                          crd__transform_source source, float *out) {
  const ptrdiff_t height = (ptrdiff_t)s->height, width = (ptrdiff_t)s->width;
  const crd__transform_move *const m = &p->move;
  const ptrdiff_t step = m->y_x * width + m->x_x, count = p->right - p->left;
  const bool whole_rows = count == width && m->y_y == 1 && m->x_x == 1;
  for (size_t c = 0; c < s->channels; c++, out += height * width) {
    const ptrdiff_t plane = (ptrdiff_t)c * height * width;
    const float nothing = scaled(s, c, 0);
    fill(out, p->top * width, nothing);
    if (whole_rows) /* rows follow each other in source and output */
      place_run(s, c, source, plane + (m->y_0 + p->top) * width, 1,
                (size_t)((p->bottom - p->top) * width), out + p->top * width);
    for (ptrdiff_t y = p->top; y < p->bottom && !whole_rows; y++) {
      const ptrdiff_t at = plane + (m->y_0 + m->y_y * y) * width + m->x_0 + m->x_y * y;
      float *const row = out + y * width;
      fill(row, p->left, nothing);
      place_run(s, c, source, at + p->left * step, step, (size_t)count, row + p->left);
      fill(row + p->right, width - p->right, nothing);
    }
    fill(out + p->bottom * width, (height - p->bottom) * width, nothing);
  }
}

/* ---- A chain. */

/* Gathers the moves from step *at on; *at becomes the next step that is none. */
static crd__transform_placement gather(const crd__transform_chain *chain, crd__transform_call call,
                                       size_t *at) {
  crd__transform_placement placement = crd__transform_placement_identity(call.height, call.width);
  for (; *at < chain->count && chain->steps[*at].transform->move; ++*at) {
    crd__transform_move move = { .y_y = 1, .x_x = 1 };
    call.settings = chain->steps[*at].settings;
    call.stream = *at;
    chain->steps[*at].transform->move(&call, &move);
    crd__transform_placement_add(&placement, &move, call.height, call.width);
  }
  return placement;
}

crd_status crd__transform_chain_apply(crd_context *ctx, const crd__transform_chain *chain,
                                      const crd__transform_scale *scale, uint64_t key,
                                      crd__transform_source source, float *scratch, float *out) {
  const size_t size = scale->channels * scale->height * scale->width;
  crd__transform_call call = {
    .key = key, .channels = scale->channels, .height = scale->height, .width = scale->width
  };
  crd__transform_scale plain = *scale;
  plain.mean = NULL;
  for (size_t at = 0;; at++) {
    const crd__transform_placement placement = gather(chain, call, &at);
    if (at == chain->count) {
      crd__transform_place(scale, &placement, source, out);
      return CRD_OK;
    }
    const crd__transform_step *const step = &chain->steps[at];
    crd__transform_place(&plain, &placement, source, scratch);
    call.settings = step->settings;
    call.stream = at;
    CRD_TRY(step->transform->apply(ctx, &call, scratch, scratch + size));
    source = (crd__transform_source){ .values = scratch + size };
  }
}

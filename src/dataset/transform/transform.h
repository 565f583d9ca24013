/*
 * transform.h -- the interface of augmentations (augment/) and corruptions (corrupt/): one file and
 * one line of a list.h each.
 *
 * Images are float32, (channels, height, width), values in [0, 1] where they came from bytes,
 * before normalisation; a transform keeps their shape. An augmentation is random, and a corruption
 * as well: both draw from their key alone, so that a sample does not depend on the order in which
 * it is read.
 *
 * A transform that only moves whole pixels (crop, flip, quarter turns) has `move` instead of
 * `apply`: several of these become one pass over the pixels, straight from bytes.
 */
#ifndef CRD_DATASET_TRANSFORM_TRANSFORM_H
#define CRD_DATASET_TRANSFORM_TRANSFORM_H

#include "base/context.h"
#include "base/random.h"
#include "credence/dataset.h"

/* One application. Draw n of it is crd__random_uniform(key, stream, n), or its siblings. */
typedef struct {
  const double *settings; /* one per entry of info.settings */
  unsigned severity;      /* of a corruption: 1 .. 5 */
  uint64_t key, stream;
  size_t channels, height, width;
} crd__transform_call;

/* Where pixels come from: out(y, x) = in(y_0 + y_y y + y_x x, x_0 + x_y y + x_x x), or 0 where that
 * is outside of the image. Of y_y, y_x and of x_y, x_x one is 0, the other 1 or -1. */
typedef struct {
  ptrdiff_t y_0, y_y, y_x;
  ptrdiff_t x_0, x_y, x_x;
} crd__transform_move;

typedef struct crd__transform {
  crd_transform_info info;
  /* Sets *move, which is the identity at first. */
  void (*move)(const crd__transform_call *call, crd__transform_move *move);
  /* Writes the transformed image to `out`, which does not overlap `in`. Called by many threads. */
  crd_status (*apply)(crd_context *ctx, const crd__transform_call *call, const float *in,
                      float *out);
} crd__transform;

#define AUGMENT(name) extern const crd__transform crd__augmentation_##name;
#include "dataset/augment/list.h"
#undef AUGMENT
#define CORRUPT(name) extern const crd__transform crd__corruption_##name;
#include "dataset/corrupt/list.h"
#undef CORRUPT

/* Return an entry of a table; NULL past the end. */
const crd__transform *crd__transform_augmentation_at(size_t index);
const crd__transform *crd__transform_corruption_at(size_t index);

/* Sets *out to the corruption of this name. CRD_EUSAGE suggests the nearest one. */
crd_status crd__transform_corruption_find(crd_context *ctx, const char *name, size_t length,
                                          const crd__transform **out);

/* ---- Expressions: "crop(pad=4) + flip". */

typedef struct {
  const crd__transform *transform;
  double *settings;
} crd__transform_step;

enum { CRD__TRANSFORM_STEPS_MAX = 16 };

typedef struct {
  size_t count;
  crd__transform_step steps[CRD__TRANSFORM_STEPS_MAX];
} crd__transform_chain;

/* Parses an expression; NULL or "": no steps. CRD_EUSAGE names the position. Release with clear,
 * also after failure. */
crd_status crd__transform_chain_read(crd_context *ctx, const char *expression,
                                     crd__transform_chain *out);
void crd__transform_chain_clear(const crd_allocator *alloc, crd__transform_chain *chain);

#endif

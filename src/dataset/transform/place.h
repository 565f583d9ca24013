/*
 * place.h -- images after augmentation and normalisation, from bytes or from float32.
 *
 *   bytes or float32 --moves--> float32 --apply--> float32 --moves--> ... --(x - mean) / std--> out
 *
 * Moves that follow each other become one, and the last ones are one pass with normalisation.
 */
#ifndef CRD_DATASET_TRANSFORM_PLACE_H
#define CRD_DATASET_TRANSFORM_PLACE_H

#include "dataset/transform/transform.h"

#include <stdbool.h>

/* A move, or several after each other, and the rectangle of the output that has pixels; all others
 * are 0. */
typedef struct {
  crd__transform_move move;
  ptrdiff_t top, bottom, left, right;
} crd__transform_placement;

crd__transform_placement crd__transform_placement_identity(size_t height, size_t width);
/* Appends a move. */
void crd__transform_placement_add(crd__transform_placement *placement,
                                  const crd__transform_move *step, size_t height, size_t width);

/* How values are scaled: bytes through a table, float32 by (x - mean) / std in double. */
typedef struct {
  size_t channels, height, width;
  const double *mean, *std; /* one for each channel; NULL: unchanged */
  const float *table;       /* as crd__transform_scale_fill makes it */
} crd__transform_scale;

/* Fills a table of (channels + 1) x 256: byte / 255, and for each channel the same bits that
 * float32 images would get. */
void crd__transform_scale_fill(const crd__transform_scale *scale, float *table);
/* Scales `count` values of one channel in place. */
void crd__transform_scale_plane(const crd__transform_scale *scale, size_t channel, float *values,
                                size_t count);

/* A sample that is to be placed: one of both. */
typedef struct {
  const unsigned char *bytes;
  const float *values; /* outside of the output */
} crd__transform_source;

/* Places and scales all channels. */
void crd__transform_place(const crd__transform_scale *scale,
                          const crd__transform_placement *placement, crd__transform_source source,
                          float *out);

/* Applies a chain with random numbers of `key`, and scales. `scratch` has the size of two images,
 * apart from source and output. */
crd_status crd__transform_chain_apply(crd_context *ctx, const crd__transform_chain *chain,
                                      const crd__transform_scale *scale, uint64_t key,
                                      crd__transform_source source, float *scratch, float *out);

#endif

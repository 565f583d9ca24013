/*
 * rotary.h -- rotary position embedding (Su et al., 2021): pairs of elements of a row are rotated
 * by angles that depend on its position.
 *
 *   y1 = cos x1 - sin x2,   y2 = sin x1 + cos x2
 *
 * A pair is either two neighbours (interleaved), or an element of the first half and one of the
 * second. Elements beyond `rotated` stay.
 */
#ifndef CRD_ENGINE_KERNEL_COMPOSITE_ROTARY_H
#define CRD_ENGINE_KERNEL_COMPOSITE_ROTARY_H

#include "engine/kernel/composite/attention.h"

typedef struct {
  crd_dtype dtype;
  size_t batch, heads, rows, size, rotated;
  crd__kernel_heads steps; /* of x and y */
  bool interleaved;
} crd__kernel_rotary;

/* Rotate, or (back) rotate by the opposite angles: the gradient. cosines and sines have a row of
 * rotated / 2 elements for each sample and row, or for each position, if `positions` gives these.
 */
void crd__kernel_rotary_run(unsigned threads, const crd__kernel_rotary *r, bool back, const void *x,
                            const void *cosines, const void *sines, const int64_t *positions,
                            void *y);

#endif

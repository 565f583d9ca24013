/*
 * optimiser.h -- the interface of an optimiser: one file of optimiser/ each.
 *
 * An optimiser updates every element of the parameters on its own, from its gradient and from up to
 * two numbers that it keeps for it. So the frame (parameters.c) may cut the elements anywhere, over
 * any number of threads, and the bits stay the same.
 */
#ifndef CRD_TRAIN_OPTIMISER_H
#define CRD_TRAIN_OPTIMISER_H

#include "train/part.h"

/* The first settings of every optimiser. */
enum { CRD__TRAIN_RATE, CRD__TRAIN_DECAY, CRD__TRAIN_OWN };
#define CRD__TRAIN_RATE_SETTING(value)                                                             \
  {                                                                                                \
    .name = "rate", .help = "learning rate, times the schedule", .standard = value, .low = 0,      \
    .high = 1e6                                                                                    \
  }
#define CRD__TRAIN_DECAY_SETTING(text)                                                             \
  { .name = "weight-decay", .help = text, .standard = "1e-4", .low = 0, .high = 1e6 }

enum { CRD__TRAIN_STATES_MAX = 2 };

/* One step. */
typedef struct {
  const double *settings;
  double rate;   /* of this step */
  uint64_t step; /* from 1 */
  double decay;  /* of these parameters */
  float scale;   /* of gradients: below 1 if they are clipped */
} crd__train_update;

/* Consecutive elements of one parameter. */
typedef struct {
  size_t count;
  float *values;
  const float *gradient;
  float *state[CRD__TRAIN_STATES_MAX]; /* 0 before the first step */
} crd__train_span;

typedef struct {
  crd_training_part_info info;
  const char *states[CRD__TRAIN_STATES_MAX + 1]; /* names of the kept numbers, for checkpoints */
  void (*step)(const crd__train_update *update, const crd__train_span *span);
} crd__train_optimiser;

#define OPTIMISER(name) extern const crd__train_optimiser crd__train_optimiser_##name;
#include "train/optimiser/list.h"
#undef OPTIMISER

extern const crd__choices crd__train_optimisers;
const crd__train_optimiser *crd__train_optimiser_at(size_t index); /* NULL past the end */

#endif

/*
 * parameters.h -- the parameters of a network as one row of elements: the norm of their gradient,
 * and a step of an optimiser over all of them.
 *
 * Elements are cut into spans without regard to the parameters they belong to, so that one large
 * matrix and fifty small vectors keep all threads equally busy.
 */
#ifndef CRD_TRAIN_PARAMETERS_H
#define CRD_TRAIN_PARAMETERS_H

#include "credence/network.h"
#include "train/optimiser.h"

typedef struct {
  const crd_parameter *shape; /* name, shape, values and gradient */
  size_t first;               /* index of its first element among all */
  bool decays;                /* weight decay applies */
} crd__train_parameter;

/* Borrows the memory of the network. */
typedef struct {
  size_t count;                         /* trained ones first, then running statistics */
  size_t trained;                       /* those with a gradient */
  crd__train_parameter *items;          /* `first` counts trained elements and statistics alike */
  size_t elements;                      /* of the trained ones */
  size_t all;                           /* with those of statistics */
  float *states[CRD__TRAIN_STATES_MAX]; /* `elements` each; NULL: the optimiser keeps fewer */
  double *partial;                      /* scratch buffer of the norm */
} crd__train_parameters;

/* Lists the parameters and allocates what the optimiser keeps. Call clear also after a failure. */
crd_status crd__train_parameters_make(crd_context *ctx, const crd_network *network, crd_decay decay,
                                      const crd__train_optimiser *optimiser,
                                      crd__train_parameters *out);
void crd__train_parameters_clear(const crd_allocator *alloc, crd__train_parameters *parameters);

/* Sets *norm to the Euclidean norm of all gradients. The same bits for any number of threads. */
crd_status crd__train_parameters_norm(crd_context *ctx, const crd__train_parameters *parameters,
                                      double *norm);
/* Returns the factor of gradients for a largest norm of `clip`; 1 if that is 0. As torch's
 * clip_grad_norm_, which adds 1e-6 to the norm. */
float crd__train_clip(double norm, double clip);
/* Performs a step of the optimiser. Parameters without weight decay ignore `update->decay`. */
void crd__train_parameters_step(const crd__train_parameters *parameters,
                                const crd__train_optimiser *optimiser,
                                const crd__train_update *update, unsigned threads);
/* Copies all values, statistics included, to or from `all` floats. */
void crd__train_parameters_read(const crd__train_parameters *parameters, float *out);
void crd__train_parameters_write(const crd__train_parameters *parameters, const float *from);
/* Returns the first parameter that is not finite, or NULL. */
const crd_parameter *crd__train_parameters_invalid(const crd__train_parameters *parameters);

#endif

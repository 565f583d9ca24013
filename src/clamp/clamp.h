/* clamp.h -- the struct behind crd_clamp. */
#ifndef CRD_CLAMP_CLAMP_H
#define CRD_CLAMP_CLAMP_H

#include "clamp/select.h"

struct crd_clamp {
  crd_allocator alloc;
  crd_clamp_summary summary; /* its pointers are to what follows */
  float *delta;
  char *settings, *tensor;
  double *mean, *std;
  crd_clamp_candidate candidates[CRD__CLAMP_CANDIDATES];
  crd_clamp_selection selection[CRD__CLAMP_GAMMAS];
};

/* Copies the name of the tensor; NULL: the input. */
crd_status crd__clamp_set_tensor(crd_context *ctx, crd_clamp *clamp, const char *name);
/* Copies the encoding's mean and std. */
crd_status crd__clamp_set_scale(crd_context *ctx, crd_clamp *clamp, const crd_encoding *encoding);

#endif

/* gradients.h -- the way back of a network as a whole. */
#ifndef CRD_GRAPH_GRADIENTS_H
#define CRD_GRAPH_GRADIENTS_H

#include "graph/op.h"

/* What the way back begins with, and what it ends in. */
typedef struct {
  int incoming; /* the tensor that is the gradient by the first output; the user gives it */
  int *inputs;  /* for each input of the network the tensor that is the gradient by it; NONE */
  size_t parameter_count;
  crd_parameter *parameters; /* without their values: those lie where the plan puts them */
  int *tensors;              /* of the parameters */
} crd__graph_gradients;

/* Which tensors want a gradient, and which nodes it goes through. After fusing, before planning. */
crd_status crd__graph_mark(crd_context *ctx, crd__graph *net);
/* Behind the steps of a run, those of the way back. */
crd_status crd__graph_backward_make(crd_context *ctx, crd__engine_plan *plan,
                                    crd__graph_gradients *out);

#endif

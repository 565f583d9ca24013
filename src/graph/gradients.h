/* gradients.h -- the backward pass of a whole network. */
#ifndef CRD_GRAPH_GRADIENTS_H
#define CRD_GRAPH_GRADIENTS_H

#include "graph/op.h"

/* The tensors at both ends of the backward pass. */
typedef struct {
  int incoming; /* the gradient with respect to the first output; given by the user */
  int *inputs;  /* the gradient with respect to each input of the network; NONE: not computed */
  size_t parameter_count;
  crd_parameter *parameters; /* their `values` are set after memory planning */
  int *tensors;              /* the tensors of the parameters */
} crd__graph_gradients;

/* Mark the tensors that need a gradient and the nodes that the backward pass goes through. Call
 * after fusion, before planning. Fails if one of the nodes has no gradient. */
crd_status crd__graph_mark(crd_context *ctx, crd__graph *net);
/* Append the steps of the backward pass to those of the forward pass. */
crd_status crd__graph_backward_make(crd_context *ctx, crd__engine_plan *plan,
                                    crd__graph_gradients *out);

#endif

/* normalization.h -- the backward pass of operators that normalise slices of their first input, and
 * scale and shift the result. */
#ifndef CRD_GRAPH_OP_NORMALIZATION_H
#define CRD_GRAPH_OP_NORMALIZATION_H

#include "graph/op.h"

/* A step whose memory is: x, the scale, the gradient with respect to the output, a workspace, then
 * the gradients with respect to x, scale and shift, of those that are needed. */
typedef struct {
  crd__engine_step_fn run;
  const void *self; /* copied, after `wants` is set */
  size_t size;
  bool *wants;       /* three, inside `self`: which gradients are needed */
  int64_t workspace; /* number of float32 */
} crd__graph_norm_step;

/* Plan the step. */
crd_status crd__graph_norm_backward(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node, const crd__graph_norm_step *step);

#endif

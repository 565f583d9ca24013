/* unbroadcast.h -- the way back of broadcasting: sums over what was repeated. */
#ifndef CRD_GRAPH_OP_UNBROADCAST_H
#define CRD_GRAPH_OP_UNBROADCAST_H

#include "graph/op.h"

/* Gives an input a gradient that has the shape to which the input was broadcast (`seen` is the
 * input's shape as it was broadcast: NULL, its own). */
crd_status crd__graph_unbroadcast_give(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node, size_t input, int tensor,
                                       const crd__engine_tensor *seen);
/* Gives an input `factor` times that. */
crd_status crd__graph_unbroadcast_give_scaled(crd_context *ctx, crd__graph_backward *back,
                                              const crd__graph_node *node, size_t input, int tensor,
                                              float factor);

#endif

/* unbroadcast.h -- the backward pass of broadcasting: sums over the broadcast dimensions. */
#ifndef CRD_GRAPH_OP_UNBROADCAST_H
#define CRD_GRAPH_OP_UNBROADCAST_H

#include "graph/op.h"

/* Give an input a gradient of the shape to which it was broadcast, summed back to its own. `seen`
 * is the shape from which it was broadcast; NULL: its own. */
crd_status crd__graph_unbroadcast_give(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node, size_t input, int tensor,
                                       const crd__engine_tensor *seen);
/* Give it `factor` times that. */
crd_status crd__graph_unbroadcast_give_scaled(crd_context *ctx, crd__graph_backward *back,
                                              const crd__graph_node *node, size_t input, int tensor,
                                              float factor);

#endif

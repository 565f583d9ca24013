/* grouped.h -- weights of convolutions, input 1 of a node, in the layouts of oneDNN's primitives.
 */
#ifndef CRD_GRAPH_OP_GROUPED_H
#define CRD_GRAPH_OP_GROUPED_H

#include "graph/op.h"

/* Get the shape of the weights as oneDNN expects it: groups are a dimension of their own. Returns
 * its rank. */
size_t crd__graph_grouped_dims(const crd__engine_tensor *weights, int64_t groups,
                               int64_t dims[CRD_RANK_MAX + 1]);
/* Place the weights in the layout of a primitive. */
crd_status crd__graph_grouped_place(crd_context *ctx, crd__engine_plan *plan,
                                    const crd__graph_node *node, int64_t groups,
                                    const crd__engine_primitive *primitive, int *place);
/* Place the gradient with respect to the weights in the layout of the primitive, and create the
 * tensor that will hold it in C order, at `plain`. */
crd_status crd__graph_grouped_result(crd_context *ctx, crd__graph_backward *back,
                                     const crd__graph_node *node, int64_t groups,
                                     crd__engine_layout wanted, int *tensor, int *plain,
                                     int *place);
/* Give the bias, input 2, its gradient: the sum of the incoming one over all but the channels. */
crd_status crd__graph_grouped_back_bias(crd_context *ctx, crd__graph_backward *back,
                                        const crd__graph_node *node);

#endif

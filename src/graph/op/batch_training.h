/* batch_training.h -- BatchNormalization with the statistics of the batch where gradients go back
 * through it: the part of batch_normalization.c that training needs. */
#ifndef CRD_GRAPH_OP_BATCH_TRAINING_H
#define CRD_GRAPH_OP_BATCH_TRAINING_H

#include "graph/op.h"

/* All tensors of the node are of f32; what was fused into it is at most a sum, then max(y, 0). */
crd_status crd__graph_batch_training_plan(crd_context *ctx, crd__engine_plan *plan,
                                          const crd__graph_node *node);
crd_status crd__graph_batch_training_back(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node);

#endif

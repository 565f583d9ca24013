/* batch_training.h -- BatchNormalization with the statistics of the batch and with a backward pass:
 * the part of batch_normalization.c that training needs. */
#ifndef CRD_GRAPH_OP_BATCH_TRAINING_H
#define CRD_GRAPH_OP_BATCH_TRAINING_H

#include "graph/op.h"

/* All tensors of the node are float32; its post-ops are at most a sum, then a ReLU. */
crd_status crd__graph_batch_training_plan(crd_context *ctx, crd__engine_plan *plan,
                                          const crd__graph_node *node);
crd_status crd__graph_batch_training_back(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node);

#endif

/*
 * backward.h -- planning of the backward pass, for operators.
 *
 * After the steps of the forward pass are planned, nodes are visited in reverse order. A node reads
 * the gradient with respect to its output (crd__graph_backward_incoming) and supplies one with
 * respect to each input that needs it (crd__graph_backward_give); the frame sums those from several
 * readers of a tensor. Post-ops fused into the node (node->after) have been differentiated before.
 *
 * The tensors of the forward pass that a node's backward reads are listed in its entry (`keep`);
 * they are kept until then.
 */
#ifndef CRD_GRAPH_BACKWARD_H
#define CRD_GRAPH_BACKWARD_H

#include "graph/graph.h"

typedef struct crd__graph_backward crd__graph_backward;

/* Bits of crd__graph_op.keep and .keep_training: an input, or the first output. */
enum { CRD__KEEP_X = 1, CRD__KEEP_X1 = 2, CRD__KEEP_X2 = 4, CRD__KEEP_Y = 1 << 16 };
#define CRD__KEEP_INPUT(i) (1U << (i))

crd__engine_plan *crd__graph_backward_plan(const crd__graph_backward *back);
/* Return the gradient with respect to an output, a tensor; NONE: it is zero. */
int crd__graph_backward_incoming(const crd__graph_backward *back, const crd__graph_node *node,
                                 size_t output);
/* True if the gradient with respect to this input is needed. */
bool crd__graph_backward_wants(const crd__graph_backward *back, const crd__graph_node *node,
                               size_t input);
/* Add a float32 tensor with the shape of an input, to be computed by a step and then passed to
 * crd__graph_backward_give. */
crd_status crd__graph_backward_tensor(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input, int *out);
/* Add the tensor to the gradient with respect to an input. It may be the incoming one itself. */
crd_status crd__graph_backward_give(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node, size_t input, int tensor);
/* The same for the tensor added by a fused sum, for operators that differentiate their post-ops
 * themselves (crd__graph_op.undoes). */
bool crd__graph_backward_wants_addend(const crd__graph_backward *back, const crd__graph_node *node);
crd_status crd__graph_backward_give_addend(crd_context *ctx, crd__graph_backward *back,
                                           const crd__graph_node *node, int tensor);
/* True if only the sum over the batch of this input's gradient is needed. The operator may then
 * give that sum, with a first dimension of 1. */
bool crd__graph_backward_shares(const crd__graph_backward *back, const crd__graph_node *node,
                                size_t input);

#endif

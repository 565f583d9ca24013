/*
 * backward.h -- planning the backward pass: of a whole network, and for its operators.
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

/* ---- For operators. */

typedef struct crd__graph_backward crd__graph_backward;

/* Bits of crd__graph_op.keep and .keep_training: an input, or the first output. */
enum { CRD__KEEP_X = 1, CRD__KEEP_X1 = 2, CRD__KEEP_X2 = 4, CRD__KEEP_Y = 1 << 16 };

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
/* Add the step out = dL/dy f'(x), where f is the last function in y, the node's first output. f' is
 * computed from y or, if that is not possible (dnn.h: crd__engine_eltwise_from_result), from x, the
 * node's first input. */
crd_status crd__graph_backward_eltwise(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node,
                                       const crd__engine_post_op *function, int out);
/* True if only the sum over the batch of this input's gradient is needed. The operator may then
 * give that sum, with a first dimension of 1. */
bool crd__graph_backward_shares(const crd__graph_backward *back, const crd__graph_node *node,
                                size_t input);

#endif

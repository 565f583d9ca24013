/*
 * back.h -- steps that go back from the gradient by a network's output to those by its inputs and
 * parameters.
 *
 * After the steps of a run are planned, nodes are asked in reverse order. A node reads the gradient
 * by its output (crd__graph_backward_incoming) and hands on one by each input that wants one
 * (crd__graph_backward_give); where several readers hand one on, the frame adds them up. What was
 * fused into a node (node->after) has been undone before it is asked.
 *
 * What a node's backward reads of the run itself (its inputs, its output) its row says (`keep`):
 * these tensors are not written over before.
 */
#ifndef CRD_GRAPH_BACKWARD_H
#define CRD_GRAPH_BACKWARD_H

#include "graph/graph.h"

typedef struct crd__graph_backward crd__graph_backward;

/* Bits of crd__graph_op.keep and .keep_training. */
enum { CRD__KEEP_X = 1, CRD__KEEP_X1 = 2, CRD__KEEP_X2 = 4, CRD__KEEP_Y = 1 << 16 };
#define CRD__KEEP_INPUT(i) (1U << (i))

crd__engine_plan *crd__graph_backward_plan(const crd__graph_backward *back);
/* The tensor that is the gradient by an output; NONE: nothing comes back along that one. */
int crd__graph_backward_incoming(const crd__graph_backward *back, const crd__graph_node *node,
                                 size_t output);
/* Does this input want a gradient? */
bool crd__graph_backward_wants(const crd__graph_backward *back, const crd__graph_node *node,
                               size_t input);
/* A new tensor, of f32 and the shape of an input, to be made by a step and then given. */
crd_status crd__graph_backward_tensor(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input, int *out);
/* The gradient by an input is that tensor, which may also be the incoming one. */
crd_status crd__graph_backward_give(crd_context *ctx, crd__graph_backward *back,
                                    const crd__graph_node *node, size_t input, int tensor);
/* The same for what was fused into the node as the other term of a sum, by operators that undo that
 * themselves (crd__graph_op.undoes). */
bool crd__graph_backward_wants_addend(const crd__graph_backward *back, const crd__graph_node *node);
crd_status crd__graph_backward_give_addend(crd_context *ctx, crd__graph_backward *back,
                                           const crd__graph_node *node, int tensor);
/* Only the sum over the batch is wanted of this input's gradient, and it may be given as that: with
 * 1 as its first dimension. */
bool crd__graph_backward_shares(const crd__graph_backward *back, const crd__graph_node *node,
                                size_t input);

#endif

/* plain.h -- helpers for operators that work on arrays in C order, with our own kernels. */
#ifndef CRD_GRAPH_OP_PLAIN_H
#define CRD_GRAPH_OP_PLAIN_H

#include "engine/kernel/along.h"
#include "graph/op.h"

/* Plan one step. Its memory: the inputs, then the outputs, all in C order, without those left out.
 * Copies `self`. */
crd_status crd__graph_plain_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__engine_step_fn run,
                                 const void *self, size_t size);

/* A step of the backward pass. Its memory: the tensors of the forward pass in `read`, the gradient
 * with respect to the first output, and the result; all in C order. */
typedef struct {
  crd__engine_step_fn run;
  const void *self; /* copied */
  size_t size;
  size_t count;
  int read[3];
  bool over; /* the result may overwrite the incoming gradient if that has no other reader */
} crd__graph_plain_step;

/* Plan a step whose result is the gradient with respect to an input. */
crd_status crd__graph_plain_back(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node, size_t input,
                                 const crd__graph_plain_step *step);
/* Plan a step whose result has the shape to which the input was broadcast (from the shape `seen`;
 * NULL: its own); gives the input its sum over the broadcast dimensions. */
crd_status crd__graph_plain_back_wide(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input,
                                      const crd__graph_plain_step *step,
                                      const crd__engine_tensor *seen);

/* Return 0: data movement has no arithmetic. */
uint64_t crd__graph_plain_flops(const crd__graph *net, const crd__graph_node *node);

/* The shape of a tensor, to be stored in `self`. */
typedef struct {
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
} crd__graph_shape;
crd__graph_shape crd__graph_shape_of(const crd__engine_tensor *tensor);

/* Return an array as one of three dimensions, the second of which is `axis`. */
crd__kernel_along crd__graph_plain_along(const crd__engine_tensor *tensor, size_t axis);

/* Read a list from an attribute, up to operator set `last`, and later from input `index`. */
crd_status crd__graph_plain_list(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, const char *attribute, int last,
                                 size_t index, crd__graph_list *out);

#endif

/* plain.h -- operators that work on arrays in C order, with kernels of our own. */
#ifndef CRD_GRAPH_OP_PLAIN_H
#define CRD_GRAPH_OP_PLAIN_H

#include "graph/op.h"

/* One step. Its memory: the inputs that are there, in C order, then the outputs that are there.
 * `self` is copied. */
crd_status crd__graph_plain_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, crd__engine_step_fn run,
                                 const void *self, size_t size);

/* A step of the way back. Its memory: the tensors of the run that `read` names, the gradient by the
 * first output, and the result; all in C order. */
typedef struct {
  crd__engine_step_fn run;
  const void *self; /* copied */
  size_t size;
  size_t count;
  int read[3];
  bool over; /* the result may lie where that gradient lies, if nobody else reads it */
} crd__graph_plain_step;

/* The result is the gradient by an input, and is given to it. */
crd_status crd__graph_plain_back(crd_context *ctx, crd__graph_backward *back,
                                 const crd__graph_node *node, size_t input,
                                 const crd__graph_plain_step *step);
/* The result has the shape of the first output, to which the input was broadcast (from the shape
 * `seen`; NULL: its own); its sum over what was repeated is given. */
crd_status crd__graph_plain_back_wide(crd_context *ctx, crd__graph_backward *back,
                                      const crd__graph_node *node, size_t input,
                                      const crd__graph_plain_step *step,
                                      const crd__engine_tensor *seen);

/* None: numbers are only moved. */
uint64_t crd__graph_plain_flops(const crd__graph *net, const crd__graph_node *node);

/* The shape of a tensor, to be taken along in `self`. */
typedef struct {
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
} crd__graph_shape;
crd__graph_shape crd__graph_shape_of(const crd__engine_tensor *tensor);

/* A list from an attribute, up to operator set `last`, and later from input `index`. */
crd_status crd__graph_plain_list(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, const char *attribute, int last,
                                 size_t index, crd__graph_list *out);

#endif

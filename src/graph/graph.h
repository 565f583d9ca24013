/*
 * graph.h -- the graph of a network between the ONNX file and the execution plan: tensors, and
 * nodes that compute them.
 *
 * file --build--> nodes --infer, fold--> shapes and constants --fuse--> fewer nodes --plan--> steps
 */
#ifndef CRD_GRAPH_GRAPH_H
#define CRD_GRAPH_GRAPH_H

#include "credence/compile.h"
#include "engine/plan.h"
#include "onnx/file.h"

_Static_assert((int)CRD__NONE == (int)CRD__ONNX_NONE,
               "one index stands for a tensor that is left out");

typedef struct crd__graph_op crd__graph_op;

/* A list entry: a node that may read the tensor. */
typedef struct {
  int node, next; /* index + 1 of the tensor's next link; 0: none */
} crd__graph_link;

typedef struct crd__graph_node crd__graph_node;
struct crd__graph_node {
  const crd__graph_op *op;
  const char *name; /* for error messages */
  int opset;
  size_t attribute_count;
  const crd__onnx_attribute *attributes;
  size_t input_count, output_count;
  int *inputs, *outputs;      /* tensor indices; NONE: left out */
  bool gone;                  /* folded, or fused into another node */
  crd__engine_post_ops after; /* post-ops: operations fused into it, applied to its output */
  int addend;                 /* the tensor added by a post-op `sum`; NONE: none */
  bool back;                  /* the backward pass goes through it */
  bool exact;                 /* sums of integers must be exact: no Winograd convolution */
  const crd__graph_op *named; /* of a node inside another: the operator of error messages */
  size_t inside_count;
  crd__graph_node *inside; /* nodes that compute this one, which its operator plans; not in the
                              list of the graph, and without a backward pass */
};

typedef struct {
  crd__engine engine; /* holds the tensors and runs the nodes */
  const crd__onnx_file *file;
  size_t node_count;
  crd__graph_node *nodes;
  size_t link_count, link_capacity;
  crd__graph_link *links; /* only while nodes are fused */
  size_t input_count, output_count;
  int *inputs, *outputs; /* tensor indices; without inputs bound to constants */
  bool winograd;
  crd_mode mode;
  bool shared, frozen_input; /* options shared_gradient and parameters_only */
  bool wide;                 /* outputs of f16 and bf16 are returned as f32 */
} crd__graph;

/* ---- Building (build.c). */

/* Create tensors and nodes from a file, with input shapes from the options. Infers nothing yet.
 * Fails with EINPUT if a shape or a type is unsupported. */
crd_status crd__graph_create(crd_context *ctx, const crd__onnx_file *file,
                             const crd_compile_options *options, crd__graph **out);
void crd__graph_destroy(crd__graph *net);
/* Add a float32 constant; the caller fills *values. */
crd_status crd__graph_floats(crd_context *ctx, crd__graph *net, const char *name, size_t rank,
                             const int64_t *dims, int *out, float **values);

/* Make elements of a file or of the user, which outlive the graph, the value of a tensor of known
 * type and shape. Those of types that are computed in float32 are converted into memory of the
 * graph. */
crd_status crd__graph_set_constant(crd_context *ctx, crd__graph *net, crd__engine_tensor *tensor,
                                   const void *elements);

/* ---- Planning (schedule.c). */

/* Create a plan for a graph, with the reader counts of its tensors. */
crd_status crd__graph_plan(crd_context *ctx, crd__graph *net, crd__engine_plan **out);
/* Return the graph that a plan was created for. */
static inline crd__graph *crd__graph_plan_net(const crd__engine_plan *plan) {
  return crd__engine_plan_owner(plan);
}
/* Append the steps of a node, then decrement the reader counts of its inputs. */
crd_status crd__graph_plan_node(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node);
/* Return what the forward pass of a node saves for its backward pass; NULL in inference. */
crd__engine_kept *crd__graph_node_kept(crd__engine_plan *plan, const crd__graph_node *node);

/* ---- Shape inference and constant folding (infer.c). */

/* Check that the node's operator, operator set, arguments and attributes are supported. */
crd_status crd__graph_check(crd_context *ctx, const crd__graph *net, const crd__graph_node *node);
/* Infer the shapes of the node's outputs, and their values if they do not depend on the run. */
crd_status crd__graph_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);

/* ---- For operators: access to a node's inputs, outputs and attributes (node.c). */

/* Return the tensor of an input or output; NULL if it is left out. */
const crd__engine_tensor *crd__graph_node_input(const crd__graph *net, const crd__graph_node *node,
                                                size_t index);
const crd__engine_tensor *crd__graph_node_output(const crd__graph *net, const crd__graph_node *node,
                                                 size_t index);
/* Return the attribute of this name; NULL: none. */
const crd__onnx_attribute *crd__graph_node_attribute(const crd__graph_node *node, const char *name);
bool crd__graph_node_has(const crd__graph_node *node, const char *attribute);
int64_t crd__graph_node_int(const crd__graph_node *node, const char *attribute, int64_t fallback);
float crd__graph_node_float(const crd__graph_node *node, const char *attribute, float fallback);
bool crd__graph_node_word_is(const crd__graph_node *node, const char *attribute, const char *word,
                             const char *fallback);

/* A short list of integers, such as axes, from an attribute or an input. */
enum { CRD__LIST_MAX = 256 };
typedef struct {
  bool given;
  size_t count;
  int64_t items[CRD__LIST_MAX];
} crd__graph_list;
/* Read the list from an attribute; fails if it is longer than CRD__LIST_MAX. */
crd_status crd__graph_node_list(crd_context *ctx, const crd__graph_node *node,
                                const char *attribute, crd__graph_list *out);
/* Read the list from an input; fails if that is not a constant of integers. */
crd_status crd__graph_node_list_input(crd_context *ctx, const crd__graph *net,
                                      const crd__graph_node *node, size_t index,
                                      crd__graph_list *out);
/* Map an axis from -rank .. rank-1 to 0 .. rank-1; fails if it is out of range. */
crd_status crd__graph_node_axis(crd_context *ctx, const crd__graph_node *node, int64_t axis,
                                size_t rank, size_t *out);
/* Map each axis of a list and set marks[axis]; fails if one is out of range or listed twice. With
 * `all`, an empty list stands for all axes. */
crd_status crd__graph_node_axes(crd_context *ctx, const crd__graph_node *node,
                                const crd__graph_list *axes, size_t rank, bool all,
                                bool marks[CRD_RANK_MAX]);
/* Read an input that must be a constant of one element; `fallback` if it is left out. */
crd_status crd__graph_node_number_input(crd_context *ctx, const crd__graph *net,
                                        const crd__graph_node *node, size_t index, double fallback,
                                        double *out);
/* Set type and shape of an output; does nothing if it is left out. Outputs of float32 are computed
 * in float32, and have the type of the node's first input of floating-point values in the model.
 * Fails if it exceeds CRD_RANK_MAX or the memory budget. */
crd_status crd__graph_node_set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                               size_t index, crd_dtype dtype, size_t rank, const int64_t *dims);
/* Give an output the type and shape of an input. */
crd_status crd__graph_node_set_like(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                    size_t index, size_t input);
/* Broadcast the shape in `rank` and `dims` with that of `tensor`, by NumPy's rules; fails if they
 * are incompatible. */
crd_status crd__graph_node_broadcast(crd_context *ctx, const crd__graph_node *node,
                                     const crd__engine_tensor *tensor, size_t *rank,
                                     int64_t dims[CRD_RANK_MAX]);
/* Fail unless the input has this type (or is left out). */
crd_status crd__graph_node_needs(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, size_t index, crd_dtype dtype);
/* Fail unless the first input is of floating-point values. */
crd_status crd__graph_node_needs_reals(crd_context *ctx, const crd__graph *net,
                                       const crd__graph_node *node);
/* Set the error message "node 'x' (Conv): ..." and return EINPUT. */
crd_status crd__graph_node_fail(crd_context *ctx, const crd__graph_node *node, const char *format,
                                ...) CRD_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* see crd__fail */
#define crd__graph_node_fail(ctx, node, ...)                                                       \
  (crd__graph_node_fail(ctx, node, __VA_ARGS__), CRD_EINPUT)
#endif

#endif

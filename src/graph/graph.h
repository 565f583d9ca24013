/*
 * net.h -- a network on its way from a file to a plan: tensors, and nodes that make them.
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

/* A node that may read a tensor. */
typedef struct {
  int node, next; /* another link of the same tensor + 1; 0: none */
} crd__graph_link;

typedef struct {
  const crd__graph_op *op;
  const char *name; /* for sentences */
  int opset;
  size_t attribute_count;
  const crd__onnx_attribute *attributes;
  size_t input_count, output_count;
  int *inputs, *outputs;      /* numbers of tensors; NONE: left out */
  bool gone;                  /* it was folded, or fused into another */
  crd__engine_post_ops after; /* what was fused into it: done to its output ... */
  int addend;                 /* ... and the tensor that a `sum` among these adds; NONE: none */
  bool back;                  /* gradients go back through it */
} crd__graph_node;

typedef struct {
  crd__engine engine; /* the tensors, and what runs nodes */
  const crd__onnx_file *file;
  size_t node_count;
  crd__graph_node *nodes;
  size_t link_count, link_capacity;
  crd__graph_link *links; /* while nodes are fused */
  size_t input_count, output_count;
  int *inputs, *outputs; /* numbers of tensors; inputs that are bound as constants are not here */
  bool winograd;
  crd_mode mode;
  bool shared, frozen_input; /* options shared_gradient and no_input_gradient */
} crd__graph;

/* ---- Building (build.c). */

/* Tensors and nodes of a file, with inputs as the options say. Nothing is inferred yet. */
crd_status crd__graph_create(crd_context *ctx, const crd__onnx_file *file,
                             const crd_compile_options *options, crd__graph **out);
void crd__graph_destroy(crd__graph *net);
/* A constant of type f32, with memory of its own to be filled. */
crd_status crd__graph_floats(crd_context *ctx, crd__graph *net, const char *name, size_t rank,
                             const int64_t *dims, int *out, float **values);

/* ---- Planning (schedule.c). */

/* Create a plan for a graph, with the reader counts of its tensors. */
crd_status crd__graph_plan(crd_context *ctx, crd__graph *net, crd__engine_plan **out);
/* The graph that a plan was created for. */
static inline crd__graph *crd__graph_plan_net(const crd__engine_plan *plan) {
  return crd__engine_plan_owner(plan);
}
/* Append the steps of a node, then decrement the reader counts of its inputs. */
crd_status crd__graph_plan_node(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node);
/* What the forward pass of a node keeps for its backward pass; NULL in inference. */
crd__engine_kept *crd__graph_node_kept(crd__engine_plan *plan, const crd__graph_node *node);

/* ---- Infer and fold (infer.c). */

/* Why the node cannot be part of a plan; CRD_OK: it can. */
crd_status crd__graph_check(crd_context *ctx, const crd__graph *net, const crd__graph_node *node);
/* Shapes of what a node makes, and its values where they do not depend on a run. */
crd_status crd__graph_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node);

/* ---- For operators: what they are asked with (node.c). */

/* An input's tensor; NULL where it is left out. */
const crd__engine_tensor *crd__graph_node_input(const crd__graph *net, const crd__graph_node *node,
                                                size_t index);
const crd__engine_tensor *crd__graph_node_output(const crd__graph *net, const crd__graph_node *node,
                                                 size_t index);
bool crd__graph_node_has(const crd__graph_node *node, const char *attribute);
int64_t crd__graph_node_int(const crd__graph_node *node, const char *attribute, int64_t standard);
float crd__graph_node_float(const crd__graph_node *node, const char *attribute, float standard);
bool crd__graph_node_word_is(const crd__graph_node *node, const char *attribute, const char *word,
                             const char *standard);

/* A short list of whole numbers, such as axes, wherever it comes from. */
enum { CRD__LIST_MAX = 256 };
typedef struct {
  bool given;
  size_t count;
  int64_t items[CRD__LIST_MAX];
} crd__graph_list;
/* From an attribute ... */
crd_status crd__graph_node_list(crd_context *ctx, const crd__graph_node *node,
                                const char *attribute, crd__graph_list *out);
/* ... or from an input, which must be a constant. */
crd_status crd__graph_node_list_input(crd_context *ctx, const crd__graph *net,
                                      const crd__graph_node *node, size_t index,
                                      crd__graph_list *out);
/* -rank .. rank-1 to 0 .. rank-1; refused where it is outside. */
crd_status crd__graph_node_axis(crd_context *ctx, const crd__graph_node *node, int64_t axis,
                                size_t rank, size_t *out);
/* The same for each of a list, which must name none twice: marks[axis] is set. An empty list marks
 * all where `all` is set. */
crd_status crd__graph_node_axes(crd_context *ctx, const crd__graph_node *node,
                                const crd__graph_list *axes, size_t rank, bool all,
                                bool marks[CRD_RANK_MAX]);
/* The first number of an input that must be a constant; `standard` where it is left out. */
crd_status crd__graph_node_number_input(crd_context *ctx, const crd__graph *net,
                                        const crd__graph_node *node, size_t index, double standard,
                                        double *out);
/* Type and shape of an output; refused where it would be too large to be true. Outputs that are
 * left out are ignored. */
crd_status crd__graph_node_set(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                               size_t index, crd_dtype dtype, size_t rank, const int64_t *dims);
/* The same as an input's. */
crd_status crd__graph_node_set_like(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                    size_t index, size_t input);
/* NumPy's rule; refused where shapes do not fit. `rank` and `dims` come in as the shape so far. */
crd_status crd__graph_node_broadcast(crd_context *ctx, const crd__graph_node *node,
                                     const crd__engine_tensor *tensor, size_t *rank,
                                     int64_t dims[CRD_RANK_MAX]);
/* The input must be of this type. */
crd_status crd__graph_node_needs(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, size_t index, crd_dtype dtype);
/* The first input must be of real numbers: f16, f32 or f64. */
crd_status crd__graph_node_needs_reals(crd_context *ctx, const crd__graph *net,
                                       const crd__graph_node *node);
/* EINPUT: "node 'x' (Conv): ..." */
crd_status crd__graph_node_fail(crd_context *ctx, const crd__graph_node *node, const char *format,
                                ...) CRD_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* see crd__fail */
#define crd__graph_node_fail(ctx, node, ...)                                                       \
  (crd__graph_node_fail(ctx, node, __VA_ARGS__), CRD_EINPUT)
#endif

#endif

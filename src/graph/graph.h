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

typedef struct crd__op crd__op;

/* A node that may read a tensor. */
typedef struct {
  int node, next; /* another link of the same tensor + 1; 0: none */
} crd__link;

typedef struct {
  const crd__op *op;
  const char *name; /* for sentences */
  int opset;
  size_t attribute_count;
  const crd__onnx_attribute *attributes;
  size_t input_count, output_count;
  int *inputs, *outputs; /* numbers of tensors; NONE: left out */
  bool gone;             /* it was folded, or fused into another */
  crd__afters after;     /* what was fused into it: done to its output ... */
  int addend;            /* ... and the tensor that a `sum` among these adds; NONE: none */
  bool back;             /* gradients go back through it */
} crd__node;

typedef struct {
  crd__engine engine; /* the tensors, and what runs nodes */
  const crd__onnx_file *file;
  size_t node_count;
  crd__node *nodes;
  size_t link_count, link_capacity;
  crd__link *links; /* while nodes are fused */
  size_t input_count, output_count;
  int *inputs, *outputs; /* numbers of tensors; inputs that are bound as constants are not here */
  bool winograd;
  crd_mode mode;
  bool shared, frozen_input; /* options shared_gradient and no_input_gradient */
} crd__net;

/* ---- Building (build.c). */

/* Tensors and nodes of a file, with inputs as the options say. Nothing is inferred yet. */
crd_status crd__net_create(crd_context *ctx, const crd__onnx_file *file,
                           const crd_compile_options *options, crd__net **out);
void crd__net_destroy(crd__net *net);
/* A constant of type f32, with memory of its own to be filled. */
crd_status crd__net_floats(crd_context *ctx, crd__net *net, const char *name, size_t rank,
                           const int64_t *dims, int *out, float **values);

/* ---- Planning (schedule.c). */

/* Create a plan for a graph, with the reader counts of its tensors. */
crd_status crd__net_plan(crd_context *ctx, crd__net *net, crd__plan **out);
/* The graph that a plan was created for. */
static inline crd__net *crd__plan_net(const crd__plan *plan) { return crd__plan_owner(plan); }
/* Append the steps of a node, then decrement the reader counts of its inputs. */
crd_status crd__net_plan_node(crd_context *ctx, crd__plan *plan, const crd__node *node);
/* What the forward pass of a node keeps for its backward pass; NULL in inference. */
crd__kept *crd__node_kept(crd__plan *plan, const crd__node *node);

/* ---- Infer and fold (infer.c). */

/* Why the node cannot be part of a plan; CRD_OK: it can. */
crd_status crd__net_check(crd_context *ctx, const crd__net *net, const crd__node *node);
/* Shapes of what a node makes, and its values where they do not depend on a run. */
crd_status crd__net_infer(crd_context *ctx, crd__net *net, crd__node *node);

/* ---- For operators: what they are asked with (node.c). */

/* An input's tensor; NULL where it is left out. */
const crd__tensor *crd__node_input(const crd__net *net, const crd__node *node, size_t index);
const crd__tensor *crd__node_output(const crd__net *net, const crd__node *node, size_t index);
bool crd__node_has(const crd__node *node, const char *attribute);
int64_t crd__node_int(const crd__node *node, const char *attribute, int64_t standard);
float crd__node_float(const crd__node *node, const char *attribute, float standard);
bool crd__node_word_is(const crd__node *node, const char *attribute, const char *word,
                       const char *standard);

/* A short list of whole numbers, such as axes, wherever it comes from. */
enum { CRD__LIST_MAX = 256 };
typedef struct {
  bool given;
  size_t count;
  int64_t items[CRD__LIST_MAX];
} crd__list;
/* From an attribute ... */
crd_status crd__node_list(crd_context *ctx, const crd__node *node, const char *attribute,
                          crd__list *out);
/* ... or from an input, which must be a constant. */
crd_status crd__node_list_input(crd_context *ctx, const crd__net *net, const crd__node *node,
                                size_t index, crd__list *out);
/* -rank .. rank-1 to 0 .. rank-1; refused where it is outside. */
crd_status crd__node_axis(crd_context *ctx, const crd__node *node, int64_t axis, size_t rank,
                          size_t *out);
/* The same for each of a list, which must name none twice: marks[axis] is set. An empty list marks
 * all where `all` is set. */
crd_status crd__node_axes(crd_context *ctx, const crd__node *node, const crd__list *axes,
                          size_t rank, bool all, bool marks[CRD_RANK_MAX]);
/* The first number of an input that must be a constant; `standard` where it is left out. */
crd_status crd__node_number_input(crd_context *ctx, const crd__net *net, const crd__node *node,
                                  size_t index, double standard, double *out);
/* Type and shape of an output; refused where it would be too large to be true. Outputs that are
 * left out are ignored. */
crd_status crd__node_set(crd_context *ctx, crd__net *net, const crd__node *node, size_t index,
                         crd_dtype dtype, size_t rank, const int64_t *dims);
/* The same as an input's. */
crd_status crd__node_set_like(crd_context *ctx, crd__net *net, const crd__node *node, size_t index,
                              size_t input);
/* NumPy's rule; refused where shapes do not fit. `rank` and `dims` come in as the shape so far. */
crd_status crd__node_broadcast(crd_context *ctx, const crd__node *node, const crd__tensor *tensor,
                               size_t *rank, int64_t dims[CRD_RANK_MAX]);
/* The input must be of this type. */
crd_status crd__node_needs(crd_context *ctx, const crd__net *net, const crd__node *node,
                           size_t index, crd_dtype dtype);
/* The first input must be of real numbers: f16, f32 or f64. */
crd_status crd__node_needs_reals(crd_context *ctx, const crd__net *net, const crd__node *node);
/* EINPUT: "node 'x' (Conv): ..." */
crd_status crd__node_fail(crd_context *ctx, const crd__node *node, const char *format, ...)
    CRD_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* see crd__fail */
#define crd__node_fail(ctx, node, ...) (crd__node_fail(ctx, node, __VA_ARGS__), CRD_EINPUT)
#endif

#endif

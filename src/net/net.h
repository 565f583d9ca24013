/*
 * net.h -- a network on its way from a file to a plan: tensors, and nodes that make them.
 *
 * file --build--> nodes --infer, fold--> shapes and constants --fuse--> fewer nodes --plan--> steps
 */
#ifndef CRD_NET_NET_H
#define CRD_NET_NET_H

#include "credence/compile.h"
#include "net/blocks.h"
#include "net/dnn.h"
#include "onnx/file.h"

enum { CRD__NONE = CRD__ONNX_NONE };

typedef struct crd__op crd__op;

typedef struct {
  const char *name;
  bool known; /* type and shape are: */
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  const void *constant; /* its numbers in C order, at any address; NULL: they come with a run */
  const void *initial;  /* of what training changes: the numbers it begins with; NULL: it is not */
  bool statistic;       /* ... but no gradient does: a running mean or variance */
  bool wants;           /* a gradient by it is wanted */
  int uses;             /* how many nodes and outputs read it */
  bool is_output;       /* ... while nodes are fused (fuse.c): an output of the network, */
  int maker, readers;   /* the node that makes it + 1, and its first link + 1; 0: none */
} crd__tensor;

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
  crd_allocator alloc;
  const crd__onnx_file *file;
  size_t tensor_count, tensor_capacity;
  crd__tensor *tensors;
  size_t node_count;
  crd__node *nodes;
  size_t link_count, link_capacity;
  crd__link *links; /* while nodes are fused */
  size_t input_count, output_count;
  int *inputs, *outputs; /* numbers of tensors; inputs that are bound as constants are not here */
  bool winograd;
  crd_mode mode;
  bool shared, frozen_input; /* options shared_gradient and no_input_gradient */
  uint64_t seed, runs;       /* random numbers follow from the seed and the number of the run */
  unsigned threads;
  crd__budget budget; /* of this and of plans for it: the memory of the machine */
  crd__blocks blocks; /* memory that lives as long as this */
  crd__dnn *dnn;
} crd__net;

/* ---- Building (build.c). */

/* Tensors and nodes of a file, with inputs as the options say. Nothing is inferred yet. */
crd_status crd__net_create(crd_context *ctx, const crd__onnx_file *file,
                           const crd_compile_options *options, crd__net **out);
void crd__net_destroy(crd__net *net);
/* Zeroed memory that lives as long as the network. */
crd_status crd__net_memory(crd_context *ctx, crd__net *net, size_t count, size_t size, void *out);
/* Another tensor, of which nothing is known yet. Pointers to tensors end here. */
crd_status crd__net_tensor(crd_context *ctx, crd__net *net, const char *name, int *out);
/* A constant of type f32, with memory of its own to be filled. */
crd_status crd__net_floats(crd_context *ctx, crd__net *net, const char *name, size_t rank,
                           const int64_t *dims, int *out, float **values);

/* Does it keep its numbers from one run to the next: a constant, or what training changes? */
static inline bool crd__tensor_given(const crd__tensor *tensor) {
  return tensor->constant || tensor->initial;
}

/* ---- Infer and fold (infer.c). */

/* Why the node cannot be part of a plan; CRD_OK: it can. */
crd_status crd__net_check(crd_context *ctx, const crd__net *net, const crd__node *node);
/* Shapes of what a node makes, and its values where they do not depend on a run. */
crd_status crd__net_infer(crd_context *ctx, crd__net *net, crd__node *node);

/* ---- For operators: what they are asked with (node.c). */

/* Would a tensor have room in the machine? So would all parts of it, also of one without numbers:
 * dimensions that are 0 are taken as 1. Every tensor that is known has; products of its dimensions
 * do not overflow. */
bool crd__tensor_fits(const crd__net *net, crd_dtype dtype, size_t rank, const int64_t *dims);
size_t crd__tensor_count(const crd__tensor *tensor);
size_t crd__tensor_bytes(const crd__tensor *tensor);

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
/* An element of a constant, as a number. */
double crd__tensor_number(const crd__tensor *tensor, size_t index);

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

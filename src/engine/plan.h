/*
 * plan.h -- the execution plan: steps in execution order, and the buffers they read and write.
 *
 * A buffer is a range of memory. A place is a buffer seen as a tensor in one memory layout. A
 * tensor may have several places (one in a layout of oneDNN's, one in C order), and a buffer may
 * serve several tensors (a reshaped one, or one computed in place). The steps determine each
 * buffer's lifetime; memory planning then assigns all buffers to offsets in one block.
 */
#ifndef CRD_ENGINE_PLAN_H
#define CRD_ENGINE_PLAN_H

#include "engine/engine.h"

typedef struct crd__engine_plan crd__engine_plan;
typedef struct crd__engine_step crd__engine_step;

/* Execute a step. Allocates nothing; fails only on invalid data. */
typedef crd_status (*crd__engine_step_fn)(crd_context *ctx, const crd__engine_step *step);

struct crd__engine_step {
  crd__engine_step_fn run;
  const void *node; /* of the graph, for its error messages; NULL: none */
  void *self;       /* the operator's own data */
  size_t count;
  int *places;   /* its operands, in the operator's order */
  void **memory; /* the address of each, set by memory planning */
  unsigned threads;
  const crd__engine *engine;
  /* of a step that runs a oneDNN primitive: */
  crd__engine_primitive primitive;
  crd__engine_argument *arguments;
  crd__engine_dnn_call *call;
};

/* Create a plan that places the engine's tensors; all reader counts are 0 (crd__engine_plan_hold).
 * `owner` is returned by crd__engine_plan_owner; `nodes` nodes may save places for their backward
 * pass. */
crd_status crd__engine_plan_create(crd_context *ctx, crd__engine *engine, void *owner, size_t nodes,
                                   crd__engine_plan **out);
void crd__engine_plan_destroy(crd__engine_plan *plan);
void *crd__engine_plan_owner(const crd__engine_plan *plan);

/* ---- Places. */

/* Find a place of the tensor, in any layout. Constants and inputs of the network get one here. */
crd_status crd__engine_plan_find(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* Find the tensor's place in C order; adds a reorder step if it has none yet. */
crd_status crd__engine_plan_plain(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* The same for any layout (float32 only). */
crd_status crd__engine_plan_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                               crd__engine_layout layout, int *place);
/* Copy a constant into a layout while planning. `seen` is its row-major layout with the dims that
 * the primitive expects (a bias, weights with groups). */
crd_status crd__engine_plan_constant(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                     crd__engine_layout seen, crd__engine_layout layout,
                                     int *place);
/* The same for a tensor computed at run time: adds a reorder step if the layouts differ. */
crd_status crd__engine_plan_seen(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                 crd__engine_layout seen, crd__engine_layout layout, int *place);
/* Add a place in C order, with a buffer of its own, for an output of a node. */
crd_status crd__engine_plan_output(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                   int *place);
/* The same in another layout. */
crd_status crd__engine_plan_output_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                      crd__engine_layout layout, int *place);
/* Compute in place: add a place in the buffer of `over`, a place of `over_tensor`, if no later node
 * reads that; otherwise in a new buffer. The tensors must have the same size. */
crd_status crd__engine_plan_output_over(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                        int over, int over_tensor, int *place);
/* Add a place for a result. If `addend`, a tensor, is not NONE, the place already holds its values,
 * and the result is added to them. */
crd_status crd__engine_plan_result(crd_context *ctx, crd__engine_plan *plan, int tensor, int addend,
                                   crd__engine_layout layout, int *place);
/* Add a place that views the same buffer in another layout. Adds no step. */
crd_status crd__engine_plan_view(crd_context *ctx, crd__engine_plan *plan, int place,
                                 crd__engine_layout layout, int *out);
/* Make the tensor a reshaped view of another, in C order. Adds at most the reorder step. */
crd_status crd__engine_plan_alias(crd_context *ctx, crd__engine_plan *plan, int tensor, int of);
/* Get the layout of a place (float32 only). */
crd_status crd__engine_plan_layout(crd_context *ctx, crd__engine_plan *plan, int place,
                                   crd__engine_layout *out);
/* True if the place is in C order. */
bool crd__engine_plan_is_plain(const crd__engine_plan *plan, int place);

/* Add a scratch buffer for use between the steps of a node. */
crd_status crd__engine_plan_scratch(crd_context *ctx, crd__engine_plan *plan,
                                    crd__engine_layout layout, int *place);
/* Add a step that copies from one place to another, in another layout. */
crd_status crd__engine_plan_reorder(crd_context *ctx, crd__engine_plan *plan, int from, int to);
/* Add a float32 tensor to the engine and to the plan. */
crd_status crd__engine_plan_tensor(crd_context *ctx, crd__engine_plan *plan, const char *name,
                                   size_t rank, const int64_t *dims, int *out);
/* Add a place in C order with zeroed memory of its own, which persists between runs. */
crd_status crd__engine_plan_fixed(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* Increment and decrement the reader count of a tensor. */
void crd__engine_plan_hold(crd__engine_plan *plan, int tensor);
void crd__engine_plan_release(crd__engine_plan *plan, int tensor);
/* What the forward pass of a node saves for its backward pass: places and a primitive. */
enum { CRD__KEPT = 4 };
typedef struct {
  bool planned; /* false: nothing is saved */
  int places[CRD__KEPT];
  crd__engine_primitive primitive;
} crd__engine_kept;
/* Return what a node saves, by its index; NULL if the plan was created without nodes. */
crd__engine_kept *crd__engine_plan_kept(crd__engine_plan *plan, size_t node);

/* ---- Steps. */

/* Add a step. Copies `self`; the places are its operands, read or written. */
crd_status crd__engine_plan_step(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                 crd__engine_step_fn run, const void *self, size_t size,
                                 size_t count, const int *places);
typedef struct {
  crd__engine_argument argument;
  int place;
} crd__engine_plan_argument;
/* Add a step that runs a primitive; adds the scratch buffer it needs. */
crd_status crd__engine_plan_primitive(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                      const crd__engine_primitive *primitive, size_t count,
                                      const crd__engine_plan_argument *arguments);

/* ---- Making and running a plan. */

/* Keep tensors, in C order, past the last step. */
crd_status crd__engine_plan_want(crd_context *ctx, crd__engine_plan *plan, const int *outputs,
                                 size_t count);
/* Plan and allocate memory, then bind the primitives to it. `inputs` are written before the first
 * step. */
crd_status crd__engine_plan_finish(crd_context *ctx, crd__engine_plan *plan, const int *inputs,
                                   size_t count);
/* Return the number of steps so far. */
size_t crd__engine_plan_steps(const crd__engine_plan *plan);
crd_status crd__engine_plan_run(crd_context *ctx, const crd__engine_plan *plan, size_t from,
                                size_t to);
/* Return a tensor's memory in C order: of inputs to be filled before a run, of outputs after it. */
void *crd__engine_plan_memory(const crd__engine_plan *plan, int tensor);
size_t crd__engine_plan_bytes(const crd__engine_plan *plan);

#endif

/*
 * plan.h -- steps in the order in which they run, and the places where their numbers lie.
 *
 * A buffer is memory; a place is a buffer with the form in which a tensor lies there. The same
 * tensor may lie in several places (in oneDNN's order and in C order), and several tensors in one
 * buffer (a reshaped one, or one that is computed in place). From the steps follows how long each
 * buffer is needed; all of them are then put into one block of memory.
 */
#ifndef CRD_ENGINE_PLAN_H
#define CRD_ENGINE_PLAN_H

#include "engine/engine.h"

typedef struct crd__engine_plan crd__engine_plan;
typedef struct crd__engine_step crd__engine_step;

/* One step of a run. It allocates nothing; it fails only where data are wrong. */
typedef crd_status (*crd__engine_step_fn)(crd_context *ctx, const crd__engine_step *step);

struct crd__engine_step {
  crd__engine_step_fn run;
  const void *node; /* of the graph, for its error messages; NULL: none */
  void *self;       /* what the operator gave along */
  size_t count;
  int *places;   /* of what it reads and writes, in the operator's order */
  void **memory; /* where these lie, once memory is planned */
  unsigned threads;
  const crd__engine *engine;
  /* For a primitive: */
  crd__engine_primitive primitive;
  crd__engine_argument *arguments;
  crd__engine_dnn_call *call;
};

/* Create a plan that places the engine's tensors, all without readers (crd__engine_plan_hold).
 * `owner` is returned by crd__engine_plan_owner; the forward passes of `nodes` nodes may keep
 * places. */
crd_status crd__engine_plan_create(crd_context *ctx, crd__engine *engine, void *owner, size_t nodes,
                                   crd__engine_plan **out);
void crd__engine_plan_destroy(crd__engine_plan *plan);
void *crd__engine_plan_owner(const crd__engine_plan *plan);

/* ---- Places. */

/* Where a tensor lies now, in whatever form. */
crd_status crd__engine_plan_find(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* Where it lies in C order; a step that brings it there is added where it does not yet. */
crd_status crd__engine_plan_plain(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* The same for any form (f32 only). */
crd_status crd__engine_plan_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                               crd__engine_layout form, int *place);
/* As crd__engine_plan_as for a constant that is to be seen with other dims (a bias, weights with
 * groups).
 */
crd_status crd__engine_plan_constant(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                     crd__engine_layout seen, crd__engine_layout form, int *place);
/* The same for a tensor that comes with a run, by a step. */
crd_status crd__engine_plan_seen(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                 crd__engine_layout seen, crd__engine_layout form, int *place);
/* A new place, in C order, for a tensor that the node makes. */
crd_status crd__engine_plan_output(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                   int *place);
/* The same in another form. */
crd_status crd__engine_plan_output_as(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                      crd__engine_layout form, int *place);
/* In the buffer of a place that is not read any more after this node, in the same form; a new one
 * where it still is. The tensors must be of the same size. */
crd_status crd__engine_plan_output_over(crd_context *ctx, crd__engine_plan *plan, int tensor,
                                        int over, int over_tensor, int *place);
/* A place for a result in this form. `addend` is a tensor that is added to it: its values are there
 * already; NONE: none. */
crd_status crd__engine_plan_result(crd_context *ctx, crd__engine_plan *plan, int tensor, int addend,
                                   crd__engine_layout form, int *place);
/* The buffer of a place, seen in another form: no step. */
crd_status crd__engine_plan_view(crd_context *ctx, crd__engine_plan *plan, int place,
                                 crd__engine_layout form, int *out);
/* The tensor is another one in another shape, in C order: no step, the same buffer. */
crd_status crd__engine_plan_alias(crd_context *ctx, crd__engine_plan *plan, int tensor, int of);
/* The form of a place, of f32 numbers. */
crd_status crd__engine_plan_layout(crd_context *ctx, crd__engine_plan *plan, int place,
                                   crd__engine_layout *out);
/* In C order? */
bool crd__engine_plan_is_plain(const crd__engine_plan *plan, int place);

/* A place of no tensor, for what a node needs between its steps. */
crd_status crd__engine_plan_scratch(crd_context *ctx, crd__engine_plan *plan,
                                    crd__engine_layout form, int *place);
/* What lies in one place is also wanted in another form, in the other. */
crd_status crd__engine_plan_reorder(crd_context *ctx, crd__engine_plan *plan, int from, int to);
/* Another tensor, of f32, of which the plan knows from now on. */
crd_status crd__engine_plan_tensor(crd_context *ctx, crd__engine_plan *plan, const char *name,
                                   size_t rank, const int64_t *dims, int *out);
/* A place for it in C order that has memory of its own: what is written there stays. */
crd_status crd__engine_plan_fixed(crd_context *ctx, crd__engine_plan *plan, int tensor, int *place);
/* One more reader of a tensor is to come; or it has been there. */
void crd__engine_plan_hold(crd__engine_plan *plan, int tensor);
void crd__engine_plan_release(crd__engine_plan *plan, int tensor);
/* A place (and a primitive) that the way forward of a node leaves for the way back; slots 0 to 3.
 */
enum { CRD__KEPT = 4 };
typedef struct {
  bool planned; /* else all of it is empty */
  int places[CRD__KEPT];
  crd__engine_primitive primitive;
} crd__engine_kept;
/* Those of a node by its index; NULL where none may be kept. */
crd__engine_kept *crd__engine_plan_kept(crd__engine_plan *plan, size_t node);

/* ---- Steps. */

/* `self` is copied. Places are read and written; the step must know which. */
crd_status crd__engine_plan_step(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                 crd__engine_step_fn run, const void *self, size_t size,
                                 size_t count, const int *places);
typedef struct {
  crd__engine_argument argument;
  int place;
} crd__engine_plan_argument;
/* A primitive with its arguments; scratch memory is added. */
crd_status crd__engine_plan_primitive(crd_context *ctx, crd__engine_plan *plan, const void *node,
                                      const crd__engine_primitive *primitive, size_t count,
                                      const crd__engine_plan_argument *arguments);

/* ---- Putting it together. */

/* Tensors that are wanted after the last step are brought to C order. */
crd_status crd__engine_plan_want(crd_context *ctx, crd__engine_plan *plan, const int *outputs,
                                 size_t count);
/* Plan and allocate memory, and bind primitives to it. `inputs` are written before the first step.
 */
crd_status crd__engine_plan_finish(crd_context *ctx, crd__engine_plan *plan, const int *inputs,
                                   size_t count);
/* How many steps there are so far. */
size_t crd__engine_plan_steps(const crd__engine_plan *plan);
crd_status crd__engine_plan_run(crd_context *ctx, const crd__engine_plan *plan, size_t from,
                                size_t to);
/* The memory of a tensor in C order; for inputs before, for outputs after a run. */
void *crd__engine_plan_memory(const crd__engine_plan *plan, int tensor);
size_t crd__engine_plan_bytes(const crd__engine_plan *plan);

#endif

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

typedef struct crd__plan crd__plan;
typedef struct crd__step crd__step;

/* One step of a run. It allocates nothing; it fails only where data are wrong. */
typedef crd_status (*crd__step_fn)(crd_context *ctx, const crd__step *step);

struct crd__step {
  crd__step_fn run;
  const void *node; /* of the graph, for its error messages; NULL: none */
  void *self;       /* what the operator gave along */
  size_t count;
  int *places;   /* of what it reads and writes, in the operator's order */
  void **memory; /* where these lie, once memory is planned */
  unsigned threads;
  const crd__engine *engine;
  /* For a primitive: */
  crd__primitive primitive;
  crd__argument *arguments;
  crd__dnn_call *call;
};

/* Create a plan that places the engine's tensors, all without readers (crd__plan_hold). `owner` is
 * returned by crd__plan_owner; the forward passes of `nodes` nodes may keep places. */
crd_status crd__plan_create(crd_context *ctx, crd__engine *engine, void *owner, size_t nodes,
                            crd__plan **out);
void crd__plan_destroy(crd__plan *plan);
void *crd__plan_owner(const crd__plan *plan);

/* ---- Places. */

/* Where a tensor lies now, in whatever form. */
crd_status crd__plan_find(crd_context *ctx, crd__plan *plan, int tensor, int *place);
/* Where it lies in C order; a step that brings it there is added where it does not yet. */
crd_status crd__plan_plain(crd_context *ctx, crd__plan *plan, int tensor, int *place);
/* The same for any form (f32 only). */
crd_status crd__plan_as(crd_context *ctx, crd__plan *plan, int tensor, crd__form form, int *place);
/* As crd__plan_as for a constant that is to be seen with other dims (a bias, weights with groups).
 */
crd_status crd__plan_constant(crd_context *ctx, crd__plan *plan, int tensor, crd__form seen,
                              crd__form form, int *place);
/* The same for a tensor that comes with a run, by a step. */
crd_status crd__plan_seen(crd_context *ctx, crd__plan *plan, int tensor, crd__form seen,
                          crd__form form, int *place);
/* A new place, in C order, for a tensor that the node makes. */
crd_status crd__plan_output(crd_context *ctx, crd__plan *plan, int tensor, int *place);
/* The same in another form. */
crd_status crd__plan_output_as(crd_context *ctx, crd__plan *plan, int tensor, crd__form form,
                               int *place);
/* In the buffer of a place that is not read any more after this node, in the same form; a new one
 * where it still is. The tensors must be of the same size. */
crd_status crd__plan_output_over(crd_context *ctx, crd__plan *plan, int tensor, int over,
                                 int over_tensor, int *place);
/* A place for a result in this form. `addend` is a tensor that is added to it: its values are there
 * already; NONE: none. */
crd_status crd__plan_result(crd_context *ctx, crd__plan *plan, int tensor, int addend,
                            crd__form form, int *place);
/* The buffer of a place, seen in another form: no step. */
crd_status crd__plan_view(crd_context *ctx, crd__plan *plan, int place, crd__form form, int *out);
/* The tensor is another one in another shape, in C order: no step, the same buffer. */
crd_status crd__plan_alias(crd_context *ctx, crd__plan *plan, int tensor, int of);
/* The form of a place, of f32 numbers. */
crd_status crd__plan_form(crd_context *ctx, crd__plan *plan, int place, crd__form *out);
/* In C order? */
bool crd__plan_is_plain(const crd__plan *plan, int place);

/* A place of no tensor, for what a node needs between its steps. */
crd_status crd__plan_scratch(crd_context *ctx, crd__plan *plan, crd__form form, int *place);
/* What lies in one place is also wanted in another form, in the other. */
crd_status crd__plan_reorder(crd_context *ctx, crd__plan *plan, int from, int to);
/* Another tensor, of f32, of which the plan knows from now on. */
crd_status crd__plan_tensor(crd_context *ctx, crd__plan *plan, const char *name, size_t rank,
                            const int64_t *dims, int *out);
/* A place for it in C order that has memory of its own: what is written there stays. */
crd_status crd__plan_fixed(crd_context *ctx, crd__plan *plan, int tensor, int *place);
/* One more reader of a tensor is to come; or it has been there. */
void crd__plan_hold(crd__plan *plan, int tensor);
void crd__plan_release(crd__plan *plan, int tensor);
/* A place (and a primitive) that the way forward of a node leaves for the way back; slots 0 to 3.
 */
enum { CRD__KEPT = 4 };
typedef struct {
  bool planned; /* else all of it is empty */
  int places[CRD__KEPT];
  crd__primitive primitive;
} crd__kept;
/* Those of a node by its index; NULL where none may be kept. */
crd__kept *crd__plan_kept(crd__plan *plan, size_t node);

/* ---- Steps. */

/* `self` is copied. Places are read and written; the step must know which. */
crd_status crd__plan_step(crd_context *ctx, crd__plan *plan, const void *node, crd__step_fn run,
                          const void *self, size_t size, size_t count, const int *places);
typedef struct {
  crd__argument argument;
  int place;
} crd__plan_argument;
/* A primitive with its arguments; scratch memory is added. */
crd_status crd__plan_primitive(crd_context *ctx, crd__plan *plan, const void *node,
                               const crd__primitive *primitive, size_t count,
                               const crd__plan_argument *arguments);

/* ---- Putting it together. */

/* Tensors that are wanted after the last step are brought to C order. */
crd_status crd__plan_want(crd_context *ctx, crd__plan *plan, const int *outputs, size_t count);
/* Plan and allocate memory, and bind primitives to it. `inputs` are written before the first step.
 */
crd_status crd__plan_finish(crd_context *ctx, crd__plan *plan, const int *inputs, size_t count);
/* How many steps there are so far. */
size_t crd__plan_steps(const crd__plan *plan);
crd_status crd__plan_run(crd_context *ctx, const crd__plan *plan, size_t from, size_t to);
/* The memory of a tensor in C order; for inputs before, for outputs after a run. */
void *crd__plan_memory(const crd__plan *plan, int tensor);
size_t crd__plan_bytes(const crd__plan *plan);

#endif

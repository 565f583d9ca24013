/*
 * arithmetic.c -- operators of two arrays. Arrays of the same shape are combined by oneDNN in the
 * form in which the first one lies, so that a residual connection needs no other order; so are maps
 * in an order of oneDNN's with a number for each channel (squeeze and excitation). All else is done
 * in C order.
 */
#include "graph/op/arithmetic.h"
#include "engine/kernel/binary.h"
#include "engine/kernel/partial.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

#include <string.h>

const crd__op_attribute crd__arithmetic_attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "broadcast", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

crd_status crd__arithmetic_operand(crd_context *ctx, const crd__net *net, const crd__node *node,
                                   size_t index, crd__tensor *out) {
  const crd__tensor *const first = crd__node_input(net, node, 0);
  size_t axis;
  *out = *crd__node_input(net, node, index);
  if (index == 0 || node->opset >= 7 || !crd__node_has(node, "axis")) return CRD_OK;
  CRD_TRY(crd__node_axis(ctx, node, crd__node_int(node, "axis", 0), first->rank, &axis));
  if (axis + out->rank > first->rank)
    return crd__node_fail(ctx, node, "its second input does not fit from dimension %zu on", axis);
  while (axis + out->rank < first->rank) out->dims[out->rank++] = 1;
  return CRD_OK;
}

crd_status crd__arithmetic_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const a = crd__node_input(net, node, 0), *const b =
                                                                  crd__node_input(net, node, 1);
  int64_t dims[CRD_RANK_MAX] = { 0 };
  crd__tensor seen;
  size_t rank = a->rank;
  if (a->dtype == CRD_BOOL || a->dtype != b->dtype)
    return crd__node_fail(ctx, node, "its inputs are %s and %s, and must be numbers of one type",
                          crd_dtype_name(a->dtype), crd_dtype_name(b->dtype));
  memcpy(dims, a->dims, rank * sizeof *dims);
  CRD_TRY(crd__arithmetic_operand(ctx, net, node, 1, &seen));
  CRD_TRY(crd__node_broadcast(ctx, node, &seen, &rank, dims));
  return crd__node_set(ctx, net, node, 0, a->dtype, rank, dims);
}

static bool same_shape(const crd__tensor *a, const crd__tensor *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Both in the form of the one that is not in C order, if there is one. */
static crd_status plan_same(crd_context *ctx, crd__plan *plan, const crd__node *node,
                            crd__dnn_binary kind) {
  const crd__net *const net = crd__plan_net(plan);
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                     { CRD__ARG_SRC_1, 0 },
                                     { CRD__ARG_DST, 0 } };
  crd__form form;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[1], &arguments[1].place));
  const size_t leader = crd__plan_is_plain(plan, arguments[0].place);
  CRD_TRY(crd__plan_form(ctx, plan, arguments[leader].place, &form));
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(crd__plan_as(ctx, plan, node->inputs[i], form, &arguments[i].place));
  CRD_TRY(crd__dnn_combine(ctx, net->engine.dnn, kind, form, form, form, &node->after, &primitive));
  /* Where channels are filled up to a block, and more is done to the result, oneDNN 2.6 clears it
   * before it reads the operands. */
  if (node->after.count &&
      crd__form_bytes(form) != crd__tensor_bytes(crd__node_output(net, node, 0)))
    CRD_TRY(crd__plan_output_as(ctx, plan, node->outputs[0], form, &arguments[2].place));
  else
    CRD_TRY(crd__plan_output_over(ctx, plan, node->outputs[0], arguments[0].place, node->inputs[0],
                                  &arguments[2].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* Does `each` have one number for each channel of the maps, or of all maps? */
static bool is_of_channels(const crd__tensor *each, const crd__tensor *maps) {
  bool fits = each->rank == maps->rank && maps->rank > 2 && each->dims[1] == maps->dims[1] &&
              (each->dims[0] == 1 || each->dims[0] == maps->dims[0]);
  for (size_t i = 2; i < maps->rank && fits; i++) fits = each->dims[i] == 1;
  return fits;
}

/* Input `wide` has the maps, the other one numbers for their channels; the order does not matter.
 * EABSENT where the maps are in C order, or oneDNN is slow with the forms in which both lie. */
static crd_status plan_channels(crd_context *ctx, crd__plan *plan, const crd__node *node,
                                crd__dnn_binary kind, size_t wide) {
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                     { CRD__ARG_SRC_1, 0 },
                                     { CRD__ARG_DST, 0 } };
  crd__form maps, each;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[wide], &arguments[0].place));
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[1 - wide], &arguments[1].place));
  if (crd__plan_is_plain(plan, arguments[0].place)) return CRD_EABSENT;
  CRD_TRY(crd__plan_form(ctx, plan, arguments[0].place, &maps));
  CRD_TRY(crd__plan_form(ctx, plan, arguments[1].place, &each));
  CRD_TRY(crd__dnn_combine(ctx, crd__plan_net(plan)->engine.dnn, kind, maps, each, maps,
                           &node->after, &primitive));
  if (strncmp(crd__primitive_kernel(&primitive), "ref", 3) == 0) return CRD_EABSENT;
  CRD_TRY(crd__plan_output_over(ctx, plan, node->outputs[0], arguments[0].place, node->inputs[wide],
                                &arguments[2].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* ---- In C order, by a kernel of our own. */

typedef struct {
  crd__pair_id id;
  crd_dtype dtypes[2];
  crd__shape out;
  int64_t strides[2][CRD_RANK_MAX];
} broadcast;

static crd_status run_own(crd_context *ctx, const crd__step *step) {
  const broadcast *const b = step->self;
  (void)ctx;
  crd__binary(step->threads, b->id, b->out.rank, b->out.dims, step->memory[2],
              (crd__operand){ step->memory[0], b->dtypes[0], b->strides[0] },
              (crd__operand){ step->memory[1], b->dtypes[1], b->strides[1] });
  return CRD_OK;
}

static crd_status plan_own(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           crd__pair_id id) {
  const crd__net *const net = crd__plan_net(plan);
  broadcast self = { .id = id, .out = crd__shape_of(crd__node_output(net, node, 0)) };
  for (size_t i = 0; i < 2; i++) {
    crd__tensor seen;
    CRD_TRY(crd__arithmetic_operand(ctx, net, node, i, &seen));
    self.dtypes[i] = seen.dtype;
    crd__strides_broadcast(seen.rank, seen.dims, self.out.rank, self.strides[i]);
  }
  return crd__plain_plan(ctx, plan, node, run_own, &self, sizeof self);
}

static bool for_dnn(const crd__net *net, const crd__node *node) {
  const crd__tensor *const a = crd__node_input(net, node, 0);
  return a->dtype == CRD_F32 && same_shape(a, crd__node_input(net, node, 1));
}

/* Which input has maps whose channels get a number from the other one, in an operator for which the
 * order does not matter; 2: none. */
static size_t find_maps(const crd__net *net, const crd__node *node, crd__pair_id id) {
  const crd__tensor *const a = crd__node_input(net, node, 0);
  const crd__tensor *const b = crd__node_input(net, node, 1);
  if (a->dtype != CRD_F32 || (id != CRD__PAIR_ADD && id != CRD__PAIR_MUL)) return 2;
  return is_of_channels(b, a) ? 0 : is_of_channels(a, b) ? 1 : 2;
}

bool crd__arithmetic_takes_after(const crd__net *net, const crd__node *node,
                                 const crd__after *after) {
  return !after->sum && for_dnn(net, node);
}

/* What derivatives by either operand there are, and whether they read the first and the second. */
static const struct {
  crd__partial_id by[2];
  bool reads[2][2];
} partials[CRD__PAIR_COUNT] = {
  [CRD__PAIR_MUL] = { { CRD__PARTIAL_MUL_X, CRD__PARTIAL_MUL_Y },
                      { { false, true }, { true, false } } },
  [CRD__PAIR_DIV] = { { CRD__PARTIAL_DIV_X, CRD__PARTIAL_DIV_Y },
                      { { false, true }, { true, true } } },
  [CRD__PAIR_POW] = { { CRD__PARTIAL_POW_X, CRD__PARTIAL_POW_Y },
                      { { true, true }, { true, true } } },
};

/* Whether the way back reads an operand: not what only the derivative by a constant needs. */
static bool reads_back(const crd__net *net, const crd__node *node, crd__pair_id id, size_t input) {
  bool reads = false;
  for (size_t i = 0; i < 2 && node->back; i++)
    reads |= net->engine.tensors[node->inputs[i]].wants && partials[id].reads[i][input];
  return reads;
}

crd_status crd__arithmetic_plan(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  const crd__pair_id id = (crd__pair_id)node->op->kind;
  static const struct {
    bool there;
    crd__dnn_binary kind;
  } dnn[CRD__PAIR_COUNT] = {
    [CRD__PAIR_ADD] = { true, CRD__BINARY_ADD },
    [CRD__PAIR_SUB] = { true, CRD__BINARY_SUB },
    [CRD__PAIR_MUL] = { true, CRD__BINARY_MUL },
    [CRD__PAIR_DIV] = { true, CRD__BINARY_DIV },
  };
  for (size_t i = 0; i < 2; i++)
    if (reads_back(crd__plan_net(plan), node, id, i)) crd__plan_hold(plan, node->inputs[i]);
  if (dnn[id].there && for_dnn(crd__plan_net(plan), node))
    return plan_same(ctx, plan, node, dnn[id].kind);
  const size_t wide = find_maps(crd__plan_net(plan), node, id);
  const crd_status status =
      wide < 2 ? plan_channels(ctx, plan, node, dnn[id].kind, wide) : CRD_EABSENT;
  return status == CRD_EABSENT ? plan_own(ctx, plan, node, id) : status;
}

/* ---- Back. */

typedef struct {
  crd__partial_id id;
  bool reads[2];
  crd__shape out;
  int64_t strides[2][CRD_RANK_MAX];
} deriving;

/* Memory: the operands that are read, dz, the result. */
static crd_status run_back(crd_context *ctx, const crd__step *step) {
  const deriving *const d = step->self;
  size_t next = 0;
  (void)ctx;
  const float *const x = d->reads[0] ? step->memory[next++] : NULL;
  const float *const y = d->reads[1] ? step->memory[next++] : NULL;
  crd__partial(step->threads, d->id, d->out.rank, d->out.dims, step->memory[next + 1],
               step->memory[next], x, d->strides[0], y, d->strides[1]);
  return CRD_OK;
}

static crd_status run_cast(crd_context *ctx, const crd__step *step) {
  const crd__tensor *const t = step->self;
  (void)ctx;
  crd__cast(step->threads, t->dtype, CRD_F32, crd__tensor_count(t), step->memory[0],
            step->memory[1]);
  return CRD_OK;
}

/* An exponent may be of another type. */
static crd_status as_singles(crd_context *ctx, crd__plan *plan, const crd__node *node, size_t index,
                             int *out) {
  const crd__tensor given = *crd__node_input(crd__plan_net(plan), node, index);
  int places[2];
  *out = node->inputs[index];
  if (given.dtype == CRD_F32) return CRD_OK;
  CRD_TRY(crd__plan_plain(ctx, plan, *out, &places[0]));
  CRD_TRY(crd__plan_tensor(ctx, plan, given.name, given.rank, given.dims, out));
  CRD_TRY(crd__plan_output(ctx, plan, *out, &places[1]));
  return crd__plan_step(ctx, plan, node, run_cast, &given, sizeof given, 2, places);
}

static crd_status back_to(crd_context *ctx, crd__back *back, const crd__node *node, crd__pair_id id,
                          size_t input) {
  const crd__net *const net = crd__plan_net(crd__back_plan(back));
  deriving d = { .id = partials[id].by[input],
                 .out = crd__shape_of(crd__node_output(net, node, 0)) };
  crd__plain_step step = { .run = run_back, .self = &d, .size = sizeof d };
  crd__tensor seen[2];
  for (size_t i = 0; i < 2; i++) {
    CRD_TRY(crd__arithmetic_operand(ctx, net, node, i, &seen[i]));
    crd__strides_broadcast(seen[i].rank, seen[i].dims, d.out.rank, d.strides[i]);
    d.reads[i] = partials[id].reads[input][i];
    if (d.reads[i])
      CRD_TRY(as_singles(ctx, crd__back_plan(back), node, i, &step.read[step.count++]));
  }
  return crd__plain_back_wide(ctx, back, node, input, &step, &seen[input]);
}

crd_status crd__arithmetic_backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  const crd__pair_id id = (crd__pair_id)node->op->kind;
  crd__plan *const plan = crd__back_plan(back);
  for (size_t i = 0; i < 2; i++)
    if (crd__back_wants(back, node, i)) CRD_TRY(back_to(ctx, back, node, id, i));
  for (size_t i = 0; i < 2; i++)
    if (reads_back(crd__plan_net(plan), node, id, i)) crd__plan_release(plan, node->inputs[i]);
  return CRD_OK;
}

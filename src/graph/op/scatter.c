/*
 * scatter.c -- ScatterElements (Scatter up to operator set 10) and ScatterND: an array with updates
 * at some indices.
 *
 *   ScatterElements   y = x;  y[i, index[i, j, k], k] = u[i, j, k]    (axis 1)
 *   ScatterND         y = x;  y[index[i, 0], index[i, 1], ...] = u[i, ...]
 *
 * or += *= max= min= with a reduction. Of several updates of an element without one the last wins.
 */
#include "engine/kernel/copy.h"
#include "graph/op/indexed.h"
#include "graph/op/plain.h"

#include <string.h>

enum { ELEMENTS, SLICES }; /* crd__graph_op.kind */

typedef struct {
  crd__kernel_index g;
  crd__kernel_scatter_id id;
  int64_t count; /* elements of the array */
} scattering;

/* The reductions, with the operator set that added each. */
static const struct {
  const char *name;
  int since;
} reductions[] = {
  [CRD__SCATTER_NONE] = { "none", 0 }, [CRD__SCATTER_ADD] = { "add", 16 },
  [CRD__SCATTER_MUL] = { "mul", 16 },  [CRD__SCATTER_MAX] = { "max", 18 },
  [CRD__SCATTER_MIN] = { "min", 18 },
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

static crd_status read_reduction(crd_context *ctx, const crd__graph_node *node, scattering *s) {
  for (size_t i = 0; i < REDUCTIONS; i++) {
    if (!crd__graph_node_word_is(node, "reduction", reductions[i].name, "none")) continue;
    s->id = (crd__kernel_scatter_id)i;
    if (node->opset >= reductions[i].since) return CRD_OK;
    return crd__graph_node_fail(
        ctx, node, "its reduction '%s' exists since operator set %d; the model uses %d",
        reductions[i].name, reductions[i].since, node->opset);
  }
  return crd__graph_node_fail(ctx, node, "its 'reduction' is none of none, add, mul, max, min");
}

static crd_status read_scatter(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               scattering *s) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const indices = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const updates = crd__graph_node_input(net, node, 2);
  size_t rank = indices->rank;
  int64_t dims[2 * CRD_RANK_MAX];
  s->count = (int64_t)crd__engine_tensor_count(x);
  CRD_TRY(read_reduction(ctx, node, s));
  memcpy(dims, indices->dims, sizeof indices->dims);
  if (node->op->kind == SLICES)
    CRD_TRY(crd__graph_indexed_slices(ctx, net, node, 0, &s->g, &rank, dims));
  else CRD_TRY(crd__graph_indexed_elements(ctx, net, node, &s->g));
  if (updates->dtype != x->dtype)
    return crd__graph_node_fail(ctx, node,
                                "its array is %s and its updates %s; they must be of "
                                "one type",
                                crd_dtype_name(x->dtype), crd_dtype_name(updates->dtype));
  if (x->dtype == CRD_BOOL && s->id != CRD__SCATTER_NONE)
    return crd__graph_node_fail(ctx, node, "its array is bool; reductions need numbers");
  if (crd__engine_same_shape(rank, dims, updates->rank, updates->dims)) return CRD_OK;
  return crd__graph_node_fail(ctx, node,
                              "the shape of its updates (%zu dimensions, %zu elements) is not that "
                              "of the elements that its indices select (%zu dimensions)",
                              updates->rank, crd__engine_tensor_count(updates), rank);
}

static crd_status scatter_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  scattering s;
  CRD_TRY(read_scatter(ctx, net, node, &s));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  scattering s = *(const scattering *)step->self;
  s.g.index = step->memory[1];
  CRD_TRY(crd__graph_indexed_check(ctx, step->node, &s.g));
  crd__kernel_copy(step->threads, crd_dtype_size(s.g.dtype), 1, &s.count, step->memory[3], NULL,
                   step->memory[0], NULL);
  crd__kernel_index_scatter(step->threads, &s.g, s.id, step->memory[2], step->memory[3]);
  return CRD_OK;
}

static crd_status scatter_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  scattering s;
  CRD_TRY(read_scatter(ctx, crd__graph_plan_net(p), node, &s));
  return crd__graph_plain_plan(ctx, p, node, run, &s, sizeof s);
}

/* ---- Backward pass. */

enum { INDEX, DY, DX, DU, ARRAY, UPDATES, COPY, PLACES }; /* the memory of a step */

static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  scattering s = *(const scattering *)step->self;
  void *const *const m = step->memory;
  const bool reads = crd__kernel_scatter_reads(s.id);
  (void)ctx;
  s.g.index = m[INDEX];
  crd__kernel_copy(step->threads, sizeof(float), 1, &s.count, m[DX], NULL, m[DY], NULL);
  if (reads)
    crd__kernel_copy(step->threads, sizeof(float), 1, &s.count, m[COPY], NULL, m[ARRAY], NULL);
  crd__kernel_index_scatter_back(step->threads, &s.g, s.id, reads ? m[COPY] : NULL,
                                 reads ? m[UPDATES] : NULL, m[DX], m[DU]);
  return CRD_OK;
}

static crd_status scatter_backward(crd_context *ctx, crd__graph_backward *back,
                                   const crd__graph_node *node) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(plan);
  int places[PLACES], results[2];
  crd__engine_layout copy;
  scattering s;
  CRD_TRY(read_scatter(ctx, net, node, &s));
  CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[1], &places[INDEX]));
  CRD_TRY(
      crd__engine_plan_plain(ctx, plan, crd__graph_backward_incoming(back, node, 0), &places[DY]));
  for (size_t i = 0; i < 2; i++) {
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 2 * i, &results[i]));
    CRD_TRY(crd__engine_plan_output(ctx, plan, results[i], &places[DX + i]));
  }
  if (crd__kernel_scatter_reads(s.id)) {
    CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[0], &places[ARRAY]));
    CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[2], &places[UPDATES]));
    CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, 1, &s.count, &copy));
    CRD_TRY(crd__engine_plan_scratch(ctx, plan, copy, &places[COPY]));
  }
  CRD_TRY(crd__engine_plan_step(ctx, plan, node, run_back, &s, sizeof s,
                                crd__kernel_scatter_reads(s.id) ? PLACES : ARRAY, places));
  for (size_t i = 0; i < 2; i++)
    if (crd__graph_backward_wants(back, node, 2 * i))
      CRD_TRY(crd__graph_backward_give(ctx, back, node, 2 * i, results[i]));
  return CRD_OK;
}

static const crd__graph_op_attribute attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { "reduction", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};
static const crd__graph_op_attribute scatter_attributes[] = {
  { "axis", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

#define SCATTER(entry, id, name, list, since, until)                                               \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, "any type, every reduction; indices i32 or i64", since, until, 1, 1 },         \
    .kind = id,                                                                                    \
    .inputs_least = 3,                                                                             \
    .inputs_most = 3,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = list,                                                                            \
    .infer = scatter_infer,                                                                        \
    .plan = scatter_plan,                                                                          \
    .flops = crd__graph_plain_flops,                                                               \
    .backward = scatter_backward,                                                                  \
    .keep = CRD__KEEP_X | CRD__KEEP_X1 | CRD__KEEP_X2,                                             \
  }

SCATTER(scatter, ELEMENTS, "Scatter", scatter_attributes, 9, 10);
SCATTER(scatter_elements, ELEMENTS, "ScatterElements", attributes, 11, CRD__OPSET);
SCATTER(scatter_nd, SLICES, "ScatterND", attributes + 1, 11, CRD__OPSET);

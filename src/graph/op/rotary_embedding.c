/*
 * rotary_embedding.c -- RotaryEmbedding: pairs of elements rotated by angles of their position
 * (kernel/composite/rotary.h). The gradient is the rotation by the opposite angles; there is none
 * with respect to the angles.
 */
#include "engine/kernel/composite/rotary.h"
#include "graph/op/plain.h"

enum { INPUT, COSINES, SINES, POSITIONS };

typedef struct {
  crd__kernel_rotary r;
  size_t count, limit; /* of positions */
} rotating;

static crd_status read_heads(crd_context *ctx, const crd__graph_node *node,
                             const crd__engine_tensor *x, crd__kernel_rotary *r) {
  const int64_t heads = x->rank == 4 ? x->dims[1] : crd__graph_node_int(node, "num_heads", 0);
  if ((x->rank != 3 && x->rank != 4) || heads < 1 ||
      x->dims[x->rank - 1] % (x->rank == 3 ? heads : 1))
    return crd__graph_node_fail(ctx, node,
                                "its input has %zu dimensions and %lld heads; 4 dimensions, or 3 "
                                "with num_heads that divides the last, are supported",
                                x->rank, (long long)heads);
  const size_t rows = (size_t)x->dims[x->rank - 2], all = (size_t)x->dims[x->rank - 1];
  *r = (crd__kernel_rotary){ .dtype = x->dtype,
                             .batch = (size_t)x->dims[0],
                             .heads = (size_t)heads,
                             .rows = rows,
                             .size = x->rank == 4 ? all : all / (size_t)heads,
                             .interleaved = crd__graph_node_int(node, "interleaved", 0) != 0 };
  r->steps = x->rank == 4 ? (crd__kernel_heads){ r->heads * rows * all, rows * all, all }
                          : (crd__kernel_heads){ rows * all, r->size, all };
  const int64_t rotated = crd__graph_node_int(node, "rotary_embedding_dim", 0);
  r->rotated = rotated ? (size_t)rotated : r->size;
  if (rotated >= 0 && r->rotated <= r->size && r->rotated % 2 == 0) return CRD_OK;
  return crd__graph_node_fail(ctx, node,
                              "it rotates %lld elements of %zu; an even number is needed",
                              (long long)(rotated ? rotated : (int64_t)r->size), r->size);
}

static bool has_shape(const crd__engine_tensor *x, size_t rank, const int64_t *dims) {
  return crd__engine_same_shape(x->rank, x->dims, rank, dims);
}

static crd_status read_node(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            rotating *s) {
  const crd__engine_tensor *const cosines = crd__graph_node_input(net, node, COSINES);
  const crd__engine_tensor *const sines = crd__graph_node_input(net, node, SINES);
  const crd__engine_tensor *const positions = crd__graph_node_input(net, node, POSITIONS);
  *s = (rotating){ .count = 0 };
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  CRD_TRY(read_heads(ctx, node, crd__graph_node_input(net, node, INPUT), &s->r));
  CRD_TRY(crd__graph_node_needs(ctx, net, node, COSINES, s->r.dtype));
  CRD_TRY(crd__graph_node_needs(ctx, net, node, SINES, s->r.dtype));
  CRD_TRY(crd__graph_node_needs(ctx, net, node, POSITIONS, CRD_I64));
  const int64_t half = (int64_t)s->r.rotated / 2, limit = cosines->rank ? cosines->dims[0] : 0;
  const int64_t rows[] = { (int64_t)s->r.batch, (int64_t)s->r.rows, half },
                table[] = { limit, half };
  const bool fits = positions ? has_shape(cosines, 2, table) && has_shape(positions, 2, rows)
                              : has_shape(cosines, 3, rows);
  if (!fits || !has_shape(sines, cosines->rank, cosines->dims))
    return crd__graph_node_fail(ctx, node,
                                "its cosines and sines must have the shape (%zu, %zu, %lld), or "
                                "(..., %lld) with position_ids of (%zu, %zu)",
                                s->r.batch, s->r.rows, (long long)half, (long long)half, s->r.batch,
                                s->r.rows);
  s->count = positions ? crd__engine_tensor_count(positions) : 0;
  s->limit = (size_t)limit;
  return CRD_OK;
}

static crd_status rotary_embedding_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  rotating s;
  CRD_TRY(read_node(ctx, net, node, &s));
  return crd__graph_node_set_like(ctx, net, node, 0, INPUT);
}

static crd_status check_positions(crd_context *ctx, const crd__engine_step *step,
                                  const int64_t *positions) {
  const rotating *const s = step->self;
  for (size_t i = 0; i < s->count; i++)
    if (positions[i] < 0 || (size_t)positions[i] >= s->limit)
      return crd__graph_node_fail(ctx, step->node,
                                  "its position %zu is %lld; 0 to %zu, the number of rows of the "
                                  "cosines, without it, are allowed",
                                  i, (long long)positions[i], s->limit);
  return CRD_OK;
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const rotating *const s = step->self;
  const int64_t *const positions = step->count > 4 ? step->memory[POSITIONS] : NULL;
  CRD_TRY(check_positions(ctx, step, positions));
  crd__kernel_rotary_run(step->threads, &s->r, false, step->memory[INPUT], step->memory[COSINES],
                         step->memory[SINES], positions, step->memory[step->count - 1]);
  return CRD_OK;
}

/* Memory: cosines, sines, perhaps positions, the incoming gradient, the result. */
static crd_status run_back(crd_context *ctx, const crd__engine_step *step) {
  const rotating *const s = step->self;
  const int64_t *const positions = step->count > 4 ? step->memory[2] : NULL;
  (void)ctx;
  crd__kernel_rotary_run(step->threads, &s->r, true, step->memory[step->count - 2], step->memory[0],
                         step->memory[1], positions, step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status rotary_embedding_plan(crd_context *ctx, crd__engine_plan *p,
                                        const crd__graph_node *node) {
  rotating s;
  CRD_TRY(read_node(ctx, crd__graph_plan_net(p), node, &s));
  return crd__graph_plain_plan(ctx, p, node, run, &s, sizeof s);
}

static crd_status rotary_embedding_backward(crd_context *ctx, crd__graph_backward *back,
                                            const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const bool placed = crd__graph_node_input(net, node, POSITIONS);
  rotating s;
  if (crd__graph_backward_wants(back, node, COSINES) ||
      crd__graph_backward_wants(back, node, SINES))
    return crd__graph_node_fail(ctx, node, "it has no gradient with respect to its angles");
  CRD_TRY(read_node(ctx, net, node, &s));
  return crd__graph_plain_back(
      ctx, back, node, INPUT,
      &(crd__graph_plain_step){ .run = run_back,
                                .self = &s,
                                .size = sizeof s,
                                .count = placed ? 3 : 2,
                                .read = { node->inputs[COSINES], node->inputs[SINES],
                                          placed ? node->inputs[POSITIONS] : CRD__NONE } });
}

static const crd__graph_op_attribute attributes[] = {
  { "interleaved", CRD__ATTRIBUTE_INT },
  { "num_heads", CRD__ATTRIBUTE_INT },
  { "rotary_embedding_dim", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_rotary_embedding = {
  .info = { "RotaryEmbedding", "f16, f32, f64; no gradient with respect to the angles", 23,
            CRD__OPSET, 1, 0 },
  .inputs_least = 3,
  .inputs_most = 4,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = rotary_embedding_infer,
  .plan = rotary_embedding_plan,
  .backward = rotary_embedding_backward,
  .keep = 1U << COSINES | 1U << SINES | 1U << POSITIONS,
  .settings = 1U << COSINES | 1U << SINES,
};

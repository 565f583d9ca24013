/* product.c -- matrix products by oneDNN (product.h). */
#include "graph/op/product.h"
#include "engine/kernel/product.h"
#include "engine/kernel/walk.h"
#include "graph/op/unbroadcast.h"

#include <string.h>

/* ---- With constant weights, which oneDNN keeps in a layout of its own. Its matrix product is 1.2
 * to 1.7 times as fast as its inner product (2.6, AVX-512, 1576 rows, 384 to 1536 columns). */

static crd_status make_layer(crd_context *ctx, crd__engine_dnn *dnn, const crd__graph_node *node,
                             const crd__graph_layer *layer, crd__engine_layout layouts[4],
                             crd__engine_primitive *out) {
  const int64_t x[] = { layer->rows, layer->inner }, w[] = { layer->inner, layer->columns };
  const int64_t y[] = { layer->rows, layer->columns }, bias[] = { 1, layer->columns };
  CRD_TRY(crd__engine_layout_plain(ctx, dnn, 2, x, &layouts[0]));
  CRD_TRY(crd__engine_layout_any(ctx, dnn, 2, w, &layouts[1]));
  if (layer->bias != CRD__NONE) CRD_TRY(crd__engine_layout_plain(ctx, dnn, 2, bias, &layouts[2]));
  CRD_TRY(crd__engine_layout_plain(ctx, dnn, 2, y, &layouts[3]));
  return crd__engine_dnn_matmul(ctx, dnn, layouts, &node->after, out);
}

static crd_status weights_layout(crd_context *ctx, crd__engine_dnn *dnn,
                                 const crd__graph_layer *layer, crd__engine_layout *out) {
  const int64_t dims[] = { layer->inner, layer->columns };
  const int64_t across[] = { 1, layer->inner }, along[] = { layer->columns, 1 };
  return crd__engine_layout_strided(ctx, dnn, 2, dims, layer->transposed ? across : along, out);
}

static crd_status place_weights(crd_context *ctx, crd__engine_plan *plan,
                                const crd__graph_node *node, crd__engine_layout seen,
                                crd__engine_layout wanted, int *place) {
  if (crd__graph_node_input(crd__graph_plan_net(plan), node, 1)->constant)
    return crd__engine_plan_constant(ctx, plan, node->inputs[1], seen, wanted, place);
  return crd__engine_plan_seen(ctx, plan, node->inputs[1], seen, wanted, place);
}

crd_status crd__graph_layer_plan(crd_context *ctx, crd__engine_plan *plan,
                                 const crd__graph_node *node, const crd__graph_layer *layer) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  crd__engine_plan_argument arguments[4] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_WEIGHTS, 0 } };
  size_t count = 2;
  int place;
  crd__engine_layout layouts[4] = { { NULL } }, plain, seen;
  crd__engine_primitive primitive;
  CRD_TRY(make_layer(ctx, net->engine.dnn, node, layer, layouts, &primitive));
  CRD_TRY(crd__engine_plan_seen(ctx, plan, node->inputs[0], layouts[0], layouts[0],
                                &arguments[0].place));
  CRD_TRY(weights_layout(ctx, net->engine.dnn, layer, &seen));
  CRD_TRY(place_weights(ctx, plan, node, seen,
                        crd__engine_primitive_layout(&primitive, CRD__ARG_WEIGHTS),
                        &arguments[1].place));
  if (layer->bias != CRD__NONE) {
    arguments[count].argument = CRD__ARG_BIAS;
    CRD_TRY(crd__engine_plan_seen(ctx, plan, layer->bias, layouts[2], layouts[2],
                                  &arguments[count++].place));
  }
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, y->rank, y->dims, &plain));
  CRD_TRY(crd__engine_plan_result(ctx, plan, node->outputs[0], node->addend, plain, &place));
  arguments[count].argument = CRD__ARG_DST;
  CRD_TRY(crd__engine_plan_view(ctx, plan, place, layouts[3], &arguments[count++].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, count, arguments);
}

/* ---- Of any two tensors. */

static crd_status factor_layout(crd_context *ctx, crd__engine_dnn *dnn, size_t rank,
                                const int64_t *dims, bool transposed, crd__engine_layout *out) {
  int64_t strides[CRD_RANK_MAX], step = 1;
  for (size_t i = rank; i-- > 0;) {
    strides[i] = step;
    step *= dims[i] > 0 ? dims[i] : 1;
  }
  if (transposed) {
    strides[rank - 2] = 1;
    strides[rank - 1] = dims[rank - 2];
  }
  return crd__engine_layout_strided(ctx, dnn, rank, dims, strides, out);
}

crd_status crd__graph_product_dnn(crd_context *ctx, crd__engine_plan *plan,
                                  const crd__graph_node *node, const crd__graph_product *p,
                                  const int tensors[3]) {
  const crd__graph *const net = crd__graph_plan_net(plan);
  const crd__engine_post_ops scaled = {
    1, { { .function = CRD__POST_OP_LINEAR, .alpha = (double)p->alpha } }
  };
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_WEIGHTS, 0 },
                                            { CRD__ARG_DST, 0 } };
  crd__engine_layout layouts[4] = { { NULL } };
  crd__engine_primitive primitive;
  int place;
  CRD_TRY(factor_layout(ctx, net->engine.dnn, p->rank, p->a, p->transpose_a, &layouts[0]));
  CRD_TRY(factor_layout(ctx, net->engine.dnn, p->rank, p->b, p->transpose_b, &layouts[1]));
  CRD_TRY(factor_layout(ctx, net->engine.dnn, p->rank, p->y, false, &layouts[3]));
  CRD_TRY(crd__engine_dnn_matmul(ctx, net->engine.dnn, layouts, p->alpha == 1 ? NULL : &scaled,
                                 &primitive));
  CRD_TRY(
      crd__engine_plan_seen(ctx, plan, tensors[0], layouts[0], layouts[0], &arguments[0].place));
  CRD_TRY(
      crd__engine_plan_seen(ctx, plan, tensors[1], layouts[1], layouts[1], &arguments[1].place));
  CRD_TRY(crd__engine_plan_output(ctx, plan, tensors[2], &place));
  CRD_TRY(crd__engine_plan_view(ctx, plan, place, layouts[3], &arguments[2].place));
  return crd__engine_plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* ---- Of other types: one matrix after another, by our own kernel. */

typedef struct {
  crd__kernel_matrix_product one;
  size_t rank;                                                  /* number of batch dimensions */
  int64_t dims[CRD_RANK_MAX], a[CRD_RANK_MAX], b[CRD_RANK_MAX]; /* strides, counted in matrices */
} batch;

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  const batch *const self = step->self;
  const size_t size = crd_dtype_size(self->one.dtype);
  const size_t rows = self->one.rows, inner = self->one.inner, columns = self->one.columns;
  size_t count = 1;
  (void)ctx;
  for (size_t i = 0; i < self->rank; i++) count *= (size_t)self->dims[i];
  for (size_t n = 0; n < count; n++) {
    crd__kernel_matrix_product one = self->one;
    size_t a = 0, b = 0, rest = n;
    for (size_t i = self->rank; i-- > 0; rest /= (size_t)self->dims[i]) {
      a += rest % (size_t)self->dims[i] * (size_t)self->a[i];
      b += rest % (size_t)self->dims[i] * (size_t)self->b[i];
    }
    one.a.data = (const char *)step->memory[0] + a * rows * inner * size;
    one.b.data = (const char *)step->memory[1] + b * inner * columns * size;
    crd__kernel_matrix_product_run(step->threads, &one,
                                   (char *)step->memory[2] + n * rows * columns * size);
  }
  return CRD_OK;
}

static crd_status plan_own(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const crd__graph_product *p) {
  const size_t last = p->rank - 1;
  const int64_t rows = p->a[last - 1], inner = p->a[last], columns = p->b[last];
  batch self = { .rank = p->rank - 2,
                 .one = {
                     .dtype = crd__graph_node_input(crd__graph_plan_net(plan), node, 0)->dtype,
                     .rows = (size_t)rows,
                     .inner = (size_t)inner,
                     .columns = (size_t)columns,
                     .alpha = (double)p->alpha,
                     .a = { NULL, p->transpose_a ? 1 : inner, p->transpose_a ? rows : 1 },
                     .b = { NULL, p->transpose_b ? 1 : columns, p->transpose_b ? inner : 1 } } };
  int places[3];
  memcpy(self.dims, p->y, self.rank * sizeof *self.dims);
  crd__kernel_strides_broadcast(self.rank, p->a, self.rank, self.a);
  crd__kernel_strides_broadcast(self.rank, p->b, self.rank, self.b);
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(crd__engine_plan_plain(ctx, plan, node->inputs[i], &places[i]));
  CRD_TRY(crd__engine_plan_output(ctx, plan, node->outputs[0], &places[2]));
  return crd__engine_plan_step(ctx, plan, node, run_own, &self, sizeof self, 3, places);
}

crd_status crd__graph_product_plan(crd_context *ctx, crd__engine_plan *plan,
                                   const crd__graph_node *node, const crd__graph_product *p) {
  if (crd__graph_node_input(crd__graph_plan_net(plan), node, 0)->dtype == CRD_F32 &&
      p->a[p->rank - 1] > 0)
    return crd__graph_product_dnn(ctx, plan, node, p,
                                  (int[]){ node->inputs[0], node->inputs[1], node->outputs[0] });
  return plan_own(ctx, plan, node, p);
}

/* ---- Backward pass. */

/* A factor, and whether it is transposed in memory. */
typedef struct {
  const int64_t *dims;
  bool transposed;
  int tensor;
} factor;

/* oneDNN 2.6 divides by the sizes of matrices, even if they are 0. */
static bool is_empty(const crd__graph_product *p) {
  bool empty = false;
  for (size_t i = 0; i < p->rank; i++) empty |= p->a[i] == 0 || p->b[i] == 0;
  return empty;
}

static crd_status run_zeros(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  memset(step->memory[0], 0, *(const size_t *)step->self);
  return CRD_OK;
}

static crd_status plan_zeros(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                             int tensor) {
  const size_t bytes = crd__engine_tensor_bytes(&crd__graph_plan_net(plan)->engine.tensors[tensor]);
  int place;
  CRD_TRY(crd__engine_plan_output(ctx, plan, tensor, &place));
  return crd__engine_plan_step(ctx, plan, node, run_zeros, &bytes, sizeof bytes, 1, &place);
}

/* Multiply two factors, transposed if asked, into a new tensor of `rank` dimensions. */
static crd_status multiply(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node,
                           const crd__graph_product *p, factor a, bool turn_a, factor b,
                           bool turn_b, int *out) {
  const size_t last = p->rank - 1;
  crd__graph_product q = { .rank = p->rank, .alpha = p->alpha };
  memcpy(q.a, a.dims, p->rank * sizeof *q.a);
  memcpy(q.b, b.dims, p->rank * sizeof *q.b);
  memcpy(q.y, p->y, p->rank * sizeof *q.y);
  q.transpose_a = a.transposed != turn_a;
  q.transpose_b = b.transposed != turn_b;
  q.a[last - 1] = turn_a ? a.dims[last] : a.dims[last - 1];
  q.a[last] = turn_a ? a.dims[last - 1] : a.dims[last];
  q.b[last - 1] = turn_b ? b.dims[last] : b.dims[last - 1];
  q.b[last] = turn_b ? b.dims[last - 1] : b.dims[last];
  q.y[last - 1] = q.a[last - 1];
  q.y[last] = q.b[last];
  CRD_TRY(crd__engine_plan_tensor(ctx, plan, "a gradient", p->rank, q.y, out));
  if (is_empty(&q)) return plan_zeros(ctx, plan, node, *out);
  return crd__graph_product_dnn(ctx, plan, node, &q, (int[]){ a.tensor, b.tensor, *out });
}

/* Return a factor extended to `rank` dimensions, as in memory. */
static crd__engine_tensor seen_as(const crd__graph_product *p, const int64_t *dims,
                                  bool transposed) {
  crd__engine_tensor t = { .rank = p->rank };
  memcpy(t.dims, dims, p->rank * sizeof *dims);
  if (transposed) {
    t.dims[p->rank - 1] = dims[p->rank - 2];
    t.dims[p->rank - 2] = dims[p->rank - 1];
  }
  return t;
}

crd_status crd__graph_product_backward(crd_context *ctx, crd__graph_backward *back,
                                       const crd__graph_node *node, const crd__graph_product *p) {
  crd__engine_plan *const plan = crd__graph_backward_plan(back);
  const factor a = { p->a, p->transpose_a, node->inputs[0] };
  const factor b = { p->b, p->transpose_b, node->inputs[1] };
  const factor y = { p->y, false, crd__graph_backward_incoming(back, node, 0) };
  const crd__engine_tensor seen[] = { seen_as(p, p->a, p->transpose_a),
                                      seen_as(p, p->b, p->transpose_b) };
  int result;
  if (crd__graph_backward_wants(back, node, 0)) {
    if (p->transpose_a) CRD_TRY(multiply(ctx, plan, node, p, b, false, y, true, &result));
    else CRD_TRY(multiply(ctx, plan, node, p, y, false, b, true, &result));
    CRD_TRY(crd__graph_unbroadcast_give(ctx, back, node, 0, result, &seen[0]));
  }
  if (crd__graph_backward_wants(back, node, 1)) {
    if (p->transpose_b) CRD_TRY(multiply(ctx, plan, node, p, y, true, a, false, &result));
    else CRD_TRY(multiply(ctx, plan, node, p, a, true, y, false, &result));
    CRD_TRY(crd__graph_unbroadcast_give(ctx, back, node, 1, result, &seen[1]));
  }
  return CRD_OK;
}

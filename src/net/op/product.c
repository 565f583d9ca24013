/* product.c -- products of matrices by oneDNN (product.h). */
#include "net/op/product.h"

/* ---- With constant weights: oneDNN's inner product, whose weights lie in an order of its own. */

static crd_status make_layer(crd_context *ctx, crd__dnn *dnn, const crd__node *node,
                             const crd__layer *layer, crd__form forms[4], crd__primitive *out) {
  const int64_t x[] = { layer->rows, layer->inner }, w[] = { layer->columns, layer->inner };
  const int64_t y[] = { layer->rows, layer->columns };
  CRD_TRY(crd__form_plain(ctx, dnn, 2, x, &forms[0]));
  CRD_TRY(crd__form_any(ctx, dnn, 2, w, &forms[1]));
  if (layer->bias != CRD__NONE) CRD_TRY(crd__form_plain(ctx, dnn, 1, &layer->columns, &forms[2]));
  CRD_TRY(crd__form_plain(ctx, dnn, 2, y, &forms[3]));
  return crd__dnn_inner_product(ctx, dnn, forms, &node->after, out);
}

/* oneDNN sees weights as columns x inner. */
static crd_status weights_form(crd_context *ctx, crd__dnn *dnn, const crd__layer *layer,
                               crd__form *out) {
  const int64_t dims[] = { layer->columns, layer->inner };
  const int64_t across[] = { 1, layer->columns }, along[] = { layer->inner, 1 };
  return crd__form_strided(ctx, dnn, 2, dims, layer->transposed ? along : across, out);
}

crd_status crd__layer_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                           const crd__layer *layer) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const y = crd__node_output(net, node, 0);
  crd__plan_argument arguments[4] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_WEIGHTS, 0 } };
  size_t count = 2;
  int place;
  crd__form forms[4] = { { NULL } }, plain, seen;
  crd__primitive primitive;
  CRD_TRY(make_layer(ctx, net->dnn, node, layer, forms, &primitive));
  CRD_TRY(crd__plan_seen(ctx, plan, node->inputs[0], forms[0], forms[0], &arguments[0].place));
  CRD_TRY(weights_form(ctx, net->dnn, layer, &seen));
  CRD_TRY(crd__plan_constant(ctx, plan, node->inputs[1], seen,
                             crd__primitive_form(&primitive, CRD__ARG_WEIGHTS),
                             &arguments[1].place));
  if (layer->bias != CRD__NONE) {
    arguments[count].argument = CRD__ARG_BIAS;
    CRD_TRY(
        crd__plan_constant(ctx, plan, layer->bias, forms[2], forms[2], &arguments[count++].place));
  }
  CRD_TRY(crd__form_plain(ctx, net->dnn, y->rank, y->dims, &plain));
  CRD_TRY(crd__plan_result(ctx, plan, node, plain, &place));
  arguments[count].argument = CRD__ARG_DST;
  CRD_TRY(crd__plan_view(ctx, plan, place, forms[3], &arguments[count++].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, count, arguments);
}

/* ---- Of any two. */

static crd_status factor_form(crd_context *ctx, crd__dnn *dnn, size_t rank, const int64_t *dims,
                              bool transposed, crd__form *out) {
  int64_t strides[CRD_RANK_MAX], step = 1;
  for (size_t i = rank; i-- > 0;) {
    strides[i] = step;
    step *= dims[i] > 0 ? dims[i] : 1;
  }
  if (transposed) {
    strides[rank - 2] = 1;
    strides[rank - 1] = dims[rank - 2];
  }
  return crd__form_strided(ctx, dnn, rank, dims, strides, out);
}

crd_status crd__product_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                             const crd__product *p) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const y = crd__node_output(net, node, 0);
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                     { CRD__ARG_WEIGHTS, 0 },
                                     { CRD__ARG_DST, 0 } };
  crd__form forms[4] = { { NULL } }, plain;
  crd__primitive primitive;
  int place;
  CRD_TRY(factor_form(ctx, net->dnn, p->rank, p->a, p->transpose_a, &forms[0]));
  CRD_TRY(factor_form(ctx, net->dnn, p->rank, p->b, p->transpose_b, &forms[1]));
  CRD_TRY(factor_form(ctx, net->dnn, p->rank, p->y, false, &forms[3]));
  CRD_TRY(crd__dnn_matmul(ctx, net->dnn, forms, &p->after, &primitive));
  CRD_TRY(crd__plan_seen(ctx, plan, node->inputs[0], forms[0], forms[0], &arguments[0].place));
  CRD_TRY(crd__plan_seen(ctx, plan, node->inputs[1], forms[1], forms[1], &arguments[1].place));
  CRD_TRY(crd__form_plain(ctx, net->dnn, y->rank, y->dims, &plain));
  CRD_TRY(crd__plan_result(ctx, plan, node, plain, &place));
  CRD_TRY(crd__plan_view(ctx, plan, place, forms[3], &arguments[2].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

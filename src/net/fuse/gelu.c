/*
 * gelu.c -- x (erf(x / sqrt 2) + 1) / 2, which exporters before operator set 20 write as five
 * nodes, is Gelu.
 */
#include "net/fuse.h"

#include <math.h>

static bool close_to(float a, double b) { return fabs((double)a - b) <= 1e-6 * fabs(b); }

/* x, where the node makes x / sqrt 2; NONE: it does not. */
static int find_source(const crd__net *net, int maker) {
  float number;
  if (maker == CRD__NONE) return CRD__NONE;
  const crd__node *const node = &net->nodes[maker];
  if (node->op == &crd__op_div && crd__net_scalar(net, node->inputs[1], &number))
    return close_to(number, sqrt(2)) ? node->inputs[0] : CRD__NONE;
  if (node->op != &crd__op_mul) return CRD__NONE;
  for (size_t i = 0; i < 2; i++)
    if (crd__net_scalar(net, node->inputs[i], &number) && close_to(number, sqrt(.5)))
      return node->inputs[!i];
  return CRD__NONE;
}

static crd_status apply(crd_context *ctx, crd__net *net, size_t n) {
  const crd__node *const erf = &net->nodes[n];
  float one, half;
  if (erf->op != &crd__op_erf) return CRD_OK;
  const int scaled = crd__net_maker(net, erf->inputs[0]), x = find_source(net, scaled);
  const int plus = crd__net_reader_by(net, erf->outputs[0], &crd__op_add, &one);
  if (x == CRD__NONE || plus == CRD__NONE || one != 1 ||
      crd__net_reader(net, erf->inputs[0]) != (int)n)
    return CRD_OK;
  const int times = crd__net_reader(net, net->nodes[plus].outputs[0]);
  if (times == CRD__NONE || net->nodes[times].op != &crd__op_mul ||
      crd__node_other(&net->nodes[times], net->nodes[plus].outputs[0]) != x)
    return CRD_OK;
  const int last = crd__net_reader_by(net, net->nodes[times].outputs[0], &crd__op_mul, &half);
  if (last == CRD__NONE || half != .5F) return CRD_OK;
  CRD_TRY(crd__net_replace(ctx, net, (size_t)last, &crd__op_gelu, 1, &x, 0, NULL));
  net->nodes[n].gone = net->nodes[scaled].gone = net->nodes[plus].gone = true;
  net->nodes[times].gone = true;
  return CRD_OK;
}

const crd__rule crd__rule_gelu = { "gelu", apply };

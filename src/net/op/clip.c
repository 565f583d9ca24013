/*
 * clip.c -- Clip: no number below the least, none above the most. Up to operator set 10 these are
 * attributes, then inputs, which must be constants; one that is left out does not bound.
 */
#include "net/op/map.h"

#include <float.h>
#include <math.h>

typedef struct {
  double least, most;
} range;

static crd_status read_range(crd_context *ctx, const crd__net *net, const crd__node *node,
                             range *out) {
  if (node->opset < 11) {
    out->least = (double)crd__node_float(node, "min", -FLT_MAX);
    out->most = (double)crd__node_float(node, "max", FLT_MAX);
    return CRD_OK;
  }
  CRD_TRY(crd__node_number_input(ctx, net, node, 1, -INFINITY, &out->least));
  return crd__node_number_input(ctx, net, node, 2, INFINITY, &out->most);
}

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  range r;
  CRD_TRY(read_range(ctx, net, node, &r));
  return crd__map_infer(ctx, net, node, CRD__UNARY_CLIP);
}

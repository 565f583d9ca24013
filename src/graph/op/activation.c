/* activation.c -- activation functions beyond those of unary.c: float32 by our own kernels. */
#include "graph/op/unary.h"

/* gamma times Elu; the constants of Klambauer et al. (2017), arXiv:1706.02515. */
static crd_status selu_function(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__engine_post_op *out) {
  (void)ctx, (void)net;
  *out = (crd__engine_post_op){
    .function = CRD__UNARY_SELU,
    .alpha = (double)crd__graph_node_float(node, "alpha", 1.67326319217681884765625F),
    .beta = (double)crd__graph_node_float(node, "gamma", 1.05070102214813232421875F),
  };
  return CRD_OK;
}

static crd_status shrink_function(crd_context *ctx, const crd__graph *net,
                                  const crd__graph_node *node, crd__engine_post_op *out) {
  (void)ctx, (void)net;
  *out = (crd__engine_post_op){ .function = CRD__UNARY_SHRINK,
                                .alpha = (double)crd__graph_node_float(node, "lambd", 0.5F),
                                .beta = (double)crd__graph_node_float(node, "bias", 0) };
  return CRD_OK;
}

static crd_status celu_function(crd_context *ctx, const crd__graph *net,
                                const crd__graph_node *node, crd__engine_post_op *out) {
  CRD_TRY(crd__graph_unary_function(ctx, net, node, out));
  if (out->alpha > 0) return CRD_OK;
  return crd__graph_node_fail(ctx, node, "its alpha is %g, not positive", out->alpha);
}

static const crd__graph_op_attribute alpha[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute alpha_gamma[] = {
  { "alpha", CRD__ATTRIBUTE_FLOAT },
  { "gamma", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};
static const crd__graph_op_attribute bias_lambda[] = {
  { "bias", CRD__ATTRIBUTE_FLOAT },
  { "lambd", CRD__ATTRIBUTE_FLOAT },
  { .name = NULL },
};

#define ACTIVATION(entry, id, name, since, names)                                                  \
  CRD__UNARY_ENTRY(crd__graph_unary_function, 1, entry, id, name, CRD__REALS, since, names,        \
                   CRD__KEEP_X)

ACTIVATION(elu, ELU, "Elu", 6, alpha);               /* x, below 0 alpha (exp(x) - 1) */
ACTIVATION(softplus, SOFTPLUS, "Softplus", 1, NULL); /* log(1 + exp(x)) */
ACTIVATION(softsign, SOFTSIGN, "Softsign", 1, NULL); /* x / (1 + |x|) */
ACTIVATION(mish, MISH, "Mish", 18, NULL);            /* x tanh(log(1 + exp(x))) */
ACTIVATION(swish, SWISH, "Swish", 24, alpha);        /* x / (1 + exp(-alpha x)) */
ACTIVATION(thresholded_relu, THRESHOLDED_RELU, "ThresholdedRelu", 10,
           alpha); /* x if x > alpha, else 0 */
/* x, below 0 alpha (exp(x / alpha) - 1) */
CRD__UNARY_ENTRY(celu_function, 1, celu, CELU, "Celu", CRD__REALS, 12, alpha, CRD__KEEP_X);
CRD__UNARY_ENTRY(selu_function, 1, selu, SELU, "Selu", CRD__REALS, 6, alpha_gamma, CRD__KEEP_X);
/* 0 in -lambd..lambd, beyond it x moved by bias towards 0 */
CRD__UNARY_ENTRY(shrink_function, 1, shrink, SHRINK, "Shrink", CRD__REALS, 9, bias_lambda,
                 CRD__KEEP_X);

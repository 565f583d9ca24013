/*
 * op.h -- what an operator supplies: its table entry, shape inference, and the steps that compute
 * it.
 *
 * A new operator is a file in op/ with its entry, and a line in op/list.h; several that differ in
 * their entries only may share a file. The frame has checked
 * the numbers of inputs and outputs and the types of attributes before it calls an operator; inputs
 * have shapes. Constant folding needs nothing of the operator: a node all of whose inputs are
 * constants is planned and run while the network is compiled.
 */
#ifndef CRD_GRAPH_OP_H
#define CRD_GRAPH_OP_H

#include "engine/plan.h"
#include "graph/backward.h"
#include "graph/graph.h"

/* The newest operator set that entries are checked against: sets 21 to 26 added types to the
 * operators of the table, not meanings. The entry of an operator that a later set changes ends
 * before that set. */
#define CRD__OPSET 26
/* The same of the operators of classical machine learning, ai.onnx.ml. */
#define CRD__OPSET_ML 5
#define CRD__ML "ai.onnx.ml."

typedef struct {
  const char *name; /* NULL ends a list */
  crd__onnx_attribute_type type;
} crd__graph_op_attribute;

struct crd__graph_op {
  crd_operator_info info;
  size_t inputs_least, inputs_most, outputs_least, outputs_most; /* most 0: no limit */
  const crd__graph_op_attribute *attributes;                     /* NULL: none */
  int kind; /* for operators that share their functions: which one it is; the functions define the
               values */
  /* Set type and shape of all outputs (crd__graph_node_set). May set them to constants. */
  crd_status (*infer)(crd_context *ctx, crd__graph *net, crd__graph_node *node);
  /* The first output is the first input, reshaped: no step is planned, and `plan` is NULL. */
  bool view;
  bool strings; /* its inputs may be of strings, which are passed on as their indices */
  bool typed;   /* it chooses the types of its outputs, whatever those of its inputs are */
  crd_status (*plan)(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node);
  /* Describe the elementwise function of the first input, so that the node may be fused into the
   * one before it. NULL: not of this kind. */
  crd_status (*function)(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                         crd__engine_post_op *out);
  /* True if the node can apply this as a further post-op, after those in node->after. NULL:
   * never. */
  bool (*takes_after)(const crd__graph *net, const crd__graph_node *node,
                      const crd__engine_post_op *after);
  /* Add the steps from the gradient with respect to the outputs to those with respect to the inputs
   * (backward.h). NULL: none, unless `view`, or `flat`: the derivative is zero, and the backward
   * pass stops here. */
  crd_status (*backward)(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node);
  bool flat;
  /* In training it differentiates its post-ops (node->after) itself, and reads its output for that
   * only if one of them is a sum. */
  bool undoes;
  /* The tensors of the forward pass that `backward` reads, as bits CRD__KEEP_...; keep_training:
   * those it reads besides if parameters need gradients. */
  unsigned keep, keep_training;
  /* The inputs that are running statistics, which training changes without a gradient: bit i for
   * input i. */
  unsigned statistics;
  /* The inputs that are settings, such as the scales of Resize, and never trained: bit i for input
   * i. */
  unsigned settings;
  /* Count additions and multiplications. NULL: one for each element of the first output. */
  uint64_t (*flops)(const crd__graph *net, const crd__graph_node *node);
};

/* Return the tensors (CRD__KEEP_...) that a node's backward pass reads; 0 if it has none. */
unsigned crd__graph_op_keeps(const crd__graph *net, const crd__graph_node *node);
/* True if the bits of `keep`, `statistics` or `settings` include this input. */
static inline bool crd__graph_has_input(unsigned bits, size_t input) {
  return input < 16 && (bits >> input & 1);
}

/* Find by the domain of its operator set ("": the standard one) and its name, or by index; NULL:
 * none. */
const crd__graph_op *crd__graph_op_find(const char *domain, const char *name);
const crd__graph_op *crd__graph_op_at(size_t index);

#define OPERATOR(name) extern const crd__graph_op crd__graph_op_##name;
#include "graph/op/list.h"
#undef OPERATOR

#endif

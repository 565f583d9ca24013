/*
 * op.h -- what an operator supplies: its row, the shape of what it makes, and the steps that make
 * it.
 *
 * A new operator is a file in op/ with its row, and a line in op/list.h. The frame has checked the
 * numbers of inputs and outputs and the types of attributes; inputs have shapes. A node all of
 * whose inputs are constants is planned and run at once, while the network is compiled: folding
 * needs nothing of the operator.
 */
#ifndef CRD_GRAPH_OP_H
#define CRD_GRAPH_OP_H

#include "engine/plan.h"
#include "graph/backward.h"
#include "graph/graph.h"

typedef struct {
  const char *name; /* NULL ends a list */
  crd__onnx_attribute_type type;
} crd__graph_op_attribute;

struct crd__graph_op {
  crd_operator_info info;
  size_t inputs_least, inputs_most, outputs_least, outputs_most; /* most 0: as many as there are */
  const crd__graph_op_attribute *attributes;                     /* NULL: none */
  int kind; /* of several operators with the same functions, which it is; they say what that means
             */
  /* Sets type and shape of all outputs (crd__graph_node_set). May set their constants too. */
  crd_status (*infer)(crd_context *ctx, crd__graph *net, crd__graph_node *node);
  /* Its first output has the same numbers in the same order as its first input: no step is planned
   * for it, and `plan` is NULL. */
  bool view;
  crd_status (*plan)(crd_context *ctx, crd__engine_plan *plan, const crd__graph_node *node);
  /* It does the same to each number, and this is what: such a node may be fused into the one
   * before. NULL: it is not of this kind. */
  crd_status (*curve)(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                      crd__engine_post_op *out);
  /* Can the node also do this to its result before it is stored, behind what is in node->after
   * already? NULL: it cannot. */
  bool (*takes_after)(const crd__graph *net, const crd__graph_node *node,
                      const crd__engine_post_op *after);
  /* Steps from the gradient by its output to those by its inputs (back.h). NULL: it has none,
   * unless it is a view; where it is `flat`, its output does not vary with its inputs, and nothing
   * goes back. */
  crd_status (*backward)(crd_context *ctx, crd__graph_backward *back, const crd__graph_node *node);
  bool flat;
  /* In training it goes back through node->after by itself, and reads its result for that only
   * where a sum is among it. */
  bool undoes;
  /* What that reads of the run itself: bits CRD__KEEP_...; and more, where parameters want a
   * gradient. */
  unsigned keep, keep_training;
  /* Additions and multiplications; NULL: one for each number of the first output. */
  uint64_t (*flops)(const crd__graph *net, const crd__graph_node *node);
};

/* Of a node through which gradients go back: what of the run is read then. */
unsigned crd__graph_op_keeps(const crd__graph *net, const crd__graph_node *node);
static inline bool crd__graph_keeps_input(unsigned keep, size_t input) {
  return input < 16 && (keep >> input & 1);
}

/* NULL: there is none. */
const crd__graph_op *crd__graph_op_find(const char *name);
const crd__graph_op *crd__graph_op_at(size_t index);

#define OPERATOR(file) extern const crd__graph_op crd__graph_op_##file;
#include "graph/op/list.h"
#undef OPERATOR

#endif

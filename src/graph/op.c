/* op.c -- the table of operators. */
#include "graph/op.h"

#include <string.h>

static const crd__graph_op *const operators[] = {
#define OPERATOR(name) &crd__graph_op_##name,
#include "graph/op/list.h"
#undef OPERATOR
};

const crd__graph_op *crd__graph_op_at(size_t index) {
  return index < sizeof operators / sizeof *operators ? operators[index] : NULL;
}

const crd__graph_op *crd__graph_op_find(const char *name) {
  for (size_t i = 0; crd__graph_op_at(i); i++)
    if (strcmp(crd__graph_op_at(i)->info.name, name) == 0) return crd__graph_op_at(i);
  return NULL;
}

const crd_operator_info *crd_operator_at(size_t index) {
  const crd__graph_op *const op = crd__graph_op_at(index);
  return op ? &op->info : NULL;
}

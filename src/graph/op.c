/* op.c -- the table of operators. */
#include "graph/op.h"
#include "base/table.h"

#include <string.h>

static const crd__graph_op *const operators[] = {
#define OPERATOR(name) &crd__graph_op_##name,
#include "graph/op/list.h"
#undef OPERATOR
};

const crd__graph_op *crd__graph_op_at(size_t index) {
  return index < sizeof operators / sizeof *operators ? operators[index] : NULL;
}

/* True if an entry is named "domain.name", or "name" in the standard domain. */
static bool is_called(const char *entry, const char *domain, const char *name) {
  const size_t length = strlen(domain);
  if (length && (strncmp(entry, domain, length) != 0 || entry[length] != '.')) return false;
  return strcmp(entry + (length ? length + 1 : 0), name) == 0;
}

const crd__graph_op *crd__graph_op_find(const char *domain, const char *name) {
  for (size_t i = 0; crd__graph_op_at(i); i++)
    if (is_called(crd__graph_op_at(i)->info.name, domain, name)) return crd__graph_op_at(i);
  return NULL;
}

CRD_TABLE(operator, crd_operator_info, sizeof operators / sizeof *operators,
          &operators[index]->info)

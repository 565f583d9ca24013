/* compat.c -- what another package computes for the rows of a result. */
#include "result.h"

static const core_field value_fields[] = {
  { "value", CORE_DOUBLE, offsetof(crd_compat_value, value), NULL },
  { "reason", CORE_TEXT, offsetof(crd_compat_value, reason), NULL },
  { "ours", CORE_DOUBLE, offsetof(crd_compat_value, ours), NULL },
  { "ours_reason", CORE_TEXT, offsetof(crd_compat_value, ours_reason), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field convention_fields[] = {
  { "call", CORE_TEXT, offsetof(crd_convention, call), NULL },
  { "why", CORE_TEXT, offsetof(crd_convention, why), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static bool add_value(PyObject *dict, const void *self, size_t index) {
  const crd_compat_value *const item = &((const crd_compat_table *)self)->values[index];
  PyObject *const found = core_fields_dict(item, value_fields);
  if (found && core_fields_add(found, item->convention, convention_fields))
    return core_put(dict, item->convention->metric, found);
  Py_XDECREF(found);
  return false;
}

PyObject *core_result_compat(PyObject *self, PyObject *unused) {
  const crd_compat_table *const table = core_result_get(self, "self")->compat;
  (void)unused;
  return core_dict_of(add_value, table, table ? table->count : 0);
}

/* pickle_node.c -- nodes of a pickle: children, values and descriptions. */
#include "io/format/pickle.h"

#include <stdio.h>
#include <string.h>

const crd__io_py_node *crd__io_py_child(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                        size_t i) {
  uint32_t cell = node->first;
  while (cell != CRD__PY_END && i-- > 0) cell = pickle->cells[cell].next;
  return cell == CRD__PY_END ? NULL : &pickle->nodes[pickle->cells[cell].node];
}

bool crd__io_py_is_text(const crd__io_py_node *node, const char *text) {
  return node && node->kind == CRD__PY_TEXT && node->count == strlen(text) &&
         memcmp(node->as.text, text, node->count) == 0;
}

bool crd__io_py_number(const crd__io_py_node *node, double *out) {
  if (node->kind == CRD__PY_FLOAT) *out = node->as.real;
  else if (node->kind == CRD__PY_INTEGER || node->kind == CRD__PY_BOOL)
    *out = (double)node->as.integer;
  else return false;
  return true;
}

bool crd__io_py_is_global(const crd__io_pickle *pickle, const crd__io_py_node *node,
                          const char *module, const char *name) {
  return node && node->kind == CRD__PY_GLOBAL &&
         crd__io_py_is_text(crd__io_py_child(pickle, node, 0), module) &&
         crd__io_py_is_text(crd__io_py_child(pickle, node, 1), name);
}

/* Finds the class of an object made by functions whose first argument is the class. */
static const crd__io_py_node *class_of(const crd__io_pickle *pickle, const crd__io_py_node *call) {
  static const char *const makers[] = { "_reconstruct", "_reconstructor", "__newobj__" };
  const crd__io_py_node *callable = crd__io_py_child(pickle, call, 0);
  if (callable->kind == CRD__PY_PERSISTENT) { /* ('module', class, source ...), old torch */
    const crd__io_py_node *const class =
        crd__io_py_child(pickle, crd__io_py_child(pickle, callable, 0), 1);
    if (class) callable = class;
  }
  if (callable->kind != CRD__PY_GLOBAL) return callable;
  const crd__io_py_node *const name = crd__io_py_child(pickle, callable, 1);
  const crd__io_py_node *const first =
      crd__io_py_child(pickle, crd__io_py_child(pickle, call, 1), 0);
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    if (crd__io_py_is_text(name, makers[i]) && first && first->kind == CRD__PY_GLOBAL) return first;
  return callable;
}

const char *crd__io_py_describe(const crd__io_pickle *pickle, const crd__io_py_node *node,
                                char out[CRD__PY_DESCRIPTION]) {
  static const char *const kinds[] = { "another object", "a boolean", "an integer", "a float",
                                       "text",           "bytes",     "a tuple",    "a list",
                                       "a dict",         "a class",   "an object",  "a storage" };
  const crd__io_py_node *named = node;
  if (node->kind == CRD__PY_CALL) named = class_of(pickle, node);
  if (named->kind == CRD__PY_GLOBAL) {
    const crd__io_py_node *const module = crd__io_py_child(pickle, named, 0);
    const crd__io_py_node *const name = crd__io_py_child(pickle, named, 1);
    const int most = CRD__PY_DESCRIPTION / 2 - 4;
    snprintf(out, CRD__PY_DESCRIPTION, "a %.*s.%.*s",
             module->count < (uint32_t)most ? (int)module->count : most, module->as.text,
             name->count < (uint32_t)most ? (int)name->count : most, name->as.text);
  } else snprintf(out, CRD__PY_DESCRIPTION, "%s", kinds[node->kind]);
  return out;
}

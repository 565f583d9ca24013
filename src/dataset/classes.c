/*
 * classes.c -- the network's class of each label: by name where the network has names; else
 * integers stand for themselves, and others are numbered in their order, if there are as many as
 * classes. Data that lacks a class would otherwise shift all classes after it.
 */
#include "dataset/classes.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* Sets *out to the integer that a name is; false if it is not one below `classes`. */
static bool is_index(const char *name, size_t classes, int64_t *out) {
  return crd__integer_parse(name, strlen(name), out) && *out >= 0 && (uint64_t)*out < classes;
}

bool crd__dataset_has_names(const crd_dataset_shape *data, const crd_encoding *encoding) {
  int64_t index;
  if (!encoding || !encoding->class_count) return false;
  for (size_t k = 0; k < data->classes; k++)
    if (!is_index(data->class_names[k], encoding->class_count, &index)) return true;
  for (size_t k = 0; k < encoding->class_count; k++)
    if (is_index(encoding->class_names[k], SIZE_MAX, &index)) return true;
  return false;
}

crd_status crd__dataset_number_classes(crd_context *ctx, const crd_dataset_shape *data,
                                       size_t classes, const char *network, int64_t *class_of) {
  size_t k = 0;
  while (k < data->classes && is_index(data->class_names[k], classes, &class_of[k])) k++;
  if (k == data->classes) return CRD_OK;
  if (data->classes != classes)
    return crd__fail(ctx, CRD_EINPUT,
                     "%.200s has %zu classes ('%.60s', ...), %.200s has %zu and no names for them",
                     *data->name ? data->name : "the data", data->classes, data->class_names[k],
                     network, classes);
  for (k = 0; k < classes; k++) class_of[k] = (int64_t)k;
  return CRD_OK;
}

/* ---- A copy with other class indices. */

static crd_status encode_copy(crd_context *ctx, const crd_dataset *data,
                              const crd_encoding *encoding, crd_dataset **out) {
  const size_t rows = crd_dataset_describe(data)->rows;
  size_t *all;
  CRD_TRY(crd__new(ctx, rows, sizeof *all, "rows", &all));
  for (size_t i = 0; i < rows; i++) all[i] = i;
  crd_status status = crd_dataset_take(ctx, data, all, rows, out);
  crd__free(&ctx->alloc, all);
  CRD_TRY(status);
  status = crd_dataset_encode(ctx, *out, encoding);
  if (status == CRD_OK) return CRD_OK;
  crd_dataset_destroy(*out);
  *out = NULL;
  return status;
}

/* Maps the labels "0" and "2" to the classes 0 and 2, also where the data has no "1". */
static crd_status encode_numbers(crd_context *ctx, const crd_dataset *data,
                                 const crd_encoding *encoding, size_t classes,
                                 const int64_t *class_of, crd_dataset **out) {
  enum { NUMBER = 24 };
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  crd_encoding how = encoding ? *encoding : (crd_encoding){ 0 };
  char **names;
  CRD_TRY(crd__new(ctx, classes + 1, sizeof *names + NUMBER, "class names", &names));
  for (size_t k = 0; k < classes; k++) {
    names[k] = (char *)(names + classes) + k * NUMBER;
    snprintf(names[k], NUMBER, "%zu", k);
  }
  for (size_t k = 0; k < shape->classes; k++) names[class_of[k]] = (char *)shape->class_names[k];
  how.class_count = classes;
  how.class_names = names;
  const crd_status status = encode_copy(ctx, data, &how, out);
  crd__free(&ctx->alloc, names);
  return status;
}

crd_status crd__dataset_match_classes(crd_context *ctx, const crd_dataset *data,
                                      const crd_encoding *encoding, size_t classes,
                                      const char *network, crd_dataset **out) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  bool same = true;
  int64_t *class_of;
  *out = NULL;
  if (!shape->classes) return CRD_OK;
  if (crd__dataset_has_names(shape, encoding)) return encode_copy(ctx, data, encoding, out);
  CRD_TRY(crd__new(ctx, shape->classes, sizeof *class_of, "labels", &class_of));
  crd_status status = crd__dataset_number_classes(ctx, shape, classes, network, class_of);
  for (size_t k = 0; status == CRD_OK && k < shape->classes; k++) same &= class_of[k] == (int64_t)k;
  if (status == CRD_OK && !same)
    status = encode_numbers(ctx, data, encoding, classes, class_of, out);
  crd__free(&ctx->alloc, class_of);
  return status;
}

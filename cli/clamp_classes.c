/*
 * clamp_classes.c -- the network's class of each label (clamping.h), as in `credence predict`: by
 * name where the model has names; else integers stand for themselves, and others are numbered in
 * their order, if there are as many as classes.
 */
#include "clamping.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 24 };

/* Returns whether a class is called by an index below `classes`. */
static bool is_index(const char *name, size_t classes) {
  if (!*name || strlen(name) >= NUMBER || strspn(name, "0123456789") != strlen(name)) return false;
  return strtoull(name, NULL, 10) < classes;
}

/* Returns the first class of the data that is not an index; the number of classes if all are. */
static size_t count_indices(const crd_dataset_shape *data, size_t classes) {
  size_t k = 0;
  while (k < data->classes && is_index(data->class_names[k], classes)) k++;
  return k;
}

/* Returns whether the model has names, and some of them are integers. */
static bool has_number_names(const crd_encoding *own) {
  for (size_t k = 0; own && k < own->class_count; k++)
    if (is_index(own->class_names[k], SIZE_MAX)) return true;
  return false;
}

/* Maps labels "0", "2" to the classes 0 and 2, also where the data has no "1". */
static crd_status number(crd_context *ctx, crd_dataset *data, size_t classes) {
  char **const names = calloc(classes + 1, sizeof *names + NUMBER);
  if (!names) return CRD_ENOMEM;
  const crd_encoding indices = { .class_count = classes, .class_names = names };
  for (size_t k = 0; k < classes; k++) {
    names[k] = (char *)(names + classes) + k * NUMBER;
    snprintf(names[k], NUMBER, "%zu", k);
  }
  const crd_status status = crd_dataset_encode(ctx, data, &indices);
  free(names);
  return status;
}

crd_status cli_clamp_encode(cli_session *session, cli_clamping *c) {
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const crd_array *const output = crd_network_output(c->network, 0);
  const size_t classes = output && output->rank == 2 ? (size_t)output->dims[1] : 0;
  const size_t other = count_indices(data, classes);
  if (other == data->classes && !has_number_names(c->own))
    return number(session->ctx, c->data, classes);
  if (c->own && c->own->class_count) return crd_dataset_encode(session->ctx, c->data, c->own);
  if (data->classes == classes || !classes) return CRD_OK;
  snprintf(session->message, sizeof session->message,
           "%.200s has %zu classes ('%.60s', ...), %.200s has %zu and no names for them",
           c->args->data, data->classes, data->class_names[other], c->args->model, classes);
  return CRD_EINPUT;
}

/* fit.c -- reads the fit of a candidate: its certificate and the learnt parameters. */
#include "report/fields.h"
#include "report/stored/stored.h"

#include <string.h>

/* ---- Parameters: a number, a list, or a list of lists. */

static crd_status read_values(crd__report_reader *r, const json_t *list, double *out) {
  if (!json_is_array(list)) return crd__report_reader_invalid(r, list, "a list of numbers");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *const json = json_array_get(list, i);
    if (crd__report_kind_number.read(json, &out[i])) continue;
    crd__report_enter_item(r, i);
    return crd__report_reader_invalid(r, json, crd__report_kind_number.allowed);
  }
  return CRD_OK;
}

static crd_status read_learnt(crd__report_reader *r, const char *name, const json_t *json,
                              crd_learnt *out) {
  const bool listed = json_is_array(json), nested = json_is_array(json_array_get(json, 0));
  const size_t parts = nested ? json_array_size(json) : 1;
  size_t *start;
  double *values;
  CRD_TRY(crd__report_reader_alloc(r, parts + 1, sizeof *start, &start));
  for (size_t p = 0; p < parts; p++)
    start[p + 1] = start[p] + (nested   ? json_array_size(json_array_get(json, p))
                               : listed ? json_array_size(json)
                                        : 1);
  CRD_TRY(crd__report_reader_alloc(r, start[parts], sizeof *values, &values));
  *out = (crd_learnt){ .name = name, .parts = parts, .start = start, .values = values };
  if (!listed && crd__report_kind_number.read(json, values)) return CRD_OK;
  if (!nested) return read_values(r, json, values);
  for (size_t p = 0; p < parts; p++) {
    const size_t back = crd__report_enter_item(r, p);
    CRD_TRY(read_values(r, json_array_get(json, p), values + start[p]));
    crd__report_leave(r, back);
  }
  return CRD_OK;
}

static crd_status read_parameters(crd__report_reader *r, const json_t *json, crd_candidate *out) {
  crd_learnt *items;
  const size_t back = crd__report_enter(r, "parameters");
  if (!json_is_object(json)) return crd__report_reader_invalid(r, json, "an object");
  CRD_TRY(crd__report_reader_alloc(r, json_object_size(json), sizeof *items, &items));
  json_t *const object = (json_t *)(uintptr_t)json;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    const char *const name = json_object_iter_key(at);
    const size_t here = crd__report_enter(r, name);
    CRD_TRY(read_learnt(r, name, json_object_iter_value(at), &items[out->learnt_count]));
    out->learnt_count++;
    crd__report_leave(r, here);
  }
  out->learnt = items;
  crd__report_leave(r, back);
  return CRD_OK;
}

/* ---- The certificate. */

/* Joins ["a", "b"], names of settings and quantities, to "a,b". */
static crd_status read_bounds(crd__report_reader *r, const json_t *json, const char **out) {
  const char *const *names;
  size_t count, length = 1;
  char *text;
  CRD_TRY(crd__report_texts_read(r, json, "bounds_hit", &names, &count));
  for (size_t i = 0; i < count; i++) {
    length += strlen(names[i]) + 1;
    if (*names[i] && !names[i][strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789_-")])
      continue;
    crd__report_enter(r, "bounds_hit");
    return crd__report_reader_fail(r, "'%.40s' is not a valid name", names[i]);
  }
  CRD_TRY(crd__report_reader_alloc(r, length, 1, &text));
  *out = text;
  for (size_t i = 0; i < count; i++) {
    if (i) *text++ = ',';
    memcpy(text, names[i], strlen(names[i]));
    text += strlen(names[i]);
  }
  return CRD_OK;
}

crd_status crd__report_fit_read(crd__report_reader *r, const json_t *object, crd_candidate *out) {
  const json_t *const parameters = json_object_get(object, "parameters");
  const json_t *const json = json_object_get(object, "certificate");
  crd_certificate *certificate;
  if (!parameters && !json) return CRD_OK;
  CRD_TRY(read_parameters(r, parameters, out));
  const size_t back = crd__report_enter(r, "certificate");
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_certificate, "bounds_hit"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *certificate, &certificate));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_certificate, certificate));
  CRD_TRY(read_bounds(r, json, &certificate->bounds));
  out->certificate = certificate;
  crd__report_leave(r, back);
  return CRD_OK;
}

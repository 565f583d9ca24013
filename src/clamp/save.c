/*
 * save.c -- a clamp as JSON: what applies it, then how it was fitted. Numbers have the shortest
 * digits that read back the same.
 */
#include "base/file.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "clamp/clamp.h"

#include <float.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { VERSION = 1 };

/* Numbers of the summary; infinity and NaN are written as null. */
#define NUMBER(member)                                                                             \
  { #member, offsetof(crd_clamp_summary, member) }
static const struct {
  const char *name;
  size_t offset;
} numbers[] = {
  NUMBER(temperature), NUMBER(gamma),          NUMBER(lambda),
  NUMBER(weight),      NUMBER(objective),      NUMBER(temperature_objective),
  NUMBER(scaling),     NUMBER(delta_norm),     NUMBER(gradient_norm),
  NUMBER(residual),    NUMBER(predicted_gain), NUMBER(measured_gain),
};
#undef NUMBER

/* ---- Writing. */

static void add_list(crd__text *text, const char *name, const double *values, size_t count) {
  crd__text_addf(text, ",\n  \"%s\": [", name);
  for (size_t i = 0; i < count; i++) {
    crd__text_add(text, i ? ", " : "");
    crd__json_add_number(text, values[i]);
  }
  crd__text_add(text, "]");
}

/* Floats have their own shortest digits. */
static void add_delta(crd__text *text, const crd_clamp_summary *s) {
  crd__text_add(text, ",\n  \"shape\": [");
  for (size_t i = 0; i < s->rank; i++)
    crd__text_addf(text, "%s%lld", i ? ", " : "", (long long)s->dims[i]);
  crd__text_add(text, "],\n  \"delta\": [");
  for (size_t i = 0; i < s->count; i++) {
    crd__text_add(text, i == 0 ? "" : i % 8 ? ", " : ",\n    ");
    crd__json_add_number(text, s->delta[i]);
  }
  crd__text_add(text, "]");
}

static void write(const crd_clamp_summary *s, crd__text *text) {
  crd__text_addf(text,
                 "{\n  \"credence\": \"clamp\",\n  \"version\": %d,\n  \"classes\": %zu,\n"
                 "  \"rows\": %zu,\n  \"settings\": ",
                 VERSION, s->classes, s->rows);
  crd__json_add_string(text, s->settings);
  crd__text_add(text, ",\n  \"tensor\": ");
  if (s->tensor) crd__json_add_string(text, s->tensor);
  else crd__text_add(text, "null");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    crd__text_addf(text, ",\n  \"%s\": ", numbers[i].name);
    crd__json_add_number(text, *(const double *)((const char *)s + numbers[i].offset));
  }
  add_list(text, "mean", s->mean, s->channels);
  add_list(text, "std", s->std, s->channels);
  add_delta(text, s);
  crd__text_add(text, "\n}\n");
}

crd_status crd_clamp_save(crd_context *ctx, const crd_clamp *clamp, crd_output *output) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  write(&clamp->summary, &text);
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd_output_write(ctx, output, text.bytes, text.length);
  crd__text_clear(&text);
  return status;
}

/* ---- Reading. */

typedef struct {
  crd_context *ctx;
  const char *path;
  json_t *root;
  crd_clamp *clamp;
} loading;

static crd_status refuse(const loading *l, const char *what) {
  return crd__fail(l->ctx, CRD_EINPUT, "%s: not a Credence clamp: %s", l->path, what);
}

static crd_status read_count(const loading *l, const char *name, size_t *out) {
  const json_t *const value = json_object_get(l->root, name);
  const json_int_t number = json_integer_value(value);
  if (!json_is_integer(value) || number < 1 || number > INT_MAX)
    return crd__fail(l->ctx, CRD_EINPUT, "%s: '%s' is missing or not a positive integer", l->path,
                     name);
  *out = (size_t)number;
  return CRD_OK;
}

/* Files of the input, and earlier ones, have no tensor. */
static crd_status read_tensor(const loading *l) {
  const json_t *const value = json_object_get(l->root, "tensor");
  if (value && !json_is_string(value) && !json_is_null(value))
    return refuse(l, "'tensor' is not a name");
  return crd__clamp_set_tensor(l->ctx, l->clamp, json_string_value(value));
}

static crd_status read_numbers(const loading *l) {
  crd_clamp_summary *const s = &l->clamp->summary;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const json_t *const value = json_object_get(l->root, numbers[i].name);
    if (value && !json_is_number(value) && !json_is_null(value))
      return crd__fail(l->ctx, CRD_EINPUT, "%s: '%s' is not a number", l->path, numbers[i].name);
    *(double *)((char *)s + numbers[i].offset) =
        json_is_number(value) ? json_number_value(value) : (double)NAN;
  }
  if (isnan(s->lambda)) s->lambda = s->weight = (double)INFINITY;
  if (s->lambda < 0) return refuse(l, "'lambda' is negative");
  if (s->temperature > 0 && isfinite(s->temperature)) return CRD_OK;
  return refuse(l, "'temperature' is missing or not positive");
}

static crd_status read_list(const loading *l, const char *name, size_t *count, double **out) {
  const json_t *const list = json_object_get(l->root, name);
  *count = json_array_size(list);
  if (!json_is_array(list))
    return crd__fail(l->ctx, CRD_EINPUT, "%s: '%s' is missing", l->path, name);
  CRD_TRY(crd__new(l->ctx, *count + 1, sizeof **out, name, out));
  for (size_t i = 0; i < *count; i++) {
    const json_t *const value = json_array_get(list, i);
    (*out)[i] = json_number_value(value);
    if (!json_is_number(value) || !isfinite((*out)[i]))
      return crd__fail(l->ctx, CRD_EINPUT, "%s: element %zu of '%s' is not a number", l->path, i,
                       name);
  }
  return CRD_OK;
}

static crd_status read_scale(const loading *l) {
  crd_clamp_summary *const s = &l->clamp->summary;
  size_t deviations;
  CRD_TRY(read_list(l, "mean", &s->channels, &l->clamp->mean));
  CRD_TRY(read_list(l, "std", &deviations, &l->clamp->std));
  if (deviations != s->channels) return refuse(l, "'mean' and 'std' differ in length");
  for (size_t i = 0; i < deviations; i++)
    if (!(l->clamp->std[i] > 0)) return refuse(l, "'std' is not positive");
  s->mean = l->clamp->mean;
  s->std = l->clamp->std;
  return CRD_OK;
}

static crd_status read_delta(const loading *l) {
  crd_clamp_summary *const s = &l->clamp->summary;
  const json_t *const shape = json_object_get(l->root, "shape");
  double *values = NULL;
  size_t count = 1;
  s->rank = json_array_size(shape);
  if (s->rank < 1 || s->rank >= CRD_RANK_MAX) return refuse(l, "'shape' is missing or too long");
  for (size_t i = 0; i < s->rank; i++) {
    s->dims[i] = json_integer_value(json_array_get(shape, i));
    if (s->dims[i] < 1 || !crd__size_mul(count, (size_t)s->dims[i], &count))
      return refuse(l, "'shape' is not positive integers");
  }
  crd_status status = read_list(l, "delta", &s->count, &values);
  if (status == CRD_OK && s->count != count) status = refuse(l, "'delta' does not have 'shape'");
  if (status == CRD_OK)
    status = crd__new(l->ctx, count, sizeof(float), "a perturbation", &l->clamp->delta);
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    if (fabs(values[i]) > FLT_MAX)
      status =
          crd__fail(l->ctx, CRD_EINPUT, "%s: element %zu of 'delta' is beyond float32", l->path, i);
    else l->clamp->delta[i] = (float)values[i];
  }
  crd__free(&l->ctx->alloc, values);
  s->delta = l->clamp->delta;
  return status;
}

static crd_status read_all(loading *l) {
  crd_clamp_summary *const s = &l->clamp->summary;
  const char *const kind = json_string_value(json_object_get(l->root, "credence"));
  const char *const settings = json_string_value(json_object_get(l->root, "settings"));
  if (!kind || strcmp(kind, "clamp") != 0) return refuse(l, "'credence' is not \"clamp\"");
  if (json_integer_value(json_object_get(l->root, "version")) != VERSION)
    return refuse(l, "its version is not 1");
  if (!settings) return refuse(l, "'settings' is missing");
  CRD_TRY(read_count(l, "classes", &s->classes));
  CRD_TRY(read_count(l, "rows", &s->rows));
  CRD_TRY(read_tensor(l));
  CRD_TRY(read_numbers(l));
  CRD_TRY(read_scale(l));
  CRD_TRY(read_delta(l));
  s->settings = l->clamp->settings = crd__strdup(&l->ctx->alloc, settings);
  return s->settings ? CRD_OK : crd__fail(l->ctx, CRD_ENOMEM, "no memory for settings");
}

crd_status crd_clamp_load_memory(crd_context *ctx, const char *name, const void *bytes,
                                 size_t length, crd_clamp **out) {
  loading l = { .ctx = ctx, .path = name };
  json_error_t error;
  *out = NULL;
  l.root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  crd_status status =
      l.root ? CRD_OK : crd__fail(ctx, CRD_EINPUT, "%s: line %d: %s", name, error.line, error.text);
  if (status == CRD_OK) status = crd__new(ctx, 1, sizeof *l.clamp, "a clamp", &l.clamp);
  if (status == CRD_OK) {
    l.clamp->alloc = ctx->alloc;
    status = read_all(&l);
  }
  json_decref(l.root);
  if (status == CRD_OK) *out = l.clamp;
  else crd_clamp_destroy(l.clamp);
  return status;
}

crd_status crd_clamp_load(crd_context *ctx, const char *path, crd_clamp **out) {
  crd__blob blob;
  *out = NULL;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = crd_clamp_load_memory(ctx, path, blob.bytes, blob.length, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status;
}

/*
 * load.c -- loads a calibrator from JSON. The parsed calibrator is serialised again and its
 * checksum compared with the file's, so that changed digits are detected but changed white space is
 * allowed.
 */
#include "base/file.h"
#include "base/memory.h"
#include "calibrator/calibrator.h"
#include "calibrator/compat.h"
#include "io/format.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  bool forged; /* ignore the checksum */
  crd_calibrator *calibrator;
} loading;

static crd_status refuse(crd_context *ctx, const char *what) {
  return crd__fail(ctx, CRD_EINPUT, "not a Credence calibrator: %s", what);
}

/* ---- Learnt parameters. */

static crd_status learn_part(loading *l, const char *name, const json_t *list) {
  const size_t count = json_array_size(list);
  double *values;
  CRD_TRY(crd__new(l->ctx, count, sizeof *values, "parameters", &values));
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    values[i] = json_number_value(json_array_get(list, i));
    if (!json_is_number(json_array_get(list, i)) || !isfinite(values[i]))
      status = refuse(l->ctx, "a parameter is not a number");
  }
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(l->ctx, &l->calibrator->fit.learnt, name, values, count);
  crd__free(&l->ctx->alloc, values);
  return status;
}

static crd_status learn(loading *l, const char *name, const json_t *value) {
  const double number = json_number_value(value);
  if (json_is_number(value))
    return crd__calibrator_learnt_add(l->ctx, &l->calibrator->fit.learnt, name, &number, 1);
  if (!json_is_array(json_array_get(value, 0))) return learn_part(l, name, value);
  for (size_t p = 0; p < json_array_size(value); p++)
    CRD_TRY(learn_part(l, name, json_array_get(value, p)));
  return CRD_OK;
}

/* ---- Checks of their shapes. */

static size_t extent(const crd_calibrator *c, crd__calibrator_extent kind) {
  const size_t classes = c->classes ? c->classes : 2;
  if (kind == CRD__TWO) return 2;
  if (kind == CRD__THREE) return 3;
  if (kind == CRD__EACH_CLASS) return classes;
  if (kind == CRD__EACH_EVENT && !crd_calibrator_is_top(c)) return classes == 2 ? 1 : classes;
  return 1;
}

size_t crd__calibrator_parameters(const crd_calibrator *calibrator) {
  size_t sum = 0;
  for (const crd__calibrator_learns *rule = calibrator->method->learns; rule && rule->name;
       rule++) {
    const size_t length = rule->free ? 1 : extent(calibrator, rule->length);
    size_t count;
    if (!crd__size_mul(extent(calibrator, rule->parts), length, &count) ||
        !crd__size_add(sum, count, &sum))
      return SIZE_MAX;
  }
  return sum;
}

/* Returns the length of a part, in rows if it is wide; 0 if that is not an integer. */
static size_t length_of(const crd_calibrator *c, const crd__calibrator_learns *rule,
                        const crd_learnt *item, size_t part) {
  const size_t length = item->start[part + 1] - item->start[part];
  if (!rule->wide) return length;
  return c->width == 0 || length % c->width ? 0 : length / c->width;
}

static bool has_shape(const crd_calibrator *c, const crd__calibrator_learns *rule,
                      const crd_learnt *item, const crd_learnt *first, size_t models) {
  if (item->parts != extent(c, rule->parts) * (rule->averaged ? models : 1)) return false;
  for (size_t p = 0; p < item->parts; p++) {
    const size_t length = length_of(c, rule, item, p);
    if (rule->free ? length == 0 || (first && first->start[p + 1] - first->start[p] != length)
                   : length != extent(c, rule->length))
      return false;
  }
  return true;
}

/* Returns the number of averaged models: 1, unless the setting `compat` averages several. */
static size_t model_count(const crd_calibrator *c) {
  const crd__calibrator_learns *rule = c->method->learns;
  if (!crd__calibrator_compat_chosen(&c->method->info, c->settings)) return 1;
  while (rule && rule->name && !rule->averaged) rule++;
  const crd_learnt *const item =
      rule && rule->name ? crd__calibrator_learnt_find(&c->fit.learnt, rule->name) : NULL;
  return item ? item->parts / extent(c, rule->parts) : 1;
}

/* Returns whether the floor is valid: none, one number, or, for two classes, one number each. */
static bool has_proper_floor(const crd_calibrator *c) {
  const crd_learnt *const floor = crd__calibrator_learnt_find(&c->fit.learnt, "floor");
  const size_t classes = c->classes ? c->classes : 2;
  if (!floor) return true;
  const size_t count = floor->start[1];
  if (c->input == CRD_INPUT_LOGITS || c->method->as_is || floor->parts != 1 || count == 0 ||
      count > (classes == 2 ? 2 : 1))
    return false;
  for (size_t i = 0; i < count; i++)
    if (!(floor->values[i] >= CRD__LEAST_PROBABILITY &&
          floor->values[i] <= crd__data_floor_limit(classes)))
      return false;
  return true;
}

crd_status crd__calibrator_learnt_check(crd_context *ctx, const crd_calibrator *calibrator) {
  const crd__calibrator_learnt *const learnt = &calibrator->fit.learnt;
  const crd__calibrator_learns *rule = calibrator->method->learns;
  const crd_learnt *first = NULL; /* the first free array */
  const size_t models = model_count(calibrator);
  size_t count = crd__calibrator_learnt_find(learnt, "floor") != NULL;
  if (!has_proper_floor(calibrator)) return refuse(ctx, "invalid floor");
  for (; rule && rule->name; rule++, count++) {
    const crd_learnt *const item = crd__calibrator_learnt_find(learnt, rule->name);
    if (!item || !has_shape(calibrator, rule, item, first, models))
      return crd__fail(ctx, CRD_EINPUT,
                       "%s: '%s' is missing or has the wrong shape for %zu classes",
                       calibrator->method->info.name, rule->name, calibrator->classes);
    if (rule->free && !first) first = item;
  }
  return count == learnt->count ? CRD_OK : refuse(ctx, "unknown parameters");
}

/* ---- The rest. */

static crd_status read_settings(crd_context *ctx, const crd__calibrator_method *method,
                                json_t *settings, crd_calibrator **out) {
  const char *name;
  json_t *value;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  json_object_foreach(settings, name, value) {
    crd__text_addf(&text, "%s%s=", text.length ? "," : "", name);
    if (json_is_string(value)) crd__text_add(&text, json_string_value(value));
    else crd__text_add_number(&text, json_number_value(value));
  }
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__calibrator_create(ctx, method, text.bytes, out);
  crd__text_clear(&text);
  return status == CRD_EUSAGE ? CRD_EINPUT : status;
}

static double number_or_nan(const json_t *value) {
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool read_count(const json_t *value, double most, size_t *out) {
  const double number = number_or_nan(value);
  if (!(number >= 0 && number <= most && number == floor(number))) return false;
  *out = (size_t)number;
  return true;
}

/* Joins ["a", "b"], names of settings and parameters, to "a,b". */
static crd_status read_bounds(crd_context *ctx, const json_t *list, crd__text *out) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *const name = json_string_value(json_array_get(list, i));
    if (!name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] != '\0')
      return refuse(ctx, "invalid name of a bound");
    crd__text_addf(out, "%s%s", i ? "," : "", name);
  }
  return crd__text_status(ctx, out);
}

static crd_status read_counts(crd_context *ctx, const json_t *from, crd_certificate *out) {
  const json_t *const floored = json_object_get(from, "values_floored");
  size_t iterations;
  if (floored && !read_count(floored, 0x1p53, &out->values_floored))
    return refuse(ctx, "a count of its certificate is missing or invalid");
  if (!read_count(json_object_get(from, "iterations"), UINT_MAX, &iterations) ||
      !read_count(json_object_get(from, "rows_clipped"), 0x1p53, &out->rows_clipped) ||
      !read_count(json_object_get(from, "argmax_changes"), 0x1p53, &out->argmax_changes))
    return refuse(ctx, "a count of its certificate is missing or invalid");
  out->iterations = (unsigned)iterations;
  return CRD_OK;
}

static crd_status read_certificate(loading *l, const json_t *from) {
  crd_certificate *const c = &l->calibrator->fit.certificate;
  crd__text names;
  crd__text_init(&names, &l->ctx->alloc);
  crd_status status = read_bounds(l->ctx, json_object_get(from, "bounds_hit"), &names);
  *c = (crd_certificate){
    .converged = json_is_true(json_object_get(from, "converged")),
    .objective = number_or_nan(json_object_get(from, "objective")),
    .gradient_norm = number_or_nan(json_object_get(from, "gradient_norm")),
    .separable = json_is_true(json_object_get(from, "separable")),
    .suspicious = json_is_true(json_object_get(from, "suspicious")),
    .bounds = names.length ? names.bytes : "",
    .note = json_string_value(json_object_get(from, "note")),
  };
  if (status == CRD_OK) status = read_counts(l->ctx, from, c);
  if (status == CRD_OK) status = crd__calibrator_certificate_own(l->ctx, l->calibrator);
  crd__text_clear(&names);
  return status;
}

static crd_status read_input(loading *l, const json_t *value) {
  for (crd_input input = CRD_INPUT_LOGITS; input <= CRD_INPUT_PAIRS; input++) {
    if (!json_is_string(value) || strcmp(crd_input_name(input), json_string_value(value)) != 0)
      continue;
    l->calibrator->input = input;
    return CRD_OK;
  }
  return refuse(l->ctx, "unknown kind of input");
}

static crd_status check_sum(loading *l, const json_t *given) {
  char checksum[CRD__CHECKSUM_SIZE];
  crd__text text;
  crd__text_init(&text, &l->ctx->alloc);
  crd__calibrator_write(l->calibrator, &text);
  crd_status status = crd__text_status(l->ctx, &text);
  if (status == CRD_OK) crd__calibrator_checksum(&text, checksum);
  crd__text_clear(&text);
  if (status == CRD_OK &&
      (!json_is_string(given) || strcmp(json_string_value(given), checksum) != 0))
    status = crd__fail(l->ctx, CRD_EINPUT,
                       "it was changed after it was written (the checksum does not match its "
                       "content); fit it again");
  return status;
}

static crd_status read_calibrator(crd_context *ctx, json_t *root, loading *l) {
  const crd__calibrator_method *method;
  const char *name;
  json_t *value, *const parameters = json_object_get(root, "parameters");
  const json_t *const kind = json_object_get(root, "credence");
  if (!json_is_string(kind) || strcmp(json_string_value(kind), "calibrator") != 0)
    return refuse(ctx, "the key 'credence' is not 'calibrator'");
  const double version = number_or_nan(json_object_get(root, "version"));
  if (version != CRD__CALIBRATOR_VERSION)
    return crd__fail(ctx, CRD_EINPUT, "a calibrator of version %d, this program reads version %d",
                     (int)fmax(-1, fmin(version, 1e6)), CRD__CALIBRATOR_VERSION);
  if (!json_is_string(json_object_get(root, "name")))
    return refuse(ctx, "the name of the method is missing");
  const crd_status status =
      crd__calibrator_method_named(ctx, json_string_value(json_object_get(root, "name")), &method);
  if (status != CRD_OK) return CRD_EINPUT;
  CRD_TRY(read_settings(ctx, method, json_object_get(root, "settings"), &l->calibrator));
  if (!read_count(json_object_get(root, "classes"), 1e9, &l->calibrator->classes) ||
      l->calibrator->classes == 1)
    return refuse(ctx, "the number of classes is missing");
  if (!read_count(json_object_get(root, "rows"), 0x1p53, &l->calibrator->rows))
    return refuse(ctx, "the number of rows is missing");
  if (method->info.needs_features &&
      (!read_count(json_object_get(root, "features"), 1e9, &l->calibrator->width) ||
       l->calibrator->width == 0))
    return refuse(ctx, "the number of features is missing");
  CRD_TRY(read_input(l, json_object_get(root, "input")));
  CRD_TRY(read_certificate(l, json_object_get(root, "certificate")));
  json_object_foreach(parameters, name, value) CRD_TRY(learn(l, name, value));
  CRD_TRY(crd__calibrator_learnt_check(ctx, l->calibrator));
  return l->forged ? CRD_OK : check_sum(l, json_object_get(root, "checksum"));
}

crd_status crd__calibrator_read(crd_context *ctx, const char *bytes, size_t length, bool forged,
                                crd_calibrator **out) {
  json_error_t error;
  loading l = { .ctx = ctx, .forged = forged };
  *out = NULL;
  json_t *const root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    return crd__fail(ctx, CRD_EINPUT, "line %d is not JSON (%s); is the file truncated?",
                     error.line, error.text);
  const crd_status status = read_calibrator(ctx, root, &l);
  json_decref(root);
  if (status == CRD_OK) *out = l.calibrator;
  else crd_calibrator_destroy(l.calibrator);
  return status;
}

/* Fails unless the file begins like a JSON object: it may be the predictions, given in the wrong
 * order. */
static crd_status check_kind(crd_context *ctx, const unsigned char *bytes, size_t length,
                             const char *path) {
  size_t at = 0;
  while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
  if (at < length && bytes[at] == '{') return CRD_OK;
  const char *const format = length ? crd__io_format_name(bytes, length, path) : NULL;
  return crd__fail(ctx, CRD_EINPUT, "found %s%s, expected the JSON of a calibrator, written by %s",
                   format ? "a file of the format " : "",
                   format   ? format
                   : length ? "an unknown kind of file"
                            : "an empty file",
                   crd__spell(ctx, "crd_calibrator_save"));
}

crd_status crd_calibrator_load_memory(crd_context *ctx, const char *name, const void *bytes,
                                      size_t length, crd_calibrator **out) {
  *out = NULL;
  crd_status status = check_kind(ctx, bytes, length, name);
  if (status == CRD_OK) status = crd__calibrator_read(ctx, bytes, length, false, out);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, name);
}

crd_status crd_calibrator_load(crd_context *ctx, const char *path, crd_calibrator **out) {
  crd__blob blob;
  *out = NULL;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = crd_calibrator_load_memory(ctx, path, blob.bytes, blob.length, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status;
}

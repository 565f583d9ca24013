/* contestants.c -- parses "temperature,platt(scope=top-1)" into candidates. */
#include "base/memory.h"
#include "calibrator/calibrator.h"
#include "contest/contest.h"

#include <string.h>

void crd__contest_contestants_free(const crd_allocator *alloc, crd__contest_contestant *items,
                                   size_t count) {
  for (size_t i = 0; items && i < count; i++) {
    crd__free(alloc, items[i].name);
    crd__free(alloc, items[i].method);
    crd__free(alloc, items[i].settings);
  }
  crd__free(alloc, items);
}

/* Length up to the next comma outside of parentheses. */
static size_t item_length(const char *text) {
  size_t length = 0;
  for (int depth = 0; text[length] && (depth > 0 || text[length] != ','); length++) {
    depth += text[length] == '(';
    depth -= text[length] == ')';
  }
  return length;
}

static char *copy(const crd_allocator *alloc, const char *text, size_t length) {
  char *const out = crd__calloc(alloc, length + 1, 1);
  if (out) memcpy(out, text, length);
  return out;
}

static crd_status read_item(crd_context *ctx, const char *text, size_t length,
                            crd__contest_contestant *out) {
  const char *const open = memchr(text, '(', length);
  const size_t name = open ? (size_t)(open - text) : length;
  if (open && text[length - 1] != ')')
    return crd__fail(ctx, CRD_EUSAGE, "'%.*s': expected ')' at the end",
                     (int)(length < 80 ? length : 80), text);
  out->name = copy(&ctx->alloc, text, length);
  out->method = copy(&ctx->alloc, text, name);
  if (open) out->settings = copy(&ctx->alloc, open + 1, length - name - 2);
  if (!out->name || !out->method || (open && !out->settings))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  return CRD_OK;
}

static crd_status count_parameters(crd_context *ctx, const crd__calibrator_method *method,
                                   size_t classes, size_t *out) {
  crd_calibrator *calibrator;
  CRD_TRY(crd__calibrator_create(ctx, method, NULL, &calibrator));
  calibrator->classes = classes;
  *out = crd__calibrator_parameters(calibrator);
  crd_calibrator_destroy(calibrator);
  return CRD_OK;
}

/* Lists the usual methods, or all. Those with more parameters than rows would take longest to fit
 * and overfit: they go to `left_out`. */
static crd_status choose(crd_context *ctx, bool all, const crd__contest_fit_size *size,
                         crd__text *out, crd__text *left_out) {
  for (size_t i = 0; i < crd_method_count(); i++) {
    const crd__calibrator_method *const method = crd__calibrator_method_at(i);
    const crd_method_info *const info = &method->info;
    size_t parameters;
    if (strcmp(info->name, "identity") == 0 ||
        (!all && (!info->standard || size->classes > info->standard)))
      continue;
    CRD_TRY(count_parameters(ctx, method, size->classes, &parameters));
    if (parameters <= size->rows) crd__text_addf(out, ",%s", info->name);
    else
      crd__text_addf(left_out, "%s%s (%zu)", left_out->length ? ", " : "", info->name, parameters);
  }
  return crd__text_status(ctx, left_out);
}

static void add_external(const crd_contest_options *options, crd__text *out) {
  for (size_t i = 0; i < options->external_count; i++)
    crd__text_addf(out, ",%s", options->external[i].standard);
}

/* Expands the list, and notes the methods that were left out. */
static crd_status spell_out(crd_context *ctx, const crd_contest_options *options,
                            const crd__contest_fit_size *size, crd__text *out, crd__text *note) {
  const char *const list = options->methods;
  const bool all = list && strcmp(list, "all") == 0;
  crd__text left_out;
  crd_status status = CRD_OK;
  crd__text_init(&left_out, &ctx->alloc);
  crd__text_add(out, "identity");
  if (list && !all) crd__text_addf(out, ",%s", list);
  else status = choose(ctx, all, size, out, &left_out);
  if (!list || all) add_external(options, out);
  if (status == CRD_OK && left_out.length)
    crd__text_addf(note,
                   "left out, with more parameters than the %zu row%s to fit them on: %s; name a "
                   "method to fit it anyway",
                   size->rows, size->rows == 1 ? "" : "s", left_out.bytes);
  crd__text_clear(&left_out);
  if (status == CRD_OK) status = crd__text_status(ctx, note);
  return status == CRD_OK ? crd__text_status(ctx, out) : status;
}

static bool is_new(const crd__contest_contestant *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(items[i].name, items[count].name) == 0) return false;
  return true;
}

static crd_status read_all(crd_context *ctx, const char *text, crd__contest_contestant *items,
                           size_t *count) {
  while (*text) {
    const size_t length = item_length(text);
    CRD_TRY(read_item(ctx, text, length, &items[*count]));
    if (is_new(items, *count)) (*count)++;
    else {
      crd__free(&ctx->alloc, items[*count].name);
      crd__free(&ctx->alloc, items[*count].method);
      crd__free(&ctx->alloc, items[*count].settings);
      items[*count] = (crd__contest_contestant){ 0 };
    }
    text += length + (text[length] == ',');
  }
  return CRD_OK;
}

static const crd_external_method *find_external(const crd_contest_options *options,
                                                const char *name) {
  for (size_t i = 0; i < options->external_count; i++)
    if (strcmp(options->external[i].name, name) == 0) return &options->external[i];
  return NULL;
}

/* Checks method and settings before the first fit, so that typos fail at once. */
static crd_status check(crd_context *ctx, const crd_contest_options *options,
                        crd__contest_contestant *who) {
  const crd__calibrator_method *method;
  crd_calibrator *calibrator;
  who->external = find_external(options, who->method);
  if (who->external) return who->external->check(who->external->self, ctx, who->settings);
  CRD_TRY(crd__calibrator_method_named(ctx, who->method, &method));
  CRD_TRY(crd__calibrator_create(ctx, method, who->settings, &calibrator));
  crd_calibrator_destroy(calibrator);
  return CRD_OK;
}

crd_status crd__contest_contestants_read(crd_context *ctx, const crd_contest_options *options,
                                         const crd__contest_fit_size *size, crd__text *note,
                                         crd__contest_contestant **out, size_t *count) {
  crd__text text;
  size_t most = 1;
  *out = NULL;
  *count = 0;
  crd__text_init(&text, &ctx->alloc);
  crd_status status = spell_out(ctx, options, size, &text, note);
  for (size_t i = 0; status == CRD_OK && i < text.length; i++) most += text.bytes[i] == ',';
  if (status == CRD_OK) status = crd__new(ctx, most, sizeof **out, "methods", out);
  if (status == CRD_OK) status = read_all(ctx, text.bytes, *out, count);
  for (size_t i = 0; status == CRD_OK && i < *count; i++) status = check(ctx, options, &(*out)[i]);
  crd__text_clear(&text);
  if (status == CRD_OK) return CRD_OK;
  crd__contest_contestants_free(&ctx->alloc, *out, most);
  *out = NULL;
  return status;
}

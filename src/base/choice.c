/* choice.c -- parse "focal(gamma=3)": an entry of a table, and its settings. */
#include "base/choice.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { LIST_MOST = 100000 };

crd_status crd__expression_fail(crd_context *ctx, const char *expression, const char *at,
                                const char *expected) {
  char found[24] = "the end";
  if (*at) snprintf(found, sizeof found, "'%.20s'", at);
  return crd__fail(ctx, CRD_EUSAGE, "'%.200s': at character %zu found %s, expected %s", expression,
                   (size_t)(at - expression) + 1, found, expected);
}

/* Prepends the position to the last error message. */
static crd_status place(crd_context *ctx, const char *expression, const char *at) {
  char message[400];
  snprintf(message, sizeof message, "%s", crd_context_message(ctx));
  return crd__fail(ctx, CRD_EUSAGE, "'%.200s': at character %zu: %s", expression,
                   (size_t)(at - expression) + 1, message);
}

static crd_status copy(crd_context *ctx, const char *text, size_t length, char **out) {
  CRD_TRY(crd__new(ctx, length + 1, 1, "settings", out));
  memcpy(*out, text, length);
  return CRD_OK;
}

/* Reads the settings between brackets; others keep their defaults. The memory of the list is an
 * upper bound: one number, one more for each comma, and one for each character of the defaults. */
static crd_status read_settings(crd_context *ctx, const crd__setting_table *table,
                                const char *expression, const char *text, size_t length,
                                crd__choice *out) {
  crd__setting_list list = { .most = 1 };
  char *words = NULL;
  for (size_t i = 0; i < length; i++) list.most += text[i] == ',';
  for (size_t i = 0; i < table->count; i++) list.most += strlen(table->items[i].standard);
  if (list.most > LIST_MOST) return crd__expression_fail(ctx, expression, text, "fewer numbers");
  CRD_TRY(crd__new(ctx, table->count, sizeof(double), "settings", &out->values));
  CRD_TRY(crd__new(ctx, list.most, sizeof(double), "settings", &out->list));
  list.items = out->list;
  CRD_TRY(crd__settings_standard(ctx, table, out->values, &list));
  CRD_TRY(copy(ctx, text, length, &words));
  crd_status status = crd__settings_read(ctx, table, words, out->values, &list);
  if (status == CRD_EUSAGE) status = place(ctx, expression, text + (list.at - words));
  crd__free(&ctx->alloc, words);
  out->list_count = list.count;
  return status;
}

static const char *skip(const char *at) { return at + strspn(at, " \t\n"); }

crd_status crd__choice_read(crd_context *ctx, const crd__choices *from, const char *expression,
                            const char **at, crd__choice *out) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
  const char *const name = skip(*at), *inside = "";
  const size_t length = strspn(name, letters);
  size_t within = 0;
  *out = (crd__choice){ 0 };
  if (length == 0) return crd__expression_fail(ctx, expression, name, from->entry);
  if (crd__names_find(ctx, from->names, name, length, &out->index) != CRD_OK)
    return place(ctx, expression, name);
  *at = name + length;
  if (**at == '(') {
    inside = *at + 1;
    within = strcspn(inside, "()");
    if (inside[within] != ')') return crd__expression_fail(ctx, expression, inside + within, "')'");
    *at = inside + within + 1;
  }
  const crd__setting_table table = from->settings(from->names->self, out->index);
  return read_settings(ctx, &table, expression, inside, within, out);
}

crd_status crd__choice_read_one(crd_context *ctx, const crd__choices *from, const char *expression,
                                crd__choice *out) {
  const char *at = expression;
  CRD_TRY(crd__choice_read(ctx, from, expression, &at, out));
  at = skip(at);
  return *at ? crd__expression_fail(ctx, expression, at, "the end") : CRD_OK;
}

void crd__choice_clear(const crd_allocator *alloc, crd__choice *choice) {
  crd__free(alloc, choice->values);
  crd__free(alloc, choice->list);
  *choice = (crd__choice){ 0 };
}

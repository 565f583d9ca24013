/*
 * expression.c -- parses "ce + 10*dca", "focal(gamma=3) + 0.1*entropy", "2*(brier + dca)" to parts.
 *
 *   sum   =  term { "+" term }
 *   term  =  [ number "*" ] ( name [ "(" settings ")" ] | "(" sum ")" )
 *
 * A hyphen is part of a name. Error messages give the position: "at character 6".
 */
#include "base/memory.h"
#include "base/number.h"
#include "base/settings.h"
#include "loss/loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32, LIST_MOST = 100000 };

typedef struct {
  crd_context *ctx;
  const char *all, *at;
  crd__loss_part *parts;
  size_t *count;
} parser;

void crd__loss_parts_clear(const crd_allocator *alloc, crd__loss_part *parts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    crd__free(alloc, parts[i].text);
    crd__free(alloc, parts[i].settings);
    crd__free(alloc, parts[i].list);
    parts[i] = (crd__loss_part){ 0 };
  }
}

static void skip(parser *p) { p->at += strspn(p->at, " \t\n"); }

static crd_status complain(const parser *p, const char *at, const char *expected) {
  char found[24] = "the end";
  if (*at) snprintf(found, sizeof found, "'%.20s'", at);
  return crd__fail(p->ctx, CRD_EUSAGE, "'%.200s': at character %zu found %s, expected %s", p->all,
                   (size_t)(at - p->all) + 1, found, expected);
}

/* Prepends the position to the last error message. */
static crd_status place(const parser *p, const char *at) {
  char message[400];
  snprintf(message, sizeof message, "%s", crd_context_message(p->ctx));
  return crd__fail(p->ctx, CRD_EUSAGE, "'%.200s': at character %zu: %s", p->all,
                   (size_t)(at - p->all) + 1, message);
}

static crd_status find(const parser *p, const char *name, size_t length, const crd__loss **out) {
  size_t index;
  const crd_status status = crd__names_find(p->ctx, &crd__loss_names, name, length, &index);
  if (status != CRD_OK) return place(p, name);
  *out = crd__loss_at(index);
  return CRD_OK;
}

static crd_status copy(const parser *p, const char *text, size_t length, char **out) {
  *out = crd__calloc(&p->ctx->alloc, length + 1, 1);
  if (!*out) return crd__fail(p->ctx, CRD_ENOMEM, "no memory for a loss");
  memcpy(*out, text, length);
  return CRD_OK;
}

/* Reads the settings between brackets; others have their defaults. A list has at most one number
 * more than there are commas. */
static crd_status read_settings(const parser *p, crd__loss_part *part, const char *text,
                                size_t length) {
  const crd_loss_info *const info = &part->loss->info;
  const crd__setting_table table = { info->name, info->setting_count, info->settings };
  crd__setting_list list = { .most = 1 };
  char *words = NULL;
  for (size_t i = 0; i < length; i++) list.most += text[i] == ',';
  if (list.most > LIST_MOST) return complain(p, text, "fewer numbers");
  CRD_TRY(crd__new(p->ctx, info->setting_count, sizeof(double), "settings", &part->settings));
  CRD_TRY(crd__new(p->ctx, list.most, sizeof(double), "settings", &part->list));
  list.items = part->list;
  CRD_TRY(crd__settings_standard(p->ctx, &table, part->settings));
  CRD_TRY(copy(p, text, length, &words));
  crd_status status = crd__settings_read(p->ctx, &table, words, part->settings, &list);
  if (status == CRD_EUSAGE) status = place(p, text + (list.at - words));
  crd__free(&p->ctx->alloc, words);
  part->list_count = list.count;
  return status;
}

static crd_status read_name(parser *p, double factor) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
  const char *const name = p->at, *inside = "";
  const size_t length = strspn(name, letters);
  size_t within = 0;
  if (length == 0) return complain(p, p->at, "the name of a loss");
  if (*p->count == CRD_LOSS_TERMS_MAX)
    return crd__fail(p->ctx, CRD_EUSAGE, "'%.200s': more than %d terms", p->all,
                     CRD_LOSS_TERMS_MAX);
  crd__loss_part *const part = &p->parts[(*p->count)++]; /* from here on released with the others */
  *part = (crd__loss_part){ .factor = factor };
  CRD_TRY(find(p, name, length, &part->loss));
  p->at += length;
  if (*p->at == '(') {
    inside = p->at + 1;
    within = strcspn(inside, "()");
    if (inside[within] != ')') return complain(p, inside + within, "')'");
    p->at = inside + within + 1;
  }
  CRD_TRY(copy(p, name, (size_t)(p->at - name), &part->text));
  return read_settings(p, part, inside, within);
}

static crd_status read_sum(parser *p, double factor, unsigned depth);

static crd_status read_term(parser *p, double factor, unsigned depth) {
  double number;
  skip(p);
  if (strchr("+-.0123456789", *p->at) && *p->at) {
    size_t length = strspn(p->at, "+-");
    length += strspn(p->at + length, "0123456789.");
    if (p->at[length] == 'e' || p->at[length] == 'E') {
      const size_t sign = strspn(p->at + length + 1, "+-");
      const size_t power = strspn(p->at + length + 1 + sign, "0123456789");
      length += power ? 1 + sign + power : 0;
    }
    if (!crd__number_parse(p->at, length, &number)) return complain(p, p->at, "a number");
    factor *= number;
    if (!isfinite(factor)) return complain(p, p->at, "a smaller number");
    p->at += length;
    skip(p);
    if (*p->at != '*') return complain(p, p->at, "'*' after a number");
    p->at++;
    skip(p);
  }
  if (*p->at != '(') return read_name(p, factor);
  if (depth == DEEPEST) return complain(p, p->at, "fewer brackets");
  p->at++;
  CRD_TRY(read_sum(p, factor, depth + 1));
  if (*p->at != ')') return complain(p, p->at, "'+' or ')'");
  p->at++;
  return CRD_OK;
}

static crd_status read_sum(parser *p, double factor, unsigned depth) {
  CRD_TRY(read_term(p, factor, depth));
  for (skip(p); *p->at == '+'; skip(p)) {
    p->at++;
    CRD_TRY(read_term(p, factor, depth));
  }
  return CRD_OK;
}

crd_status crd__loss_parts_read(crd_context *ctx, const char *expression, crd__loss_part *parts,
                                size_t *count) {
  parser p = { .ctx = ctx, .all = expression, .at = expression, .parts = parts, .count = count };
  CRD_TRY(read_sum(&p, 1, 0));
  return *p.at ? complain(&p, p.at, "'+' or the end") : CRD_OK;
}

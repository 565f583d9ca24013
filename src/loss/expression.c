/*
 * expression.c -- parses "ce + 10*dca", "focal(gamma=3) + 0.1*entropy", "2*(brier + dca)" to parts.
 *
 *   sum   =  term { "+" term }
 *   term  =  [ number "*" ] ( name [ "(" settings ")" ] | "(" sum ")" )
 *
 * A hyphen is part of a name. Error messages give the position: "at character 6".
 */
#include "base/choice.h"
#include "base/memory.h"
#include "base/number.h"
#include "loss/loss.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 32 };

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
  return crd__expression_fail(p->ctx, p->all, at, expected);
}

static crd__setting_table settings_of(const void *self, size_t index) {
  const crd_loss_info *const info = crd_loss_at(index);
  (void)self;
  return (crd__setting_table){ info->name, info->setting_count, info->settings };
}

static const crd__choices losses = { .names = &crd__loss_names,
                                     .entry = "the name of a loss",
                                     .settings = settings_of };

static crd_status copy(const parser *p, const char *text, size_t length, char **out) {
  CRD_TRY(crd__new(p->ctx, length + 1, 1, "a loss", out));
  memcpy(*out, text, length);
  return CRD_OK;
}

static crd_status read_name(parser *p, double factor) {
  const char *const name = p->at;
  crd__choice choice = { 0 };
  if (*p->count == CRD_LOSS_TERMS_MAX)
    return crd__fail(p->ctx, CRD_EUSAGE, "'%.200s': more than %d terms", p->all,
                     CRD_LOSS_TERMS_MAX);
  const crd_status status = crd__choice_read(p->ctx, &losses, p->all, &p->at, &choice);
  crd__loss_part *const part = &p->parts[(*p->count)++]; /* from here on released with the others */
  *part = (crd__loss_part){ .factor = factor,
                            .settings = choice.values,
                            .list = choice.list,
                            .list_count = choice.list_count };
  CRD_TRY(status);
  part->loss = crd__loss_at(choice.index);
  return copy(p, name, (size_t)(p->at - name), &part->text);
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

/*
 * csv_choose.c -- score columns listed by the user: names, indices from 0, ranges 1:11 (without the
 * end, as for rows), patterns prob_*.
 */
#include "io/format/csv.h"

#include "base/number.h"
#include "io/format/csv_names.h"

#include <string.h>

static int shown(size_t length) { return length < 60 ? (int)length : 60; }

static bool find_named(const crd__io_csv_plan *plan, const char *text, size_t length, size_t *out) {
  for (size_t i = 0; plan->names && i < plan->columns; i++) {
    if (plan->names[i].length != length || memcmp(plan->names[i].text, text, length) != 0) continue;
    *out = i;
    return true;
  }
  return false;
}

static bool find_numbered(const crd__io_csv_plan *plan, const char *text, size_t length,
                          size_t *out) {
  int64_t number;
  if (!crd__integer_parse(text, length, &number) || number < 0 || (uint64_t)number >= plan->columns)
    return false;
  *out = (size_t)number;
  return true;
}

crd_status crd__io_csv_find(const crd__io_csv_planner *p, const char *text, size_t length,
                            size_t *out) {
  const crd__io_csv_plan *plan = p->plan;
  if (find_named(plan, text, length, out) || find_numbered(plan, text, length, out)) return CRD_OK;
  return crd__fail(p->ctx, CRD_EINPUT, "there is no column '%.*s', allowed are %s0 .. %zu",
                   shown(length), text, plan->names ? "names in the first line and " : "",
                   plan->columns - 1);
}

/* ---- A list: names, indices, ranges, patterns. */

static crd_status take_column(crd__io_csv_planner *p, size_t column, const char *text,
                              size_t length) {
  if (p->is[column] != CRD__CSV_UNUSED)
    return crd__fail(p->ctx, CRD_EUSAGE, "column '%.*s' is listed twice", shown(length), text);
  p->is[column] = CRD__SCORES;
  p->plan->to[column] = p->plan->scores++;
  return CRD_OK;
}

/* Parses from:to, from: or :to; false: none of these. */
static bool read_range(const crd__io_csv_plan *plan, const char *text, size_t length, size_t *from,
                       size_t *to) {
  const char *const colon = memchr(text, ':', length);
  int64_t first = 0, last = (int64_t)plan->columns;
  if (!colon || length == 1) return false;
  const size_t before = (size_t)(colon - text), after = length - before - 1;
  if (before && !crd__integer_parse(text, before, &first)) return false;
  if (after && !crd__integer_parse(colon + 1, after, &last)) return false;
  *from = first < 0 ? SIZE_MAX : (size_t)first;
  *to = last < 0 ? 0 : (size_t)last;
  return true;
}

static crd_status take_range(crd__io_csv_planner *p, const char *text, size_t length, size_t from,
                             size_t to) {
  if (from >= to || to > p->plan->columns)
    return crd__fail(p->ctx, CRD_EINPUT, "there are no columns '%.*s', allowed are ranges in 0:%zu",
                     shown(length), text, p->plan->columns);
  for (size_t i = from; i < to; i++) CRD_TRY(take_column(p, i, text, length));
  return CRD_OK;
}

/* Patterns match scores only, not labels, weights and the like, nor text. */
static bool may_match(const crd__io_csv_planner *p, size_t column) {
  const crd__word *const name = &p->plan->names[column];
  const crd__io_key *const key = crd__io_key_find(name->text, name->length);
  return p->is[column] == CRD__CSV_UNUSED && !(key && key->role != CRD__SCORES) &&
         !crd__io_csv_is_text(p->plan->sample, column);
}

static crd_status take_pattern(crd__io_csv_planner *p, const char *text, size_t length) {
  const size_t before = p->plan->scores;
  for (size_t i = 0; p->plan->names && i < p->plan->columns; i++)
    if (may_match(p, i) && crd__io_glob_match(text, length, &p->plan->names[i]))
      CRD_TRY(take_column(p, i, text, length));
  if (p->plan->scores > before) return CRD_OK;
  return crd__fail(p->ctx, CRD_EINPUT, "no column of numbers fits '%.*s'%s", shown(length), text,
                   p->plan->names ? "" : ": the first line has no names");
}

static crd_status take_item(crd__io_csv_planner *p, const char *text, size_t length) {
  size_t column, from, to;
  if (find_named(p->plan, text, length, &column) || find_numbered(p->plan, text, length, &column))
    return take_column(p, column, text, length);
  if (read_range(p->plan, text, length, &from, &to)) return take_range(p, text, length, from, to);
  if (memchr(text, '*', length) || memchr(text, '?', length)) return take_pattern(p, text, length);
  CRD_TRY(crd__io_csv_find(p, text, length, &column));
  return take_column(p, column, text, length);
}

crd_status crd__io_csv_choose_scores(crd__io_csv_planner *p) {
  for (const char *at = p->options->columns;; at++) {
    const size_t length = strcspn(at, ",");
    CRD_TRY(take_item(p, at, length));
    at += length;
    if (*at == '\0') return CRD_OK;
  }
}

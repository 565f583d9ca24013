/*
 * csv_plan.c -- which column of a table is what.
 *
 * With a header, names decide: a label key is the label, weights, groups, pred_label, correct and
 * confidence play their parts, as do patients and subjects, which are groups; all others are scores
 * in file order. Without one, the first column is the label. `columns`, `label_column`, `group_by`
 * and `cluster` (names, or numbers from 0) override. What is not a score and has no part is not
 * even read as a number.
 */
#include "io/csv.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/grouping.h"

#include <string.h>

/* What a column is before all are known. */
enum { UNUSED = -1, PAIRS = CRD__ROLE_COUNT };

typedef struct {
  crd_context *ctx;
  const crd_open_options *options;
  crd__csv_plan *plan;
  int *is; /* a role, PAIRS or UNUSED, for each column of the file */
} planner;

static int shown(size_t length) { return length < 60 ? (int)length : 60; }

static crd_status find_column(const planner *p, const char *text, size_t length, size_t *out) {
  const crd__csv_plan *plan = p->plan;
  int64_t number;
  for (size_t i = 0; plan->names && i < plan->columns; i++) {
    if (plan->names[i].length != length || memcmp(plan->names[i].text, text, length) != 0) continue;
    *out = i;
    return CRD_OK;
  }
  if (crd__integer_parse(text, length, &number) && number >= 0 &&
      (uint64_t)number < plan->columns) {
    *out = (size_t)number;
    return CRD_OK;
  }
  return crd__fail(p->ctx, CRD_EINPUT, "there is no column '%.*s', allowed are %s0 .. %zu",
                   shown(length), text, plan->names ? "names in the first line and " : "",
                   plan->columns - 1);
}

/* The user's choice of scores, in the user's order. */
static crd_status choose_scores(planner *p) {
  for (const char *at = p->options->columns;; at++) {
    const size_t length = strcspn(at, ",");
    size_t column;
    CRD_TRY(find_column(p, at, length, &column));
    if (p->is[column] != UNUSED)
      return crd__fail(p->ctx, CRD_EUSAGE, "column '%.*s' is asked for twice", shown(length), at);
    p->is[column] = CRD__SCORES;
    p->plan->to[column] = p->plan->scores++;
    at += length;
    if (*at == '\0') return CRD_OK;
  }
}

static crd_status choose_label(planner *p) {
  const char *name = p->options->label_column;
  size_t column;
  CRD_TRY(find_column(p, name, strlen(name), &column));
  if (p->is[column] != UNUSED)
    return crd__fail(p->ctx, CRD_EUSAGE, "column '%s' cannot be both a score and the label", name);
  p->is[column] = CRD__LABELS;
  p->plan->key[CRD__LABELS] = "label";
  return CRD_OK;
}

static void add_group(planner *p, size_t column, crd__word name) {
  p->is[column] = CRD__GROUPS;
  p->plan->group_names[p->plan->group_count] = name;
  p->plan->to[column] = p->plan->group_count++; /* among groups, until all scores are known */
}

/* The columns of a list that are to be groups; a name may come more than once. */
static crd_status choose_groups(planner *p, const char *list) {
  for (const char *at = list; at;) {
    const size_t length = strcspn(at, ",");
    size_t column = 0;
    CRD_TRY(find_column(p, at, length, &column));
    if (p->is[column] == UNUSED) add_group(p, column, (crd__word){ at, length });
    else if (p->is[column] != CRD__GROUPS)
      return crd__fail(p->ctx, CRD_EUSAGE,
                       "column '%.*s' cannot be both a score or the label, and "
                       "groups",
                       shown(length), at);
    at = at[length] ? at + length + 1 : NULL;
  }
  return CRD_OK;
}

/* A column whose name is a key. */
static crd_status place_key(planner *p, size_t column, const crd__key *key) {
  const char **taken = &p->plan->key[key->role];
  if (key->role == CRD__LABELS && p->options->label_column) return CRD_OK;
  if (*taken)
    return crd__fail(p->ctx, CRD_EINPUT, "columns '%s' and '%s' mean the same: allowed is one%s",
                     *taken, key->name,
                     key->role == CRD__LABELS ? ", or choose with --label-column" : "");
  *taken = key->name;
  if (key->role == CRD__GROUPS) add_group(p, column, (crd__word){ key->name, strlen(key->name) });
  else p->is[column] = (int)key->role;
  return CRD_OK;
}

static crd_status place_by_name(planner *p, size_t column) {
  const crd__word name = p->plan->names[column];
  const crd__key *key = crd__key_find(name.text, name.length);
  if (key && key->role != CRD__SCORES) return place_key(p, column, key);
  if (!key && crd__grouping_is_person(name.text, name.length) &&
      !(p->plan->fractions && p->plan->fractions[column]))
    add_group(p, column, name);
  else if (crd__key_is_pairs(key)) p->is[column] = PAIRS;
  else if (p->options->columns) return CRD_OK;
  else if (name.length == 0)
    return crd__fail(p->ctx, CRD_EINPUT,
                     "column %zu has no name in the first line: name it, or choose the scores "
                     "with --columns",
                     column + 1);
  else p->is[column] = CRD__SCORES;
  return CRD_OK;
}

static void place_by_position(planner *p, size_t column) {
  if (column == 0 && !p->options->label_column) {
    p->is[0] = CRD__LABELS;
    p->plan->key[CRD__LABELS] = "label";
  } else if (!p->options->columns) {
    p->is[column] = CRD__SCORES;
  }
}

static crd_status place_rest(planner *p) {
  for (size_t i = 0; i < p->plan->columns; i++) {
    if (p->is[i] != UNUSED) continue;
    if (!p->plan->names) place_by_position(p, i);
    else CRD_TRY(place_by_name(p, i));
  }
  return CRD_OK;
}

/* Scores first; a confidence is one when there is no other, and speaks of the predicted label when
 * there is one. */
static void number_columns(planner *p) {
  crd__csv_plan *plan = p->plan;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] == CRD__SCORES && plan->to[i] == CRD__NOWHERE) plan->to[i] = plan->scores++;
  plan->key[CRD__SCORES] = "scores";
  for (size_t i = 0; i < plan->columns; i++) {
    if (p->is[i] != PAIRS) continue;
    if (plan->scores > 0) {
      p->is[i] = plan->key[CRD__PREDICTED] ? CRD__TOP : UNUSED;
      plan->key[CRD__TOP] = "confidence";
      continue;
    }
    plan->to[i] = plan->scores++;
    plan->key[CRD__SCORES] = "confidence";
  }
  plan->width = plan->scores;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] > CRD__SCORES && p->is[i] < PAIRS && p->is[i] != CRD__GROUPS)
      plan->to[i] = plan->at[p->is[i]] = plan->width++;
  plan->groups = plan->width;
  plan->width += plan->group_count;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] == CRD__GROUPS) plan->to[i] += plan->groups;
}

static crd_status fill(planner *p) {
  if (p->options->columns) CRD_TRY(choose_scores(p));
  if (p->options->label_column) CRD_TRY(choose_label(p));
  CRD_TRY(choose_groups(p, p->options->group_by));
  CRD_TRY(choose_groups(p, crd__grouping_named(p->options->cluster)));
  CRD_TRY(place_rest(p));
  number_columns(p);
  return CRD_OK;
}

crd_status crd__csv_plan_make(crd_context *ctx, const crd_open_options *options,
                              crd__csv_plan *plan) {
  planner p = { .ctx = ctx, .options = options, .plan = plan };
  for (size_t i = 0; i < CRD__ROLE_COUNT; i++) plan->at[i] = CRD__NOWHERE;
  CRD_TRY(crd__new(ctx, plan->columns, sizeof *plan->to, "columns", &plan->to));
  CRD_TRY(crd__new(ctx, plan->columns, sizeof *plan->group_names, "columns", &plan->group_names));
  CRD_TRY(crd__new(ctx, plan->columns, sizeof *p.is, "columns", &p.is));
  for (size_t i = 0; i < plan->columns; i++) {
    plan->to[i] = CRD__NOWHERE;
    p.is[i] = UNUSED;
  }
  const crd_status status = fill(&p);
  crd__free(&ctx->alloc, p.is);
  return status;
}

void crd__csv_plan_clear(const crd_allocator *alloc, crd__csv_plan *plan) {
  crd__free(alloc, plan->to);
  crd__free(alloc, plan->group_names);
  plan->to = NULL;
  plan->group_names = NULL;
}

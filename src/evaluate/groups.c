/*
 * groups.c -- evaluates each group of rows.
 *
 * A group's rows are picked, not copied, so all groups together read every score once, without more
 * memory. Intervals of very many groups would take most of the time and, groups being small, mean
 * little: beyond GROUPS_WITH_INTERVALS groups there are none.
 */
#include "data/groups.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/options.h"
#include "credence/evaluate.h"
#include "data/array.h"

#include <string.h>

enum { GROUPS_WITH_INTERVALS = 1000 };

/* The table in the making, in its arena. */
typedef struct {
  crd_group_table table;
  crd_group *items;
} owner;

void crd_group_table_destroy(const crd_group_table *groups) { crd__arena_free(groups); }

/* Copies the name of the column, and of the group, if it has one. */
static crd_status copy_names(crd_context *ctx, const owner *o, const crd_group_column *column,
                             crd_group *group) {
  const bool named = group->number >= 0 && (uint64_t)group->number < column->name_count;
  const char *const name = named ? column->names[group->number] : NULL;
  CRD_TRY(crd__arena_text(ctx, o, name, &group->name));
  return crd__arena_text(ctx, o, column->name, &group->column);
}

static bool weighs(const crd_predictions *p, const size_t *rows, size_t count) {
  const crd_array *const weights = &p->parts.weights;
  if (!weights->data) return true;
  for (size_t i = 0; i < count; i++)
    if (crd__data_array_number(weights, crd__data_row_at(p, rows[i]), 0) > 0) return true;
  return false;
}

static crd_status measure(crd_context *ctx, const crd_predictions *p, const size_t *rows,
                          size_t count, const crd_evaluate_options *options,
                          const crd_result **out) {
  crd_predictions *picked;
  *out = NULL;
  if (!weighs(p, rows, count)) return CRD_OK;
  CRD_TRY(crd__data_predictions_pick(ctx, p, rows, count, &picked));
  const crd_status status = crd_evaluate(ctx, picked, options, out);
  crd_predictions_destroy(picked);
  return status;
}

static crd_status reserve(crd_context *ctx, owner *o, size_t more) {
  crd_group *const items =
      crd__resize(crd__arena_allocator(o), o->items, o->table.count + more, sizeof *o->items);
  if (!items) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu groups", more);
  o->table.items = o->items = items;
  return CRD_OK;
}

static crd_status fill(crd_context *ctx, const crd_predictions *p, const crd_group_column *column,
                       const crd__data_groups *groups, const crd_evaluate_options *options,
                       owner *o) {
  CRD_TRY(reserve(ctx, o, groups->count));
  for (size_t g = 0; g < groups->count; g++) {
    const size_t count = groups->start[g + 1] - groups->start[g];
    const crd_result *result;
    CRD_TRY(measure(ctx, p, groups->rows + groups->start[g], count, options, &result));
    CRD_TRY(crd__arena_keep(ctx, o, result, crd__arena_free));
    crd_group *const group = &o->items[o->table.count++];
    *group = (crd_group){ .number = groups->id[g], .rows = count, .result = result };
    CRD_TRY(copy_names(ctx, o, column, group));
  }
  return CRD_OK;
}

/* ---- The columns. */

static crd_status find_column(crd_context *ctx, const crd_predictions *p, const char *name,
                              size_t length, const crd_group_column **out) {
  const crd_predictions_parts *const parts = &p->parts;
  for (size_t i = 0; i < parts->group_column_count; i++) {
    *out = &parts->group_columns[i];
    if (strlen((*out)->name) == length && strncmp((*out)->name, name, length) == 0) return CRD_OK;
  }
  return crd__fail(ctx, CRD_EINPUT, "%s: no group column '%.*s'", parts->name,
                   (int)(length < 60 ? length : 60), name);
}

/* The column that clusters rows is evaluated by default only if it is the only one. */
static bool is_usual(const crd_predictions *p, const crd_group_column *column) {
  const char *const cluster = crd_predictions_cluster(p);
  return p->parts.group_column_count == 1 || !cluster || strcmp(cluster, column->name) != 0;
}

static crd_status add_column(crd_context *ctx, const crd_predictions *p,
                             const crd_group_column *column, const crd_evaluate_options *options,
                             owner *o) {
  crd_evaluate_options chosen = *options;
  crd__data_groups groups;
  CRD_TRY(crd__data_groups_make(ctx, p, column, &groups));
  if (groups.count > GROUPS_WITH_INTERVALS) chosen.resamples = 0;
  const crd_status status = fill(ctx, p, column, &groups, &chosen, o);
  crd__data_groups_clear(&ctx->alloc, &groups);
  return status;
}

static crd_status add_usual(crd_context *ctx, const crd_predictions *p,
                            const crd_evaluate_options *options, owner *o) {
  const crd_predictions_parts *const parts = &p->parts;
  for (size_t i = 0; i < parts->group_column_count; i++)
    if (is_usual(p, &parts->group_columns[i]))
      CRD_TRY(add_column(ctx, p, &parts->group_columns[i], options, o));
  return CRD_OK;
}

static crd_status add_listed(crd_context *ctx, const crd_predictions *p,
                             const crd_evaluate_options *options, owner *o) {
  for (const char *at = options->group_by;; at++) {
    const size_t length = strcspn(at, ",");
    const crd_group_column *column = NULL;
    CRD_TRY(find_column(ctx, p, at, length, &column));
    CRD_TRY(add_column(ctx, p, column, options, o));
    at += length;
    if (*at == '\0') return CRD_OK;
  }
}

crd_status crd_evaluate_groups(crd_context *ctx, const crd_predictions *predictions,
                               const crd_evaluate_options *options, const crd_group_table **out) {
  crd_evaluate_options own;
  owner *o;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_evaluate_options, options, &own));
  if (predictions->parts.group_column_count == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: no groups (an array or column `groups`)",
                     predictions->parts.name);
  CRD_TRY(crd__arena_new(ctx, sizeof *o, "groups", &o));
  const crd_status status =
      own.group_by ? add_listed(ctx, predictions, &own, o) : add_usual(ctx, predictions, &own, o);
  if (status == CRD_OK) *out = &o->table;
  else crd__arena_free(o);
  return status;
}

/*
 * groups.c -- the same measurements for each group of rows.
 *
 * A group's rows are picked, not copied, so that all groups together read every score once more and
 * no memory grows with it. Intervals of very many groups would be most of the work and, the groups
 * being small, say little: beyond GROUPS_WITH_INTERVALS there are none.
 */
#include "data/groups.h"
#include "base/memory.h"
#include "credence/metric.h"
#include "data/view.h"

enum { GROUPS_WITH_INTERVALS = 1000 };

/* The table and everything it points to. */
typedef struct {
  crd_group_table table; /* first: it is destroyed through it */
  crd_allocator alloc;
  crd_group *items;
} owner;

void crd_group_table_destroy(crd_group_table *groups) {
  if (!groups) return;
  owner *const o = (owner *)groups;
  const crd_allocator alloc = o->alloc;
  for (size_t i = 0; i < o->table.count; i++) {
    crd_result_destroy((crd_result *)(uintptr_t)o->items[i].result);
    crd__free(&alloc, (char *)(uintptr_t)o->items[i].name);
  }
  crd__free(&alloc, o->items);
  crd__free(&alloc, o);
}

/* A copy of a group's name, if it has one. */
static crd_status copy_name(crd_context *ctx, const crd_predictions *p, int64_t number,
                            const char **out) {
  const bool named = number >= 0 && (uint64_t)number < p->parts.group_name_count;
  const char *const name = named ? p->parts.group_names[number] : NULL;
  *out = name ? crd__strdup(&ctx->alloc, name) : NULL;
  return *out || !name ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
}

static bool weighs(const crd_predictions *p, const size_t *rows, size_t count) {
  const crd_view *const weights = &p->parts.weights;
  if (!weights->data) return true;
  for (size_t i = 0; i < count; i++)
    if (crd__view_number(weights, crd__row_at(p, rows[i]), 0) > 0) return true;
  return false;
}

static crd_status measure(crd_context *ctx, const crd_predictions *p, const size_t *rows,
                          size_t count, const crd_evaluate_options *options, crd_result **out) {
  crd_predictions *picked;
  *out = NULL;
  if (!weighs(p, rows, count)) return CRD_OK;
  CRD_TRY(crd__predictions_pick(ctx, p, rows, count, &picked));
  const crd_status status = crd_evaluate(ctx, picked, options, out);
  crd_predictions_destroy(picked);
  return status;
}

static crd_status fill(crd_context *ctx, const crd_predictions *p, const crd__groups *groups,
                       const crd_evaluate_options *options, owner *o) {
  CRD_TRY(crd__new(ctx, groups->count, sizeof *o->items, "groups", &o->items));
  o->table.items = o->items;
  for (size_t g = 0; g < groups->count; g++) {
    const size_t count = groups->start[g + 1] - groups->start[g];
    crd_group *const group = &o->items[o->table.count++];
    crd_result *result;
    CRD_TRY(measure(ctx, p, groups->rows + groups->start[g], count, options, &result));
    *group = (crd_group){ .number = groups->id[g], .rows = count, .result = result };
    CRD_TRY(copy_name(ctx, p, groups->id[g], &group->name));
  }
  return CRD_OK;
}

crd_status crd_evaluate_groups(crd_context *ctx, const crd_predictions *predictions,
                               const crd_evaluate_options *options, crd_group_table **out) {
  crd_evaluate_options chosen = options ? *options : (crd_evaluate_options){ 0 };
  crd__groups groups;
  owner *o = NULL;
  *out = NULL;
  CRD_TRY(crd__groups_make(ctx, predictions, &groups));
  if (groups.count > GROUPS_WITH_INTERVALS) chosen.resamples = 0;
  crd_status status = crd__new(ctx, 1, sizeof *o, "groups", &o);
  if (status == CRD_OK) {
    o->alloc = ctx->alloc;
    status = fill(ctx, predictions, &groups, &chosen, o);
  }
  crd__groups_clear(&ctx->alloc, &groups);
  if (status == CRD_OK) *out = &o->table;
  else if (o) crd_group_table_destroy(&o->table);
  return status;
}

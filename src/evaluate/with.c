/*
 * with.c -- results that are shown with more than they were computed with.
 *
 * Results are read-only: what is added makes a new one, a copy of the old one's members, which goes
 * on pointing to the same values.
 */
#include "base/arena.h"
#include "base/options.h"
#include "credence/shift.h"

#include <string.h>

/* ---- Metrics. */

static bool is_named(const char *list, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = list;; at += strcspn(at, ",") + 1) {
    if (strcspn(at, ",") == length && strncmp(at, name, length) == 0) return true;
    if (!strchr(at, ',')) return false;
  }
}

static crd_status check_list(crd_context *ctx, const crd_result *values, const char *list) {
  for (const char *at = list;; at++) {
    const size_t length = strcspn(at, ",");
    size_t i = 0;
    while (i < values->value_count && (strlen(values->values[i].metric->name) != length ||
                                       strncmp(values->values[i].metric->name, at, length) != 0))
      i++;
    if (i == values->value_count)
      return crd__fail(ctx, CRD_EUSAGE, "the result does not have the metric '%.*s'",
                       (int)(length < 60 ? length : 60), at);
    at += length;
    if (*at == '\0') return CRD_OK;
  }
}

static crd_status choose(crd_context *ctx, const crd_result *values, const char *list,
                         crd_result *out) {
  crd_metric_value *chosen;
  if (!list || strcmp(list, "all") == 0) return CRD_OK;
  CRD_TRY(check_list(ctx, values, list));
  CRD_TRY(crd__arena_add(ctx, out, values->value_count, sizeof *chosen, "a result", &chosen));
  out->values = chosen;
  out->value_count = 0;
  for (size_t i = 0; i < values->value_count; i++)
    if (is_named(list, values->values[i].metric->name))
      chosen[out->value_count++] = values->values[i];
  return CRD_OK;
}

/* Tables of groups and shifted sets are shown beside the values, metric by metric. */
static bool fits(const crd_result *result, const crd_result *part) {
  for (size_t i = 0; part && i < result->value_count; i++)
    if (i >= part->value_count || part->values[i].metric != result->values[i].metric) return false;
  return true;
}

static crd_status check_tables(crd_context *ctx, const crd_result *result) {
  const crd_group_table *const groups = result->groups;
  const crd_shift_table *const shift = result->shift;
  bool same = true;
  for (size_t i = 0; groups && i < groups->count; i++)
    same = same && fits(result, groups->items[i].result);
  for (size_t i = 0; shift && i < shift->count; i++)
    same = same && fits(result, shift->items[i].result);
  if (same) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "the groups or shifted sets of %s do not begin with its metrics: evaluate them "
                   "with the same ones",
                   result->name);
}

/* ---- Notes. */

static crd_status join_notes(crd_context *ctx, const crd_result *values,
                             const crd_result_parts *parts, crd_result *out) {
  const char **notes;
  if (!parts->note_count) return CRD_OK;
  const size_t count = parts->note_count + values->note_count;
  CRD_TRY(crd__arena_add(ctx, out, count, sizeof *notes, "notes", &notes));
  for (size_t i = 0; i < count; i++)
    notes[i] = i < parts->note_count ? parts->notes[i] : values->notes[i - parts->note_count];
  out->notes = notes;
  out->note_count = count;
  return CRD_OK;
}

/* ---- Results. */

crd_status crd_result_with(crd_context *ctx, const crd_result *values,
                           const crd_result_parts *parts, const crd_result **out) {
  crd_result_parts p;
  crd_result *result;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_result_parts, parts, &p));
  CRD_TRY(crd__arena_new(ctx, sizeof *result, "a result", &result));
  *result = *values;
  if (p.paired) result->paired = p.paired;
  if (p.groups) result->groups = p.groups;
  if (p.compat) result->compat = p.compat;
  if (p.profile) result->profile = p.profile;
  if (p.operating) result->operating = p.operating;
  if (p.shift) result->shift = p.shift;
  if (p.name) result->name = p.name;
  crd_status status = choose(ctx, values, p.metrics, result);
  if (status == CRD_OK) status = check_tables(ctx, result);
  if (status == CRD_OK) status = join_notes(ctx, values, &p, result);
  if (status == CRD_OK) *out = result;
  else crd__arena_free(result);
  return status;
}

static crd_status add_points(crd_context *ctx, const crd_shift_table *shift,
                             const struct crd_operating_table *const *operating,
                             crd_shift_table *out) {
  crd_shift *items;
  CRD_TRY(crd__arena_add(ctx, out, shift->count, sizeof *items, "shifted sets", &items));
  *out = (crd_shift_table){ .count = shift->count, .items = items };
  for (size_t i = 0; i < shift->count; i++) {
    const crd_result_parts parts = { .size = sizeof parts, .operating = operating[i] };
    items[i] = shift->items[i];
    CRD_TRY(crd_result_with(ctx, shift->items[i].result, &parts, &items[i].result));
    CRD_TRY(crd__arena_keep(ctx, out, items[i].result, crd__arena_free));
  }
  return CRD_OK;
}

crd_status crd_shift_table_with(crd_context *ctx, const crd_shift_table *shift,
                                const struct crd_operating_table *const *operating,
                                const crd_shift_table **out) {
  crd_shift_table *table;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *table, "shifted sets", &table));
  const crd_status status = add_points(ctx, shift, operating, table);
  if (status == CRD_OK) *out = table;
  else crd__arena_free(table);
  return status;
}

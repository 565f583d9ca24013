/*
 * result.c -- reads a result, and checks what forms and figures rely on: groups and differences
 * have the metrics of the result, in the same order.
 */
#include "report/fields.h"
#include "report/json_parts.h"
#include "report/stored/stored.h"

#include <math.h>
#include <string.h>

/* ---- The shape of the rows. */

crd_status crd__report_input_read(crd__report_reader *r, const json_t *object, crd_input *out) {
  const json_t *const json = json_object_get(object, "input");
  for (crd_input input = CRD_INPUT_LOGITS; input <= CRD_INPUT_RANKING; input++) {
    if (!json_is_string(json) || strcmp(crd_input_name(input), json_string_value(json)) != 0)
      continue;
    *out = input;
    return CRD_OK;
  }
  crd__report_enter(r, "input");
  return crd__report_reader_invalid(r, json, "logits, probabilities, confidence or ranking");
}

static crd_status read_binary(crd__report_reader *r, const json_t *object, crd_result *out) {
  const json_t *const json = json_object_get(object, "binary");
  const char *const word = json_is_string(json) ? json_string_value(json) : "";
  out->binary = strcmp(word, "pos") == 0 ? CRD_BINARY_POS : CRD_BINARY_TOP;
  if (out->classes != 2 ? !json : strcmp(word, "pos") == 0 || strcmp(word, "top") == 0)
    return CRD_OK;
  crd__report_enter(r, "binary");
  return crd__report_reader_invalid(
      r, json, out->classes == 2 ? "pos or top" : "nothing, unless classes are 2");
}

crd_status crd__report_shape_read(crd__report_reader *r, const json_t *object, crd_result *out) {
  CRD_TRY(crd__report_member_read(r, object, "classes", &crd__report_kind_some, &out->classes));
  CRD_TRY(crd__report_input_read(r, object, &out->input));
  CRD_TRY(read_binary(r, object, out));
  CRD_TRY(crd__report_member_read(r, object, "bins", &crd__report_kind_count, &out->bin_count));
  return crd__report_member_read(r, object, "weighted", &crd__report_kind_flag, &out->weighted);
}

/* ---- Metrics. */

static crd_status find_metric(crd__report_reader *r, const char *name,
                              const crd_metric_info *expected, const crd_metric_info **out) {
  *out = crd_metric_find(name);
  if (!*out) {
    crd__report_enter(r, name);
    return crd__report_reader_fail(r, "version %s has no such metric", crd_version());
  }
  if (!expected || *out == expected) return CRD_OK;
  crd__report_enter(r, name);
  return crd__report_reader_fail(
      r, "found here, allowed is '%s': the metrics of the result, in its order", expected->name);
}

/* An iterator over an object with one member per metric. */
typedef struct {
  json_t *object;
  void *at;
  size_t index;
} walk;

static crd_status begin(crd__report_reader *r, const json_t *object, const crd_result *like,
                        walk *w) {
  if (!json_is_object(object)) return crd__report_reader_invalid(r, object, "an object");
  *w = (walk){ .object = (json_t *)(uintptr_t)object };
  w->at = json_object_iter(w->object);
  if (!like || json_object_size(object) == like->value_count) return CRD_OK;
  return crd__report_reader_fail(r, "found %zu metrics, allowed are those of the result, %zu",
                                 json_object_size(object), like->value_count);
}

static crd_status step(crd__report_reader *r, walk *w, const crd_result *like,
                       const crd__report_record *record, void *out,
                       const crd_metric_info **metric) {
  const char *const name = json_object_iter_key(w->at);
  const json_t *const json = json_object_iter_value(w->at);
  CRD_TRY(find_metric(r, name, like ? like->values[w->index].metric : NULL, metric));
  const size_t back = crd__report_enter(r, name);
  CRD_TRY(crd__report_object_check(r, json, record, ""));
  CRD_TRY(crd__report_members_read(r, json, record, out));
  crd__report_leave(r, back);
  w->at = json_object_iter_next(w->object, w->at);
  w->index++;
  return CRD_OK;
}

/* JSON cannot hold an infinite value, which is recognised by its reason. */
static void restore_infinity(crd_metric_value *v) {
  if (!isnan(v->value) || !v->reason || strcmp(v->reason, CRD__NOT_FINITE) != 0) return;
  v->value = isinf(v->metric->high) ? (double)INFINITY : -(double)INFINITY;
  v->reason = NULL;
}

crd_status crd__report_metrics_read(crd__report_reader *r, const json_t *metrics,
                                    const crd_result *like, crd_result *out) {
  const size_t back = crd__report_enter(r, "metrics");
  crd_metric_value *values;
  walk w = { 0 };
  CRD_TRY(begin(r, metrics, like, &w));
  CRD_TRY(crd__report_reader_alloc(r, json_object_size(metrics), sizeof *values, &values));
  while (w.at) {
    crd_metric_value *const v = &values[w.index];
    CRD_TRY(step(r, &w, like, &crd__report_record_metric, v, &v->metric));
    if (isnan(v->value) == !v->reason)
      return crd__report_reader_fail(r, "%s: a value or a reason is missing", v->metric->name);
    restore_infinity(v);
  }
  out->value_count = w.index;
  out->values = values;
  crd__report_leave(r, back);
  return CRD_OK;
}

crd_status crd__report_differences_read(crd__report_reader *r, const json_t *differences,
                                        const crd_result *like, crd_comparison *out) {
  crd_difference *items;
  walk w = { 0 };
  CRD_TRY(begin(r, differences, like, &w));
  CRD_TRY(crd__report_reader_alloc(r, like->value_count, sizeof *items, &items));
  while (w.at) {
    crd_difference *const d = &items[w.index];
    CRD_TRY(step(r, &w, like, &crd__report_record_difference, d, &d->metric));
  }
  out->resamples = like->resamples;
  out->count = w.index;
  out->items = items;
  return CRD_OK;
}

/* ---- Bins, texts. */

/* A bin with weight must have confidence and accuracy, which figures draw. */
static crd_status check_bin(crd__report_reader *r, const crd_reliability_bin *bin, double from) {
  if (!(bin->low >= from && bin->low < bin->high))
    return crd__report_reader_fail(r, "its range overlaps the previous bin, or is empty");
  if (isnan(bin->confidence) != isnan(bin->accuracy) || (bin->weight > 0 && isnan(bin->confidence)))
    return crd__report_reader_fail(r, "its confidence or accuracy is missing");
  return CRD_OK;
}

crd_status crd__report_reliability_read(crd__report_reader *r, const json_t *object,
                                        crd_result *out) {
  const json_t *list;
  crd_reliability_bin *bins;
  double weight = 0;
  CRD_TRY(crd__report_array_get(r, object, "reliability", &list));
  const size_t back = crd__report_enter(r, "reliability");
  if (json_array_size(list) != out->bin_count)
    return crd__report_reader_fail(r, "found %zu bins, allowed are as many as in 'bins', %zu",
                                   json_array_size(list), out->bin_count);
  CRD_TRY(crd__report_reader_alloc(r, out->bin_count, sizeof *bins, &bins));
  for (size_t i = 0; i < out->bin_count; i++) {
    const json_t *const json = json_array_get(list, i);
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(crd__report_object_check(r, json, &crd__report_record_bin, ""));
    CRD_TRY(crd__report_members_read(r, json, &crd__report_record_bin, &bins[i]));
    CRD_TRY(check_bin(r, &bins[i], i ? bins[i - 1].high : 0));
    weight += bins[i].weight;
    crd__report_leave(r, here);
  }
  if (out->bin_count && !(weight > 0))
    return crd__report_reader_fail(
        r, "all bins have weight 0, expected fractions of the total weight");
  out->bins = bins;
  crd__report_leave(r, back);
  return CRD_OK;
}

crd_status crd__report_texts_read(crd__report_reader *r, const json_t *object, const char *key,
                                  const char *const **out, size_t *count) {
  const json_t *list;
  const char **texts;
  CRD_TRY(crd__report_array_get(r, object, key, &list));
  *count = json_array_size(list);
  CRD_TRY(crd__report_reader_alloc(r, *count, sizeof *texts, &texts));
  for (size_t i = 0; i < *count; i++) {
    texts[i] = json_string_value(json_array_get(list, i));
    if (texts[i]) continue;
    crd__report_enter(r, key);
    crd__report_enter_item(r, i);
    return crd__report_reader_invalid(r, json_array_get(list, i), "text");
  }
  *out = texts;
  return CRD_OK;
}

/* ---- Groups. */

static crd_status read_group(crd__report_reader *r, const json_t *json, const crd_result *whole,
                             const crd_result *like, crd_group *out) {
  const json_t *const name = json_object_get(json, "group");
  const json_t *const metrics = json_object_get(json, "metrics");
  crd_result *result;
  CRD_TRY(crd__report_object_check(r, json, NULL, "column group n metrics"));
  CRD_TRY(crd__report_member_read(r, json, "column", &crd__report_kind_remark, &out->column));
  CRD_TRY(crd__report_member_read(r, json, "n", &crd__report_kind_count, &out->rows));
  if (json_is_string(name)) out->name = json_string_value(name);
  else if (json_is_integer(name)) out->number = json_integer_value(name);
  else {
    crd__report_enter(r, "group");
    return crd__report_reader_invalid(r, name, "text or an integer");
  }
  if (json_is_null(metrics)) return CRD_OK; /* all weights are 0 */
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *result, &result));
  *result = (crd_result){ .name = whole->name,
                          .rows = out->rows,
                          .classes = whole->classes,
                          .input = whole->input,
                          .binary = whole->binary,
                          .weighted = whole->weighted,
                          .resamples = whole->resamples };
  CRD_TRY(crd__report_metrics_read(r, metrics, like, result));
  out->result = result;
  return CRD_OK;
}

crd_status crd__report_groups_read(crd__report_reader *r, const json_t *object,
                                   const crd_result *whole, const crd_result *like,
                                   const crd_group_table **out) {
  const json_t *list;
  crd_group_table *table;
  crd_group *items;
  *out = NULL;
  CRD_TRY(crd__report_array_get(r, object, "groups", &list));
  if (json_array_size(list) == 0) return CRD_OK;
  const size_t back = crd__report_enter(r, "groups");
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *table, &table));
  CRD_TRY(crd__report_reader_alloc(r, json_array_size(list), sizeof *items, &items));
  *table = (crd_group_table){ .count = json_array_size(list), .items = items };
  for (size_t i = 0; i < table->count; i++) {
    const size_t here = crd__report_enter_item(r, i);
    items[i].number = (int64_t)i; /* for groups with names */
    CRD_TRY(read_group(r, json_array_get(list, i), whole, like, &items[i]));
    if (!like) like = items[i].result;
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  *out = table;
  return CRD_OK;
}

/* ---- The rest of a result. */

static crd_status read_paired(crd__report_reader *r, const json_t *root, crd_result *out) {
  const json_t *const json = json_object_get(root, "paired");
  crd_comparison *comparison;
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "paired");
  CRD_TRY(crd__report_object_check(r, json, NULL, "name difference"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *comparison, &comparison));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &comparison->name));
  crd__report_enter(r, "difference");
  CRD_TRY(crd__report_differences_read(r, json_object_get(json, "difference"), out, comparison));
  out->paired = comparison;
  crd__report_leave(r, back);
  return CRD_OK;
}

/* Reads the kind of intervals; older files do not have it, and use the default. */
static crd_status read_interval(crd__report_reader *r, const json_t *root, crd_result *out) {
  const json_t *const json = json_object_get(root, "interval");
  if (!json) return CRD_OK;
  for (crd_interval i = 0; json_is_string(json) && i <= CRD_INTERVAL_PERCENTILE; i++)
    if (strcmp(json_string_value(json), crd_interval_name(i)) == 0) {
      out->interval = i;
      return CRD_OK;
    }
  crd__report_enter(r, "interval");
  return crd__report_reader_invalid(r, json, "corrected or percentile");
}

crd_status crd__report_clusters_read(crd__report_reader *r, const json_t *root, crd_result *out) {
  const json_t *const json = json_object_get(root, "clusters");
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "clusters");
  CRD_TRY(crd__report_object_check(r, json, NULL, "name count"));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &out->cluster));
  CRD_TRY(crd__report_member_read(r, json, "count", &crd__report_kind_count, &out->clusters));
  crd__report_leave(r, back);
  return CRD_OK;
}

static crd_status read_head(crd__report_reader *r, const json_t *root, crd_result *out) {
  CRD_TRY(crd__report_member_read(r, root, "name", &crd__report_kind_string, &out->name));
  CRD_TRY(crd__report_member_read(r, root, "n", &crd__report_kind_count, &out->rows));
  CRD_TRY(crd__report_shape_read(r, root, out));
  CRD_TRY(crd__report_clusters_read(r, root, out));
  if (!json_object_get(root, "resamples") && !json_object_get(root, "level")) return CRD_OK;
  CRD_TRY(crd__report_member_read(r, root, "resamples", &crd__report_kind_small, &out->resamples));
  const json_t *const level = json_object_get(root, "level");
  if (json_is_real(level) && json_real_value(level) == 0.95) return read_interval(r, root, out);
  crd__report_enter(r, "level");
  return crd__report_reader_invalid(r, level, "0.95");
}

crd_status crd__report_result_read(crd__report_reader *r, const json_t *root,
                                   const crd_result **out) {
  crd_result *result;
  CRD_TRY(crd__report_object_check(r, root, NULL,
                                   "credence version name n " CRD__SHAPE_KEYS
                                   " resamples level interval clusters metrics paired groups shift "
                                   "compat operating_points guarantee reliability profile warnings "
                                   "diagnosis provenance"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *result, &result));
  CRD_TRY(read_head(r, root, result));
  CRD_TRY(crd__report_metrics_read(r, json_object_get(root, "metrics"), NULL, result));
  CRD_TRY(read_paired(r, root, result));
  CRD_TRY(crd__report_shift_read(r, root, result, &result->shift));
  if (json_object_get(root, "groups"))
    CRD_TRY(crd__report_groups_read(r, root, result, result, &result->groups));
  CRD_TRY(crd__report_compat_read(r, root, &result->compat));
  CRD_TRY(crd__report_operating_read(r, root, &result->operating));
  CRD_TRY(crd__report_reliability_read(r, root, result));
  CRD_TRY(crd__report_profile_read(r, root, result, &result->profile));
  CRD_TRY(crd__report_texts_read(r, root, "warnings", &result->notes, &result->note_count));
  *out = result;
  return CRD_OK;
}

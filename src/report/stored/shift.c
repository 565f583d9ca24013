/* shift.c -- reads the shifted sets of a result; they have its metrics, in the same order. */
#include "credence/shift.h"
#include "report/fields.h"
#include "report/stored/stored.h"

#include <string.h>

static crd_status read_rows(crd__report_reader *r, const json_t *json, crd_shift_rows *out) {
  const json_t *const rows = json_object_get(json, "rows");
  for (*out = CRD_SHIFT_PAIRED; *out <= CRD_SHIFT_INDEPENDENT; ++*out)
    if (json_is_string(rows) && strcmp(json_string_value(rows), crd_shift_rows_name(*out)) == 0)
      return CRD_OK;
  crd__report_enter(r, "rows");
  return crd__report_reader_invalid(r, rows, "paired or independent");
}

crd_status crd__report_family_read(crd__report_reader *r, const char *name, const char **family,
                                   double *severity) {
  size_t length;
  char *text;
  *severity = crd_shift_severity(name, &length);
  CRD_TRY(crd__report_reader_alloc(r, length + 1, 1, &text));
  memcpy(text, name, length);
  *family = text;
  return CRD_OK;
}

static crd_status read_set(crd__report_reader *r, const json_t *json, const crd_result *whole,
                           crd_shift *out) {
  crd_result *result;
  crd_comparison *difference;
  CRD_TRY(crd__report_object_check(r, json, NULL,
                                   "name n labelled rows clusters metrics operating_points "
                                   "guarantee difference warnings"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *result, &result));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *difference, &difference));
  *result = (crd_result){ .classes = whole->classes,
                          .input = whole->input,
                          .binary = whole->binary,
                          .weighted = whole->weighted,
                          .resamples = whole->resamples,
                          .interval = whole->interval };
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &result->name));
  CRD_TRY(crd__report_member_read(r, json, "n", &crd__report_kind_count, &result->rows));
  CRD_TRY(crd__report_member_read(r, json, "labelled", &crd__report_kind_flag, &out->labelled));
  CRD_TRY(read_rows(r, json, &out->rows));
  CRD_TRY(crd__report_clusters_read(r, json, result));
  CRD_TRY(crd__report_metrics_read(r, json_object_get(json, "metrics"), whole, result));
  CRD_TRY(crd__report_operating_read(r, json, &result->operating));
  CRD_TRY(crd__report_texts_read(r, json, "warnings", &result->notes, &result->note_count));
  const size_t back = crd__report_enter(r, "difference");
  CRD_TRY(crd__report_differences_read(r, json_object_get(json, "difference"), whole, difference));
  crd__report_leave(r, back);
  difference->name = result->name;
  out->result = result;
  out->difference = difference;
  return CRD_OK;
}

crd_status crd__report_shift_read(crd__report_reader *r, const json_t *root,
                                  const crd_result *whole, const crd_shift_table **out) {
  json_t *const sets = json_object_get(root, "shift");
  crd_shift_table *table;
  crd_shift *items;
  *out = NULL;
  if (!sets) return CRD_OK;
  const size_t back = crd__report_enter(r, "shift");
  if (!json_is_object(sets)) return crd__report_reader_invalid(r, sets, "an object");
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *table, &table));
  CRD_TRY(crd__report_reader_alloc(r, json_object_size(sets), sizeof *items, &items));
  *table = (crd_shift_table){ .count = json_object_size(sets), .items = items };
  for (void *at = json_object_iter(sets); at; at = json_object_iter_next(sets, at), items++) {
    items->name = json_object_iter_key(at);
    CRD_TRY(crd__report_family_read(r, items->name, &items->family, &items->severity));
    const size_t here = crd__report_enter(r, items->name);
    CRD_TRY(read_set(r, json_object_iter_value(at), whole, items));
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  *out = table;
  return CRD_OK;
}

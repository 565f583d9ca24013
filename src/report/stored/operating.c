/* operating.c -- reads operating points and their guarantee. */
#include "report/operating.h"
#include "report/fields.h"
#include "report/stored/stored.h"

#include <math.h>
#include <string.h>

static crd_status read_target(crd__report_reader *r, const json_t *json, crd_target *out) {
  const bool risk = json_object_get(json, "target_risk") != NULL;
  out->kind = risk ? CRD_TARGET_RISK : CRD_TARGET_COVERAGE;
  return crd__report_member_read(r, json, risk ? "target_risk" : "target_coverage",
                                 &crd__report_kind_part, &out->value);
}

static crd_status read_promise(crd__report_reader *r, const json_t *json, crd_promise *out) {
  const char *word = NULL;
  CRD_TRY(crd__report_member_read(r, json, "promise", &crd__report_kind_remark, &word));
  if (!word) return CRD_OK;
  for (crd_promise p = CRD_PROMISE_HOLDS; p <= CRD_PROMISE_UNDECIDED; p++)
    if (strcmp(crd_promise_name(p), word) == 0) *out = p;
  if (*out != CRD_PROMISE_NONE) return CRD_OK;
  crd__report_enter(r, "promise");
  return crd__report_reader_invalid(r, json_object_get(json, "promise"),
                                    "holds, broken or undecided");
}

static crd_status read_rates(crd__report_reader *r, const json_t *json, crd_operating_point *out) {
  const crd__report_rate *rate;
  for (size_t i = 0; (rate = crd__report_operating_rate(i)); i++) {
    const json_t *const one = json_object_get(json, rate->key);
    const size_t back = crd__report_enter(r, rate->key);
    CRD_TRY(crd__report_object_check(r, one, &crd__report_record_proportion, ""));
    CRD_TRY(crd__report_members_read(r, one, &crd__report_record_proportion,
                                     (char *)out + rate->offset));
    crd__report_leave(r, back);
  }
  return CRD_OK;
}

static crd_status read_point(crd__report_reader *r, const json_t *json, bool binary,
                             crd_operating_point *out) {
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_operating,
                                   "target_risk target_coverage promise sensitivity specificity "
                                   "ppv npv"));
  CRD_TRY(read_target(r, json, &out->target));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_operating, out));
  out->coverage.count = out->risk.total = (double)out->accepted;
  out->coverage.total = (double)out->rows;
  if (isnan(out->threshold) && !out->reason)
    return crd__report_reader_fail(r, "a threshold or a reason is missing");
  CRD_TRY(read_promise(r, json, &out->promise));
  return binary ? read_rates(r, json, out) : CRD_OK;
}

static crd_status read_guarantee(crd__report_reader *r, const json_t *json,
                                 crd_operating_table *out) {
  const char *kind, *name;
  const size_t back = crd__report_enter(r, "guarantee");
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_guarantee, "kind level"));
  CRD_TRY(crd__report_member_read(r, json, "kind", &crd__report_kind_text, &kind));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_guarantee, out));
  while ((name = crd_guarantee_name(out->guarantee)) && strcmp(name, kind) != 0) out->guarantee++;
  if (!name) {
    crd__report_enter(r, "kind");
    return crd__report_reader_invalid(r, json_object_get(json, "kind"), "held-out or bootstrap");
  }
  crd__report_leave(r, back);
  return CRD_OK;
}

crd_status crd__report_operating_read(crd__report_reader *r, const json_t *object,
                                      const crd_operating_table **out) {
  const json_t *list;
  crd_operating_table *table;
  crd_operating_point *items;
  *out = NULL;
  if (!json_object_get(object, "operating_points")) return CRD_OK;
  CRD_TRY(crd__report_array_get(r, object, "operating_points", &list));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *table, &table));
  CRD_TRY(crd__report_reader_alloc(r, json_array_size(list), sizeof *items, &items));
  CRD_TRY(read_guarantee(r, json_object_get(object, "guarantee"), table));
  table->binary = json_object_get(json_array_get(list, 0), "sensitivity") != NULL;
  const size_t back = crd__report_enter(r, "operating_points");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(read_point(r, json_array_get(list, i), table->binary != 0, &items[i]));
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  table->count = json_array_size(list);
  table->items = items;
  *out = table;
  return CRD_OK;
}

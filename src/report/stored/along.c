/* along.c -- reads the diagnosis and the provenance that a result or a contest may include. */
#include "report/fields.h"
#include "report/stored/stored.h"

#include <string.h>

/* ---- Diagnoses. */

static crd_status find_severity(crd__report_reader *r, const char *name, crd_severity *out) {
  for (*out = CRD_PROBLEM; *out <= CRD_FINE; (*out)++)
    if (strcmp(crd_severity_name(*out), name) == 0) return CRD_OK;
  return crd__report_reader_fail(
      r, "found the severity '%.20s', allowed are problem, warning, note, fine", name);
}

static crd_status read_finding(crd__report_reader *r, const json_t *json, crd_finding *out) {
  crd__report_finding_row row;
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_finding, ""));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_finding, &row));
  *out = (crd_finding){ .info = crd_finding_find(row.name),
                        .found = row.found,
                        .advice = row.advice,
                        .remedy = row.remedy };
  if (!out->info)
    return crd__report_reader_fail(r, "version %s has no finding '%.60s'", crd_version(), row.name);
  return find_severity(r, row.severity, &out->severity);
}

static crd_status read_findings(crd__report_reader *r, const json_t *object, crd_diagnosis *out) {
  const json_t *list;
  crd_finding *items;
  CRD_TRY(crd__report_array_get(r, object, "findings", &list));
  const size_t back = crd__report_enter(r, "findings");
  out->finding_count = json_array_size(list);
  CRD_TRY(crd__report_reader_alloc(r, out->finding_count, sizeof *items, &items));
  for (size_t i = 0; i < out->finding_count; i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(read_finding(r, json_array_get(list, i), &items[i]));
    crd__report_leave(r, here);
  }
  out->findings = items;
  crd__report_leave(r, back);
  return CRD_OK;
}

crd_status crd__report_diagnosis_read(crd__report_reader *r, const json_t *object,
                                      const crd_diagnosis **out) {
  const json_t *const json = json_object_get(object, "diagnosis");
  crd_diagnosis *d;
  *out = NULL;
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "diagnosis");
  CRD_TRY(crd__report_object_check(r, json, NULL, "name n classes input verdict findings"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *d, &d));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_string, &d->name));
  CRD_TRY(crd__report_member_read(r, json, "n", &crd__report_kind_count, &d->rows));
  CRD_TRY(crd__report_member_read(r, json, "classes", &crd__report_kind_some, &d->classes));
  CRD_TRY(crd__report_input_read(r, json, &d->input));
  CRD_TRY(crd__report_member_read(r, json, "verdict", &crd__report_kind_text, &d->verdict));
  CRD_TRY(read_findings(r, json, d));
  crd__report_leave(r, back);
  *out = d;
  return CRD_OK;
}

/* ---- Provenance. */

crd_status crd__report_provenance_read(crd__report_reader *r, const json_t *object,
                                       const crd_provenance **out) {
  const json_t *const json = json_object_get(object, "provenance"), *list;
  crd_provenance *p;
  crd_source *sources;
  *out = NULL;
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "provenance");
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_provenance, "sources"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *p, &p));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_provenance, p));
  CRD_TRY(crd__report_array_get(r, json, "sources", &list));
  CRD_TRY(crd__report_reader_alloc(r, json_array_size(list), sizeof *sources, &sources));
  crd__report_enter(r, "sources");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(crd__report_object_check(r, json_array_get(list, i), &crd__report_record_source, ""));
    CRD_TRY(crd__report_members_read(r, json_array_get(list, i), &crd__report_record_source,
                                     &sources[i]));
    crd__report_leave(r, here);
  }
  p->source_count = json_array_size(list);
  p->sources = sources;
  crd__report_leave(r, back);
  *out = p;
  return CRD_OK;
}

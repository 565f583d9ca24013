/*
 * compat.c -- reads the values of another package. Its texts (package version, call, reason) are
 * taken from the file, since they describe the comparison at the time of writing.
 */
#include "report/fields.h"
#include "report/stored/stored.h"

static crd_status read_peer(crd__report_reader *r, const json_t *json, const crd_peer **out) {
  const char *name;
  crd_peer *peer;
  CRD_TRY(crd__report_member_read(r, json, "peer", &crd__report_kind_text, &name));
  const crd_peer *const known = crd_peer_find(name);
  if (!known)
    return crd__report_reader_fail(r, "version %s has no peer '%.60s'", crd_version(), name);
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *peer, &peer));
  *peer = *known;
  *out = peer;
  return crd__report_member_read(r, json, "package", &crd__report_kind_text, &peer->package);
}

static crd_status read_value(crd__report_reader *r, const json_t *json, const crd_peer *peer,
                             crd_compat_value *out) {
  crd__report_compat_row row;
  crd_convention *convention;
  CRD_TRY(crd__report_object_check(r, json, &crd__report_record_compat, ""));
  CRD_TRY(crd__report_members_read(r, json, &crd__report_record_compat, &row));
  if (!crd_metric_find(row.metric))
    return crd__report_reader_fail(r, "version %s has no metric '%.60s'", crd_version(),
                                   row.metric);
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *convention, &convention));
  *convention = (crd_convention){ peer, row.metric, row.call, row.why };
  *out = (crd_compat_value){ .convention = convention,
                             .value = row.value,
                             .reason = row.reason,
                             .ours = row.ours,
                             .ours_reason = row.ours_reason };
  return CRD_OK;
}

crd_status crd__report_compat_read(crd__report_reader *r, const json_t *object,
                                   const crd_compat_table **out) {
  const json_t *const json = json_object_get(object, "compat"), *list;
  crd_compat_table *table;
  crd_compat_value *values;
  *out = NULL;
  if (!json) return CRD_OK;
  const size_t back = crd__report_enter(r, "compat");
  CRD_TRY(crd__report_object_check(r, json, NULL, "peer package bins note values"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *table, &table));
  CRD_TRY(read_peer(r, json, &table->peer));
  CRD_TRY(crd__report_member_read(r, json, "bins", &crd__report_kind_small, &table->bins));
  CRD_TRY(crd__report_member_read(r, json, "note", &crd__report_kind_remark, &table->note));
  CRD_TRY(crd__report_array_get(r, json, "values", &list));
  CRD_TRY(crd__report_reader_alloc(r, json_array_size(list), sizeof *values, &values));
  crd__report_enter(r, "values");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(read_value(r, json_array_get(list, i), table->peer, &values[i]));
    crd__report_leave(r, here);
  }
  table->count = json_array_size(list);
  table->values = values;
  crd__report_leave(r, back);
  *out = table;
  return CRD_OK;
}

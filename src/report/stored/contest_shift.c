/* contest_shift.c -- reads the shifted sets of a contest; they have its methods, in the same order,
 * and its metrics. */
#include "report/fields.h"
#include "report/stored/stored.h"

#include <string.h>

static crd_status read_candidate(crd__report_reader *r, const json_t *json, const char *name,
                                 const crd_result *like, crd_shifted_candidate *out) {
  const json_t *const against = json_object_get(json, "against_identity");
  const char *found;
  crd_result *result;
  crd_comparison *comparison;
  CRD_TRY(crd__report_object_check(r, json, NULL,
                                   "name failure metrics operating_points guarantee "
                                   "against_identity"));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &found));
  if (strcmp(found, name) != 0)
    return crd__report_reader_fail(r,
                                   "found '%.60s', allowed is '%.60s': the methods of the "
                                   "contest, in its order",
                                   found, name);
  CRD_TRY(crd__report_member_read(r, json, "failure", &crd__report_kind_remark, &out->failure));
  if (out->failure) return crd__report_object_check(r, json, NULL, "name failure");
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *result, &result));
  result->resamples = like->resamples;
  CRD_TRY(crd__report_metrics_read(r, json_object_get(json, "metrics"), like, result));
  CRD_TRY(crd__report_operating_read(r, json, &result->operating));
  out->result = result;
  if (!against) return CRD_OK;
  const size_t back = crd__report_enter(r, "against_identity");
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *comparison, &comparison));
  comparison->name = name;
  CRD_TRY(crd__report_differences_read(r, against, like, comparison));
  out->against_identity = comparison;
  crd__report_leave(r, back);
  return CRD_OK;
}

static crd_status read_set(crd__report_reader *r, const json_t *json, const crd_contest *contest,
                           crd_contest_shift *out) {
  const json_t *list;
  crd_shifted_candidate *items;
  CRD_TRY(crd__report_object_check(r, json, NULL, "name n methods verdict"));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &out->data_name));
  CRD_TRY(crd__report_member_read(r, json, "n", &crd__report_kind_count, &out->rows));
  CRD_TRY(crd__report_member_read(r, json, "verdict", &crd__report_kind_text, &out->verdict));
  CRD_TRY(crd__report_array_get(r, json, "methods", &list));
  const size_t back = crd__report_enter(r, "methods");
  if (json_array_size(list) != contest->count)
    return crd__report_reader_fail(r, "found %zu methods, allowed are those of the contest, %zu",
                                   json_array_size(list), contest->count);
  CRD_TRY(crd__report_reader_alloc(r, contest->count, sizeof *items, &items));
  for (size_t i = 0; i < contest->count; i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(read_candidate(r, json_array_get(list, i), contest->candidates[i].name,
                           contest->candidates[0].result, &items[i]));
    crd__report_leave(r, here);
  }
  if (!items[0].result)
    return crd__report_reader_fail(
        r, "the result of the first method, which the others are compared with, is missing");
  crd__report_leave(r, back);
  out->candidates = items;
  return CRD_OK;
}

crd_status crd__report_contest_shift_read(crd__report_reader *r, const json_t *root,
                                          crd_contest *out) {
  json_t *const sets = json_object_get(root, "shift");
  crd_contest_shift *items;
  if (!sets) return CRD_OK;
  const size_t back = crd__report_enter(r, "shift");
  if (!json_is_object(sets)) return crd__report_reader_invalid(r, sets, "an object");
  CRD_TRY(crd__report_reader_alloc(r, json_object_size(sets), sizeof *items, &items));
  out->shift_count = json_object_size(sets);
  out->shift = items;
  for (void *at = json_object_iter(sets); at; at = json_object_iter_next(sets, at), items++) {
    items->name = json_object_iter_key(at);
    CRD_TRY(crd__report_family_read(r, items->name, &items->family, &items->severity));
    const size_t here = crd__report_enter(r, items->name);
    CRD_TRY(read_set(r, json_object_iter_value(at), out, items));
    crd__report_leave(r, here);
  }
  crd__report_leave(r, back);
  return CRD_OK;
}

/* contest.c -- reads a contest; every candidate must have the metrics of the first. */
#include "report/fields.h"
#include "report/stored/stored.h"

#include <string.h>

/* Finds the method of a candidate's name, which may have settings in parentheses; an external
 * method has none. */
static crd_status find_method(crd__report_reader *r, const json_t *json, const char *name,
                              const crd_method_info **out) {
  const size_t length = strcspn(name, "(");
  if (json_is_true(json_object_get(json, "external"))) return CRD_OK;
  for (size_t i = 0; (*out = crd_method_at(i)); i++)
    if (strlen((*out)->name) == length && strncmp((*out)->name, name, length) == 0) return CRD_OK;
  return crd__report_reader_fail(r, "version %s has no method '%.60s'", crd_version(), name);
}

static crd_status read_against(crd__report_reader *r, const json_t *json, const char *key,
                               const crd_candidate *candidate, const crd_comparison **out) {
  const json_t *const differences = json_object_get(json, key);
  crd_comparison *comparison;
  if (!differences) return CRD_OK;
  const size_t back = crd__report_enter(r, key);
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *comparison, &comparison));
  comparison->name = candidate->name;
  CRD_TRY(crd__report_differences_read(r, differences, candidate->result, comparison));
  *out = comparison;
  crd__report_leave(r, back);
  return CRD_OK;
}

/* `rows` has the shape of the uncalibrated rows; calibrated ones are probabilities. */
static crd_status read_result(crd__report_reader *r, const json_t *json, const crd_result *rows,
                              const crd_result *like, crd_candidate *out) {
  crd_result *result;
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *result, &result));
  *result = *rows;
  if ((!out->method || strcmp(out->method->name, "identity") != 0) && rows->classes)
    result->input = CRD_INPUT_PROBABILITIES;
  CRD_TRY(crd__report_metrics_read(r, json_object_get(json, "metrics"), like, result));
  CRD_TRY(crd__report_operating_read(r, json, &result->operating));
  CRD_TRY(crd__report_reliability_read(r, json, result));
  CRD_TRY(crd__report_profile_read(r, json, result, &result->profile));
  CRD_TRY(crd__report_texts_read(r, json, "warnings", &result->notes, &result->note_count));
  out->result = result;
  CRD_TRY(read_against(r, json, "against_identity", out, &out->against_identity));
  return read_against(r, json, "against_temperature", out, &out->against_temperature);
}

static crd_status read_candidate(crd__report_reader *r, const json_t *json, const crd_result *rows,
                                 const crd_result *like, crd_candidate *out) {
  CRD_TRY(crd__report_object_check(
      r, json, NULL,
      "name external seconds parameters certificate failure metrics against_identity "
      "against_temperature operating_points guarantee reliability profile warnings"));
  CRD_TRY(crd__report_member_read(r, json, "name", &crd__report_kind_text, &out->name));
  CRD_TRY(find_method(r, json, out->name, &out->method));
  CRD_TRY(crd__report_member_read(r, json, "seconds", &crd__report_kind_number, &out->seconds));
  CRD_TRY(crd__report_fit_read(r, json, out));
  CRD_TRY(crd__report_member_read(r, json, "failure", &crd__report_kind_remark, &out->failure));
  if (!out->failure) return read_result(r, json, rows, like, out);
  return crd__report_object_check(r, json, NULL,
                                  "name external seconds parameters certificate failure");
}

static crd_status read_candidates(crd__report_reader *r, const json_t *root, const crd_result *rows,
                                  crd_contest *out) {
  const json_t *list;
  crd_candidate *items;
  CRD_TRY(crd__report_array_get(r, root, "methods", &list));
  const size_t back = crd__report_enter(r, "methods");
  out->count = json_array_size(list);
  CRD_TRY(crd__report_reader_alloc(r, out->count, sizeof *items, &items));
  for (size_t i = 0; i < out->count; i++) {
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(read_candidate(r, json_array_get(list, i), rows, items[0].result, &items[i]));
    crd__report_leave(r, here);
  }
  if (out->count == 0 || !items[0].result)
    return crd__report_reader_fail(
        r, "the first method, which the others are compared with, is missing");
  out->candidates = items;
  crd__report_leave(r, back);
  return CRD_OK;
}

static crd_status find_candidate(crd__report_reader *r, const char *name,
                                 const crd_contest *contest, const crd_candidate **out) {
  for (size_t i = 0; i < contest->count; i++)
    if (strcmp(contest->candidates[i].name, name) == 0) {
      *out = &contest->candidates[i];
      return CRD_OK;
    }
  return crd__report_reader_fail(r, "'%.60s' is not one of the methods", name);
}

/* Finds a candidate that has a result. */
static crd_status find_judged(crd__report_reader *r, const char *name, const crd_contest *contest,
                              const crd_candidate **out) {
  CRD_TRY(find_candidate(r, name, contest, out));
  return (*out)->result ? CRD_OK : crd__report_reader_fail(r, "'%.60s' failed", name);
}

static crd_status read_rejected(crd__report_reader *r, const json_t *verdict, crd_contest *out) {
  const json_t *list;
  crd_rejection *items;
  CRD_TRY(crd__report_array_get(r, verdict, "rejected", &list));
  const size_t back = crd__report_enter(r, "rejected");
  out->rejected_count = json_array_size(list);
  CRD_TRY(crd__report_reader_alloc(r, out->rejected_count, sizeof *items, &items));
  for (size_t i = 0; i < out->rejected_count; i++) {
    const json_t *const json = json_array_get(list, i);
    const char *name;
    const size_t here = crd__report_enter_item(r, i);
    CRD_TRY(crd__report_object_check(r, json, NULL, "method reason"));
    CRD_TRY(crd__report_member_read(r, json, "method", &crd__report_kind_text, &name));
    CRD_TRY(find_candidate(r, name, out, &items[i].candidate));
    CRD_TRY(crd__report_member_read(r, json, "reason", &crd__report_kind_text, &items[i].reason));
    crd__report_leave(r, here);
  }
  out->rejected = items;
  crd__report_leave(r, back);
  return CRD_OK;
}

/* Older files have the method and the text only. */
static crd_status read_verdict(crd__report_reader *r, const json_t *root, crd_contest *out) {
  const json_t *const json = json_object_get(root, "verdict");
  const char *name, *best = NULL;
  const size_t back = crd__report_enter(r, "verdict");
  CRD_TRY(crd__report_object_check(r, json, NULL, "method score best text rejected"));
  CRD_TRY(crd__report_member_read(r, json, "method", &crd__report_kind_text, &name));
  CRD_TRY(crd__report_member_read(r, json, "text", &crd__report_kind_text, &out->verdict));
  CRD_TRY(find_judged(r, name, out, &out->chosen));
  CRD_TRY(crd__report_member_read(r, json, "score", &crd__report_kind_remark, &out->score));
  CRD_TRY(crd__report_member_read(r, json, "best", &crd__report_kind_remark, &best));
  if (best) CRD_TRY(find_judged(r, best, out, &out->best));
  if (out->score) CRD_TRY(read_rejected(r, json, out));
  crd__report_leave(r, back);
  return CRD_OK;
}

crd_status crd__report_contest_read(crd__report_reader *r, const json_t *root,
                                    const crd_contest **out) {
  crd_contest *c;
  crd_result rows = { 0 };
  CRD_TRY(crd__report_object_check(
      r, root, NULL,
      "credence version calibrate test calibrate_rows n folds resamples " CRD__SHAPE_KEYS
      " clusters methods verdict shift warnings diagnosis provenance"));
  CRD_TRY(crd__report_reader_alloc(r, 1, sizeof *c, &c));
  CRD_TRY(
      crd__report_member_read(r, root, "calibrate", &crd__report_kind_text, &c->calibrate_name));
  CRD_TRY(crd__report_member_read(r, root, "test", &crd__report_kind_text, &c->test_name));
  CRD_TRY(crd__report_member_read(r, root, "calibrate_rows", &crd__report_kind_count,
                                  &c->calibrate_rows));
  CRD_TRY(crd__report_member_read(r, root, "n", &crd__report_kind_count, &c->test_rows));
  CRD_TRY(crd__report_member_read(r, root, "folds", &crd__report_kind_small, &c->folds));
  CRD_TRY(crd__report_member_read(r, root, "resamples", &crd__report_kind_small, &c->resamples));
  CRD_TRY(crd__report_shape_read(r, root, &rows));
  CRD_TRY(crd__report_clusters_read(r, root, &rows));
  rows.name = c->test_name;
  rows.rows = c->test_rows;
  rows.resamples = c->resamples;
  CRD_TRY(read_candidates(r, root, &rows, c));
  CRD_TRY(read_verdict(r, root, c));
  CRD_TRY(crd__report_contest_shift_read(r, root, c));
  CRD_TRY(crd__report_texts_read(r, root, "warnings", &c->notes, &c->note_count));
  *out = c;
  return CRD_OK;
}

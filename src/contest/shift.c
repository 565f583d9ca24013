/*
 * shift.c -- applies calibrators that were fitted on clean data unchanged to shifted sets.
 *
 * On each set, every candidate is compared with the uncalibrated scores of the same rows: paired
 * resamples, p-values corrected for the number of candidates (Holm), as on the test rows. Whether
 * post-hoc calibration survives shift: Ovadia et al. 2019, Can you trust your model's uncertainty?
 */
#include "contest/shift.h"
#include "base/memory.h"
#include "evaluate/results.h"
#include "evaluate/shift.h"

#include <string.h>

static crd_status check_set(crd_context *ctx, const crd_predictions *test,
                            const crd_shift_set *sets, size_t index) {
  const crd_predictions *const p = sets[index].predictions;
  CRD_TRY(crd__evaluate_shift_check(ctx, test, sets, index));
  CRD_TRY(crd__data_class_names_match(ctx, test, p));
  if (crd__evaluate_is_labelled(p)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: no labels, expected the true labels of the shifted set '%s'", p->parts.name,
                   sets[index].name);
}

/* Copies names; the candidates are added by crd__contest_shift_enter. */
static crd_status describe(crd_context *ctx, const crd__contest *t, const crd_shift_set *set,
                           crd_contest_shift *out) {
  out->rows = crd_predictions_rows(set->predictions);
  CRD_TRY(crd__arena_text(ctx, t, set->name, &out->name));
  CRD_TRY(crd__arena_text(ctx, t, crd_predictions_name(set->predictions), &out->data_name));
  return crd__evaluate_shift_family(ctx, t, set->name, &out->family, &out->severity);
}

crd_status crd__contest_shift_open(crd_context *ctx, crd__contest *t,
                                   const crd__contest_rounds *rounds,
                                   const crd_contest_options *options) {
  const size_t count = options->shift_count;
  if (count == 0) return CRD_OK;
  if (rounds->folds)
    return crd__fail(ctx, CRD_EUSAGE,
                     "cross-validation has a calibrator for each fold: none can be applied to "
                     "shifted sets, which need separate calibration and test rows");
  for (size_t s = 0; s < count; s++) CRD_TRY(check_set(ctx, rounds->test, options->shift, s));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->shifted, "shifted sets", &t->shifted));
  CRD_TRY(crd__arena_add(ctx, t, count, sizeof *t->shift, "shifted sets", &t->shift));
  t->contest.shift_count = count;
  t->contest.shift = t->shift;
  for (size_t s = 0; s < count; s++) CRD_TRY(describe(ctx, t, &options->shift[s], &t->shift[s]));
  return CRD_OK;
}

/* ---- One candidate. */

/* Makes room for one more candidate. */
static crd_status extend(crd_context *ctx, const crd__contest *t, crd__contest_shifted *set,
                         size_t candidate) {
  const crd_allocator *const alloc = crd__arena_allocator(t);
  crd_shifted_candidate *const items = crd__resize(alloc, set->items, candidate + 1, sizeof *items);
  if (items) set->items = items;
  crd_evidence **const evidence =
      crd__resize(alloc, set->evidence, candidate + 1, sizeof(crd_evidence *));
  if (evidence) set->evidence = evidence;
  if (!items || !evidence) return crd__fail(ctx, CRD_ENOMEM, "no memory for candidates");
  items[candidate] = (crd_shifted_candidate){ 0 };
  evidence[candidate] = NULL;
  set->count = candidate + 1;
  return CRD_OK;
}

/* The rows with the candidate's scores. Logits are more precise than probabilities near 0, so
 * identity is evaluated on them, numbered like calibrated rows: without those left out for their
 * labels. */
static crd_status calibrate(crd_context *ctx, const crd_candidate *c, const crd_predictions *rows,
                            crd_predictions **out) {
  if (strcmp(c->method->name, "identity") != 0)
    return crd_calibrator_calibrate(ctx, c->calibrator, rows, out);
  CRD_TRY(crd_predictions_view(ctx, rows, out));
  (*out)->numbered = false;
  return CRD_OK;
}

static crd_status measure(crd_context *ctx, const crd_candidate *c, const crd_predictions *rows,
                          const crd_evaluate_options *what, crd_evidence **evidence,
                          crd__evaluate_result **result) {
  crd_predictions *calibrated;
  CRD_TRY(calibrate(ctx, c, rows, &calibrated));
  crd_status status = crd_evidence_gather(ctx, calibrated, what, 0, evidence);
  if (status == CRD_OK) status = crd__evaluate_judge(ctx, *evidence, result);
  if (status == CRD_OK) crd__metric_evidence_free_resamples(*evidence);
  if (status == CRD_OK && c->result->operating) {
    const crd_operating_table *points;
    status = crd_operating_apply(ctx, c->result->operating, calibrated, what->resamples, &points);
    (*result)->shown.operating = points;
    if (status == CRD_OK) status = crd__arena_keep(ctx, *result, points, crd__arena_free);
  }
  crd_predictions_destroy(calibrated);
  return status;
}

/* Errors of the data are the candidate's own, except those of the uncalibrated scores. */
static crd_status add(crd_context *ctx, const crd__contest *t, size_t candidate,
                      const crd_predictions *rows, const crd_evaluate_options *what,
                      crd__contest_shifted *set) {
  const crd_candidate *const c = &t->items[candidate];
  crd_shifted_candidate *const out = &set->items[candidate];
  crd_evidence **const evidence = &set->evidence[candidate];
  crd__evaluate_result *result = NULL;
  if (c->failure) return crd__arena_text(ctx, t, c->failure, &out->failure);
  if (!c->calibrator)
    return crd__arena_text(ctx, t,
                           "it needs more than predictions, so it cannot be applied to these rows",
                           &out->failure);
  const crd_status status = measure(ctx, c, rows, what, evidence, &result);
  if (status == CRD_OK) {
    out->result = &result->shown;
    const crd_status kept = crd__contest_keep_evidence(ctx, t, *evidence);
    CRD_TRY(crd__arena_keep(ctx, t, result, crd__arena_free));
    return kept;
  }
  crd__arena_free(result);
  crd_evidence_destroy(*evidence);
  *evidence = NULL;
  if (candidate == 0) return status;
  if (status != CRD_EINPUT && status != CRD_ENUMERIC && status != CRD_EABSENT) return status;
  return crd__arena_text(ctx, t, crd_context_message(ctx), &out->failure);
}

crd_status crd__contest_shift_enter(crd_context *ctx, crd__contest *t, size_t candidate,
                                    const crd_contest_options *options,
                                    const crd_evaluate_options *what) {
  for (size_t s = 0; s < t->contest.shift_count; s++) {
    crd__contest_shifted *const set = &t->shifted[s];
    CRD_TRY(extend(ctx, t, set, candidate));
    t->shift[s].candidates = set->items;
    CRD_TRY(add(ctx, t, candidate, options->shift[s].predictions, what, set));
  }
  return CRD_OK;
}

/* ---- All candidates. */

static crd_status compare(crd_context *ctx, const crd__contest *t, crd__contest_shifted *set) {
  const size_t count = t->contest.count;
  const crd_comparison **list;
  for (size_t i = 0; i < count; i++)
    CRD_TRY(crd__contest_compare(ctx, t, set->evidence, i, 0, &set->items[i].against_identity));
  CRD_TRY(crd__new(ctx, count, sizeof(const crd_comparison *), "tests", &list));
  for (size_t i = 0; i < count; i++) list[i] = set->items[i].against_identity;
  const crd_status status = crd__contest_correct(ctx, list, count);
  crd__free(&ctx->alloc, list);
  return status;
}

crd_status crd__contest_shift_judge(crd_context *ctx, crd__contest *t) {
  for (size_t s = 0; s < t->contest.shift_count; s++) {
    crd__text text;
    CRD_TRY(compare(ctx, t, &t->shifted[s]));
    crd__text_init(&text, crd__arena_allocator(t));
    crd__contest_shift_say(t, &t->shift[s], &text);
    CRD_TRY(crd__text_status(ctx, &text));
    t->shift[s].verdict = text.bytes;
  }
  return CRD_OK;
}

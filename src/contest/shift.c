/*
 * shift.c -- applies calibrators that were fitted on clean data unchanged to shifted sets.
 *
 * On each set, every candidate is compared with the uncalibrated scores of the same rows: paired
 * resamples, p-values corrected for the number of candidates (Holm), as on the test rows. Whether
 * post-hoc calibration survives shift: Ovadia et al. 2019, Can you trust your model's uncertainty?
 */
#include "contest/shift.h"
#include "base/memory.h"
#include "evaluate/shift.h"

#include <string.h>

static void *unconst(const void *p) { return (void *)(uintptr_t)p; }

void crd__contest_shift_free(crd__contest *t) {
  const crd_allocator *const alloc = &t->alloc;
  for (size_t s = 0; s < t->contest.shift_count; s++) {
    crd__contest_shifted *const set = &t->shifted[s];
    for (size_t i = 0; i < set->count; i++) {
      if (set->items[i].result) crd_operating_destroy(unconst(set->items[i].result->operating));
      crd_result_destroy(unconst(set->items[i].result));
      crd_comparison_destroy(unconst(set->items[i].against_identity));
      crd__free(alloc, unconst(set->items[i].failure));
      crd_evidence_destroy(set->evidence[i]);
    }
    crd__free(alloc, set->items);
    crd__free(alloc, set->evidence);
    crd__free(alloc, unconst(t->shift[s].name));
    crd__free(alloc, unconst(t->shift[s].family));
    crd__free(alloc, unconst(t->shift[s].data_name));
    crd__free(alloc, unconst(t->shift[s].verdict));
  }
  crd__free(alloc, t->shifted);
  crd__free(alloc, t->shift);
}

static crd_status check_set(crd_context *ctx, const crd_predictions *test,
                            const crd_shift_set *sets, size_t index) {
  const crd_predictions *const p = sets[index].predictions;
  CRD_TRY(crd__evaluate_shift_check(ctx, test, sets, index));
  if (crd__evaluate_is_labelled(p)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: no labels, expected the true labels of the shifted set '%s'", p->parts.name,
                   sets[index].name);
}

/* Copies names; the candidates are added by crd__contest_shift_enter. */
static crd_status describe(crd_context *ctx, const crd_shift_set *set, crd_contest_shift *out) {
  out->name = crd__strdup(&ctx->alloc, set->name);
  out->data_name = crd__strdup(&ctx->alloc, crd_predictions_name(set->predictions));
  out->family = crd__evaluate_shift_family(&ctx->alloc, set->name, &out->severity);
  out->rows = crd_predictions_rows(set->predictions);
  if (out->name && out->data_name && out->family) return CRD_OK;
  return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
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
  CRD_TRY(crd__new(ctx, count, sizeof *t->shifted, "shifted sets", &t->shifted));
  CRD_TRY(crd__new(ctx, count, sizeof *t->shift, "shifted sets", &t->shift));
  t->contest.shift_count = count;
  t->contest.shift = t->shift;
  for (size_t s = 0; s < count; s++) CRD_TRY(describe(ctx, &options->shift[s], &t->shift[s]));
  return CRD_OK;
}

/* ---- One candidate. */

/* Makes room for one more candidate. */
static crd_status extend(crd_context *ctx, crd__contest_shifted *set, size_t candidate) {
  crd_shifted_candidate *const items =
      crd__resize(&ctx->alloc, set->items, candidate + 1, sizeof *items);
  if (items) set->items = items;
  crd_evidence **const evidence =
      crd__resize(&ctx->alloc, set->evidence, candidate + 1, sizeof(crd_evidence *));
  if (evidence) set->evidence = evidence;
  if (!items || !evidence) return crd__fail(ctx, CRD_ENOMEM, "no memory for candidates");
  items[candidate] = (crd_shifted_candidate){ 0 };
  evidence[candidate] = NULL;
  set->count = candidate + 1;
  return CRD_OK;
}

static crd_status measure(crd_context *ctx, const crd_candidate *c, const crd_predictions *rows,
                          const crd_evaluate_options *what, crd_evidence **evidence,
                          crd_result **result) {
  crd_predictions *calibrated = NULL;
  /* Logits are more precise than probabilities near 0, so identity is evaluated on them. */
  const bool same = strcmp(c->method->name, "identity") == 0;
  if (!same) CRD_TRY(crd_calibrator_calibrate(ctx, c->calibrator, rows, &calibrated));
  crd_status status = crd_evidence_gather(ctx, same ? rows : calibrated, what, 0, evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, *evidence, result);
  if (status == CRD_OK) crd__metric_evidence_free_resamples(*evidence);
  if (status == CRD_OK && c->result->operating) {
    crd_operating_table *points = NULL;
    status = crd_operating_apply(ctx, c->result->operating, same ? rows : calibrated,
                                 what->resamples, &points);
    (*result)->operating = points;
  }
  crd_predictions_destroy(calibrated);
  return status;
}

static crd_status fail(crd_context *ctx, crd_shifted_candidate *out, const char *reason) {
  out->failure = crd__strdup(&ctx->alloc, reason);
  return out->failure ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a message");
}

/* Errors of the data are the candidate's own, except those of the uncalibrated scores. */
static crd_status add(crd_context *ctx, const crd_candidate *c, bool first,
                      const crd_predictions *rows, const crd_evaluate_options *what,
                      crd_shifted_candidate *out, crd_evidence **evidence) {
  crd_result *result = NULL;
  if (c->failure) return fail(ctx, out, c->failure);
  if (!c->calibrator)
    return fail(ctx, out, "it needs more than predictions, so it cannot be applied to these rows");
  const crd_status status = measure(ctx, c, rows, what, evidence, &result);
  out->result = result;
  if (status == CRD_OK || first) return status;
  if (status != CRD_EINPUT && status != CRD_ENUMERIC && status != CRD_EABSENT) return status;
  crd_evidence_destroy(*evidence);
  *evidence = NULL;
  return fail(ctx, out, crd_context_message(ctx));
}

crd_status crd__contest_shift_enter(crd_context *ctx, crd__contest *t, size_t candidate,
                                    const crd_contest_options *options,
                                    const crd_evaluate_options *what) {
  for (size_t s = 0; s < t->contest.shift_count; s++) {
    crd__contest_shifted *const set = &t->shifted[s];
    CRD_TRY(extend(ctx, set, candidate));
    t->shift[s].candidates = set->items;
    CRD_TRY(add(ctx, &t->items[candidate], candidate == 0, options->shift[s].predictions, what,
                &set->items[candidate], &set->evidence[candidate]));
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
    crd__text_init(&text, &ctx->alloc);
    crd__contest_shift_say(t, &t->shift[s], &text);
    crd_status status = crd__text_status(ctx, &text);
    if (status == CRD_OK) {
      t->shift[s].verdict = crd__strdup(&ctx->alloc, text.bytes);
      if (!t->shift[s].verdict) status = crd__fail(ctx, CRD_ENOMEM, "no memory for a verdict");
    }
    crd__text_clear(&text);
    CRD_TRY(status);
  }
  return CRD_OK;
}

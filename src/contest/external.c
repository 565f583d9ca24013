/*
 * external.c -- methods that are not in the table (crd_external_method): they fit and calibrate
 * with what they need beyond predictions, and hand over the calibrated test rows.
 */
#include "contest/cross.h"

static crd_status keep_learnt(crd_context *ctx, const crd_external_fit *fit,
                              crd__calibrator_learnt *out) {
  for (size_t i = 0; i < fit->learnt_count; i++) {
    const crd_learnt *const each = &fit->learnt[i];
    for (size_t p = 0; p < each->parts; p++)
      CRD_TRY(crd__calibrator_learnt_add(ctx, out, each->name, each->values + each->start[p],
                                         each->start[p + 1] - each->start[p]));
  }
  return CRD_OK;
}

/* Fails unless the calibrated rows are those of the test. */
static crd_status check_rows(crd_context *ctx, const crd__contest_rounds *rounds,
                             const crd__contest_contestant *who, const crd_predictions *found) {
  const size_t rows = crd_predictions_rows(found), classes = crd_predictions_classes(found);
  if (rows == crd_predictions_rows(rounds->test) &&
      classes == crd_predictions_classes(rounds->test))
    return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "%s calibrated %zu rows of %zu classes, the test has %zu rows of %zu", who->name,
                   rows, classes, crd_predictions_rows(rounds->test),
                   crd_predictions_classes(rounds->test));
}

crd_status crd__contest_external_fit(crd_context *ctx, const crd__contest_rounds *rounds,
                                     const crd__contest_contestant *who, crd__contest_trial *out) {
  crd_external_fit fit = { 0 };
  if (rounds->folds)
    return crd__fail(ctx, CRD_EUSAGE, "%s cannot be cross-validated: it has its own test rows",
                     who->name);
  out->external.learnt.alloc = ctx->alloc;
  const crd_status status = who->external->fit(who->external->self, ctx, who->settings, &fit);
  out->calibrated = fit.calibrated;
  CRD_TRY(status);
  out->external.certificate = fit.certificate;
  out->parameters = fit.parameters;
  CRD_TRY(check_rows(ctx, rounds, who, fit.calibrated));
  CRD_TRY(keep_learnt(ctx, &fit, &out->external.learnt));
  return crd_predictions_share_clusters(ctx, out->calibrated, rounds->test);
}

/* evaluation.c -- one set of predictions: metrics, and what further options of evaluate ask for. */
#include "evaluation.h"

#include <string.h>

void cli_evaluation_release(cli_evaluation *f) {
  cli_background_clear(&f->background);
  cli_warnings_clear(&f->warnings);
  crd_profile_destroy(f->profile);
  crd_operating_destroy(f->operating);
  crd_compat_destroy(f->compat);
  crd_group_table_destroy(f->groups);
  crd_shift_table_destroy(f->shift);
  cli_shift_close(&f->shifted);
  crd_comparison_destroy(f->comparison);
  crd_result_destroy(f->whole);
  crd_result_destroy(f->brief);
  crd_result_destroy(f->result);
  crd_result_destroy(f->judged);
  crd_evidence_destroy(f->evidence);
  crd_evidence_destroy(f->other);
  crd_predictions_destroy(f->predictions);
}

static crd_evaluate_options evaluate_options_of(const cli_evaluate_args *a) {
  return (crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                 .metrics = a->metrics, /* with those of the gate */
                                 .bins = a->bins,
                                 .resamples = a->resamples,
                                 .interval = (crd_interval)a->interval,
                                 .paired = a->paired || a->shift.sets.count,
                                 .group_by = a->by_group ? NULL : a->opening.group_by };
}

static crd_status gather(crd_context *ctx, const cli_evaluate_args *a, crd_predictions *predictions,
                         crd_evidence **out) {
  const crd_evaluate_options what = evaluate_options_of(a);
  const crd_recalibration how = { .size = sizeof how, .method = a->recalibrate };
  if (crd_metrics_recalibrated(what.metrics)) {
    const crd_status status = crd_predictions_recalibrate(ctx, predictions, &how);
    if (status != CRD_OK) return status;
  }
  const uint64_t first = a->first_row + crd_predictions_first_row(predictions);
  return crd_evidence_gather(ctx, predictions, &what, first, out);
}

/* The other model's file may lack the columns that describe the rows: groups are taken from the
 * first file, clusters from either. */
static crd_status gather_paired(crd_context *ctx, const cli_evaluate_args *a, cli_evaluation *f) {
  crd_open_options how = cli_opening_options(&a->opening);
  cli_opening opening = a->opening;
  crd_predictions *others = NULL;
  opening.path = a->paired;
  const bool named = how.cluster && strcmp(how.cluster, "none") != 0;
  how.group_by = NULL;
  if (named) how.cluster = NULL;
  crd_status status = crd_predictions_open(ctx, a->paired, &how, &others);
  /* Of other rows, the comparison says which. */
  if (status == CRD_OK &&
      crd_predictions_first_row(others) == crd_predictions_first_row(f->predictions))
    status = crd_predictions_match_labels(ctx, f->predictions, others);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, others, f->predictions);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, f->predictions, others);
  if (status == CRD_OK) status = gather(ctx, a, others, &f->other);
  if (status == CRD_OK) status = cli_warnings_gather(ctx, &opening, others, &f->warnings);
  crd_predictions_destroy(others);
  return status;
}

crd_status cli_evaluation_look_closer(cli_session *session, const cli_evaluate_args *a,
                                      cli_evaluation *f) {
  const crd_profile_options what = { .size = sizeof what,
                                     .bins = a->bins,
                                     .resamples = a->resamples };
  const char *paths[CLI_SOURCES_MAX] = { a->opening.path, a->opening.labels, a->opening.class_names,
                                         a->paired };
  for (size_t i = 0; i < a->shift.sets.count; i++) paths[4 + i] = cli_shift_path(&a->shift, i);
  const crd_status status = crd_profile_make(session->ctx, f->predictions, &what, &f->profile);
  if (status != CRD_OK) return status;
  return cli_background_gather(session, f->predictions, paths, CLI_SOURCES_MAX, 0, &f->background);
}

/* Evaluates the shifted sets, which stay open until the end of the command. */
static crd_status measure_shift(crd_context *ctx, const cli_evaluate_args *a, cli_evaluation *f) {
  if (a->shift.sets.count == 0) return CRD_OK;
  const crd_status status = cli_shift_open(ctx, &a->shift, &a->opening, &f->shifted);
  if (status != CRD_OK) return status;
  return crd_evaluate_shift(ctx, f->predictions, f->evidence, f->shifted.sets, f->shifted.count,
                            (crd_shift_rows)a->shift.rows, &f->shift);
}

/* Finds the operating points, and writes the rows that they accept. */
static crd_status operate(crd_context *ctx, const cli_evaluate_args *a, cli_evaluation *f) {
  const crd_operating_options what = { .size = sizeof what,
                                       .targets = a->goals.items,
                                       .target_count = a->goals.count,
                                       .guarantee = (crd_guarantee)a->guarantee,
                                       .resamples = a->resamples };
  if (a->goals.count == 0) return CRD_OK;
  crd_status status = crd_operating_find(ctx, f->predictions, &what, &f->operating);
  if (status == CRD_OK && f->shift)
    status = crd_operating_apply_shift(ctx, f->operating, f->predictions, f->shifted.sets,
                                       a->resamples, &f->shift);
  if (status != CRD_OK || !a->accepted) return status;
  return crd_operating_save(ctx, f->operating, f->predictions, a->accepted);
}

crd_status cli_evaluation_measure(crd_context *ctx, const cli_evaluate_args *a, cli_evaluation *f) {
  const crd_evaluate_options what = evaluate_options_of(a);
  const crd_open_options how = cli_opening_options(&a->opening);
  crd_status status = crd_predictions_open(ctx, a->opening.path, &how, &f->predictions);
  if (status == CRD_OK)
    status = cli_warnings_gather(ctx, &a->opening, f->predictions, &f->warnings);
  if (status == CRD_OK && a->paired) status = gather_paired(ctx, a, f);
  if (status == CRD_OK) status = gather(ctx, a, f->predictions, &f->evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, f->evidence, &f->judged);
  if (status == CRD_OK && f->other)
    status = crd_evidence_compare(ctx, f->evidence, f->other, &f->comparison);
  if (status == CRD_OK) status = measure_shift(ctx, a, f);
  if (status == CRD_OK && (a->by_group || a->opening.group_by))
    status = crd_evaluate_groups(ctx, f->predictions, &what, &f->groups);
  if (status == CRD_OK && a->compat)
    status = crd_compat(ctx, f->predictions, a->compat, a->bins, &f->compat);
  if (status == CRD_OK) status = operate(ctx, a, f);
  if (status == CRD_OK && a->classes && !cli_story_wanted(&a->story)) {
    const crd_profile_options classes = { .size = sizeof classes,
                                          .parts = CRD_PROFILE_CLASSES,
                                          .bins = a->bins };
    status = crd_profile_make(ctx, f->predictions, &classes, &f->profile);
  }
  if (status != CRD_OK) return status;
  const crd_result_parts parts = { .size = sizeof parts,
                                   .paired = f->comparison,
                                   .groups = f->groups,
                                   .compat = f->compat,
                                   .operating = f->operating,
                                   .shift = f->shift,
                                   .notes = (const char *const *)f->warnings.items,
                                   .note_count = f->warnings.count };
  return crd_result_with(ctx, f->judged, &parts, &f->result);
}

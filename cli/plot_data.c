/* plot_data.c -- computes the data of a figure, by its source. */
#include "plot_data.h"
#include "option.h"

#include <string.h>

typedef struct {
  crd_status (*check)(cli_session *session, const cli_plot_ask *ask, const crd_figure_info *figure,
                      cli_plot_data *data);
  crd_status (*make)(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                     cli_plot_data *data);
} source;

/* ---- Checks that several sources share. */

static crd_status check_unarranged(cli_session *session, const cli_plot_ask *ask,
                                   const crd_figure_info *figure) {
  if (!ask->rows && !ask->perplexity) return CRD_OK;
  return cli_refuse(session, "--rows and --perplexity apply to tsne, not to %s", figure->name);
}

static crd_status check_unshifted(cli_session *session, const cli_plot_ask *ask,
                                  const crd_figure_info *figure) {
  if (ask->shift.sets.count == 0) return CRD_OK;
  return cli_refuse(session, "--shift applies to shift and shift-methods, not to %s", figure->name);
}

static crd_status check_shifted(cli_session *session, const cli_plot_ask *ask,
                                const crd_figure_info *figure) {
  if (ask->shift.sets.count) return cli_shift_check(session, &ask->shift);
  return cli_refuse(session, "%s needs shifted sets: --shift NAME=PRED", figure->name);
}

static crd_status check_single(cli_session *session, const cli_plot_ask *ask,
                               const crd_figure_info *figure, const char *missing) {
  const cli_contest *const c = &ask->contest;
  if (c->calibrate || c->test || c->split || c->folds || c->methods)
    return cli_refuse(session,
                      "--calibrate, --test, --split, --folds and --methods apply to figures that "
                      "compare methods, not to %s",
                      figure->name);
  return c->opening.path ? CRD_OK : cli_refuse(session, "%s", missing);
}

/* ---- A result: one set of predictions, evaluated. */

static const char no_predictions[] = "PRED is missing (the predictions)";

static crd_status check_result(cli_session *session, const cli_plot_ask *ask,
                               const crd_figure_info *figure, cli_plot_data *data) {
  (void)data;
  const crd_status status = check_unarranged(session, ask, figure);
  return status == CRD_OK ? check_single(session, ask, figure, no_predictions) : status;
}

/* Makes the result that figures are drawn from. */
static crd_status join(crd_context *ctx, cli_plot_data *data) {
  const crd_result_parts parts = { .size = sizeof parts,
                                   .profile = data->profile,
                                   .shift = data->shift };
  return crd_result_with(ctx, data->judged, &parts, &data->result);
}

/* Makes the parts of the profile that the figure needs. */
static crd_status look_closer(crd_context *ctx, const cli_plot_ask *ask,
                              const crd_figure_info *figure, const crd_predictions *predictions,
                              cli_plot_data *data) {
  const crd_profile_options what = {
    .size = sizeof what, .parts = figure->profile, .bins = ask->bins, .resamples = ask->resamples
  };
  return figure->profile ? crd_profile_make(ctx, predictions, &what, &data->profile) : CRD_OK;
}

static crd_status measure(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                          cli_plot_data *data) {
  const crd_open_options how = cli_opening_options(&ask->contest.opening);
  const crd_evaluate_options what = {
    .size = sizeof what, .metrics = figure->metrics, .bins = ask->bins, .resamples = ask->resamples
  };
  crd_predictions *predictions = NULL;
  crd_status status = crd_predictions_open(ctx, ask->contest.opening.path, &how, &predictions);
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &what, &data->judged);
  if (status == CRD_OK) status = look_closer(ctx, ask, figure, predictions, data);
  if (status == CRD_OK) status = join(ctx, data);
  crd_predictions_destroy(predictions);
  return status;
}

/* ---- A contest of methods. */

static crd_status check_contest(cli_session *session, const cli_plot_ask *ask,
                                const crd_figure_info *figure, cli_plot_data *data) {
  const crd_status status = check_unarranged(session, ask, figure);
  return status == CRD_OK ? cli_contest_check(session, &ask->contest, &data->share) : status;
}

static crd_status compete(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                          cli_plot_data *data) {
  const crd_status status = cli_shift_open(ctx, &ask->shift, &ask->contest.opening, &data->shifted);
  if (status != CRD_OK) return status;
  const crd_contest_options what = { .size = sizeof what,
                                     .methods = ask->contest.methods,
                                     .metrics = figure->metrics,
                                     .bins = ask->bins,
                                     .resamples = ask->resamples,
                                     .shift = data->shifted.sets,
                                     .shift_count = data->shifted.count };
  return cli_contest_hold(ctx, &ask->contest, data->share, &what, &data->contest);
}

/* ---- The same with shifted sets. */

static crd_status check_shift(cli_session *session, const cli_plot_ask *ask,
                              const crd_figure_info *figure, cli_plot_data *data) {
  const crd_status status = check_result(session, ask, figure, data);
  return status == CRD_OK ? check_shifted(session, ask, figure) : status;
}

static crd_status measure_shift(crd_context *ctx, const cli_plot_ask *ask,
                                const crd_figure_info *figure, cli_plot_data *data) {
  const crd_open_options how = cli_opening_options(&ask->contest.opening);
  const crd_evaluate_options what = { .size = sizeof what,
                                      .metrics = figure->metrics,
                                      .bins = ask->bins };
  crd_predictions *predictions = NULL;
  crd_evidence *evidence = NULL;
  crd_status status = crd_predictions_open(ctx, ask->contest.opening.path, &how, &predictions);
  if (status == CRD_OK)
    status = cli_shift_open(ctx, &ask->shift, &ask->contest.opening, &data->shifted);
  if (status == CRD_OK) status = crd_evidence_gather(ctx, predictions, &what, 0, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, &data->judged);
  if (status == CRD_OK)
    status = crd_evaluate_shift(ctx, predictions, evidence, data->shifted.sets, data->shifted.count,
                                CRD_SHIFT_INDEPENDENT, &data->shift);
  if (status == CRD_OK) status = join(ctx, data);
  crd_evidence_destroy(evidence);
  crd_predictions_destroy(predictions);
  return status;
}

static crd_status check_shifted_contest(cli_session *session, const cli_plot_ask *ask,
                                        const crd_figure_info *figure, cli_plot_data *data) {
  const crd_status status = check_contest(session, ask, figure, data);
  return status == CRD_OK ? check_shifted(session, ask, figure) : status;
}

/* ---- A calibrator, from its file. */

static crd_status check_calibrator(cli_session *session, const cli_plot_ask *ask,
                                   const crd_figure_info *figure, cli_plot_data *data) {
  (void)data;
  const crd_status status = check_unarranged(session, ask, figure);
  return status == CRD_OK ? check_single(session, ask, figure, "the calibrator's file is missing")
                          : status;
}

static crd_status load(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                       cli_plot_data *data) {
  (void)figure;
  return crd_calibrator_load(ctx, ask->contest.opening.path, &data->calibrator);
}

/* ---- A 2-D embedding of one set of predictions. */

static crd_status check_embedding(cli_session *session, const cli_plot_ask *ask,
                                  const crd_figure_info *figure, cli_plot_data *data) {
  (void)data;
  return check_single(session, ask, figure, no_predictions);
}

static crd_status arrange(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                          cli_plot_data *data) {
  crd_open_options how = cli_opening_options(&ask->contest.opening);
  const crd_embed_options what = { .size = sizeof what,
                                   .rows = ask->rows,
                                   .perplexity = ask->perplexity };
  crd_predictions *predictions = NULL;
  (void)figure;
  how.features = 1;
  crd_status status = crd_predictions_open(ctx, ask->contest.opening.path, &how, &predictions);
  if (status == CRD_OK) status = crd_embed(ctx, predictions, &what, &data->embedding);
  crd_predictions_destroy(predictions);
  return status;
}

/* ---- The record of a training run. */

static crd_status check_run(cli_session *session, const cli_plot_ask *ask,
                            const crd_figure_info *figure, cli_plot_data *data) {
  (void)data;
  const crd_status status = check_unarranged(session, ask, figure);
  return status == CRD_OK
             ? check_single(session, ask, figure, "the record of a run is missing (m.run.json)")
             : status;
}

static crd_status recall(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                         cli_plot_data *data) {
  (void)figure;
  return crd_run_load(ctx, ask->contest.opening.path, &data->run);
}

/* ---- The perturbation of a clamp, from its file. */

static crd_status check_clamp(cli_session *session, const cli_plot_ask *ask,
                              const crd_figure_info *figure, cli_plot_data *data) {
  (void)data;
  const crd_status status = check_unarranged(session, ask, figure);
  return status == CRD_OK
             ? check_single(session, ask, figure, "the file of 'credence clamp' is missing")
             : status;
}

static crd_status load_clamp(crd_context *ctx, const cli_plot_ask *ask,
                             const crd_figure_info *figure, cli_plot_data *data) {
  const char *const path = ask->contest.opening.path;
  (void)figure;
  const crd_status status = crd_clamp_load(ctx, path, &data->clamp);
  if (status != CRD_OK) return status;
  const crd_clamp_summary *const s = crd_clamp_describe(data->clamp);
  data->perturbation = (crd_perturbation){
    .name = path, .rank = s->rank, .values = s->delta, .temperature = s->temperature
  };
  memcpy(data->perturbation.dims, s->dims, sizeof s->dims);
  return CRD_OK;
}

/* ---- Figures of other commands, which take several files. */

static crd_status check_elsewhere(cli_session *session, const cli_plot_ask *ask,
                                  const crd_figure_info *figure, cli_plot_data *data) {
  (void)ask, (void)data;
  return cli_refuse(session, "'credence %s --plot FILE.svg' draws %s",
                    figure->source == CRD_FIGURE_OF_LEARNED ? "learned" : "calibratability",
                    figure->name);
}

/* ---- All sources. */

static const source sources[] = {
  [CRD_FIGURE_OF_RESULT] = { check_result, measure },
  [CRD_FIGURE_OF_PROFILE] = { check_result, measure },
  [CRD_FIGURE_OF_CONTEST] = { check_contest, compete },
  [CRD_FIGURE_OF_CALIBRATOR] = { check_calibrator, load },
  [CRD_FIGURE_OF_EMBEDDING] = { check_embedding, arrange },
  [CRD_FIGURE_OF_RUN] = { check_run, recall },
  [CRD_FIGURE_OF_PERTURBATION] = { check_clamp, load_clamp },
  [CRD_FIGURE_OF_SHIFT] = { check_shift, measure_shift },
  [CRD_FIGURE_OF_SHIFTED_CONTEST] = { check_shifted_contest, compete },
  [CRD_FIGURE_OF_CALIBRATABILITY] = { check_elsewhere, NULL },
  [CRD_FIGURE_OF_LEARNED] = { check_elsewhere, NULL },
};

static bool takes_shift(const crd_figure_info *figure) {
  return figure->source == CRD_FIGURE_OF_SHIFT || figure->source == CRD_FIGURE_OF_SHIFTED_CONTEST;
}

crd_status cli_plot_check(cli_session *session, const cli_plot_ask *ask,
                          const crd_figure_info *figure, cli_plot_data *data) {
  const crd_status status = takes_shift(figure) ? CRD_OK : check_unshifted(session, ask, figure);
  if (status != CRD_OK) return status;
  return sources[figure->source].check(session, ask, figure, data);
}

crd_status cli_plot_make(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                         cli_plot_data *data) {
  return sources[figure->source].make(ctx, ask, figure, data);
}

crd_figure_data cli_plot_drawn_from(const cli_plot_data *data) {
  return (crd_figure_data){ .size = sizeof(crd_figure_data),
                            .result = data->result,
                            .contest = data->contest,
                            .calibrator = data->calibrator,
                            .embedding = data->embedding,
                            .run = data->run,
                            .perturbation = data->clamp ? &data->perturbation : NULL };
}

void cli_plot_release(cli_plot_data *data) {
  crd_profile_destroy(data->profile);
  crd_shift_table_destroy(data->shift);
  cli_shift_close(&data->shifted);
  crd_result_destroy(data->result);
  crd_result_destroy(data->judged);
  crd_contest_destroy(data->contest);
  crd_calibrator_destroy(data->calibrator);
  crd_embedding_destroy(data->embedding);
  crd_run_destroy(data->run);
  crd_clamp_destroy(data->clamp);
}

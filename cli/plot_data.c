/* plot_data.c -- from options to what a figure is drawn from. */
#include "plot_data.h"
#include "option.h"

typedef struct {
  crd_status (*check)(cli_session *session, const cli_plot_ask *ask, const crd_figure_info *figure,
                      cli_plot_data *data);
  crd_status (*make)(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                     cli_plot_data *data);
} source;

/* ---- A result: one set of predictions, measured. */

static crd_status check_alone(cli_session *session, const cli_plot_ask *ask,
                              const crd_figure_info *figure, cli_plot_data *data) {
  const cli_contest *const c = &ask->contest;
  (void)data;
  if (c->calibrate || c->test || c->split || c->folds || c->methods)
    return cli_refuse(session,
                      "--calibrate, --test, --split, --folds and --methods go with a figure that "
                      "compares methods, not with %s",
                      figure->name);
  return c->opening.path ? CRD_OK : cli_refuse(session, "PRED is missing (the predictions)");
}

/* With the parts of its profile that the figure names. */
static crd_status look_closer(crd_context *ctx, const cli_plot_ask *ask,
                              const crd_figure_info *figure, const crd_predictions *predictions,
                              cli_plot_data *data) {
  const crd_profile_options what = { .parts = figure->profile,
                                     .bins = ask->bins,
                                     .resamples = ask->resamples };
  if (!figure->profile) return CRD_OK;
  const crd_status status = crd_profile_make(ctx, predictions, &what, &data->profile);
  data->result->profile = data->profile;
  return status;
}

static crd_status measure(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                          cli_plot_data *data) {
  const crd_open_options how = cli_opening_options(&ask->contest.opening);
  const crd_evaluate_options what = { .metrics = figure->metrics,
                                      .bins = ask->bins,
                                      .resamples = ask->resamples };
  crd_predictions *predictions = NULL;
  crd_status status = crd_predictions_open(ctx, ask->contest.opening.path, &how, &predictions);
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &what, &data->result);
  if (status == CRD_OK) status = look_closer(ctx, ask, figure, predictions, data);
  crd_predictions_destroy(predictions);
  return status;
}

/* ---- A contest of methods. */

static crd_status check_contest(cli_session *session, const cli_plot_ask *ask,
                                const crd_figure_info *figure, cli_plot_data *data) {
  (void)figure;
  return cli_contest_check(session, &ask->contest, &data->share);
}

static crd_status compete(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                          cli_plot_data *data) {
  const crd_contest_options what = { .methods = ask->contest.methods,
                                     .metrics = figure->metrics,
                                     .bins = ask->bins,
                                     .resamples = ask->resamples };
  return cli_contest_hold(ctx, &ask->contest, data->share, &what, &data->contest);
}

/* ---- All sources. */

static const source sources[] = {
  [CRD_FIGURE_OF_RESULT] = { check_alone, measure },
  [CRD_FIGURE_OF_PROFILE] = { check_alone, measure },
  [CRD_FIGURE_OF_CONTEST] = { check_contest, compete },
};

crd_status cli_plot_check(cli_session *session, const cli_plot_ask *ask,
                          const crd_figure_info *figure, cli_plot_data *data) {
  return sources[figure->source].check(session, ask, figure, data);
}

crd_status cli_plot_make(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                         cli_plot_data *data) {
  return sources[figure->source].make(ctx, ask, figure, data);
}

crd_figure_data cli_plot_drawn_from(const cli_plot_data *data) {
  return (crd_figure_data){ .result = data->result, .contest = data->contest };
}

void cli_plot_release(cli_plot_data *data) {
  crd_profile_destroy(data->profile);
  crd_result_destroy(data->result);
  crd_contest_destroy(data->contest);
}

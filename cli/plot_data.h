/*
 * plot_data.h -- what a figure is drawn from, made from options.
 *
 * plot_data.c has a row for each source of figures: which options go with it, and how it is made.
 */
#ifndef CLI_PLOT_DATA_H
#define CLI_PLOT_DATA_H

#include "contest.h"

/* What was asked for. */
typedef struct {
  cli_contest contest;
  unsigned bins, resamples;
  unsigned rows, perplexity; /* 0: not given */
} cli_plot_ask;

/* What was made of it: only what the figure is drawn from is there. */
typedef struct {
  double share; /* of rows to fit on, for a contest */
  crd_result *result;
  crd_profile *profile; /* the result's */
  crd_contest *contest;
  crd_calibrator *calibrator;
  crd_embedding *embedding;
} cli_plot_data;

/* Refuses options that do not go with the figure; data is all zero before. */
crd_status cli_plot_check(cli_session *session, const cli_plot_ask *ask,
                          const crd_figure_info *figure, cli_plot_data *data);
crd_status cli_plot_make(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                         cli_plot_data *data);
crd_figure_data cli_plot_drawn_from(const cli_plot_data *data);
void cli_plot_release(cli_plot_data *data);

#endif

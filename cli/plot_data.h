/*
 * plot_data.h -- computes or reads what a figure is drawn from: a result, contest, calibrator,
 * embedding, run or perturbation.
 *
 * plot_data.c has an entry for each source of figures: which options it takes, and how to make it.
 */
#ifndef CLI_PLOT_DATA_H
#define CLI_PLOT_DATA_H

#include "contest.h"
#include "shift.h"

/* The options. */
typedef struct {
  cli_contest contest;
  cli_shift shift;
  unsigned bins, resamples;
  unsigned rows, perplexity; /* 0: not given */
} cli_plot_ask;

/* What the figure is drawn from; the rest is NULL. */
typedef struct {
  double share;               /* fraction of rows to fit on, for a contest */
  const crd_result *judged;   /* the values */
  const crd_result *result;   /* the same with profile and shifted sets */
  const crd_profile *profile; /* the result's */
  cli_shifted shifted;
  const crd_shift_table *shift; /* the result's */
  const crd_contest *contest;
  crd_calibrator *calibrator;
  const crd_embedding *embedding;
  const crd_run *run;
  crd_clamp *clamp;
  crd_perturbation perturbation; /* of the clamp */
} cli_plot_data;

/* Fails if options do not apply to the figure; data must be zeroed. */
crd_status cli_plot_check(cli_session *session, const cli_plot_ask *ask,
                          const crd_figure_info *figure, cli_plot_data *data);
crd_status cli_plot_make(crd_context *ctx, const cli_plot_ask *ask, const crd_figure_info *figure,
                         cli_plot_data *data);
crd_figure_data cli_plot_drawn_from(const cli_plot_data *data);
void cli_plot_release(cli_plot_data *data);

#endif

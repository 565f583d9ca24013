/* evaluation.h -- one set of predictions, evaluated as the options of 'credence evaluate' ask. */
#ifndef CLI_EVALUATION_H
#define CLI_EVALUATION_H

#include "background.h"
#include "opening.h"
#include "shift.h"
#include "show.h"
#include "targets.h"
#include "warn.h"

/* Arguments of the command. */
typedef struct {
  cli_words operands;  /* the models */
  cli_opening opening; /* its path is that of one model */
  const char *metrics, *state, *paired, *compat, *recalibrate, *accepted;
  cli_targets targets;
  cli_target_list goals; /* the targets, parsed */
  cli_joined gate;
  unsigned bins, resamples, interval, guarantee, threads, first_row;
  bool by_group, classes;
  cli_shift shift;
  cli_story story;
  cli_look look;
} cli_evaluate_args;

/* All that is computed of one set of predictions; release frees it. */
typedef struct {
  crd_predictions *predictions;
  crd_evidence *evidence, *other;
  const crd_result *judged; /* the values */
  const crd_result *result; /* the same with all requested parts */
  const crd_result *brief;  /* as reports show it ... */
  const crd_result *whole;  /* ... and pages */
  const crd_comparison *comparison;
  const crd_group_table *groups;
  cli_shifted shifted;
  const crd_shift_table *shift;
  const crd_compat_table *compat;
  const crd_profile *profile;
  const crd_operating_table *operating;
  cli_background background;
  cli_warnings warnings; /* findings of the quick diagnosis */
} cli_evaluation;

/* Opens and evaluates the predictions a->opening.path. Release with release, also after failure. */
crd_status cli_evaluation_measure(crd_context *ctx, const cli_evaluate_args *a, cli_evaluation *f);
/* Gathers what the HTML page shows besides the metrics. */
crd_status cli_evaluation_look_closer(cli_session *session, const cli_evaluate_args *a,
                                      cli_evaluation *f);
void cli_evaluation_release(cli_evaluation *f);

#endif

/* fit.h -- a fit from settings to summary, in steps. */
#ifndef CRD_CLAMP_FIT_H
#define CRD_CLAMP_FIT_H

#include "clamp/clamp.h"

typedef struct {
  const crd_clamp_options *options;
  crd__clamp_settings settings;
  crd__clamp_rule rule;
  bool automatic; /* lambda is not given */
  crd__clamp_chain chain;
  const crd_dataset *data;
  crd_dataset *matched; /* the data with the network's classes; NULL: it has them */
  crd_loss *loss;
  crd__clamp_pass pass;
  crd__clamp_meter meter;
  crd__clamp_goal goal;
  crd__clamp_point point;
  float *low, *high;   /* the valid range of each element */
  float *plain_logits; /* without perturbation */
  double initial_loss;
  double started;
  double pass_seconds; /* of the first pass, forward only */
  bool settled;        /* gamma was chosen, and delta found with it */
  crd_clamp *out;
} crd__clamp_fit;

/* Returns seconds of a clock that never goes back. */
double crd__clamp_now(void);

/* ---- measure.c */

/* Runs all rows without perturbation: logits, initial loss, the quality before and of temperature
 * scaling. */
crd_status crd__clamp_measure_plain(crd_context *ctx, crd__clamp_fit *fit);
/* Measures temperature scaling with a gamma, whose loss the pass has. */
crd_status crd__clamp_measure_scaling(crd_context *ctx, crd__clamp_fit *fit, double gamma);
/* Runs all rows at the fitted point, and measures that. */
crd_status crd__clamp_measure_clamped(crd_context *ctx, crd__clamp_fit *fit);

/* ---- gamma.c */

/* Returns the weight of the penalty in the mean objective. */
double crd__clamp_weight(const crd__clamp_fit *fit, double lambda, double initial_loss);
/* Returns what fits on parts of the data have in common with this one. */
crd__clamp_contest crd__clamp_contest_of(crd__clamp_fit *fit);
/* Chooses gamma, if there is a rule for it. Sets gamma, lambda, and what depends on them; delta, if
 * the choice ends with one (fit->settled). */
crd_status crd__clamp_select_gamma(crd_context *ctx, crd__clamp_fit *fit);

#endif

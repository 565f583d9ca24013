/* select.h -- chooses gamma by the expected calibration error. */
#ifndef CRD_CLAMP_SELECT_H
#define CRD_CLAMP_SELECT_H

#include "clamp/choose.h"
#include "clamp/settings.h"

enum { CRD__CLAMP_GAMMAS = 21 };

/* Returns the gamma at an index: 0, 0.05, ..., 1. */
double crd__clamp_gamma(size_t index);

/* What is searched. */
typedef struct {
  const crd__clamp_contest *contest; /* its goal's passes are those of one fit */
  crd__clamp_rule rule;
  double lambda;
  double weights[CRD__CLAMP_GAMMAS]; /* of the penalty in the mean objective, for each gamma */
  const double *start;               /* where delta begins, for the first gamma */
} crd__clamp_search;

/* What was found. */
typedef struct {
  crd_clamp_selection *items; /* the caller's, CRD__CLAMP_GAMMAS */
  size_t count;
  size_t best, scaling_best; /* lowest ece, and lowest temperature_ece */
  crd_clamp_change ece_change;
  /* The fit with the best gamma; its delta is the caller's. Of folds, the mean of their deltas:
   * where to go on after an interrupt. */
  crd__clamp_point point;
  bool interrupted; /* some gammas were not tried */
} crd__clamp_selected;

/* Tries all gammas, for clamping and for temperature scaling, each on rows as the rule has it. An
 * interrupt ends the search; it is no failure if at least one gamma was tried. */
crd_status crd__clamp_select(crd_context *ctx, const crd__clamp_search *search,
                             const crd_dataset *data, crd__clamp_selected *out);
/* Returns the largest number of rows that it runs, for progress. */
uint64_t crd__clamp_select_rows(const crd__clamp_settings *settings, crd__clamp_rule rule,
                                size_t rows);
/* Returns the number of fits. */
unsigned crd__clamp_select_fits(const crd__clamp_settings *settings, crd__clamp_rule rule);

#endif

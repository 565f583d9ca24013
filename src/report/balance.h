/* balance.h -- whether calibration and refinement changed, in words. */
#ifndef CRD_REPORT_BALANCE_H
#define CRD_REPORT_BALANCE_H

#include "base/text.h"
#include "credence/evaluate.h"

typedef enum {
  CRD__CHANGE_NONE, /* not beyond chance */
  CRD__CHANGE_BETTER,
  CRD__CHANGE_WORSE,
  CRD__CHANGE_UNKNOWN /* without a value, or without resamples */
} crd__report_change;

/* Returns whether a difference is beyond chance (p < 0.05), and in which direction. */
crd__report_change crd__report_change_of(const crd_difference *difference);

/* The differences that stand for calibration and for refinement: the first of ece, aece, sce,
 * smece, ... and of auroc, aurc, ... that the comparison has; NULL: none. */
typedef struct {
  const crd_difference *calibration, *refinement;
} crd__report_balance;
crd__report_balance crd__report_balance_of(const crd_comparison *comparison);

/*
 * Appends a sentence without its full stop: "calibration is better (ece -0.0432, -0.0501 to
 * -0.0364), refinement does not change beyond chance (auroc ...)", with 95 % intervals. Returns
 * false, and appends nothing, if the comparison lacks either.
 */
bool crd__report_balance_add(crd__text *out, const crd_comparison *comparison);
/* The same in few words, without numbers: "calibration better, refinement worse". */
bool crd__report_balance_brief(crd__text *out, const crd_comparison *comparison);

#endif

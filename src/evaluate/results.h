/* results.h -- results and comparisons in the making: their values can still be changed. */
#ifndef CRD_EVALUATE_RESULTS_H
#define CRD_EVALUATE_RESULTS_H

#include "base/text.h"
#include "credence/evaluate.h"

/* A result in its arena (base/arena.h). */
typedef struct {
  crd_result shown;
  crd_metric_value *values;
  crd_reliability_bin *bins;
  crd__notes notes;
} crd__evaluate_result;

/* As crd_evidence_judge. */
crd_status crd__evaluate_judge(crd_context *ctx, crd_evidence *evidence,
                               crd__evaluate_result **out);

/* A comparison in its arena. */
typedef struct {
  crd_comparison shown;
  crd_difference *items;
} crd__evaluate_comparison;

/* Creates a comparison of the evidence's metrics whose values are all NaN. */
crd_status crd__evaluate_comparison_new(crd_context *ctx, const crd_evidence *evidence,
                                        const crd_evidence *other, crd__evaluate_comparison **out);
/* As crd_evidence_compare. */
crd_status crd__evaluate_compare(crd_context *ctx, crd_evidence *evidence, crd_evidence *other,
                                 crd__evaluate_comparison **out);

#endif

/* shift.h -- differences between a shifted set and the original. */
#ifndef CRD_EVALUATE_SHIFT_H
#define CRD_EVALUATE_SHIFT_H

#include "credence/shift.h"
#include "evaluate/results.h"
#include "metric/evidence.h"

/* Returns whether the predictions have true labels, or know which rows are correct. */
bool crd__evaluate_is_labelled(const crd_predictions *predictions);

/* Sets *family to a copy, in the arena of `object`, of the name without its severity. */
crd_status crd__evaluate_shift_family(crd_context *ctx, const void *object, const char *name,
                                      const char **family, double *severity);
/* Fails unless a set has a name that none before it has, rows, and the classes of the original. */
crd_status crd__evaluate_shift_check(crd_context *ctx, const crd_predictions *original,
                                     const crd_shift_set *sets, size_t index);

/*
 * Computes shifted minus original (shift_difference.c). `paired`: both have the same rows, and the
 * same draws in every resample. Otherwise resamples are differences of unrelated draws, unless
 * clusters of the same name occur in both. Fails like crd_evidence_compare.
 */
crd_status crd__evaluate_shift_difference(crd_context *ctx, crd_evidence *original,
                                          crd_evidence *shifted, bool paired,
                                          crd__evaluate_comparison **out);

#endif

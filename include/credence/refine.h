/*
 * credence/refine.h -- scores that separate right from wrong predictions better than the largest
 * probability does: TrustScore.
 *
 * These functions are in libcredence-nn. The TrustScore of a row x with the predicted class c is
 *
 *   min over classes k != c of d_k(x)  /  (d_c(x) + 1e-12)
 *
 * where d_k is the Euclidean distance from x to the nearest training row of class k. Before, the
 * fraction alpha of the rows of each class that lie in its sparsest regions is left out: those
 * whose k-th nearest row of the class, counting the row itself, is farthest away.
 *
 * Jiang, Kim, Guan, Gupta 2018, To trust or not to trust a classifier. The score is not negative
 * and has no bound: it ranks predictions (CRD_INPUT_RANKING) and is not a probability.
 */
#ifndef CREDENCE_REFINE_H
#define CREDENCE_REFINE_H

#include "credence/calibrator.h"
#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the number of settings of TrustScore: k, alpha, neighbour. */
CRD_API size_t crd_trust_setting_count(void);
/** Returns the setting at an index, or NULL past the end. */
CRD_API const crd_setting_info *crd_trust_setting_at(size_t index);
/** Returns the setting of a name, or NULL. */
CRD_API const crd_setting_info *crd_trust_setting_find(const char *name);

/** Labelled training rows; borrowed during the call. */
typedef struct {
  size_t size;        /* sizeof(crd_trust_rows) */
  crd_array features; /* (n,d): finite, of magnitude up to 1e150 */
  crd_array labels; /* (n,1): class indices 0 .. 999999; rows with CRD_IGNORE_LABEL are left out */
  const char *name; /* for error messages; NULL: "training rows" */
} crd_trust_rows;

/**
 * The kept training rows of each class.
 *
 *   life      fit or open -> score, calibrate, apply_to -> destroy
 *   owns      a float64 copy of the rows
 *   threads   scoring: many at once, each with its own context
 */
typedef struct crd_trust crd_trust;

/**
 * Fits a TrustScore. `settings` NULL: defaults. CRD_EUSAGE for an unknown setting; CRD_EINPUT if
 * the arrays do not fit together, for an invalid row, and unless two classes have rows. If a class
 * has fewer than k rows, its own number of rows takes the place of k; no class loses all rows.
 */
CRD_API CRD_NODISCARD crd_status crd_trust_fit(crd_context *ctx, const crd_trust_rows *rows,
                                               const char *settings, crd_trust **out);
/** Fits one on the arrays `features` and `labels` of FILE[#GROUP][@FROM:TO], like crd_trust_fit. */
CRD_API CRD_NODISCARD crd_status crd_trust_open(crd_context *ctx, const char *path,
                                                const char *settings, crd_trust **out);
/** Destroys a TrustScore; NULL is allowed. */
CRD_API void crd_trust_destroy(crd_trust *trust);

/** What is known of a TrustScore. */
typedef struct {
  size_t rows, kept;    /* labelled training rows; those that remain after filtering */
  size_t classes;       /* the largest label plus 1 */
  size_t width;         /* features of a row */
  const size_t *counts; /* kept rows of each class; 0: the class has no training rows */
  double k, alpha, neighbour;
} crd_trust_summary;
/** Describes a TrustScore; borrowed until destroy. */
CRD_API const crd_trust_summary *crd_trust_describe(const crd_trust *trust);

/**
 * Computes the TrustScores of predictions opened with features. `predicted` (may be NULL) gets the
 * predicted classes. The score is 0 if the predicted class has no training rows. Exact: no
 * approximate neighbours; the same bits for any number of threads. CRD_EINPUT if there are no
 * features, another number of them, no predicted classes, or for an invalid row.
 */
CRD_API CRD_NODISCARD crd_status crd_trust_score(crd_context *ctx, const crd_trust *trust,
                                                 const crd_predictions *predictions, double *out,
                                                 size_t *predicted);

/**
 * Fits isotonic regression of the correctness of held-out predictions on their TrustScores, which
 * turns a score r, given as the confidence r / (1 + r), into a probability. Fails like
 * crd_trust_score and crd_calibrator_fit.
 */
CRD_API CRD_NODISCARD crd_status crd_trust_calibrate(crd_context *ctx, const crd_trust *trust,
                                                     const crd_predictions *held_out,
                                                     crd_calibrator **out);

/**
 * Writes predictions for crd_predictions_open: `ranking`, `predicted`, the scores, and labels,
 * weights and groups, if any. With a calibrator of crd_trust_calibrate, `confidence` takes the
 * place of the ranking, which is then called `trust_score`. The extension chooses the format.
 * Written atomically. Fails like crd_trust_score; CRD_EUSAGE for another format.
 */
CRD_API CRD_NODISCARD crd_status crd_trust_apply_to(crd_context *ctx, const crd_trust *trust,
                                                    const crd_calibrator *calibrator,
                                                    const crd_predictions *predictions,
                                                    const char *path);

#ifdef __cplusplus
}
#endif
#endif

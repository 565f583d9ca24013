/* credence/operating.h -- operating points of selective prediction: which confidence is enough to
 * decide automatically. */
#ifndef CREDENCE_OPERATING_H
#define CREDENCE_OPERATING_H

#include "credence/evaluate.h"
#include "credence/shift.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A row is accepted if its confidence is at least the threshold; rows of equal confidence are never
 * divided. Coverage is the fraction of rows accepted, risk the error rate of accepted rows.
 *
 * RISK: the lowest threshold whose risk is at most the value, 0 <= value < 1.
 * COVERAGE: the highest threshold whose coverage is at least the value, 0 < value <= 1.
 */
typedef enum { CRD_TARGET_RISK, CRD_TARGET_COVERAGE } crd_target_kind;

typedef struct {
  crd_target_kind kind;
  double value;
} crd_target;

/*
 * HELD_OUT: thresholds are chosen on one half of the rows, coverage and risk are measured on the
 * other one. Two promises, each of 95 %:
 *   - the risk of a threshold for a target risk exceeds the target with a probability of at most
 *     5 %: thresholds are tested one after the other, so that testing many costs nothing
 *     (src/selective/choose.c). This needs independent rows, and a risk that does not fall when
 *     rows of lower confidence are accepted as well;
 *   - the interval, of Clopper and Pearson, contains the risk of the threshold, whatever it is: the
 *     half that measures has no part in the choice.
 * Weighted rows count as their effective number, and so do clustered rows in the choice, so that
 * both promises are approximate; intervals of clustered rows are from the cluster bootstrap.
 *
 * BOOTSTRAP: thresholds are chosen, by the observed risk, and measured on the same rows; intervals
 * are from the bootstrap, which repeats the choice in each resample. Nothing is promised for the
 * target itself: the risk on new rows is above it about as often as below.
 */
#define CRD_GUARANTEE_LIST(X)                                                                      \
  X(HELD_OUT, "held-out")                                                                          \
  X(BOOTSTRAP, "bootstrap")

typedef enum {
#define X(name, text) CRD_GUARANTEE_##name,
  CRD_GUARANTEE_LIST(X)
#undef X
} crd_guarantee;

/** Returns "held-out" or "bootstrap"; a static string, NULL outside the enum. */
CRD_API const char *crd_guarantee_name(crd_guarantee guarantee);

typedef struct {
  size_t size;               /* sizeof(crd_operating_options) */
  const crd_target *targets; /* borrowed */
  size_t target_count;
  crd_guarantee guarantee;
  unsigned resamples; /* of the bootstrap; 0: 1000 */
  int fitted; /* crd_operating_choose: non-zero if a calibrator was fitted on the rows of `choose`,
                 so that nothing is promised for the target itself */
} crd_operating_options;

/** A proportion with its 95 % interval. */
typedef struct {
  double value, low, high; /* NaN: no row counts */
  double count, total;     /* value = count / total: numbers of rows, or sums of weights */
} crd_proportion;

/** Whether a threshold keeps the promised risk on other rows. */
typedef enum {
  CRD_PROMISE_NONE,      /* the rows that the threshold was measured on, or no threshold */
  CRD_PROMISE_HOLDS,     /* the interval of the risk ends at or below the promised risk */
  CRD_PROMISE_BROKEN,    /* the interval begins above it */
  CRD_PROMISE_UNDECIDED, /* the interval contains it, or no row is accepted */
} crd_promise;

/** Returns "holds", "broken" or "undecided"; a static string, NULL for NONE and outside the enum.
 */
CRD_API const char *crd_promise_name(crd_promise promise);

typedef struct {
  crd_target target;
  double threshold;        /* NaN: none, and coverage is 0 ... */
  const char *reason;      /* ... for this reason; also why there is no risk; else NULL */
  size_t rows, accepted;   /* of the rows measured */
  crd_proportion coverage; /* accepted of all rows */
  crd_proportion risk;     /* wrong of accepted rows */
  /* Two classes: of the accepted rows, with class 1 as the positive one. */
  crd_proportion sensitivity, specificity; /* correct of rows of class 1, of class 0 */
  crd_proportion ppv, npv;                 /* correct of rows predicted as class 1, as class 0 */
  double promised;                         /* risk, by crd_operating_apply; else NaN */
  crd_promise promise;
} crd_operating_point;

typedef struct crd_operating_table {
  crd_guarantee guarantee;
  const char *text;     /* what is promised, in words */
  const char *interval; /* "clopper-pearson", "cluster-bootstrap", "bootstrap" */
  size_t chosen_rows;   /* that thresholds were chosen on */
  size_t measured_rows; /* that coverage and risk were measured on */
  int binary;           /* non-zero: two classes */
  size_t count;         /* of points: one per target, in their order */
  const crd_operating_point *items;
} crd_operating_table;

/**
 * Finds the operating points of predictions. HELD_OUT splits the rows in halves by the context's
 * seed: by cluster, or else stratified by class. CRD_EUSAGE for a target out of its range or
 * without targets; CRD_EINPUT for an invalid row, without labels, or if all weights are 0.
 */
CRD_API CRD_NODISCARD crd_status crd_operating_find(crd_context *ctx,
                                                    const crd_predictions *predictions,
                                                    const crd_operating_options *options,
                                                    const crd_operating_table **out);
/** Does the same with thresholds chosen on the rows of `choose`, as by HELD_OUT, and measured on
 * those of `measure`; `guarantee` is ignored. */
CRD_API CRD_NODISCARD crd_status crd_operating_choose(crd_context *ctx,
                                                      const crd_predictions *choose,
                                                      const crd_predictions *measure,
                                                      const crd_operating_options *options,
                                                      const crd_operating_table **out);
/**
 * Measures the thresholds of a table on other rows, such as shifted ones, and decides whether the
 * promised risk still holds: the target risk or, for a target coverage, the upper end of the
 * interval of the risk that the table has. The result has the targets and thresholds of `table`.
 * `resamples` is for clustered rows; 0: 1000. CRD_EINPUT as crd_operating_find.
 */
CRD_API CRD_NODISCARD crd_status crd_operating_apply(crd_context *ctx,
                                                     const crd_operating_table *table,
                                                     const crd_predictions *other,
                                                     unsigned resamples,
                                                     const crd_operating_table **out);
/**
 * Measures the thresholds of a table on the labelled sets of crd_evaluate_shift, paired rows
 * without clusters with those of the original. Replaces `*shift` by a table of the sets whose
 * results show the points; it owns the former one. After a failure `*shift` is the former one, or
 * NULL: destroyed. `resamples` as in crd_operating_apply.
 */
CRD_API CRD_NODISCARD crd_status crd_operating_apply_shift(
    crd_context *ctx, const crd_operating_table *table, const crd_predictions *original,
    const crd_shift_set *sets, unsigned resamples, const crd_shift_table **shift);
/** Destroys a table; NULL is allowed. */
CRD_API void crd_operating_destroy(const crd_operating_table *table);

/**
 * Writes each row's decision to a file, in the format of its extension (.csv, .npz, ...; also .gz):
 * the arrays row (its index in the file), predicted (unless the predictions have only `correct`),
 * confidence, accepted (0 or 1), and measured: 1 if coverage and risk were measured on it. With
 * several points, each has an array of its own: accepted_risk_0.02, accepted_coverage_0.9.
 * `table` must come from crd_operating_find with these predictions and the same seed.
 */
CRD_API CRD_NODISCARD crd_status crd_operating_save(crd_context *ctx,
                                                    const crd_operating_table *table,
                                                    const crd_predictions *predictions,
                                                    const char *path);

#ifdef __cplusplus
}
#endif
#endif

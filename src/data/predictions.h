/* predictions.h -- inside of predictions: checked views, and what keeps them alive. */
#ifndef CRD_DATA_PREDICTIONS_H
#define CRD_DATA_PREDICTIONS_H

#include "base/text.h"
#include "credence/predictions.h"

/*
 * Probabilities lie in [0, 1] and rows of them sum to 1 within the slack, or more where they were
 * rounded coarsely (resolution.h): `tolerance` of the predictions. What exceeds 1 by less than 1e-6
 * is left as it is, the sum it is divided by exceeds 1 as well; what exceeds it by more, or is
 * negative, is clipped.
 */
#define CRD__PROBABILITY_MAX (1 + 1e-6)
#define CRD__PROBABILITY_SLACK 0.01

struct crd_predictions {
  crd_allocator alloc;
  crd_predictions_parts parts; /* shapes checked, input resolved, names owned */
  size_t rows;                 /* of the views, or as many as were picked */
  size_t *picked;              /* which rows of the views these are; NULL: all */
  bool numbered;               /* picked rows keep the numbers that they have in the views */
  size_t classes;              /* 0: pairs */
  bool recognised;             /* the input was found out, not declared */
  double tolerance;            /* of probabilities, and of the sums of their rows */
  bool clips;       /* some exceed [0, 1] by rounding: they are clipped as they are read */
  int weight_shift; /* weights count as weight * 2^weight_shift */
  crd__notes notes;
  crd_group_column *columns; /* parts.group_columns: all of them, `groups` among them; owned ... */
  uint64_t *cluster_keys;    /* of each row of the views; NULL: rows are independent; owned ... */
  bool borrows;              /* ... unless these are rows picked from other predictions */
  void *keeper;              /* the file behind the views, released with the predictions */
  void (*release)(const crd_allocator *alloc, void *keeper);
};

/* Where row i stands in the views. */
static inline size_t crd__data_row_at(const crd_predictions *predictions, size_t i) {
  return predictions->picked ? predictions->picked[i] : i;
}

/* Leave out rows whose label is CRD_IGNORE_LABEL, with a note; shapes are checked. */
crd_status crd__data_predictions_drop_ignored(crd_context *ctx, crd_predictions *predictions);

static inline double crd__data_probability_clip(double p) {
  return p > CRD__PROBABILITY_MAX ? 1 : p < 0 ? 0 : p;
}
/* Is it within [0, 1], but for the tolerance? NaN is not. */
static inline bool crd__data_probability_fits(const crd_predictions *predictions, double p) {
  return p >= -predictions->tolerance && p <= 1 + predictions->tolerance;
}

/* "3", or "3 (cat)" where the class has a name, cut where it does not fit. */
enum { CRD__CLASS_TEXT = 96 };
const char *crd__data_class_text(const crd_predictions *predictions, size_t k,
                                 char out[static CRD__CLASS_TEXT]);

/*
 * Some rows of other predictions, which must outlive them: no score is copied. For counting, not
 * for the doctor, who looks at whole files.
 */
crd_status crd__data_predictions_pick(crd_context *ctx, const crd_predictions *from,
                                      const size_t *rows, size_t count, crd_predictions **out);

#endif

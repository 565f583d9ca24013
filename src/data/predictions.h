/* predictions.h -- contents of predictions: checked views, and the owner of their memory. */
#ifndef CRD_DATA_PREDICTIONS_H
#define CRD_DATA_PREDICTIONS_H

#include "base/text.h"
#include "credence/predictions.h"

/*
 * Probabilities are in [0, 1] and rows sum to 1 within the slack, or more if they were rounded
 * coarsely (resolution.h): `tolerance` of the predictions. A value that exceeds 1 by less than 1e-6
 * is kept, since it is divided by a sum that exceeds 1 too; larger or negative values are clipped.
 */
#define CRD__PROBABILITY_MAX (1 + 1e-6)
#define CRD__PROBABILITY_SLACK 0.01

/* Proper losses of a row after recalibration. */
enum { CRD__LOSS_NLL, CRD__LOSS_BRIER, CRD__LOSS_TOP, CRD__LOSSES };

struct crd_predictions {
  crd_allocator alloc;
  crd_predictions_parts parts; /* shapes checked, input resolved, names owned */
  size_t rows;                 /* of the views, or the number of picked rows */
  size_t *picked;              /* indices of these rows in the views; NULL: all */
  bool numbered;               /* picked rows keep their row numbers in the views */
  size_t classes;              /* 0: confidence pairs, or a ranking */
  bool recognised;             /* the input kind was inferred, not declared */
  double tolerance;            /* of probabilities, and of row sums */
  bool clips;       /* some values exceed [0, 1] by rounding and are clipped on reading */
  int weight_shift; /* weights are multiplied by 2^weight_shift */
  crd__notes notes;
  crd_group_column *columns; /* parts.group_columns: all, including `groups` */
  uint64_t *cluster_keys;    /* of each row of the views; NULL: independent rows */
  /* Losses of each row of the views after recalibration (evaluate/recalibrate.c), rows x
   * CRD__LOSSES; NULL: unknown. */
  double *recalibrated;
  char recalibration[256]; /* a note: by which method, or why they are unknown; "": not tried */
  bool owns_recalibrated;  /* else they are those of the predictions these are a view of */
  bool borrows;            /* names and columns are those of the predictions these are a view of */
  bool borrows_clusters;   /* so are cluster_keys and parts.cluster */
  void *keeper;            /* the file behind the views, released with the predictions */
  void (*release)(const crd_allocator *alloc, void *keeper);
};

/* Returns the index of row i in the views. */
static inline size_t crd__data_row_at(const crd_predictions *predictions, size_t i) {
  return predictions->picked ? predictions->picked[i] : i;
}

/* Removes rows whose label is CRD_IGNORE_LABEL, with a note. Shapes must have been checked. */
crd_status crd__data_predictions_drop_ignored(crd_context *ctx, crd_predictions *predictions);

/* Returns whether rows have one number about their predicted class, and no other scores. */
static inline bool crd__data_is_top_only(const crd_predictions *predictions) {
  return predictions->parts.input == CRD_INPUT_PAIRS ||
         predictions->parts.input == CRD_INPUT_RANKING;
}
/* Fails with CRD_EINPUT if the scores are a ranking, which `what` cannot use. */
crd_status crd__data_ranking_refuse(crd_context *ctx, const crd_predictions *predictions,
                                    const char *what);

static inline double crd__data_probability_clip(double p) {
  return p > CRD__PROBABILITY_MAX ? 1 : p < 0 ? 0 : p;
}
/* Returns whether p is within [0, 1], up to the tolerance; false for NaN. */
static inline bool crd__data_probability_fits(const crd_predictions *predictions, double p) {
  return p >= -predictions->tolerance && p <= 1 + predictions->tolerance;
}

/* Returns a hash of the names of the classes, in their order; 0 if no class has one. */
uint64_t crd__data_class_names_key(const crd_predictions *predictions);
/* Fails with CRD_EINPUT if the classes of both have names, and other ones or in another order. */
crd_status crd__data_class_names_match(crd_context *ctx, const crd_predictions *predictions,
                                       const crd_predictions *other);

/* Writes "3", or "3 (cat)" if the class has a name, truncated to fit; returns `out`. */
enum { CRD__CLASS_TEXT = 96 };
const char *crd__data_class_text(const crd_predictions *predictions, size_t k,
                                 char out[static CRD__CLASS_TEXT]);

/*
 * Selects rows of other predictions, which must outlive these: scores are not copied. For metrics,
 * not for the doctor, which reads whole files.
 */
crd_status crd__data_predictions_pick(crd_context *ctx, const crd_predictions *from,
                                      const size_t *rows, size_t count, crd_predictions **out);

#endif

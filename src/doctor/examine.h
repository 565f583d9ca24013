/*
 * examine.h -- the examination of predictions, from which the doctor's findings are made: counts
 * and sums, gathered in two or three passes.
 *
 * The first pass reads stored scores and labels and infers their kind; the second reads
 * confidences; a third, if accuracy is at chance level, all probabilities. Rows that evaluation
 * would fail on are counted and skipped. Weights are ignored: an invalid row is invalid whatever
 * its weight.
 */
#ifndef CRD_DOCTOR_EXAMINE_H
#define CRD_DOCTOR_EXAMINE_H

#include "metric/metric.h"

enum { CRD__SPOTS = 3, CRD__DOCTOR_BINS = 15 };

/* A number of rows, and the indices of the first of them in the file. */
typedef struct {
  uint64_t count, row[CRD__SPOTS];
} crd__doctor_spots;

/* Statistics of rows with finite scores. */
typedef struct {
  uint64_t rows;
  crd__doctor_spots outside;  /* values outside [0, 1] */
  crd__doctor_spots off;      /* within [0, 1], but the sum is not 1 within 0.01 */
  uint64_t percentages;       /* rows: not negative, and the sum is 100 within 1 */
  uint64_t log_probabilities; /* rows: not positive, and exp sums to 1 within 0.01 */
  double low, high;           /* of all values */
  double sum_low, sum_high;   /* of rows within [0, 1] */
  double deviation;           /* largest |sum - 1| of rows accepted as probabilities ... */
  uint64_t deviation_row;     /* ... and its row */
} crd__doctor_score_stats;

typedef struct {
  crd__doctor_spots bad;    /* out of range, not integers, not one-hot */
  char first_bad[256];      /* the error message of evaluation on the first of them */
  bool whole;               /* all are integers, from low to high */
  int64_t low, high;        /* of class indices only */
  uint64_t rows;            /* with finite scores, for the two counts below */
  uint64_t hits, hits_less; /* correct as given; correct with 1 subtracted */
  bool from_one;            /* decided: they count from 1 */
} crd__doctor_label_stats;

typedef struct {
  uint64_t rows, first, second; /* duplicates of earlier rows; the indices of the first pair */
  uint64_t same_label;          /* duplicates with the same label */
} crd__doctor_copies;

/*
 * Accuracy, and its expectation for labels independent of the predictions, e = sum_k P(label k)
 * P(predicted k), with standard error sqrt(e (1 - e) / n). Unlike "accuracy 1/K" this holds for
 * imbalanced classes too.
 */
typedef struct {
  double accuracy, expected, slack; /* slack: four standard errors */
} crd__doctor_chance;

/*
 * The same for the probability of the true class, which is more powerful if nearly all rows predict
 * the same class: `own` is its mean; `expected` is sum_k P(label k) mean p_k, with standard error
 * sqrt(sum_k P(label k) var p_k / n); `claimed` is mean sum_k p_k^2, the value of a calibrated
 * model.
 */
typedef struct {
  bool known; /* computed only if accuracy is at chance level */
  double own, expected, error, claimed;
} crd__doctor_relation;

typedef struct {
  const crd_context *ctx; /* knows how users spell options */
  const crd_predictions *predictions;
  size_t rows, classes; /* classes 0: pairs */
  crd_input input;      /* the kind that scores are examined as */
  bool positive;        /* confidence is the probability of class 1 */
  bool percent;
  crd__doctor_spots not_finite;
  uint64_t nan, infinite, minus_infinite; /* rows, by the first such value */
  crd__doctor_score_stats look;
  crd__doctor_label_stats labels;
  crd__doctor_copies copies;
  /* Statistics of usable rows: scores finite and of the kind `input`, label valid. */
  uint64_t usable, right, hits;
  double confidence;            /* sum */
  double spread;                /* sum of confidence (1 - confidence) */
  double gap_square;            /* sum of (confidence - correct)^2 */
  uint64_t full;                /* confidence exactly 1, as stored */
  uint64_t zeros;               /* probabilities exactly 0 */
  crd__doctor_spots impossible; /* rows whose true class has probability 0 */
  double nll;                   /* sum over all other rows */
  size_t *labelled, *predicted; /* rows by class */
  crd__doctor_relation relation;
  crd__sum *bins;          /* cells of crd__metric_top_bins */
  double ece, noise_floor; /* the larger of evaluation's floor and that of calibrated bins */
} crd__doctor_examination;

/* Examines predictions; fails if they have no labels, or if interrupted. */
crd_status crd__doctor_examine(crd_context *ctx, const crd_predictions *predictions,
                               crd__doctor_examination *out);
/* Samples about `rows` rows, evenly spaced. The sample borrows the views of `predictions`. */
crd_status crd__doctor_predictions_sample(crd_context *ctx, const crd_predictions *predictions,
                                          size_t rows, crd_predictions **out);
/* Also after a failure. */
void crd__doctor_examination_clear(const crd_allocator *alloc,
                                   crd__doctor_examination *examination);

void crd__doctor_spots_add(crd__doctor_spots *spots, uint64_t row);

/* ---- Whether labels are related to the predictions (relation.c). */

enum { CRD__CHANCE_ROWS = 50 }; /* the fewest usable rows to test it */

crd__doctor_chance crd__doctor_chance_of(const crd__doctor_examination *x);
/* Returns whether accuracy is not significantly better than with independent labels. */
bool crd__doctor_at_chance(const crd__doctor_examination *x);

/* Sums by class, to test whether labels are related to the predictions. */
typedef struct {
  double own, claimed;
  double *mean, *square; /* sums of p_k and p_k^2 */
} crd__doctor_relating;

/* Adds a row's probabilities of all classes. */
void crd__doctor_relate_row(crd__doctor_relating *sums, const double *p, size_t classes,
                            size_t label);
crd__doctor_relation crd__doctor_relate(const crd__doctor_examination *x,
                                        const crd__doctor_relating *sums);

/* ---- Duplicated rows (copies.c). */

typedef struct {
  uint64_t *records; /* hash and index of each row */
  size_t count;
} crd__doctor_hashes;

/* Adds a row of scores, unless it is one that many samples may legitimately share. */
void crd__doctor_hashes_add(crd__doctor_hashes *hashes, const crd_predictions *predictions,
                            size_t row, const crd__math_row_summary *summary);
crd__doctor_copies crd__doctor_hashes_count(const crd__doctor_hashes *hashes,
                                            const crd_predictions *predictions);

#endif

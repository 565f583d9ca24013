/*
 * examine.h -- all that the doctor knows of predictions: counts and sums, gathered in two passes.
 *
 * The first pass looks at scores and labels as they are stored and settles what they are; the
 * second reads confidences; a third, where accuracy is at chance level, all probabilities. Rows
 * that evaluation would refuse are counted and left out. Weights are left aside: a row that is
 * wrong is wrong whatever it weighs.
 */
#ifndef CRD_DOCTOR_EXAMINE_H
#define CRD_DOCTOR_EXAMINE_H

#include "metric/metric.h"

enum { CRD__SPOTS = 3, CRD__DOCTOR_BINS = 15 };

/* How many rows, and the first of them by the numbers that users know. */
typedef struct {
  uint64_t count, row[CRD__SPOTS];
} crd__doctor_spots;

/* What finite rows of scores look like, one by one. */
typedef struct {
  uint64_t rows;
  crd__doctor_spots outside;  /* values outside [0, 1] */
  crd__doctor_spots off;      /* within [0, 1], but the sum is not 1 within 0.01 */
  uint64_t percentages;       /* not negative, and the sum is 100 within 1 */
  uint64_t log_probabilities; /* not positive, and exp sums to 1 within 0.01 */
  double low, high;           /* of all values */
  double sum_low, sum_high;   /* of rows within [0, 1] */
  double deviation;           /* largest |sum - 1| of rows that pass as probabilities ... */
  uint64_t deviation_row;     /* ... and where it is */
} crd__doctor_look;

typedef struct {
  crd__doctor_spots bad;    /* out of range, not whole, not one-hot */
  char first_bad[256];      /* the sentence that evaluation would end with */
  bool whole;               /* all are whole numbers: low and high say which */
  int64_t low, high;        /* class numbers only */
  uint64_t rows;            /* of finite scores, for the two numbers below */
  uint64_t hits, hits_less; /* right as they are; right with 1 subtracted */
  bool from_one;            /* settled: they count from 1 */
} crd__doctor_label_look;

typedef struct {
  uint64_t rows, first, second; /* further copies; the numbers of the first pair */
  uint64_t same_label;          /* copies whose label is that of the first */
} crd__doctor_copies;

/*
 * Accuracy beside that of labels drawn apart from the predictions, e = sum_k P(label k) P(predicted
 * k), whose standard error is sqrt(e (1 - e) / n). This holds for unbalanced classes too, where
 * "accuracy 1/K" does not.
 */
typedef struct {
  double accuracy, expected, slack; /* slack: four standard errors */
} crd__doctor_chance;

/*
 * The same of the probability that rows give to their true class, which tells more where nearly all
 * rows predict the same class: `expected` is sum_k P(label k) mean p_k, with the standard error
 * sqrt(sum_k P(label k) var p_k / n); `claimed` is mean sum_k p_k^2, what an honest model shows.
 */
typedef struct {
  bool known; /* it is asked for where accuracy is at chance level only */
  double own, expected, error, claimed;
} crd__doctor_relation;

typedef struct {
  const crd_predictions *predictions;
  size_t rows, classes; /* classes 0: pairs */
  crd_input input;      /* what the scores are examined as */
  bool positive;        /* confidence speaks of class 1 */
  bool percent;
  crd__doctor_spots not_finite;
  uint64_t nan, infinite, minus_infinite; /* rows, by the first such value */
  crd__doctor_look look;
  crd__doctor_label_look labels;
  crd__doctor_copies copies;
  /* Rows that could be judged. */
  uint64_t usable, right, hits;
  double confidence;            /* sum */
  double spread;                /* sum of confidence (1 - confidence) */
  double gap_square;            /* sum of (confidence - correct)^2 */
  uint64_t full;                /* confidence exactly 1, as stored */
  uint64_t zeros;               /* probabilities exactly 0 */
  crd__doctor_spots impossible; /* rows whose true class has probability 0 */
  double nll;                   /* sum over the others */
  size_t *labelled, *predicted; /* rows by class */
  crd__doctor_relation relation;
  crd__sum *bins;          /* cells of crd__metric_top_bins */
  double ece, noise_floor; /* the floor that evaluation shows, or that of calibrated bins */
} crd__doctor_examination;

crd_status crd__doctor_examine(crd_context *ctx, const crd_predictions *predictions,
                               crd__doctor_examination *out);
/* Some rows, spread evenly over all of them, as predictions of their own: enough for a suspicion.
 * The views stay those of `predictions`. */
crd_status crd__doctor_predictions_sample(crd_context *ctx, const crd_predictions *predictions,
                                          size_t rows, crd_predictions **out);
/* Also after a failure. */
void crd__doctor_examination_clear(const crd_allocator *alloc,
                                   crd__doctor_examination *examination);

void crd__doctor_spots_add(crd__doctor_spots *spots, uint64_t row);

/* ---- Have labels anything to do with the predictions (relation.c)? */

enum { CRD__CHANCE_ROWS = 50 }; /* with fewer usable rows it is not asked */

crd__doctor_chance crd__doctor_chance_of(const crd__doctor_examination *x);
/* Accuracy is no better than that of labels drawn apart, as far as can be seen. */
bool crd__doctor_at_chance(const crd__doctor_examination *x);

/* Sums for a relation, by class. */
typedef struct {
  double own, claimed;
  double *mean, *square; /* sums of p_k and p_k^2 */
} crd__doctor_relating;

/* Take in a row's probabilities of all classes. */
void crd__doctor_relate_row(crd__doctor_relating *sums, const double *p, size_t classes,
                            size_t label);
crd__doctor_relation crd__doctor_relate(const crd__doctor_examination *x,
                                        const crd__doctor_relating *sums);

/* ---- Rows that occur again (copies.c). */

typedef struct {
  uint64_t *records; /* hash and row number of each */
  size_t count;
} crd__doctor_hashes;

/* Take a row of scores in; rows that many examples may share for good reasons are passed over. */
void crd__doctor_hashes_add(crd__doctor_hashes *hashes, const crd_predictions *predictions,
                            size_t row, const crd__math_row_summary *summary);
crd__doctor_copies crd__doctor_hashes_count(const crd__doctor_hashes *hashes,
                                            const crd_predictions *predictions);

#endif

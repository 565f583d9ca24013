/*
 * metric.h -- the interface of a metric: its table entry, and how it is computed from evidence.
 *
 * Evidence has two forms. A *tally* is an array of exact sums to which each row adds; several
 * metrics may share one (all binned errors read the same bins). A *ranking* is the rows sorted by
 * confidence, or by the probability of one class (metric/class_pairs.h). The frame can split, merge
 * and save both without knowing any metric.
 */
#ifndef CRD_METRIC_METRIC_H
#define CRD_METRIC_METRIC_H

#include "base/nearest.h"
#include "base/sum.h"
#include "credence/metric.h"
#include "data/rows.h"
#include "metric/drawn.h"
#include "metric/paired.h"
#include "metric/ranking.h"

#include <stdatomic.h>

typedef struct {
  size_t classes; /* 0: confidences alone are known */
  size_t bins;
  bool positive; /* two classes, and confidence is the probability of class 1 (CRD_BINARY_POS) */
  bool ranking;  /* confidence is any number that orders the rows, not a probability */
  bool recalibrated; /* the rows were recalibrated, all together */
} crd__metric_shape;

/* The reasons why a metric of class 1 is undefined, and a metric of probabilities. */
#define CRD__NOT_POSITIVE "needs two classes judged by class 1 (binary pos)"
#define CRD__NOT_PROBABILITY "a ranking is not a probability"

typedef struct {
  const char *name;
  unsigned needs;                                  /* row quantities it reads: CRD__NEED_* */
  size_t (*cells)(const crd__metric_shape *shape); /* number of sums */
  bool ordinal; /* reads no probabilities: it also counts the rows of a ranking */
  /* Adds rows to the sums, with their weights. */
  void (*add)(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows);
  /* Adds rows to many resamples at once, with the same result; NULL: `add` is called for each
   * resample with its weights. */
  void (*add_drawn)(const crd__metric_drawn *drawn, const crd__metric_shape *shape);
  /* For a tally whose cells count the pairs of each class (metric/class_pairs.h): appends the pairs
   * of these rows that belong to class k to rankings[k], at index next[k], which is incremented
   * atomically, so that several workers may call it at once; pairs beyond the capacity are dropped.
   * A metric with such a tally is finished once for each class, from that class's ranking and
   * weight; its value is the mean over classes, where a class without weight counts 0. A plan has
   * at most one such tally. */
  void (*put_pairs)(crd__metric_ranking *rankings, atomic_size_t *next, const crd__data_rows *rows,
                    uint64_t first_row);
  const char *pairs; /* what these pairs are, for error messages */
} crd__metric_tally;

/* The inputs of a metric's `finish`. */
typedef struct {
  crd__metric_shape shape;
  double weight;                      /* of all rows, above 0 */
  const crd__sum *cells;              /* of the metric's tally; NULL: it has none */
  const crd__metric_ranking *ranking; /* sorted; NULL: the metric does not need it */
} crd__metric_facts;

/* For metrics that are a proportion of rows, k of n: their interval is that of a binomial count. */
typedef struct {
  /* Returns n, an effective number of independent rows; `rows` is that of all rows together. */
  double (*trials)(const crd__metric_facts *facts, double rows);
  /* Whether a row counts depends on other rows too, as with a threshold estimated from them: that
   * adds variance, which the bootstrap includes. */
  bool dependent;
  /* Returns the rows that count on one side only; NULL: not a proportion of the same rows on both
   * sides. */
  crd__metric_discordance (*discordance)(const crd__metric_side *mine,
                                         const crd__metric_side *other);
} crd__metric_proportion;

typedef struct {
  crd_metric_info info;
  const crd__metric_tally *tally; /* NULL: none */
  bool ranked;                    /* needs the ranking by confidence */
  bool ordinal;                   /* reads the order of the rows, or none, but no probabilities */
  crd__metric_answer (*finish)(
      const crd__metric_facts *facts);                   /* the value, or why it is undefined */
  double (*noise_floor)(const crd__metric_facts *facts); /* NULL: unknown */
  /* The p-value of a test of calibration: the probability that a calibrated model has this value or
   * a larger one. Called only where the metric has a value; random numbers come from the seed.
   * NULL: there is no such test. */
  double (*p)(const crd__metric_facts *facts, uint64_t seed);
  const crd__metric_paired_test *paired;    /* NULL: the bootstrap only */
  const crd__metric_proportion *proportion; /* NULL: not a proportion of rows */
  bool unlabelled;                          /* does not depend on the true labels */
} crd__metric;

const crd__metric *crd__metric_at(size_t index); /* NULL past the end */
extern const crd__names crd__metric_names;

/* Adds the weight of row i to the sum. */
static inline void crd__metric_sum_count(crd__sum *sum, const crd__data_rows *rows, size_t i) {
  if (rows->weighted) crd__sum_add(sum, rows->weight[i]);
  else sum->whole++;
}

/* ---- For metrics that are a mean over rows. */

size_t crd__metric_one_cell(const crd__metric_shape *shape);
/* Adds weight * term of each row to cells[0]. */
void crd__metric_add_terms(crd__sum *cells, const crd__data_rows *rows, const double *terms);
/* Returns cells[0] / total weight. */
crd__metric_answer crd__metric_mean(const crd__metric_facts *facts);

#endif

/*
 * metric.h -- what a metric must supply: its row, and how it follows from the evidence.
 *
 * Evidence has two forms. A *tally* is an array of exact sums to which each row adds; several
 * metrics may share one (all binned errors read the same bins). A *ranking* is the rows in order of
 * confidence, or of the probability of one class (metric/class_pairs.h). Both can be cut, merged
 * and saved by the frame without knowing any metric.
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
  size_t classes; /* 0: only confidences are known */
  size_t bins;
  bool positive; /* two classes, and confidence is the probability of class 1 (CRD_BINARY_POS) */
} crd__metric_shape;

/* Why a metric of class 1 does not exist. */
#define CRD__NOT_POSITIVE "needs two classes of which class 1 is judged (--binary pos)"

typedef struct {
  const char *name;
  unsigned needs; /* row quantities read: CRD__NEED_* */
  size_t (*cells)(const crd__metric_shape *shape);
  void (*add)(crd__sum *cells, const crd__metric_shape *shape, const crd__data_rows *rows);
  /* The same for many resamples at once, exactly; NULL: `add` counts each with its own weights. */
  void (*add_drawn)(const crd__metric_drawn *drawn, const crd__metric_shape *shape);
  /* For a tally whose cells are the number of pairs of each class (metric/class_pairs.h), writes
   * the pairs of these rows to reserved memory: those of class k to rankings[k], from next[k] on,
   * which moves; beyond that memory nothing is written. Workers may do so together. A metric that
   * names such a tally is finished once for each class, from that class's ranking and weight; its
   * value is the mean, where a class of no weight counts 0. A plan has at most one. */
  void (*put_pairs)(crd__metric_ranking *rankings, atomic_size_t *next, const crd__data_rows *rows,
                    uint64_t first_row);
  const char *pairs; /* what these pairs are, for error messages */
} crd__metric_tally;

/* What a metric is finished from. */
typedef struct {
  crd__metric_shape shape;
  double weight;                      /* of all rows, above 0 */
  const crd__sum *cells;              /* of the metric's own tally, if it has one */
  const crd__metric_ranking *ranking; /* in order, if the metric asked for it */
} crd__metric_facts;

/* What makes a metric a share of rows, k of n: its interval is that of a binomial count. */
typedef struct {
  /* How many rows the share is of, as independent ones; `rows` is that number for all rows. */
  double (*trials)(const crd__metric_facts *facts, double rows);
  /* Which rows are counted depends on the others too, as by a threshold taken from them: that adds
   * noise of its own, which the resamples know. */
  bool dependent;
  /* Rows that count on one side alone; NULL: the two sides are not shares of the same rows. */
  crd__metric_discordance (*discordance)(const crd__metric_side *mine,
                                         const crd__metric_side *other);
} crd__metric_proportion;

typedef struct {
  crd_metric_info info;
  const crd__metric_tally *tally; /* NULL: none */
  bool ranked;                    /* needs the ranking by confidence */
  crd__metric_answer (*finish)(const crd__metric_facts *facts);
  double (*noise_floor)(const crd__metric_facts *facts); /* NULL: not known */
  /* How likely a perfectly calibrated model shows as much or more; asked for where there is a
   * value. NULL: not known. What is drawn, is drawn from the seed. */
  double (*p)(const crd__metric_facts *facts, uint64_t seed);
  const crd__metric_paired_test *paired;    /* NULL: none but the resamples */
  const crd__metric_proportion *proportion; /* NULL: it is no share of rows */
} crd__metric;

const crd__metric *crd__metric_at(size_t index); /* NULL past the end */
extern const crd__names crd__metric_names;

/* Count row i with its weight. */
static inline void crd__metric_sum_count(crd__sum *sum, const crd__data_rows *rows, size_t i) {
  if (rows->weighted) crd__sum_add(sum, rows->weight[i]);
  else sum->whole++;
}

/* ---- For metrics that are the mean of one number per row. */

size_t crd__metric_one_cell(const crd__metric_shape *shape);
/* cells[0] += weight * term, row by row. */
void crd__metric_add_terms(crd__sum *cells, const crd__data_rows *rows, const double *terms);
/* cells[0] / total weight. */
crd__metric_answer crd__metric_mean(const crd__metric_facts *facts);

#endif

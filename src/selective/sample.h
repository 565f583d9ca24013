/* sample.h -- rows sorted by confidence, with what is accepted at each threshold. */
#ifndef CRD_SELECTIVE_SAMPLE_H
#define CRD_SELECTIVE_SAMPLE_H

#include "credence/operating.h"
#include "metric/cluster_set.h"
#include "metric/ranking.h"

/* Weights of rows by true and predicted class, 2 * true + predicted. Unless there are two classes,
 * the true class counts as 1, and a wrong prediction as 0. */
enum {
  CRD__TRUE_NEGATIVE = 1 << 0,
  CRD__FALSE_POSITIVE = 1 << 1,
  CRD__FALSE_NEGATIVE = 1 << 2,
  CRD__TRUE_POSITIVE = 1 << 3,
  CRD__WRONG = CRD__FALSE_POSITIVE | CRD__FALSE_NEGATIVE,
  CRD__ALL_ROWS = 15,
  CRD__COUNTS = 4
};

typedef struct {
  double cell[CRD__COUNTS];
} crd__selective_counts;

/* Returns the sum of the cells of a set, an or of the above. */
double crd__selective_counts_of(const crd__selective_counts *counts, unsigned set);

/* A threshold: a confidence, at which all rows of this confidence are accepted together. */
typedef struct {
  double threshold;
  size_t rows;      /* accepted */
  double effective; /* the number of independent rows of equal weight that tell as much */
} crd__selective_step;

/* Rows of weight 0 are left out. */
typedef struct {
  size_t classes;
  crd__metric_ranking ranking; /* its `correct` is the true class, if there are two, else 1 */
  size_t count;                /* of steps, the highest threshold first */
  crd__selective_step *steps;
  crd__selective_counts *counts; /* of the accepted rows at each step */
  crd__metric_cluster_set clusters;
} crd__selective_sample;

/* Reads predictions. EINPUT for an invalid row and if all weights are 0. */
crd_status crd__selective_sample_make(crd_context *ctx, const crd_predictions *predictions,
                                      crd__selective_sample *out);
void crd__selective_sample_clear(const crd_allocator *alloc, crd__selective_sample *sample);

/* Returns the cell of record i of the ranking. */
static inline size_t crd__selective_cell(const crd__selective_sample *s, size_t i) {
  const unsigned label = crd__metric_ranking_correct(&s->ranking, i);
  return 2 * label + (crd__metric_ranking_hit(&s->ranking, i) ? label : 1 - label);
}
/* Returns the index of a record's cluster in the set. */
size_t crd__selective_cluster(const crd__selective_sample *sample, size_t i);
/* Returns the number of steps whose threshold is at least this one; 0 for NaN. */
size_t crd__selective_steps_above(const crd__selective_sample *sample, double threshold);
/* Returns the confidence in the predicted class, given the one of rows.h. */
double crd__selective_confidence(const crd_predictions *predictions, double confidence);

#endif

/*
 * paired.h -- tests of whether two sets of predictions on the same rows differ by chance alone.
 *
 * Each side computes one number per row, its *part*, in the order of its own ranking. Sorted by row
 * index, the parts of both sides are aligned, and the test follows from the pairs. Tests count
 * rows, so weighted rows have none.
 */
#ifndef CRD_METRIC_PAIRED_H
#define CRD_METRIC_PAIRED_H

#include "metric/answer.h"
#include "metric/ranking.h"

typedef struct {
  const crd__metric_ranking *ranking; /* sorted, without weights */
  uint64_t *parts;                    /* scratch buffer: two words per row */
} crd__metric_side;

typedef struct {
  const char *name; /* of its author, as in "DeLong's test" */
  /* Returns the two-sided p-value of the difference between both sides, which have the same rows. A
   * reason continues the sentence "NAME's test ...". */
  crd__metric_answer (*p)(const crd__metric_side *mine, const crd__metric_side *other);
} crd__metric_paired_test;

extern const crd__metric_paired_test crd__metric_delong, crd__metric_mcnemar;

/* Counts the rows that only one side predicts correctly. Overwrites the parts of both sides. */
typedef struct {
  size_t mine, other;
} crd__metric_discordance;
crd__metric_discordance crd__metric_discordant_hits(const crd__metric_side *mine,
                                                    const crd__metric_side *other);

/* Returns the two-sided p-value of b heads and c tails of a fair coin. */
double crd__metric_coin_p(size_t b, size_t c);

/* Sets the part of the row at `index` of the ranking. */
void crd__metric_part_set(const crd__metric_side *side, size_t index, double part);
/* Sorts the parts by row index, once all are set. */
void crd__metric_parts_sort(const crd__metric_side *side);
double crd__metric_part_at(const crd__metric_side *side, size_t index);

#endif

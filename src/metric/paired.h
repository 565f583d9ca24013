/*
 * paired.h -- tests of whether two sets of predictions on the same rows differ by chance alone.
 *
 * Either side says one number of each row, its *part*, in the order of its own ranking. Sorted by
 * row number, the parts of both sides stand side by side, and the test follows from the pairs.
 * Tests count rows: there are none for weighted ones.
 */
#ifndef CRD_METRIC_PAIRED_H
#define CRD_METRIC_PAIRED_H

#include "metric/answer.h"
#include "metric/ranking.h"

typedef struct {
  const crd__metric_ranking *ranking; /* in order, without weights */
  uint64_t *parts;                    /* room for two words a row */
} crd__metric_side;

typedef struct {
  const char *name; /* whose test it is */
  /* Two-sided: how likely a difference as large or larger is if there is none in truth. A reason
   * continues the sentence "NAME's test ...". Both sides are of the same rows. */
  crd__metric_answer (*p)(const crd__metric_side *mine, const crd__metric_side *other);
} crd__metric_paired_test;

extern const crd__metric_paired_test crd__metric_delong, crd__metric_mcnemar;

/* Rows that one side alone gets right. Sets the parts of both sides. */
typedef struct {
  size_t mine, other;
} crd__metric_discordance;
crd__metric_discordance crd__metric_discordant_hits(const crd__metric_side *mine,
                                                    const crd__metric_side *other);

/* The two-sided p of b heads and c tails of a fair coin. */
double crd__metric_coin_p(size_t b, size_t c);

/* The part of the row at place `index` of the ranking. */
void crd__metric_part_set(const crd__metric_side *side, size_t index, double part);
/* Once all are set: from the order of the ranking to that of row numbers. */
void crd__metric_parts_sort(const crd__metric_side *side);
double crd__metric_part_at(const crd__metric_side *side, size_t index);

#endif

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
  const crd__ranking *ranking; /* in order, without weights */
  uint64_t *parts;             /* room for two words a row */
} crd__side;

typedef struct {
  const char *name; /* whose test it is */
  /* Two-sided: how likely a difference as large or larger is if there is none in truth. A reason
   * continues the sentence "NAME's test ...". Both sides are of the same rows. */
  crd__answer (*p)(const crd__side *mine, const crd__side *other);
} crd__paired_test;

extern const crd__paired_test crd__delong, crd__mcnemar;

/* Rows that one side alone gets right. Sets the parts of both sides. */
typedef struct {
  size_t mine, other;
} crd__discordance;
crd__discordance crd__discordant_hits(const crd__side *mine, const crd__side *other);

/* The two-sided p of b heads and c tails of a fair coin. */
double crd__coin_p(size_t b, size_t c);

/* The part of the row at place `index` of the ranking. */
void crd__part_set(const crd__side *side, size_t index, double part);
/* Once all are set: from the order of the ranking to that of row numbers. */
void crd__parts_sort(const crd__side *side);
double crd__part_at(const crd__side *side, size_t index);

#endif

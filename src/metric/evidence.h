/* evidence.h -- inside of evidence: tallies side by side, and one ranking. */
#ifndef CRD_METRIC_EVIDENCE_H
#define CRD_METRIC_EVIDENCE_H

#include "metric/metric.h"

/* The metrics asked for, and the tallies they share. */
typedef struct {
  const crd__metric **metrics;
  size_t metric_count;
  const crd__tally **tallies; /* each once; the first is the reliability diagram's */
  size_t tally_count;
  bool ranked;
} crd__plan;

/* What rows must have in common to be counted together. */
typedef struct {
  size_t classes;
  bool weighted;
  int weight_shift;
  crd_input input;
  crd_binary binary;
} crd__kind;

struct crd_evidence {
  crd_allocator alloc;
  crd__plan plan;
  crd__shape shape;
  crd__kind kind;  /* settled by the first rows */
  size_t *offset;  /* where each tally's cells begin; the last entry is their number */
  crd__sum *cells; /* NULL until something was added */
  crd__ranking ranking;
  crd__sum weight; /* of all rows */
  uint64_t rows, floored;
  char *name;
  crd__notes notes; /* what the predictions had to say */
};

/* The cells of one tally; NULL when it was not gathered (it needs scores of all classes). */
const crd__sum *crd__evidence_cells(const crd_evidence *evidence, const crd__tally *tally);

#endif

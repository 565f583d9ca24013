/* evidence.h -- inside of evidence: tallies side by side, and rankings. */
#ifndef CRD_METRIC_EVIDENCE_H
#define CRD_METRIC_EVIDENCE_H

#include "metric/cluster_set.h"
#include "metric/metric.h"
#include "metric/spans.h"

/* The metrics asked for, and the tallies they share. */
typedef struct {
  const crd__metric **metrics;
  size_t metric_count;
  const crd__metric_tally **tallies; /* each once; the first is the reliability diagram's */
  size_t tally_count;
  const crd__metric_tally *pairs; /* the one with put_pairs; NULL: none */
  bool ranked;                    /* a ranking by confidence is gathered ... */
  bool resampled; /* ... and some metric is finished from it, in every resample too */
} crd__metric_plan;

/* What rows must have in common to be counted together. */
typedef struct {
  size_t classes;
  bool weighted;
  int weight_shift;
  crd_input input;
  crd_binary binary;
  const char *cluster; /* the column by which rows are clustered; NULL: they are independent */
} crd__metric_kind;

/* The cells of a sample: those of the tallies, and last the weight of its rows. */
typedef struct {
  size_t *offset; /* where each tally's cells begin; the last entry is the weight's */
  size_t stride;
} crd__metric_layout;

/*
 * Sums are kept for samples 0 .. resamples: sample 0 is the data, the others are drawn from it
 * (resample.h). Tallies that would need too much memory in all resamples have no cells there, and
 * metrics that read them no interval.
 */
struct crd_evidence {
  crd_allocator alloc;
  crd__metric_plan plan;
  crd__metric_shape shape;
  crd__metric_kind kind; /* settled by the first rows; its `cluster` is owned */
  uint64_t seed;
  size_t resamples;
  crd_interval interval;
  crd__metric_layout data, resample; /* of sample 0, and of each other */
  crd__sum *cells;                   /* NULL until something was added */
  crd__metric_ranking
      *rankings; /* by confidence; then, if a metric asks, by each class's probability */
  size_t ranking_count;
  crd__metric_spans spans;          /* the row numbers counted */
  crd__metric_cluster_set clusters; /* that they belong to; empty: rows are independent */
  double *resampled;     /* every metric of every resample (interval.h), once that was asked for */
  double effective_rows; /* (sum w)^2 / sum w^2, set together with `resampled` */
  uint64_t rows, floored;
  const char *name; /* owned */
  crd__notes notes; /* what the predictions had to say */
};

/* Are rows independent? Formulas that count rows (Wilson's interval, McNemar's test, the tests of
 * calibration) hold for these alone; the bootstrap draws clusters of rows otherwise. */
static inline bool crd__metric_rows_independent(const crd_evidence *evidence) {
  return evidence->kind.cluster == NULL;
}
/* One cluster, drawn again and again, shows nothing of how clusters differ: it has no interval. */
static inline bool crd__metric_evidence_varies(const crd_evidence *evidence) {
  return crd__metric_rows_independent(evidence) || evidence->clusters.count > 1;
}
/* What a record of the rankings holds. */
static inline crd__metric_record_kind crd__metric_evidence_record(const crd_evidence *evidence) {
  return (crd__metric_record_kind){ evidence->kind.weighted, evidence->kind.cluster != NULL };
}

static inline const crd__metric_layout *crd__metric_evidence_layout(const crd_evidence *evidence,
                                                                    size_t sample) {
  return sample ? &evidence->resample : &evidence->data;
}
/* The number of cells before those of a sample; of all cells, before sample resamples + 1. */
static inline size_t crd__metric_evidence_place(const crd_evidence *evidence, size_t sample) {
  return sample ? evidence->data.stride + (sample - 1) * evidence->resample.stride : 0;
}
/* The cells of one tally in a sample, among the `cells` of all; NULL when it was not gathered (it
 * needs scores of all classes, or too much memory). */
const crd__sum *crd__metric_evidence_cells(const crd_evidence *evidence, const crd__sum *cells,
                                           size_t sample, const crd__metric_tally *tally);
/* What a metric is finished from; `ranking` is the sample's, by confidence. */
crd__metric_facts crd__metric_evidence_facts(const crd_evidence *evidence,
                                             const crd__metric *metric, size_t sample,
                                             const crd__metric_ranking *ranking);
/* What the ranking number `index`, here as the sample has it, adds to the metric's value: the value
 * is the sum over all rankings. */
crd__metric_answer crd__metric_evidence_part(const crd_evidence *evidence,
                                             const crd__metric *metric, size_t sample, size_t index,
                                             const crd__metric_ranking *ranking);
/* That sum, for the data; rankings are sorted. */
crd__metric_answer crd__metric_evidence_answer(const crd_evidence *evidence,
                                               const crd__metric *metric);
crd_status crd__metric_evidence_sort(crd_context *ctx, crd_evidence *evidence);
/* Give back the resamples' cells, which nothing reads once every metric is known in every resample,
 * unless rows are to be added, merged or saved: it must not be used so any more. */
void crd__metric_evidence_thin(crd_evidence *evidence);

/* What the first rows settle: the layout of cells, the name. Not more than `most` cells. */
crd_status crd__metric_evidence_settle(crd_context *ctx, crd_evidence *evidence,
                                       const crd__metric_kind *kind, const char *name, size_t most);
/* Evidence from the bytes of a file (state.c). */
crd_status crd__metric_evidence_read(crd_context *ctx, const char *name, const unsigned char *bytes,
                                     size_t length, crd_evidence **out);

/* One pass over the rows: sums into every sample, records into rankings (pass.c). Nothing of the
 * evidence changes before all has succeeded. */
crd_status crd__metric_evidence_pass(crd_context *ctx, crd_evidence *evidence,
                                     const crd_predictions *predictions, uint64_t first_row);

#endif

/* evidence.h -- the struct behind crd_evidence: the cells of all tallies, and rankings. */
#ifndef CRD_METRIC_EVIDENCE_H
#define CRD_METRIC_EVIDENCE_H

#include "metric/cluster_set.h"
#include "metric/metric.h"
#include "metric/spans.h"

/* The metrics requested, and the tallies they share. */
typedef struct {
  const crd__metric **metrics;
  size_t metric_count;
  const crd__metric_tally **tallies; /* each once; the first is the reliability diagram's */
  size_t tally_count;
  const crd__metric_tally *pairs; /* the one with put_pairs; NULL: none */
  bool ranked;                    /* keep a ranking by confidence ... */
  bool resampled;                 /* ... which some metric needs in every resample too */
} crd__metric_plan;

/* Properties that all rows of one evidence share. */
typedef struct {
  size_t classes;
  bool weighted;
  int weight_shift;
  crd_input input;
  crd_binary binary;
  const char *cluster;  /* name of the column that clusters rows; NULL: rows are independent */
  uint64_t class_names; /* hash of the names of the classes; 0: unnamed */
} crd__metric_kind;

/* Layout of the cells of one sample: those of each tally, then one for the total weight. */
typedef struct {
  size_t *offset; /* of each tally's cells; the last element is that of the weight */
  size_t stride;
} crd__metric_layout;

/*
 * Sums are kept for samples 0 .. resamples: sample 0 is the data, the others are its bootstrap
 * resamples (resample.h). Tallies that would need too much memory in all resamples have no cells
 * there, and metrics that read them have no interval.
 */
struct crd_evidence {
  crd_allocator alloc;
  crd__metric_plan plan;
  crd__metric_shape shape;
  crd__metric_kind kind; /* set by the first rows added; its `cluster` is owned */
  uint64_t seed;
  size_t resamples;
  crd_interval interval;
  crd__metric_layout data, resample; /* of sample 0, and of each resample */
  crd__sum *cells;                   /* NULL until rows are added */
  crd__metric_ranking
      *rankings; /* by confidence; then, if a metric needs it, by each class's probability */
  size_t ranking_count;
  crd__metric_spans spans;          /* the row indices added so far */
  crd__metric_cluster_set clusters; /* of these rows; empty: rows are independent */
  double *resampled;     /* every metric in every resample (interval.h), computed on demand */
  double effective_rows; /* (sum w)^2 / sum w^2, set together with `resampled` */
  uint64_t rows, floored;
  const char *name;        /* owned */
  crd__notes notes;        /* of the predictions added */
  char recalibration[256]; /* their note on recalibration; "" in merged and in stored evidence */
};

/* Checks the numbers of bins and resamples. */
crd_status crd__metric_options_check(crd_context *ctx, const crd_evaluate_options *options);

/* Returns whether rows are independent. Formulas that count rows (Wilson's interval, McNemar's
 * test, the tests of calibration) hold only then; otherwise the bootstrap draws clusters of rows.
 */
static inline bool crd__metric_rows_independent(const crd_evidence *evidence) {
  return evidence->kind.cluster == NULL;
}
/* Returns whether the bootstrap can estimate an interval: resampling a single cluster shows no
 * variation between clusters. */
static inline bool crd__metric_evidence_can_resample(const crd_evidence *evidence) {
  return crd__metric_rows_independent(evidence) || evidence->clusters.count > 1;
}
/* Returns the optional fields of the rankings' records. */
static inline crd__metric_record_kind crd__metric_evidence_record(const crd_evidence *evidence) {
  return (crd__metric_record_kind){ .weighted = evidence->kind.weighted,
                                    .clustered = evidence->kind.cluster != NULL,
                                    .unbounded = evidence->shape.ranking };
}

static inline const crd__metric_layout *crd__metric_evidence_layout(const crd_evidence *evidence,
                                                                    size_t sample) {
  return sample ? &evidence->resample : &evidence->data;
}
/* Returns the offset of a sample's cells; for sample resamples + 1, the number of all cells. */
static inline size_t crd__metric_evidence_offset(const crd_evidence *evidence, size_t sample) {
  return sample ? evidence->data.stride + (sample - 1) * evidence->resample.stride : 0;
}
/* Returns the cells of one tally in a sample, given the `cells` of all; NULL if the tally has none
 * there (it needs scores of all classes, or too much memory). */
const crd__sum *crd__metric_evidence_cells(const crd_evidence *evidence, const crd__sum *cells,
                                           size_t sample, const crd__metric_tally *tally);
/* Returns the inputs of metric->finish in a sample; `ranking` is the sample's, by confidence. */
crd__metric_facts crd__metric_evidence_facts(const crd_evidence *evidence,
                                             const crd__metric *metric, size_t sample,
                                             const crd__metric_ranking *ranking);
/* Returns the contribution of ranking `index` (resampled as `ranking`) to the metric's value, which
 * is the sum over all rankings. */
crd__metric_answer crd__metric_evidence_contribution(const crd_evidence *evidence,
                                                     const crd__metric *metric, size_t sample,
                                                     size_t index,
                                                     const crd__metric_ranking *ranking);
/* Returns the metric's value on the data; the rankings must be sorted. */
crd__metric_answer crd__metric_evidence_answer(const crd_evidence *evidence,
                                               const crd__metric *metric);
crd_status crd__metric_evidence_sort(crd_context *ctx, crd_evidence *evidence);
/* Frees the cells of the resamples once every metric is computed in every resample. No rows may be
 * added, merged or saved afterwards. */
void crd__metric_evidence_free_resamples(crd_evidence *evidence);

/* Sets what the first rows determine: the kind, the layout of cells, the name. ENOMEM if that needs
 * more than `most` cells. */
crd_status crd__metric_evidence_init(crd_context *ctx, crd_evidence *evidence,
                                     const crd__metric_kind *kind, const char *name, size_t most);
/* Adds all rows: sums to every sample, records to rankings (pass.c). On failure the evidence is
 * unchanged. */
crd_status crd__metric_evidence_pass(crd_context *ctx, crd_evidence *evidence,
                                     const crd_predictions *predictions, uint64_t first_row);

#endif

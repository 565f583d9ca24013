/*
 * sample.c -- sorts rows by confidence and adds up, threshold by threshold, what is accepted.
 *
 * The effective number of rows, for tests that need independent rows of equal weight, is
 *   rows                          the number of accepted rows
 *   weighted rows                 (sum w)^2 / sum w^2 (Kish 1965)
 *   clustered rows                r (1 - r) / V * (z / t)^2, at most the number of rows, with the
 *                                 risk r and the variance of a ratio
 *                                   V = G / (G - 1) * sum_g (e_g - r n_g)^2 / (sum_g n_g)^2
 *                                 over G clusters with n_g accepted rows and e_g errors, and the
 *                                 quantiles z and t of the normal distribution and of Student's
 *                                 with G - 1 degrees of freedom; without errors, G.
 *
 * Korn, Graubard: Confidence intervals for proportions with small expected number of positive
 * counts estimated from survey data (1998).
 */
#include "selective/sample.h"
#include "base/memory.h"

#include <math.h>

double crd__selective_counts_of(const crd__selective_counts *counts, unsigned set) {
  double sum = 0;
  for (unsigned c = 0; c < CRD__COUNTS; c++)
    if (set >> c & 1) sum += counts->cell[c];
  return sum;
}

void crd__selective_sample_clear(const crd_allocator *alloc, crd__selective_sample *sample) {
  crd__metric_ranking_clear(alloc, &sample->ranking);
  crd__free(alloc, sample->steps);
  crd__free(alloc, sample->counts);
  crd__metric_cluster_set_clear(alloc, &sample->clusters);
  *sample = (crd__selective_sample){ 0 };
}

/* With CRD_BINARY_POS the confidence is that of class 1, whatever class is predicted. */
double crd__selective_confidence(const crd_predictions *p, double confidence) {
  const bool positive = p->parts.binary == CRD_BINARY_POS && p->classes == 2;
  return positive ? fmax(confidence, 1 - confidence) : confidence;
}

/* ---- Reading. */

typedef struct {
  const crd_predictions *predictions;
  crd__metric_ranking *ranking;
} reading;

static crd_status put(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const reading *const r = self;
  (void)ctx;
  for (size_t i = 0; i < rows->count; i++) {
    const size_t at = r->ranking->count;
    const bool label = rows->classes != 2 || rows->label[i] == 1;
    if (!(rows->weight[i] > 0)) continue;
    crd__metric_ranking_set(r->ranking, at,
                            crd__selective_confidence(r->predictions, rows->confidence[i]),
                            crd__data_row_number(rows, i),
                            (unsigned)rows->hit[i] << 1 | (unsigned)label, rows->weight[i]);
    if (rows->cluster) crd__metric_ranking_set_cluster(r->ranking, at, rows->cluster[i]);
    crd__metric_ranking_grow(r->ranking, 1);
  }
  return CRD_OK;
}

static crd_status read_rows(crd_context *ctx, const crd_predictions *p,
                            crd__metric_ranking *ranking) {
  const crd__metric_record_kind kind = { .weighted = crd_predictions_has_weights(p) != 0,
                                         .clustered = p->cluster_keys != NULL,
                                         .unbounded = p->parts.input == CRD_INPUT_RANKING };
  reading r = { p, ranking };
  CRD_TRY(crd__data_labels_require(ctx, p));
  CRD_TRY(crd__metric_ranking_reserve(ctx, &ctx->alloc, ranking, crd_predictions_rows(p), kind));
  CRD_TRY(crd__data_rows_walk(ctx, p, 0, put, &r));
  if (ranking->count == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s", p->parts.name,
                     crd_predictions_rows(p) ? "all weights are 0" : "no rows");
  crd__metric_ranking_sort(ranking);
  return CRD_OK;
}

size_t crd__selective_cluster(const crd__selective_sample *s, size_t i) {
  const uint64_t key = crd__metric_ranking_cluster(&s->ranking, i);
  size_t low = 0, high = s->clusters.count - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->clusters.keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- Effective numbers. */

typedef struct {
  double errors, rows;
} cluster;

/* Running sums over the accepted rows. */
typedef struct {
  double weights, squares; /* of the rows */
  cluster *clusters;       /* NULL: rows are independent */
  size_t reached;          /* clusters with an accepted row */
  double ee, en, nn;       /* sums over clusters of e_g^2, e_g n_g, n_g^2 */
} spread;

static void add_to_cluster(spread *s, size_t index, double weight, bool wrong) {
  cluster *const c = &s->clusters[index];
  const double e = wrong ? weight : 0;
  s->reached += c->rows == 0;
  s->ee += e * (2 * c->errors + e);
  s->en += (c->errors + e) * (c->rows + weight) - c->errors * c->rows;
  s->nn += weight * (2 * c->rows + weight);
  c->errors += e;
  c->rows += weight;
}

/* (z / t)^2 at the upper 5 %, t by the expansion of Cornish and Fisher (Abramowitz, Stegun 26.7.5).
 */
static double few_clusters(double freedom) {
  const double z = 1.6448536269514722, z2 = z * z;
  const double t =
      z + z * (z2 + 1) / (4 * freedom) + z * ((5 * z2 + 16) * z2 + 3) / (96 * freedom * freedom);
  return z2 / (t * t);
}

static double effective(const spread *s, const crd__selective_counts *counts, size_t rows) {
  const double all = crd__selective_counts_of(counts, CRD__ALL_ROWS);
  const double r = crd__selective_counts_of(counts, CRD__WRONG) / all;
  const double groups = (double)s->reached;
  if (!s->clusters) return s->weights * s->weights / s->squares;
  const double variance = (s->ee - 2 * r * s->en + r * r * s->nn) / (all * all);
  if (!(r > 0 && r < 1) || !(variance > 0) || s->reached < 2) return groups;
  return fmin(r * (1 - r) / variance * (groups - 1) / groups * few_clusters(groups - 1),
              (double)rows);
}

/* ---- Steps. */

static void add_row(crd__selective_sample *s, size_t i, crd__selective_counts *counts,
                    spread *sums) {
  const double weight = crd__metric_ranking_weight(&s->ranking, i);
  counts->cell[crd__selective_cell(s, i)] += weight;
  sums->weights += weight;
  sums->squares += weight * weight;
  if (sums->clusters)
    add_to_cluster(sums, crd__selective_cluster(s, i), weight,
                   !crd__metric_ranking_hit(&s->ranking, i));
}

static void add_steps(crd__selective_sample *s, spread *sums) {
  const crd__metric_ranking *const r = &s->ranking;
  crd__selective_counts counts = { 0 };
  for (crd__metric_ties t = crd__metric_ties_highest(r); t.count; t = crd__metric_ties_next(r, t)) {
    for (size_t i = t.from + 1 - t.count; i <= t.from; i++) add_row(s, i, &counts, sums);
    const size_t rows = r->count - (t.from + 1 - t.count);
    s->steps[s->count] =
        (crd__selective_step){ t.confidence, rows, effective(sums, &counts, rows) };
    s->counts[s->count++] = counts;
  }
}

static crd_status fill(crd_context *ctx, const crd_predictions *p, crd__selective_sample *s) {
  spread sums = { 0 };
  s->classes = crd_predictions_classes(p);
  CRD_TRY(read_rows(ctx, p, &s->ranking));
  CRD_TRY(crd__metric_cluster_set_of(ctx, &ctx->alloc, p, &s->clusters));
  CRD_TRY(crd__new(ctx, s->ranking.count, sizeof *s->steps, "thresholds", &s->steps));
  CRD_TRY(crd__new(ctx, s->ranking.count, sizeof *s->counts, "thresholds", &s->counts));
  if (s->ranking.kind.clustered)
    CRD_TRY(crd__new(ctx, s->clusters.count, sizeof *sums.clusters, "clusters", &sums.clusters));
  add_steps(s, &sums);
  crd__free(&ctx->alloc, sums.clusters);
  return CRD_OK;
}

crd_status crd__selective_sample_make(crd_context *ctx, const crd_predictions *predictions,
                                      crd__selective_sample *out) {
  *out = (crd__selective_sample){ 0 };
  const crd_status status = fill(ctx, predictions, out);
  if (status != CRD_OK) crd__selective_sample_clear(&ctx->alloc, out);
  return status;
}

size_t crd__selective_steps_above(const crd__selective_sample *s, double threshold) {
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->steps[middle].threshold >= threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

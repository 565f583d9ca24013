/*
 * measure.c -- proportions of accepted rows with 95 % intervals.
 *
 * Independent rows have the interval of Clopper and Pearson; with weights, k of n rows becomes an
 * effective number, (sum w)^2 / sum w^2 of the accepted rows. Clustered rows have the quantiles of
 * the cluster bootstrap, which draws patients, each with all of their rows. Where all resamples
 * agree, as without any error, that interval would be a point: it is then Clopper and Pearson's
 * with the number of clusters instead of that of rows.
 */
#include "selective/measure.h"
#include "base/memory.h"
#include "evaluate/interval.h"
#include "math/binomial.h"
#include "metric/resample.h"
#include "selective/choose.h"

#include <math.h>

/* Which cells count, of which. */
static const struct {
  size_t offset;
  unsigned count, total;
  bool of_all; /* the total is over all rows, not only those accepted */
} table[CRD__PROPORTIONS] = {
  { offsetof(crd_operating_point, coverage), CRD__ALL_ROWS, CRD__ALL_ROWS, true },
  { offsetof(crd_operating_point, risk), CRD__WRONG, CRD__ALL_ROWS, false },
  { offsetof(crd_operating_point, sensitivity), CRD__TRUE_POSITIVE,
    CRD__TRUE_POSITIVE | CRD__FALSE_NEGATIVE, false },
  { offsetof(crd_operating_point, specificity), CRD__TRUE_NEGATIVE,
    CRD__TRUE_NEGATIVE | CRD__FALSE_POSITIVE, false },
  { offsetof(crd_operating_point, ppv), CRD__TRUE_POSITIVE,
    CRD__TRUE_POSITIVE | CRD__FALSE_POSITIVE, false },
  { offsetof(crd_operating_point, npv), CRD__TRUE_NEGATIVE,
    CRD__TRUE_NEGATIVE | CRD__FALSE_NEGATIVE, false },
};

crd_proportion *crd__selective_proportion(crd_operating_point *point, size_t index) {
  return (crd_proportion *)(void *)((char *)point + table[index].offset);
}

size_t crd__selective_proportion_count(const crd__selective_sample *sample) {
  return sample->classes == 2 ? CRD__PROPORTIONS : 2;
}

static double total_of(size_t index, const crd__selective_counts *accepted,
                       const crd__selective_counts *all) {
  return crd__selective_counts_of(table[index].of_all ? all : accepted, table[index].total);
}

double crd__selective_value(size_t index, const crd__selective_counts *accepted,
                            const crd__selective_counts *all) {
  const double total = total_of(index, accepted, all);
  return total > 0 ? crd__selective_counts_of(accepted, table[index].count) / total : (double)NAN;
}

crd__selective_counts crd__selective_accepted(const crd__selective_sample *s, size_t steps) {
  return steps ? s->counts[steps - 1] : (crd__selective_counts){ 0 };
}

void crd__selective_measure(const crd__selective_sample *s, size_t steps,
                            crd_operating_point *out) {
  const crd__selective_counts accepted = crd__selective_accepted(s, steps);
  const crd__selective_counts *const all = &s->counts[s->count - 1];
  const double nan = (double)NAN;
  out->rows = s->ranking.count;
  out->accepted = steps ? s->steps[steps - 1].rows : 0;
  for (size_t i = 0; i < CRD__PROPORTIONS; i++)
    *crd__selective_proportion(out, i) = (crd_proportion){ nan, nan, nan, 0, 0 };
  for (size_t i = 0; i < crd__selective_proportion_count(s); i++)
    *crd__selective_proportion(out, i) =
        (crd_proportion){ crd__selective_value(i, &accepted, all), nan, nan,
                          crd__selective_counts_of(&accepted, table[i].count),
                          total_of(i, &accepted, all) };
}

/* ---- Intervals. */

/* How many independent observations a unit of weight is worth. */
static double worth(const crd__selective_sample *s, size_t steps, bool of_all) {
  const size_t last = of_all || !steps ? s->count - 1 : steps - 1;
  const double all = crd__selective_counts_of(&s->counts[last], CRD__ALL_ROWS);
  if (!s->ranking.kind.clustered) return s->steps[last].effective / all;
  return (double)s->clusters.count /
         crd__selective_counts_of(&s->counts[s->count - 1], CRD__ALL_ROWS);
}

void crd__selective_exact(const crd__selective_sample *s, size_t steps, size_t index,
                          crd_proportion *out) {
  const double scale = worth(s, steps, table[index].of_all);
  if (!(out->total > 0)) return;
  crd__math_clopper_pearson(out->count * scale, out->total * scale, 1 - CRD__SELECTIVE_ERROR,
                            &out->low, &out->high);
}

bool crd__selective_quantiles(double *replicates, size_t count, double base, bool reverse,
                              crd_proportion *out) {
  const size_t numbers = crd__evaluate_sort_numbers(replicates, count);
  if (numbers == 0 || numbers < count / 2) return false;
  const double low = crd__evaluate_quantile(replicates, numbers, crd__evaluate_interval_tail);
  const double high = crd__evaluate_quantile(replicates, numbers, 1 - crd__evaluate_interval_tail);
  if (!(low < high)) return false;
  out->low = fmax(0, base + (reverse ? -high : low));
  out->high = fmin(1, base + (reverse ? -low : high));
  return true;
}

/* What each cluster adds. */
typedef struct {
  crd__selective_counts accepted, all;
} share;

static void divide(const crd__selective_sample *s, size_t accepted, share *shares) {
  for (size_t i = 0; i < s->ranking.count; i++) {
    share *const mine = &shares[crd__selective_cluster(s, i)];
    const size_t cell = crd__selective_cell(s, i);
    const double weight = crd__metric_ranking_weight(&s->ranking, i);
    mine->all.cell[cell] += weight;
    if (i >= s->ranking.count - accepted) mine->accepted.cell[cell] += weight;
  }
}

static share add_drawn(const share *shares, const unsigned char *draws, size_t count) {
  share sum = { 0 };
  for (size_t g = 0; g < count; g++)
    for (size_t c = 0; draws[g] && c < CRD__COUNTS; c++) {
      sum.accepted.cell[c] += draws[g] * shares[g].accepted.cell[c];
      sum.all.cell[c] += draws[g] * shares[g].all.cell[c];
    }
  return sum;
}

/* The scratch buffers of the cluster bootstrap. */
typedef struct {
  share *shares;
  crd__metric_ranking units; /* one record for each cluster */
  unsigned char *draws;
  double *replicates; /* by proportion, then resample */
} scratch;

static void resample(crd_context *ctx, const crd__selective_sample *s, unsigned resamples,
                     const scratch *b) {
  const size_t clusters = s->clusters.count;
  for (size_t first = 1; first <= resamples; first += CRD__RESAMPLES_AT_ONCE) {
    crd__metric_resample_draws(ctx->seed, first, &b->units, b->draws);
    for (size_t j = 0; j < CRD__RESAMPLES_AT_ONCE && first + j <= resamples; j++) {
      const share sum = add_drawn(b->shares, b->draws + j * clusters, clusters);
      for (size_t p = 0; p < crd__selective_proportion_count(s); p++)
        b->replicates[p * resamples + first + j - 1] =
            crd__selective_value(p, &sum.accepted, &sum.all);
    }
  }
}

static crd_status prepare(crd_context *ctx, const crd__selective_sample *s, unsigned resamples,
                          scratch *b) {
  const size_t clusters = s->clusters.count;
  CRD_TRY(crd__new(ctx, clusters, sizeof *b->shares, "clusters", &b->shares));
  CRD_TRY(crd__new(ctx, clusters, CRD__RESAMPLES_AT_ONCE, "resampling", &b->draws));
  CRD_TRY(crd__new(ctx, resamples, CRD__PROPORTIONS * sizeof *b->replicates, "resampling",
                   &b->replicates));
  CRD_TRY(crd__metric_ranking_reserve(ctx, &ctx->alloc, &b->units, clusters,
                                      (crd__metric_record_kind){ .clustered = true }));
  for (size_t g = 0; g < clusters; g++) {
    crd__metric_ranking_set(&b->units, g, 0, g, 0, 1);
    crd__metric_ranking_set_cluster(&b->units, g, s->clusters.keys[g]);
  }
  crd__metric_ranking_grow(&b->units, clusters);
  return CRD_OK;
}

static crd_status by_clusters(crd_context *ctx, const crd__selective_sample *s, size_t steps,
                              unsigned resamples, crd_operating_point *out) {
  scratch b = { 0 };
  if (s->clusters.count < 2) return CRD_OK;
  const crd_status status = prepare(ctx, s, resamples, &b);
  if (status == CRD_OK) {
    divide(s, out->accepted, b.shares);
    resample(ctx, s, resamples, &b);
  }
  for (size_t p = 0; status == CRD_OK && p < crd__selective_proportion_count(s); p++) {
    crd_proportion *const one = crd__selective_proportion(out, p);
    if (!isnan(one->value) &&
        !crd__selective_quantiles(b.replicates + p * resamples, resamples, 0, false, one))
      crd__selective_exact(s, steps, p, one);
  }
  crd__free(&ctx->alloc, b.shares);
  crd__free(&ctx->alloc, b.draws);
  crd__free(&ctx->alloc, b.replicates);
  crd__metric_ranking_clear(&ctx->alloc, &b.units);
  return status;
}

crd_status crd__selective_intervals(crd_context *ctx, const crd__selective_sample *s, size_t steps,
                                    unsigned resamples, crd_operating_point *out) {
  if (s->ranking.kind.clustered) return by_clusters(ctx, s, steps, resamples, out);
  for (size_t i = 0; i < crd__selective_proportion_count(s); i++)
    crd__selective_exact(s, steps, i, crd__selective_proportion(out, i));
  return CRD_OK;
}

/*
 * interval.c -- 95 % bootstrap intervals of every metric, from the resamples of the evidence.
 *
 * Every metric is computed on each resample; the 2.5 % and 97.5 % quantiles of the values are the
 * percentile interval. Resampling biases errors such as ECE upwards (it adds noise to every bin):
 * the corrected interval subtracts the shift of the median.
 *
 * A proportion, k of n rows, has Wilson's interval instead: if all rows are correct, so are all
 * resamples, and the bootstrap interval has no width.
 */
#include "evaluate/interval.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/table.h"
#include "evaluate/bin_range.h"
#include "metric/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double crd__evaluate_interval_tail = 0.025;

/* The scratch buffers of a worker. */
typedef struct {
  unsigned char *draws;        /* how often each row is drawn, in a batch of resamples */
  crd__metric_ranking ranking; /* of one resample */
} scratch;

typedef struct {
  const crd_evidence *evidence;
  scratch *scratches;
  double *values; /* values[metric * resamples + (sample - 1)] */
} judgement;

static void judge_sample(const judgement *j, size_t sample, size_t r,
                         const crd__metric_ranking *ranking) {
  const crd_evidence *const e = j->evidence;
  for (size_t m = 0; m < e->plan.metric_count; m++)
    j->values[m * e->resamples + sample - 1] +=
        crd__metric_evidence_contribution(e, e->plan.metrics[m], sample, r, ranking).value;
}

/* Evaluates groups of resamples; those of a group are drawn at once. */
static crd_status judge_groups(crd_context *ctx, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const judgement *const j = arg;
  const crd_evidence *const e = j->evidence;
  scratch *const mine = &j->scratches[worker];
  (void)ctx;
  for (size_t group = from; group < to; group++) {
    const size_t first = group * CRD__RESAMPLES_AT_ONCE + 1;
    for (size_t r = 0; r < e->ranking_count; r++) {
      const bool drawn = r > 0 || e->plan.resampled;
      if (drawn) crd__metric_resample_draws(e->seed, first, &e->rankings[r], mine->draws);
      for (size_t p = 0; p < CRD__RESAMPLES_AT_ONCE && first + p <= e->resamples; p++) {
        if (drawn)
          crd__metric_resample_ranking(mine->draws + p * e->rankings[r].count, &e->rankings[r],
                                       &mine->ranking);
        judge_sample(j, first + p, r, &mine->ranking);
      }
    }
  }
  return CRD_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t crd__evaluate_sort_numbers(double *values, size_t count) {
  size_t numbers = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i])) values[numbers++] = values[i];
  qsort(values, numbers, sizeof *values, ascending);
  return numbers;
}

double crd__evaluate_quantile(const double *values, size_t count, double share) {
  const double at = share * (double)(count - 1), low = floor(at);
  const size_t i = (size_t)low;
  return i + 1 < count ? values[i] + (at - low) * (values[i + 1] - values[i]) : values[i];
}

static void set_interval(double *values, size_t resamples, crd_interval kind,
                         crd_metric_value *out) {
  const size_t count = crd__evaluate_sort_numbers(values, resamples);
  if (isnan(out->value) || count == 0 || count < resamples / 2) return;
  const double bias =
      kind == CRD_INTERVAL_CORRECTED ? crd__evaluate_quantile(values, count, 0.5) - out->value : 0;
  out->low = fmax(crd__evaluate_quantile(values, count, crd__evaluate_interval_tail) - bias,
                  out->metric->low);
  out->high = fmin(crd__evaluate_quantile(values, count, 1 - crd__evaluate_interval_tail) - bias,
                   out->metric->high);
}

/* Replaces the bootstrap interval of a proportion by Wilson's or, if the proportion depends on the
 * other rows too, by the wider of both at either end. Wilson's formula ignores clusters, so with
 * clusters it only replaces intervals of zero width, with the effective number of rows. */
static void take_proportion(const crd_evidence *e, const crd__metric *metric,
                            crd_metric_value *out) {
  if (!crd__metric_rows_independent(e) && out->low < out->high) return;
  const crd__metric_facts facts = crd__metric_evidence_facts(e, metric, 0, e->rankings);
  const crd__metric_proportion *const p = metric->proportion;
  const double trials = p->trials(&facts, e->effective_rows);
  const crd__evaluate_range range = crd__evaluate_share_interval(out->value, trials);
  out->low = p->dependent ? fmin(out->low, range.low) : range.low;
  out->high = p->dependent ? fmax(out->high, range.high) : range.high;
  out->interval = p->dependent ? "wilson-bootstrap" : "wilson";
}

static crd_status allocate(crd_context *ctx, judgement *j, unsigned workers) {
  const crd_evidence *const e = j->evidence;
  const crd__metric_record_kind drawn = { .weighted = true, .unbounded = e->shape.ranking };
  size_t count, longest = 0;
  for (size_t r = 0; r < e->ranking_count; r++)
    if (e->rankings[r].count > longest) longest = e->rankings[r].count;
  if (!crd__size_mul(e->plan.metric_count, e->resamples, &count)) count = SIZE_MAX;
  j->values = crd__calloc(&e->alloc, count, sizeof *j->values); /* the evidence will own them */
  if (!j->values) return crd__fail(ctx, CRD_ENOMEM, "no memory for resampling");
  CRD_TRY(crd__new(ctx, workers, sizeof *j->scratches, "resampling", &j->scratches));
  for (unsigned w = 0; w < workers; w++) {
    scratch *const s = &j->scratches[w];
    CRD_TRY(crd__new(ctx, longest, CRD__RESAMPLES_AT_ONCE, "resampling", &s->draws));
    CRD_TRY(crd__metric_ranking_reserve(ctx, &ctx->alloc, &s->ranking, longest, drawn));
  }
  return CRD_OK;
}

static void release(const crd_allocator *alloc, judgement *j, unsigned workers) {
  for (unsigned w = 0; w < workers && j->scratches; w++) {
    crd__free(alloc, j->scratches[w].draws);
    crd__metric_ranking_clear(alloc, &j->scratches[w].ranking);
  }
  crd__free(alloc, j->scratches);
  crd__free(&j->evidence->alloc, j->values);
}

/* The total weight of a resample; `sample` 0 is the data. */
static double sample_weight(const crd_evidence *e, size_t sample) {
  const size_t last = crd__metric_evidence_layout(e, sample)->stride - 1;
  return crd__sum_value(e->cells[crd__metric_evidence_offset(e, sample) + last]);
}

/*
 * The effective sample size: with weights w, a mean has the variance of (sum w)^2 / sum w^2
 * unweighted rows (Kish 1965). The sum of squares equals the variance of a resample's total weight,
 * since each row is drawn Poisson(1) times. So it is estimated from the resamples, which also works
 * for clusters that are drawn together, and evidence needs no further sum.
 */
static double effective_rows(const crd_evidence *e) {
  const double weight = sample_weight(e, 0);
  double variance = 0;
  if (!e->kind.weighted && crd__metric_rows_independent(e)) return weight;
  for (size_t s = 1; s <= e->resamples; s++) {
    const double distance = sample_weight(e, s) - weight;
    variance += distance * distance / (double)e->resamples;
  }
  const double rows = variance > 0 ? weight * weight / variance : (double)e->rows;
  return fmin(fmax(rows, 1), (double)e->rows);
}

crd_status crd__evaluate_resampled_values(crd_context *ctx, crd_evidence *evidence,
                                          const double **out) {
  const size_t groups = (evidence->resamples + CRD__RESAMPLES_AT_ONCE - 1) / CRD__RESAMPLES_AT_ONCE;
  const unsigned workers = crd__parallel_workers(ctx, groups);
  judgement j = { .evidence = evidence };
  crd_status status = CRD_OK;
  if (!evidence->resampled) {
    status = allocate(ctx, &j, workers);
    if (status == CRD_OK)
      status = crd__parallel_for(ctx, "judging resamples", groups, 1, judge_groups, &j);
    if (status == CRD_OK) {
      evidence->resampled = j.values;
      evidence->effective_rows = effective_rows(evidence);
      j.values = NULL;
    }
    release(&ctx->alloc, &j, workers);
  }
  *out = evidence->resampled;
  return status;
}

const char *crd_interval_name(crd_interval interval) {
  static const char *const words[] = {
    [CRD_INTERVAL_CORRECTED] = "corrected", [CRD_INTERVAL_PERCENTILE] = "percentile"
  };
  return CRD_NAME_AT(words, interval);
}

crd_status crd__evaluate_intervals(crd_context *ctx, crd_evidence *evidence, crd_interval kind,
                                   crd_metric_value *values) {
  const size_t resamples = evidence->resamples;
  const double *resampled;
  double *sorted;
  if (resamples == 0 || !crd__metric_evidence_can_resample(evidence)) return CRD_OK;
  CRD_TRY(crd__evaluate_resampled_values(ctx, evidence, &resampled));
  CRD_TRY(crd__new(ctx, resamples, sizeof *sorted, "resampling", &sorted));
  for (size_t m = 0; m < evidence->plan.metric_count; m++) {
    memcpy(sorted, resampled + m * resamples, resamples * sizeof *sorted);
    set_interval(sorted, resamples, kind, &values[m]);
    if (evidence->plan.metrics[m]->proportion && !isnan(values[m].low))
      take_proportion(evidence, evidence->plan.metrics[m], &values[m]);
  }
  crd__free(&ctx->alloc, sorted);
  return CRD_OK;
}

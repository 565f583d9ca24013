/*
 * interval.c -- 95 % intervals of every metric, from the resamples that the evidence holds.
 *
 * Each resample is judged like the data; the 2.5 % and 97.5 % quantiles of its values are the
 * percentile interval. Errors such as ECE grow by resampling (noise is added to every bin), which
 * shifts all values alike: the corrected interval takes the shift of their median back.
 */
#include "evaluate/interval.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "metric/resample.h"

#include <math.h>
#include <stdlib.h>

const double crd__interval_tail = 0.025;

typedef struct {
  const crd_evidence *evidence;
  crd__ranking *rankings; /* room for one at a time, for each worker */
  double *values;         /* values[metric * resamples + (sample - 1)] */
} judgement;

static crd_status judge_samples(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                size_t to) {
  const judgement *const j = arg;
  const crd_evidence *const e = j->evidence;
  crd__ranking *const ranking = &j->rankings[worker];
  (void)ctx;
  for (size_t s = from; s < to; s++) {
    for (size_t r = 0; r < e->ranking_count; r++) {
      if (r > 0 || e->plan.resampled)
        crd__resample_ranking(e->seed, s + 1, &e->rankings[r], ranking);
      for (size_t m = 0; m < e->plan.metric_count; m++)
        j->values[m * e->resamples + s] +=
            crd__evidence_part(e, e->plan.metrics[m], s + 1, r, ranking).value;
    }
  }
  return CRD_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

size_t crd__sort_numbers(double *values, size_t count) {
  size_t numbers = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i])) values[numbers++] = values[i];
  qsort(values, numbers, sizeof *values, ascending);
  return numbers;
}

double crd__quantile(const double *values, size_t count, double share) {
  const double at = share * (double)(count - 1), low = floor(at);
  const size_t i = (size_t)low;
  return i + 1 < count ? values[i] + (at - low) * (values[i + 1] - values[i]) : values[i];
}

static void set_interval(double *values, size_t resamples, crd_interval kind,
                         crd_metric_value *out) {
  const size_t count = crd__sort_numbers(values, resamples);
  if (isnan(out->value) || count == 0 || count < resamples / 2) return;
  const double bias =
      kind == CRD_INTERVAL_CORRECTED ? crd__quantile(values, count, 0.5) - out->value : 0;
  out->low = fmax(crd__quantile(values, count, crd__interval_tail) - bias, out->metric->low);
  out->high = fmin(crd__quantile(values, count, 1 - crd__interval_tail) - bias, out->metric->high);
}

static crd_status make_room(crd_context *ctx, judgement *j, unsigned workers) {
  const crd_evidence *const e = j->evidence;
  size_t count, longest = 0;
  for (size_t r = 0; r < e->ranking_count; r++)
    if (e->rankings[r].count > longest) longest = e->rankings[r].count;
  if (!crd__size_mul(e->plan.metric_count, e->resamples, &count)) count = SIZE_MAX;
  CRD_TRY(crd__new(ctx, count, sizeof *j->values, "resampling", &j->values));
  CRD_TRY(crd__new(ctx, workers, sizeof *j->rankings, "resampling", &j->rankings));
  for (unsigned w = 0; w < workers; w++)
    CRD_TRY(crd__ranking_reserve(ctx, &ctx->alloc, &j->rankings[w], longest, true));
  return CRD_OK;
}

crd_status crd__resampled_values(crd_context *ctx, const crd_evidence *evidence, double **out) {
  const size_t resamples = evidence->resamples;
  const unsigned workers = crd__parallel_workers(ctx, resamples);
  judgement j = { .evidence = evidence };
  crd_status status = make_room(ctx, &j, workers);
  if (status == CRD_OK)
    status = crd__parallel_for(ctx, "judging resamples", resamples, 1, judge_samples, &j);
  for (unsigned w = 0; w < workers && j.rankings; w++)
    crd__ranking_clear(&ctx->alloc, &j.rankings[w]);
  crd__free(&ctx->alloc, j.rankings);
  if (status == CRD_OK) *out = j.values;
  else crd__free(&ctx->alloc, j.values);
  return status;
}

crd_status crd__intervals(crd_context *ctx, const crd_evidence *evidence, crd_interval kind,
                          crd_metric_value *values) {
  double *resampled = NULL;
  if (evidence->resamples == 0) return CRD_OK;
  CRD_TRY(crd__resampled_values(ctx, evidence, &resampled));
  for (size_t m = 0; m < evidence->plan.metric_count; m++)
    set_interval(resampled + m * evidence->resamples, evidence->resamples, kind, &values[m]);
  crd__free(&ctx->alloc, resampled);
  return CRD_OK;
}

/*
 * shift_difference.c -- shifted minus original: value, interval and p of each metric.
 *
 * Resample s of both sets gives a difference; their quantiles are the interval. Resampling biases
 * errors such as ECE upwards, the more the better calibrated the model and the fewer the rows: two
 * sets are biased differently, so the bias of the median is removed from differences as it is from
 * the intervals of results (interval.c), and p is that of the corrected differences:
 *   p = 2 min(P(d <= 0), P(d >= 0)), with one added to each count.
 *
 * The difference of two independent proportions has Newcombe's interval (1998, method 10), from
 * Wilson's intervals (l, u) of both:
 *   d - sqrt((p2 - l2)^2 + (u1 - p1)^2) .. d + sqrt((u2 - p2)^2 + (p1 - l1)^2).
 * It has a width even if all rows of both sets are correct. Paired rows have Tango's interval and
 * the metrics' own tests (compare.c).
 */
#include "base/arena.h"
#include "base/memory.h"
#include "evaluate/bin_range.h"
#include "evaluate/interval.h"
#include "evaluate/shift.h"

#include <math.h>

/* Both sets, and a scratch buffer for the differences of the resamples. */
typedef struct {
  crd_evidence *original, *shifted;
  size_t resamples; /* that both have */
  double *values;
} pair;

/* Sorts the corrected differences of the resamples; returns their number. */
static size_t resample(const pair *p, size_t metric, double difference) {
  const double *const mine = p->original->resampled + metric * p->original->resamples;
  const double *const theirs = p->shifted->resampled + metric * p->shifted->resamples;
  for (size_t s = 0; s < p->resamples; s++) p->values[s] = theirs[s] - mine[s];
  const size_t count = crd__evaluate_sort_numbers(p->values, p->resamples);
  if (count == 0 || p->original->interval != CRD_INTERVAL_CORRECTED) return count;
  const double bias = crd__evaluate_quantile(p->values, count, 0.5) - difference;
  for (size_t s = 0; s < count; s++) p->values[s] -= bias;
  return count;
}

/* Resampling a single row, or a single cluster, shows no variation. */
static bool varies(const crd_evidence *e) {
  return e->rows > 1 && crd__metric_evidence_can_resample(e);
}

static void set_interval(const pair *p, size_t metric, crd_difference *d) {
  const size_t count = isnan(d->value) ? 0 : resample(p, metric, d->value);
  d->low = d->high = d->p = (double)NAN;
  if (count == 0 || count < p->resamples / 2 || !varies(p->original) || !varies(p->shifted)) return;
  d->low = crd__evaluate_quantile(p->values, count, crd__evaluate_interval_tail);
  d->high = crd__evaluate_quantile(p->values, count, 1 - crd__evaluate_interval_tail);
  d->p = crd__evaluate_two_sided(p->values, count);
}

static crd__evaluate_range wilson(const crd_evidence *e, const crd__metric *metric, double share) {
  const crd__metric_facts facts = crd__metric_evidence_facts(e, metric, 0, e->rankings);
  return crd__evaluate_share_interval(share, metric->proportion->trials(&facts, e->effective_rows));
}

/* Not hypot, whose bits depend on the processor: these are differences of proportions. */
static double distance(double x, double y) { return sqrt(x * x + y * y); }

/* Wilson's formula ignores clusters, so with clusters it only replaces intervals of zero width. */
static void take_proportion(const pair *p, const crd__metric *metric, double mine, double theirs,
                            crd_difference *d) {
  const bool independent =
      crd__metric_rows_independent(p->original) && crd__metric_rows_independent(p->shifted);
  if (!metric->proportion || metric->proportion->dependent || isnan(d->value)) return;
  if (p->resamples == 0 || (!independent && !(d->low == d->high))) return;
  const crd__evaluate_range a = wilson(p->original, metric, mine);
  const crd__evaluate_range b = wilson(p->shifted, metric, theirs);
  d->low = d->value - distance(theirs - b.low, a.high - mine);
  d->high = d->value + distance(b.high - theirs, mine - a.low);
  d->interval = "newcombe";
}

static void set_difference(const pair *p, size_t metric, bool paired, crd_difference *d) {
  const crd__metric *const m = p->original->plan.metrics[metric];
  const double mine = crd__metric_evidence_answer(p->original, m).value;
  const double theirs = crd__metric_evidence_answer(p->shifted, m).value;
  if (paired && d->interval) return; /* Tango's */
  d->value = theirs - mine;
  set_interval(p, metric, d);
  if (!paired) take_proportion(p, m, mine, theirs, d);
}

/* Computes every metric in every resample of both; the evidence keeps them. */
static crd_status prepare(crd_context *ctx, pair *p) {
  const double *resampled;
  p->resamples = p->original->resamples < p->shifted->resamples ? p->original->resamples
                                                                : p->shifted->resamples;
  CRD_TRY(crd__evaluate_resampled_values(ctx, p->original, &resampled));
  CRD_TRY(crd__evaluate_resampled_values(ctx, p->shifted, &resampled));
  return crd__new(ctx, p->resamples, sizeof *p->values, "differences", &p->values);
}

crd_status crd__evaluate_shift_difference(crd_context *ctx, crd_evidence *original,
                                          crd_evidence *shifted, bool paired,
                                          crd__evaluate_comparison **out) {
  pair p = { .original = original, .shifted = shifted };
  crd__evaluate_comparison *comparison = NULL;
  *out = NULL;
  crd_status status = paired ? crd__evaluate_compare(ctx, original, shifted, &comparison)
                             : crd__evaluate_comparison_new(ctx, original, shifted, &comparison);
  if (status == CRD_OK) status = prepare(ctx, &p);
  for (size_t m = 0; status == CRD_OK && m < original->plan.metric_count; m++)
    set_difference(&p, m, paired, &comparison->items[m]);
  crd__free(&ctx->alloc, p.values);
  if (status == CRD_OK) *out = comparison;
  else crd__arena_free(comparison);
  return status;
}

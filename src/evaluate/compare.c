/*
 * compare.c -- paired comparison of two sets of predictions on the same rows: difference, interval,
 * p-value.
 *
 * Resamples depend on row indices and the seed only, so resample s of both sides has the same rows,
 * and the differences of their values estimate the sampling distribution of the difference. The
 * interval is a percentile interval; p = 2 min(P(d <= 0), P(d >= 0)), with one added to each count,
 * since p cannot be 0 with finitely many resamples.
 *
 * The difference of two proportions of the same rows has Tango's interval (bin_range.h) if the rows
 * are available: if both sides misclassify the same few rows, or none, resamples cannot show the
 * difference that other rows might. If only sums are known, or rows have weights, it replaces
 * intervals of zero width.
 *
 * Metrics with their own paired test (metric/paired.h) report its p-value too.
 */
#include "base/arena.h"
#include "base/memory.h"
#include "credence/evaluate.h"
#include "data/clusters.h"
#include "evaluate/bin_range.h"
#include "evaluate/interval.h"
#include "evaluate/results.h"
#include "metric/plan.h"

#include <math.h>
#include <string.h>

void crd_comparison_destroy(const crd_comparison *comparison) { crd__arena_free(comparison); }

static crd_status fail_rows(crd_context *ctx, const crd_evidence *a, const crd_evidence *b) {
  char mine[CRD__SPANS_TEXT], others[CRD__SPANS_TEXT];
  return crd__fail(
      ctx, CRD_EINPUT,
      "%s: %llu rows (%s) to compare with the %llu rows (%s) of %s; both must have the "
      "same row numbers",
      b->name ? b->name : "nothing", (unsigned long long)b->rows,
      crd__metric_spans_text(&b->spans, others), (unsigned long long)a->rows,
      crd__metric_spans_text(&a->spans, mine), a->name ? a->name : "nothing");
}

static crd_status check_pair(crd_context *ctx, const crd_evidence *a, const crd_evidence *b) {
  if (!crd__metric_plan_equal(&a->plan, &b->plan) || a->shape.bins != b->shape.bins ||
      a->resamples != b->resamples || a->seed != b->seed)
    return crd__fail(ctx, CRD_EUSAGE,
                     "evidence of different metrics, bins, resamples or seed cannot be compared");
  if (a->rows == 0 || a->rows != b->rows || a->spans.count != b->spans.count ||
      memcmp(a->spans.items, b->spans.items, a->spans.count * sizeof *a->spans.items) != 0)
    return fail_rows(ctx, a, b);
  if (a->kind.weighted != b->kind.weighted)
    return crd__fail(
        ctx, CRD_EINPUT,
        "%s: rows %s weights to compare with rows %s weights of %s; both must have the "
        "same",
        b->name, b->kind.weighted ? "with" : "without", a->kind.weighted ? "with" : "without",
        a->name);
  if (!crd__data_cluster_same(a->kind.cluster, b->kind.cluster) ||
      !crd__metric_cluster_set_equal(&a->clusters, &b->clusters))
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: rows clustered by %s (%zu) to compare with rows clustered by %s (%zu) of "
                     "%s, expected the same clusters",
                     b->name, b->kind.cluster ? b->kind.cluster : "nothing", b->clusters.count,
                     a->kind.cluster ? a->kind.cluster : "nothing", a->clusters.count, a->name);
  return CRD_OK;
}

double crd__evaluate_two_sided(const double *differences, size_t count) {
  size_t low = 1, high = 1;
  for (size_t i = 0; i < count; i++) {
    low += differences[i] <= 0;
    high += differences[i] >= 0;
  }
  return fmin(1, 2 * (double)(low < high ? low : high) / (double)(count + 1));
}

/* The sides of paired tests; `parts` are NULL if no metric has a test, or none can be made. */
typedef struct {
  crd__metric_side mine, other;
  bool weighted, clustered;
} sides;

static crd__metric_answer run_test(const crd__metric_paired_test *test, const sides *s) {
  if (s->weighted) return crd__metric_answer_undefined("needs rows without weights");
  if (s->clustered)
    return crd__metric_answer_undefined("needs independent rows, these are clustered");
  if (!s->mine.parts) return crd__metric_answer_undefined("needs evidence gathered for comparison");
  return test->p(&s->mine, &s->other);
}

static void add_test(crd_difference *d, const crd__metric *metric, const sides *s) {
  if (!metric->paired || isnan(d->value)) return;
  const crd__metric_answer answer = run_test(metric->paired, s);
  d->test = metric->paired->name;
  d->test_p = answer.value;
  d->test_reason = answer.reason;
}

/* `values` is a scratch buffer for the differences of the resamples. */
static crd_difference compare(const crd_evidence *a, const crd_evidence *b, size_t metric,
                              double *values) {
  const double *const mine = a->resampled + metric * a->resamples;
  const double *const others = b->resampled + metric * b->resamples;
  const crd__metric *const m = a->plan.metrics[metric];
  crd_difference d = { .metric = &m->info,
                       .value = crd__metric_evidence_answer(b, m).value -
                                crd__metric_evidence_answer(a, m).value,
                       .low = (double)NAN,
                       .high = (double)NAN,
                       .p = (double)NAN,
                       .test_p = (double)NAN };
  for (size_t s = 0; s < a->resamples; s++) values[s] = others[s] - mine[s];
  const size_t count = crd__evaluate_sort_numbers(values, a->resamples);
  if (isnan(d.value) || count == 0 || count < a->resamples / 2 ||
      !crd__metric_evidence_can_resample(a))
    return d;
  d.low = crd__evaluate_quantile(values, count, crd__evaluate_interval_tail);
  d.high = crd__evaluate_quantile(values, count, 1 - crd__evaluate_interval_tail);
  d.p = crd__evaluate_two_sided(values, count);
  return d;
}

/* Replaces the interval of a proportion by Tango's: from the rows that count for one side only or,
 * if these are unknown, from a difference that no resample changes. */
static void take_proportion(const crd_evidence *a, const crd__metric *metric, const sides *s,
                            crd_difference *d) {
  const crd__metric_proportion *const p = metric->proportion;
  const bool known = s->mine.parts != NULL;
  if (!p || !p->discordance || isnan(d->low) || !(known || d->low == d->high)) return;
  const double rows = a->effective_rows;
  double mine = rows * fmax(0, -d->value), other = rows * fmax(0, d->value);
  if (known) {
    const crd__metric_discordance alone = p->discordance(&s->mine, &s->other);
    mine = (double)alone.mine;
    other = (double)alone.other;
  }
  const crd__evaluate_range range = crd__evaluate_share_difference_interval(other, mine, rows);
  d->low = range.low;
  d->high = range.high;
  d->interval = "tango";
}

static crd_status open_sides(crd_context *ctx, const crd_evidence *a, const crd_evidence *b,
                             sides *out) {
  bool wanted = false;
  for (size_t m = 0; m < a->plan.metric_count; m++) wanted |= a->plan.metrics[m]->paired != NULL;
  *out = (sides){ .mine.ranking = a->rankings,
                  .other.ranking = b->rankings,
                  .weighted = a->kind.weighted || b->kind.weighted,
                  .clustered = !crd__metric_rows_independent(a) };
  if (!wanted || !a->plan.ranked || out->weighted || out->clustered) return CRD_OK;
  CRD_TRY(crd__new(ctx, 2 * a->rankings->count, sizeof(uint64_t), "a test", &out->mine.parts));
  return crd__new(ctx, 2 * b->rankings->count, sizeof(uint64_t), "a test", &out->other.parts);
}

static crd_status fill(crd_context *ctx, crd_evidence *a, crd_evidence *b, crd_difference *items) {
  const size_t metrics = a->plan.metric_count;
  const double *resampled;
  double *values = NULL;
  sides s = { 0 };
  crd_status status = crd__evaluate_resampled_values(ctx, a, &resampled);
  if (status == CRD_OK) status = crd__evaluate_resampled_values(ctx, b, &resampled);
  if (status == CRD_OK)
    status = crd__new(ctx, a->resamples, sizeof *values, "a comparison", &values);
  if (status == CRD_OK) status = open_sides(ctx, a, b, &s);
  for (size_t m = 0; status == CRD_OK && m < metrics; m++) {
    items[m] = compare(a, b, m, values);
    add_test(&items[m], a->plan.metrics[m], &s);
    take_proportion(a, a->plan.metrics[m], &s, &items[m]);
  }
  crd__free(&ctx->alloc, values);
  crd__free(&ctx->alloc, s.mine.parts);
  crd__free(&ctx->alloc, s.other.parts);
  return status;
}

crd_status crd__evaluate_comparison_new(crd_context *ctx, const crd_evidence *evidence,
                                        const crd_evidence *other, crd__evaluate_comparison **out) {
  const size_t metrics = evidence->plan.metric_count;
  crd__evaluate_comparison *c;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *c, "a comparison", &c));
  crd_status status = crd__arena_add(ctx, c, metrics, sizeof *c->items, "a comparison", &c->items);
  if (status == CRD_OK) status = crd__arena_text(ctx, c, other->name, &c->shown.name);
  for (size_t m = 0; status == CRD_OK && m < metrics; m++)
    c->items[m] = (crd_difference){ .metric = &evidence->plan.metrics[m]->info,
                                    .value = (double)NAN,
                                    .low = (double)NAN,
                                    .high = (double)NAN,
                                    .p = (double)NAN,
                                    .test_p = (double)NAN };
  c->shown.resamples = (unsigned)evidence->resamples;
  c->shown.count = metrics;
  c->shown.items = c->items;
  if (status == CRD_OK) *out = c;
  else crd__arena_free(c);
  return status;
}

crd_status crd__evaluate_compare(crd_context *ctx, crd_evidence *evidence, crd_evidence *other,
                                 crd__evaluate_comparison **out) {
  crd__evaluate_comparison *c;
  *out = NULL;
  CRD_TRY(check_pair(ctx, evidence, other));
  CRD_TRY(crd__evaluate_comparison_new(ctx, evidence, other, &c));
  crd_status status = crd__metric_evidence_sort(ctx, evidence);
  if (status == CRD_OK) status = crd__metric_evidence_sort(ctx, other);
  if (status == CRD_OK) status = fill(ctx, evidence, other, c->items);
  if (status == CRD_OK) *out = c;
  else crd__arena_free(c);
  return status;
}

crd_status crd_evidence_compare(crd_context *ctx, crd_evidence *evidence, crd_evidence *other,
                                const crd_comparison **out) {
  crd__evaluate_comparison *c;
  const crd_status status = crd__evaluate_compare(ctx, evidence, other, &c);
  *out = c ? &c->shown : NULL;
  return status;
}

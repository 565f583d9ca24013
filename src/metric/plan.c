/* plan.c -- parses a list of metrics, and collects the tallies they share. */
#include "metric/plan.h"
#include "base/memory.h"
#include "metric/top_bins.h"

#include <string.h>

/* Marks the metrics in the list of names. */
static crd_status choose(crd_context *ctx, const char *names, bool *chosen) {
  const size_t count = crd_metric_count();
  for (size_t i = 0; i < count; i++)
    chosen[i] = names ? strcmp(names, "all") == 0 : crd_metric_at(i)->standard == 1;
  if (!names || strcmp(names, "all") == 0) return CRD_OK;
  for (const char *at = names;; at++) {
    const size_t length = strcspn(at, ",");
    size_t i;
    CRD_TRY(crd__names_find(ctx, &crd__metric_names, at, length, &i));
    chosen[i] = true;
    at += length;
    if (*at == '\0') return CRD_OK;
  }
}

/* The array's capacity is the tallies of all metrics, of the diagram, and one more. */
void crd__metric_plan_add(crd__metric_plan *plan, const crd__metric_tally *tally) {
  for (size_t t = 0; t < plan->tally_count; t++)
    if (plan->tallies[t] == tally) return;
  if (!tally) return;
  plan->tallies[plan->tally_count++] = tally;
  if (tally->put_pairs) plan->pairs = tally;
}

crd_status crd__metric_plan_make(crd_context *ctx, const char *names, bool paired,
                                 crd__metric_plan *out) {
  const size_t count = crd_metric_count();
  crd__metric_plan plan = { 0 };
  bool *chosen = NULL;
  crd_status status = crd__new(ctx, count, sizeof *chosen, "metrics", &chosen);
  if (status == CRD_OK)
    status = crd__new(ctx, count, sizeof *plan.metrics, "metrics", &plan.metrics);
  if (status == CRD_OK)
    status = crd__new(ctx, count + 2, sizeof *plan.tallies, "metrics", &plan.tallies);
  if (status == CRD_OK) status = choose(ctx, names, chosen);
  if (status == CRD_OK) {
    crd__metric_plan_add(&plan,
                         &crd__metric_top_bins); /* every result shows its reliability diagram */
    for (size_t i = 0; i < count; i++) {
      if (!chosen[i]) continue;
      const crd__metric *const metric = crd__metric_at(i);
      plan.metrics[plan.metric_count++] = metric;
      plan.resampled |= metric->ranked;
      plan.ranked |= metric->ranked || (paired && metric->paired);
      crd__metric_plan_add(&plan, metric->tally);
    }
    *out = plan;
  } else crd__metric_plan_clear(&ctx->alloc, &plan);
  crd__free(&ctx->alloc, chosen);
  return status;
}

void crd__metric_plan_clear(const crd_allocator *alloc, crd__metric_plan *plan) {
  crd__free(alloc, plan->metrics);
  crd__free(alloc, plan->tallies);
  *plan = (crd__metric_plan){ 0 };
}

bool crd__metric_plan_equal(const crd__metric_plan *a, const crd__metric_plan *b) {
  return a->metric_count == b->metric_count && a->ranked == b->ranked &&
         memcmp(a->metrics, b->metrics, a->metric_count * sizeof(*a->metrics)) == 0;
}

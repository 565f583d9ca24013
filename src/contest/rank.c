/*
 * rank.c -- several models on the same rows: which of them differ from the best of a metric beyond
 * chance.
 *
 * A table that sets the best of several numbers in bold says nothing about the others, which may
 * differ from it by chance. Each is compared with the best one by paired resamples
 * (crd_evidence_compare), and the p-values of a metric are corrected for the number of models
 * (Holm 1979). The best one is chosen by the same rows, so the test is somewhat too willing to
 * call it better; the correction is for the comparisons alone.
 */
#include "base/memory.h"
#include "contest/contest.h"
#include "data/rows.h"

#include <math.h>

/* ---- The same rows. */

static crd_status compare_all_labels(crd_context *ctx, const crd_ranked_model *models, size_t count,
                                     bool *same) {
  size_t row;
  *same = true;
  for (size_t i = 1; *same && i < count; i++)
    CRD_TRY(
        crd__data_labels_compare(ctx, models[0].predictions, models[i].predictions, same, &row));
  return CRD_OK;
}

/* ---- The best. */

/* Returns the model with the best value of a metric; `count`: none, or there is no better value. */
static size_t best_of(const crd_ranked_model *models, size_t count, size_t metric) {
  const crd_direction direction = models[0].result->values[metric].metric->direction;
  const double sign = direction == CRD_LOWER_IS_BETTER ? 1 : -1;
  size_t best = count;
  for (size_t i = 0; direction != CRD_NEITHER_IS_BETTER && i < count; i++) {
    const double value = models[i].result->values[metric].value;
    if (isnan(value)) continue;
    if (best == count || sign * value < sign * models[best].result->values[metric].value) best = i;
  }
  return best;
}

/* Compares model i with model b, and keeps p of the metrics whose best model b is. */
static crd_status test_against(crd_context *ctx, const crd_ranked_model *models, size_t count,
                               size_t b, size_t i, double *p) {
  const crd_comparison *comparison;
  CRD_TRY(crd_evidence_compare(ctx, models[b].evidence, models[i].evidence, &comparison));
  for (size_t m = 0; m < comparison->count; m++)
    if (best_of(models, count, m) == b) p[i * comparison->count + m] = comparison->items[m].p;
  crd_comparison_destroy(comparison);
  return CRD_OK;
}

static bool is_best(const crd_ranked_model *models, size_t count, size_t model) {
  for (size_t m = 0; m < models[0].result->value_count; m++)
    if (best_of(models, count, m) == model) return true;
  return false;
}

static void correct(size_t count, size_t metrics, double *column, double *p) {
  for (size_t m = 0; m < metrics; m++) {
    for (size_t i = 0; i < count; i++) column[i] = p[i * metrics + m];
    crd__contest_holm(column, count, column + count);
    for (size_t i = 0; i < count; i++) p[i * metrics + m] = column[count + i];
  }
}

static crd_status test_all(crd_context *ctx, const crd_ranked_model *models, size_t count,
                           double *p) {
  for (size_t b = 0; b < count; b++) {
    if (!is_best(models, count, b)) continue;
    for (size_t i = 0; i < count; i++)
      if (i != b) CRD_TRY(test_against(ctx, models, count, b, i, p));
  }
  return CRD_OK;
}

crd_status crd_models_rank(crd_context *ctx, const crd_ranked_model *models, size_t count,
                           double *p, int *paired) {
  const size_t metrics = count ? models[0].result->value_count : 0;
  double *column = NULL;
  bool same;
  *paired = 0;
  for (size_t i = 0; i < count * metrics; i++) p[i] = (double)NAN;
  CRD_TRY(compare_all_labels(ctx, models, count, &same));
  if (!same) return CRD_OK;
  CRD_TRY(crd__new(ctx, 2 * count, sizeof *column, "a test", &column));
  const crd_status status = test_all(ctx, models, count, p);
  if (status == CRD_OK) correct(count, metrics, column, p);
  crd__free(&ctx->alloc, column);
  *paired = status == CRD_OK;
  if (status == CRD_OK) return CRD_OK;
  for (size_t i = 0; i < count * metrics; i++) p[i] = (double)NAN;
  return status == CRD_EINPUT ? CRD_OK : status; /* other row numbers or clusters */
}

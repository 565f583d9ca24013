/*
 * classes.c -- class-wise reliability: each class's probability against its frequency.
 *
 * A first pass, with the result's number of bins, gives the error of every class,
 *   e_k = sum over bins of |sum of p_k - sum of [k is true]| / weight of all rows,
 * whose mean over classes is sce. The classes that are kept (of many, those with the largest error)
 * get fine bins in a second pass.
 */
#include "base/memory.h"
#include "metric/class_bins.h"
#include "metric/plan.h"
#include "profile/part.h"

#include <stdlib.h>

enum { CLASSES_ALL = 50, CLASSES_WORST = 20 };

/* Gathers evidence with `bins` bins of each class's probability. */
static crd_status gather(crd_context *ctx, const crd_predictions *predictions, unsigned bins,
                         crd_evidence **out) {
  const crd_evaluate_options options = { .size = sizeof options, .metrics = "ece", .bins = bins };
  CRD_TRY(crd_evidence_create(ctx, &options, out));
  crd__metric_plan_add(&(*out)->plan, &crd__metric_full_class_bins);
  return crd_evidence_add(ctx, *out, predictions, 0);
}

static crd_class_profile sum_up(const crd_evidence *e, const crd__sum *cells, double total,
                                size_t k) {
  crd_class_profile c = { .number = k, .rows = crd__metric_class_rows(cells, &e->shape, k) };
  for (size_t m = 0; m < e->shape.bins; m++) {
    const crd__metric_class_sums bin = crd__metric_class_sums_at(cells, &e->shape, k, m);
    c.frequency += bin.occurrence;
    c.probability += bin.probability;
    c.error += bin.gap;
  }
  c.frequency /= total;
  c.probability /= total;
  c.error /= total;
  return c;
}

static int worst_first(const void *a, const void *b) {
  const crd_class_profile *const x = a, *const y = b;
  if (x->error != y->error) return x->error < y->error ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Lists all classes, the largest error first. */
static crd_status rank(crd_context *ctx, const crd__profile_source *source,
                       crd_class_profile **out) {
  const double total = crd__profile_facts(source, 1).weight;
  crd_evidence *e = NULL;
  crd_status status = gather(ctx, source->predictions, source->bins, &e);
  const size_t classes = crd_predictions_classes(source->predictions);
  if (status == CRD_OK) status = crd__new(ctx, classes, sizeof **out, "classes", out);
  for (size_t k = 0; status == CRD_OK && k < classes; k++)
    (*out)[k] = sum_up(e, crd__metric_evidence_cells(e, e->cells, 0, &crd__metric_full_class_bins),
                       total, k);
  if (status == CRD_OK) qsort(*out, classes, sizeof **out, worst_first);
  crd_evidence_destroy(e);
  return status;
}

static crd_status draw_bins(crd_context *ctx, const crd_evidence *e, crd_profile *out, size_t k,
                            crd_fine_bins *bins) {
  const crd__sum *const cells =
      crd__metric_evidence_cells(e, e->cells, 0, &crd__metric_full_class_bins);
  crd_fine_bin all[CRD_FINE_CLASS_BINS];
  for (size_t m = 0; m < CRD_FINE_CLASS_BINS; m++) {
    const crd__metric_class_sums sums = crd__metric_class_sums_at(cells, &e->shape, k, m);
    all[m] = (crd_fine_bin){ .rows = sums.rows,
                             .weight = sums.weight,
                             .confidence = sums.probability,
                             .correct = sums.occurrence };
  }
  return crd__profile_fine_bins_keep(ctx, out, all, CRD_FINE_CLASS_BINS, e->kind.weight_shift,
                                     bins);
}

static crd_status keep(crd_context *ctx, const crd__profile_source *source,
                       const crd_class_profile *ranked, size_t count, crd_profile *out) {
  crd_evidence *e = NULL;
  crd_class_profile *items = NULL;
  crd_status status = crd__arena_add(ctx, out, count, sizeof *items, "a profile", &items);
  if (status == CRD_OK) status = gather(ctx, source->predictions, CRD_FINE_CLASS_BINS, &e);
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    items[i] = ranked[i];
    status = draw_bins(ctx, e, out, items[i].number, &items[i].bins);
    if (status == CRD_OK)
      status = crd__arena_text(ctx, out,
                               crd_predictions_class_name(source->predictions, items[i].number),
                               &items[i].name);
  }
  out->classes = items;
  out->class_count = status == CRD_OK ? count : 0;
  crd_evidence_destroy(e);
  return status;
}

static crd_status classes_fill(crd_context *ctx, const crd__profile_source *source,
                               crd_profile *out) {
  const size_t classes = crd_predictions_classes(source->predictions);
  crd_class_profile *ranked = NULL;
  if (classes == 0) return CRD_OK;
  crd_status status = rank(ctx, source, &ranked);
  if (status == CRD_OK)
    status = keep(ctx, source, ranked, classes <= CLASSES_ALL ? classes : CLASSES_WORST, out);
  crd__free(&ctx->alloc, ranked);
  return status;
}

const crd__profile_part crd__profile_part_classes = { .part = CRD_PROFILE_CLASSES,
                                                      .fill = classes_fill };

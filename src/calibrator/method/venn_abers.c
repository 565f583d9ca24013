/*
 * venn_abers.c -- Venn-Abers predictors: isotonic regression with the new row added under both
 * labels.
 *
 * A new row of probability x is added to the calibration rows, once with label 1 and once with
 * label 0; isotonic regression gives it p1 and p0. One of the two is calibrated, for any data, and
 * p = p1 / (1 - p0 + p1), between them, has the least regret in log-likelihood. It is never 0 or 1.
 *
 * p changes only where x passes a row, so it is a step function: one value at each fitted
 * probability, one in each gap. At each of these places the blocks to the left are those of
 * isotonic regression on the rows before alone, those to the right likewise; the new row, between
 * them, is merged with the blocks that it violates. The blocks form linked lists: the last block of
 * the first i rows is preceded by the list of the first `end` rows, `end` being the block's other
 * end.
 *
 * Vovk, Petej, Fedorova: Large-scale probabilistic predictors with and without guarantees of
 * validity (2015).
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/samples.h"

#include <math.h>

enum { CHECKED = 1 << 13 }; /* samples between looks for interrupts */
static const crd_setting_info settings[] = { CRD__SCOPE("top-1") };

/* A block of rows with one value, up to the sample `end` (in left lists: from it on). */
typedef struct {
  double weight, hits;
  size_t end;
} block;

typedef struct {
  crd__calibrator_samples samples;
  block *left;  /* left[i]: the last block of samples 0 .. i-1, starting at sample `end` */
  block *right; /* right[i]: the first block of samples i .. count-1, ending before `end` */
} work;

/* Returns whether two neighbours violate monotonicity: their frequencies do not increase. */
static bool violate(const block *low, const block *high) {
  return low->hits * high->weight >= high->hits * low->weight;
}

static void swallow(block *b, const block *other) {
  b->weight += other->weight;
  b->hits += other->hits;
  b->end = other->end;
}

static void make_lists(work *w) {
  const size_t n = w->samples.count;
  for (size_t i = 1; i <= n; i++) {
    block b = { w->samples.weight[i - 1], w->samples.hits[i - 1], i - 1 };
    while (b.end > 0 && violate(&w->left[b.end], &b)) swallow(&b, &w->left[b.end]);
    w->left[i] = b;
  }
  for (size_t i = n; i-- > 0;) {
    block b = { w->samples.weight[i], w->samples.hits[i], i + 1 };
    while (b.end < n && violate(&b, &w->right[b.end])) swallow(&b, &w->right[b.end]);
    w->right[i] = b;
  }
}

/* Returns the value of a new row between the first `low` samples and those from `high` on, pooled
 * with the sample between them, if there is one. */
static double value_of(const work *w, size_t low, size_t high, double label) {
  block b = { 1, label, 0 };
  for (size_t i = low; i < high; i++) {
    b.weight += w->samples.weight[i];
    b.hits += w->samples.hits[i];
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (; high < w->samples.count && violate(&b, &w->right[high]); grown = true) {
      swallow(&b, &w->right[high]);
      high = b.end;
    }
    for (; low > 0 && violate(&w->left[low], &b); grown = true) {
      swallow(&b, &w->left[low]);
      low = b.end;
    }
  }
  return b.hits / b.weight;
}

static double merged(const work *w, size_t low, size_t high) {
  const double p0 = value_of(w, low, high, 0), p1 = value_of(w, low, high, 1);
  return p1 / (1 - p0 + p1);
}

static crd_status draw(crd_context *ctx, const work *w, crd__calibrator_curve *curve) {
  const size_t n = w->samples.count;
  double from = 0;
  for (size_t i = 0; i <= n; i++) {
    if (i % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    const double below = i < n ? crd__calibrator_samples_below(&w->samples, i) : 1;
    if (below > from) crd__calibrator_curve_add_step(curve, from, below, merged(w, i, i));
    if (i == n) break;
    const double above = crd__calibrator_samples_above(&w->samples, i);
    crd__calibrator_curve_add_step(curve, fmax(from, below), above, merged(w, i, i + 1));
    from = above;
  }
  return CRD_OK;
}

static crd_status learn(crd_context *ctx, work *w, crd__calibrator_fitted *out) {
  crd__calibrator_curve curve = { 0 };
  crd_status status = crd__calibrator_curve_create(ctx, 4 * w->samples.count + 2, &curve);
  if (status == CRD_OK) {
    make_lists(w);
    out->certificate = (crd_certificate){ .converged = 1, .objective = NAN, .gradient_norm = NAN };
    status = draw(ctx, w, &curve);
  }
  if (status == CRD_OK)
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &curve, out);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  return status;
}

static crd_status venn_abers_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                 crd__calibrator_fitted *out) {
  work w = { 0 };
  crd_status status = crd__calibrator_samples_make(ctx, data, data->probability, &w.samples);
  if (status == CRD_OK)
    status = crd__new(ctx, w.samples.count + 1, sizeof *w.left, "blocks", &w.left);
  if (status == CRD_OK)
    status = crd__new(ctx, w.samples.count + 1, sizeof *w.right, "blocks", &w.right);
  if (status == CRD_OK) status = learn(ctx, &w, out);
  crd__free(&ctx->alloc, w.left);
  crd__free(&ctx->alloc, w.right);
  crd__calibrator_samples_clear(&ctx->alloc, &w.samples);
  return status;
}

static const crd__calibrator_event_method event = { .fit = venn_abers_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe =
                                                        crd__calibrator_curve_describe_steps };

const crd__calibrator_method crd__calibrator_method_venn_abers = {
  .info = { .name = "venn-abers",
            .summary = "Venn-Abers predictors: isotonic regression with the row added",
            .meaning = "Isotonic regression with the new row added under both labels: a validity "
                       "guarantee for any number of rows, and no exact zeros or ones; with few "
                       "rows it shrinks towards 1/2. The curve has up to four points for each "
                       "distinct probability.",
            .reference = "Vovk, Petej, Fedorova 2015, Large-scale probabilistic predictors with "
                         "and without guarantees of validity",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = crd__calibrator_curve_learns,
  .event = &event,
};

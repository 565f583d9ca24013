/*
 * bbq.c -- Bayesian binning into quantiles: histograms averaged by their evidence.
 *
 * Every number of bins B from n^(1/3) / 10 to 10 n^(1/3) (at most n / 5) gives a model of
 * equal-mass bins. The event frequency of bin b has the prior Beta(alpha, beta) with alpha = 2/B
 * mid and beta = 2/B (1 - mid), mid the bin's midpoint; with n rows and m events
 *
 *   the posterior mean is  (m + alpha) / (n + 2/B)
 *   the evidence is  sum_b log [ G(2/B) G(m + alpha) G(n - m + beta) /
 *                                ( G(n + 2/B) G(alpha) G(beta) ) ]
 *
 * and models are weighted by its exponential. All are step functions with edges between the same
 * rows, so their average is one step function, exactly; models of negligible weight are left out.
 *
 * Naeini, Cooper, Hauskrecht: Obtaining well calibrated probabilities using Bayesian binning
 * (2015).
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/samples.h"
#include "math/special.h"

#include <math.h>

static const crd_setting_info settings[] = { CRD__SCOPE("top-1") };

static const double prior = 2; /* total prior count of all bins of a model */

typedef struct {
  crd__calibrator_samples samples;
  size_t *ends;       /* of the current model's bins */
  size_t least, most; /* range of the number of bins */
  double *evidence;   /* log evidence of models least .. most; later their weights */
  double *value;      /* between each place and the next (samples.h), averaged */
} work;

/* Returns the least integer whose cube is at least x. cbrt is not exact at cubes everywhere. */
static uint64_t root_above(uint64_t x) {
  uint64_t root = 0;
  while (root * root * root < x) root++;
  return root;
}

static crd_status make_work(crd_context *ctx, const crd__calibrator_event_data *data, work *w) {
  CRD_TRY(crd__calibrator_samples_make(ctx, data, data->probability, &w->samples));
  const uint64_t rows = w->samples.rows;
  const uint64_t root = root_above(rows / 1000), tenths = root_above(1000 * rows);
  w->least = (size_t)(root * root * root > rows / 1000 ? root - 1 : root);
  if (w->least == 0) w->least = 1;
  w->most = (size_t)((rows + 4) / 5 < tenths ? (rows + 4) / 5 : tenths);
  CRD_TRY(crd__new(ctx, w->most, sizeof *w->ends, "bins", &w->ends));
  CRD_TRY(crd__new(ctx, w->most + 1, sizeof *w->evidence, "bins", &w->evidence));
  return crd__new(ctx, w->samples.count, 2 * sizeof *w->value, "bins", &w->value);
}

static void free_work(const crd_allocator *alloc, work *w) {
  crd__free(alloc, w->ends);
  crd__free(alloc, w->evidence);
  crd__free(alloc, w->value);
  crd__calibrator_samples_clear(alloc, &w->samples);
}

/* Returns the edge at a place: 0 before all samples, 1 after them. */
static double edge(const crd__calibrator_samples *samples, size_t place) {
  if (place == 0) return 0;
  return place < 2 * samples->count ? crd__calibrator_samples_edge(samples, place) : 1;
}

/* One bin of a model: its log evidence, and its posterior mean. */
typedef struct {
  double evidence, share;
} verdict;

static verdict judge(const crd__calibrator_samples *samples, size_t from, size_t to, size_t bins) {
  const crd__calibrator_tally t = crd__calibrator_samples_sum(samples, from, to);
  const double middle = (edge(samples, from) + edge(samples, to)) / 2;
  /* Clipped so that both counts are above 0. */
  const double mid = fmin(fmax(middle, CRD__LEAST_PROBABILITY), 1 - 0x1p-53);
  const double all = prior / (double)bins, yes = all * mid, no = all * (1 - mid);
  const double misses = fmax(0, t.weight - t.hits);
  return (verdict){ .evidence = crd__math_lgamma(all) - crd__math_lgamma(t.weight + all) +
                                crd__math_lgamma(t.hits + yes) - crd__math_lgamma(yes) +
                                crd__math_lgamma(misses + no) - crd__math_lgamma(no),
                    .share = (t.hits + yes) / (t.weight + all) };
}

static double evidence_of(work *w, size_t bins) {
  const size_t made = crd__calibrator_samples_cut(&w->samples, bins, w->ends);
  double sum = 0;
  for (size_t b = 0; b < made; b++)
    sum += judge(&w->samples, b ? w->ends[b - 1] : 0, w->ends[b], bins).evidence;
  return sum;
}

/* Converts log evidences to weights that sum to 1. */
static void weigh(work *w) {
  double best = -INFINITY, sum = 0;
  for (size_t b = w->least; b <= w->most; b++) best = fmax(best, w->evidence[b]);
  for (size_t b = w->least; b <= w->most; b++) {
    const double weight = exp(w->evidence[b] - best);
    sum += w->evidence[b] = weight > 1e-20 ? weight : 0;
  }
  for (size_t b = w->least; b <= w->most; b++) w->evidence[b] /= sum;
}

static void add_model(work *w, size_t bins) {
  const size_t made = crd__calibrator_samples_cut(&w->samples, bins, w->ends);
  for (size_t b = 0, i = 0; b < made; b++) {
    const double share = judge(&w->samples, i, w->ends[b], bins).share;
    for (; i < w->ends[b]; i++) w->value[i] += w->evidence[bins] * share;
  }
}

static crd_status learn(crd_context *ctx, const work *w, crd__calibrator_fitted *out) {
  const size_t count = 2 * w->samples.count;
  crd__calibrator_curve curve = { 0 };
  crd_status status = crd__calibrator_curve_create(ctx, 2 * count, &curve);
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    crd__calibrator_curve_add_step(&curve, edge(&w->samples, i), edge(&w->samples, i + 1),
                                   w->value[i]);
  if (status == CRD_OK)
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &curve, out);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  return status;
}

static crd_status average(crd_context *ctx, work *w) {
  for (size_t b = w->least; b <= w->most; b++) {
    CRD_TRY(crd__check_interrupt(ctx));
    w->evidence[b] = evidence_of(w, b);
  }
  weigh(w);
  for (size_t b = w->least; b <= w->most; b++)
    if (w->evidence[b] > 0) add_model(w, b);
  return CRD_OK;
}

static crd_status bbq_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                          crd__calibrator_fitted *out) {
  work w = { 0 };
  crd_status status = make_work(ctx, data, &w);
  if (status == CRD_OK) status = average(ctx, &w);
  if (status == CRD_OK) {
    out->certificate = (crd_certificate){ .converged = 1, .objective = NAN, .gradient_norm = NAN };
    status = learn(ctx, &w, out);
  }
  free_work(&ctx->alloc, &w);
  return status;
}

static const crd__calibrator_event_method event = { .fit = bbq_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe =
                                                        crd__calibrator_curve_describe_steps };

const crd__calibrator_method crd__calibrator_method_bbq = {
  .info = { .name = "bbq",
            .summary = "Bayesian binning into quantiles: histograms averaged by evidence",
            .meaning = "Fits any curve without a number of bins to choose: it averages over all, "
                       "weighted by their evidence. Many small steps keep more of the ranking "
                       "than one histogram does.",
            .reference = "Naeini, Cooper, Hauskrecht 2015, Obtaining well calibrated probabilities "
                         "using Bayesian binning",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = crd__calibrator_curve_learns,
  .event = &event,
};

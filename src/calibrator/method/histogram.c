/*
 * histogram.c -- histogram binning: each bin of probabilities gets its event frequency.
 *
 * Equal-width bins are (a, b] with edges m / bins; an empty bin gives its midpoint. Equal-mass bins
 * end at the midpoint between neighbouring rows (samples.h), and none is empty.
 *
 * Probabilities are computed from log-odds, and may be a few units in the last place above the
 * input. An input equal to an edge must stay below it, so edges are moved up by as much.
 *
 * Zadrozny, Elkan: Obtaining calibrated probability estimates from decision trees and naive
 * Bayesian classifiers (2001).
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/samples.h"

#include <math.h>
#include <stdio.h>

enum { BINS_MAX = 10000 };
enum { SCOPE, BINS, EDGES };
enum { EQUAL_WIDTH, EQUAL_MASS };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("top-1"),
  [BINS] = CRD__BINS("number of bins", BINS_MAX),
  [EDGES] = { .name = "edges",
              .help = "bins of equal width, or of equal mass (equal numbers of rows)",
              .standard = "equal-width",
              .words = "equal-width equal-mass" },
};

/* Returns the edge for probabilities computed from log-odds. */
static double moved(double edge) { return edge * (1 + 16 * 0x1p-52); }

/* The curve, its squared error, and the number of empty bins. */
typedef struct {
  crd__calibrator_curve curve;
  double error;
  size_t empty;
} result;

static void add_bin(result *r, crd__calibrator_tally t, double from, double to, double middle) {
  const double share = t.weight > 0 ? t.hits / t.weight : middle;
  r->empty += !(t.weight > 0);
  r->error += t.hits * (1 - share);
  crd__calibrator_curve_add_step(&r->curve, from, to, share);
}

static void cut_by_width(const crd__calibrator_samples *samples, size_t bins, result *r) {
  size_t from = 0, to = 0;
  for (size_t b = 0; b < bins; b++, from = to) {
    const double low = (double)b / (double)bins, high = (double)(b + 1) / (double)bins;
    const bool last = b + 1 == bins;
    while (to < samples->count && (samples->x[to] <= moved(high) || last)) to++;
    add_bin(r, crd__calibrator_samples_sum(samples, 2 * from, 2 * to), moved(low),
            last ? 1 : moved(high), (low + high) / 2);
  }
}

static crd_status cut_by_mass(crd_context *ctx, const crd__calibrator_samples *samples, size_t bins,
                              result *r) {
  size_t *ends;
  CRD_TRY(crd__new(ctx, bins, sizeof *ends, "bins", &ends));
  const size_t made = crd__calibrator_samples_cut(samples, bins, ends);
  for (size_t b = 0; b < made; b++)
    add_bin(r, crd__calibrator_samples_sum(samples, b ? ends[b - 1] : 0, ends[b]),
            b ? crd__calibrator_samples_edge(samples, ends[b - 1]) : 0,
            b + 1 < made ? crd__calibrator_samples_edge(samples, ends[b]) : 1, 0);
  crd__free(&ctx->alloc, ends);
  return CRD_OK;
}

static void certify(const result *r, size_t bins, size_t rows, crd__calibrator_fitted *out) {
  out->certificate = (crd_certificate){ .converged = 1,
                                        .objective = r->error / (double)rows,
                                        .gradient_norm = NAN };
  if (r->empty == 0) return;
  snprintf(out->text, sizeof out->text, "%zu of %zu bins are empty: they give their midpoint",
           r->empty, bins);
  out->certificate.note = out->text;
}

static crd_status histogram_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                crd__calibrator_fitted *out) {
  const size_t bins = (size_t)data->settings[BINS];
  crd__calibrator_samples samples = { 0 };
  result r = { 0 };
  crd_status status = crd__calibrator_samples_make(ctx, data, data->probability, &samples);
  if (status == CRD_OK) status = crd__calibrator_curve_create(ctx, 2 * bins, &r.curve);
  if (status == CRD_OK && data->settings[EDGES] == EQUAL_MASS)
    status = cut_by_mass(ctx, &samples, bins, &r);
  else if (status == CRD_OK) cut_by_width(&samples, bins, &r);
  if (status == CRD_OK) {
    certify(&r, bins, samples.rows, out);
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &r.curve, out);
  }
  crd__calibrator_curve_clear(&ctx->alloc, &r.curve);
  crd__calibrator_samples_clear(&ctx->alloc, &samples);
  return status;
}

static const crd__calibrator_event_method event = { .fit = histogram_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe =
                                                        crd__calibrator_curve_describe_steps };

const crd__calibrator_method crd__calibrator_method_histogram = {
  .info = { .name = "histogram",
            .summary = "histogram binning: the event frequency of each bin",
            .meaning = "Fits any curve as a step function that is easy to read. All rows of a bin "
                       "get the same probability: with equal-width bins nearly all rows of a "
                       "confident model share one bin, and its ranking is lost (see auroc).",
            .reference = "Zadrozny, Elkan 2001, Obtaining calibrated probability estimates from "
                         "decision trees and naive Bayesian classifiers",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = crd__calibrator_curve_learns,
  .event = &event,
};

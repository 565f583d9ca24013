/*
 * imax.c -- I-Max binning: bins of log-odds that maximise mutual information with the label.
 *
 * A row of probability p = sigmoid(x) in a bin of representative f loses the information
 * KL(p || sigmoid(f)). The mean loss is minimised by alternating two steps:
 *
 *   f_m = logit of the mean p of bin m
 *   g_m = the edge where a row loses the same in either bin:
 *         log [ log((1 + e^f_m) / (1 + e^f_m-1)) / log((1 + e^-f_m-1) / (1 + e^-f_m)) ]
 *
 * No step raises the loss, so the bins converge to a local minimum, starting from equal mass.
 * Labels are used only at the end, for each bin's event frequency. Bins are [g_m, g_m+1); an empty
 * one is dropped. All classes share their bins, which the paper calls sCW; rows are sorted once,
 * and an iteration reads only running sums.
 *
 * Patel, Beluch, Yang, Pfeiffer, Zhang: Multi-class uncertainty calibration via mutual information
 * maximization-based binning (2021).
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/samples.h"
#include "math/logspace.h"

#include <math.h>
#include <stdio.h>

enum { BINS_MAX = 1000, TURNS_MAX = 10000 };
enum { CHECKED = 1 << 16 }; /* samples between looks for interrupts */
enum { SCOPE, BINS };
static const double at_rest = 1e-8; /* converged when no edge moves further */
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("one-vs-rest"),
  [BINS] = CRD__BINS("number of bins, at most", BINS_MAX),
};

/* Bin m has the samples first[m] .. first[m + 1] - 1, and begins at edge[m]; edge[0] is unused. */
typedef struct {
  crd__calibrator_samples samples;
  double *yes; /* yes[i]: the sum of p before sample i */
  double *no;  /* no[i]: the sum of 1 - p from sample i on; both sum the small numbers first */
  size_t bins, *first;
  double *edge, *centre;
} binning;

static crd_status make_binning(crd_context *ctx, const crd__calibrator_event_data *data,
                               binning *b) {
  CRD_TRY(crd__calibrator_samples_make(ctx, data, data->log_odds, &b->samples));
  const crd__calibrator_samples *const s = &b->samples;
  b->bins = (size_t)data->settings[BINS];
  CRD_TRY(crd__new(ctx, s->count + 1, sizeof *b->yes, "bins", &b->yes));
  CRD_TRY(crd__new(ctx, s->count + 1, sizeof *b->no, "bins", &b->no));
  CRD_TRY(crd__new(ctx, b->bins + 1, sizeof *b->first, "bins", &b->first));
  CRD_TRY(crd__new(ctx, b->bins + 1, sizeof *b->edge, "bins", &b->edge));
  CRD_TRY(crd__new(ctx, b->bins + 1, sizeof *b->centre, "bins", &b->centre));
  for (size_t i = 0; i < s->count; i++) {
    if (i % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    b->yes[i + 1] = b->yes[i] + s->weight[i] * crd__math_sigmoid(s->x[i]);
  }
  for (size_t i = s->count; i-- > 0;) {
    if (i % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    b->no[i] = b->no[i + 1] + s->weight[i] * crd__math_sigmoid(-s->x[i]);
  }
  return CRD_OK;
}

static void clear_binning(const crd_allocator *alloc, binning *b) {
  crd__calibrator_samples_clear(alloc, &b->samples);
  crd__free(alloc, b->yes);
  crd__free(alloc, b->no);
  crd__free(alloc, b->first);
  crd__free(alloc, b->edge);
  crd__free(alloc, b->centre);
}

/* Starts with equal-mass bins; `first` holds places (samples.h) before it holds samples. */
static void begin(binning *b) {
  const crd__calibrator_samples *const s = &b->samples;
  b->bins = crd__calibrator_samples_cut(s, b->bins, b->first + 1);
  for (size_t m = 1; m < b->bins; m++) b->edge[m] = crd__calibrator_samples_edge(s, b->first[m]);
  for (size_t m = 1; m <= b->bins; m++) b->first[m] = crd__calibrator_samples_before(b->first[m]);
}

static double within(double value, double low, double high) { return fmin(high, fmax(low, value)); }

/* Sets f of each bin; it is kept between the bin's rows, in case the sums underflow. */
static void find_centres(binning *b) {
  for (size_t m = 0; m < b->bins; m++) {
    const size_t from = b->first[m], to = b->first[m + 1];
    const double yes = b->yes[to] - b->yes[from], no = b->no[from] - b->no[to];
    b->centre[m] = within(log(yes) - log(no), b->samples.x[from], b->samples.x[to - 1]);
  }
}

static double log_softplus(double u) { return u < -37 ? u : log(crd__math_softplus(u)); }

/* Returns the edge between two centres. log((1 + e^high) / (1 + e^low)) is softplus(u) with
 * u = high - softplus(low) + log(1 - e^(low - high)), without cancellation or overflow. */
static double edge_between(double low, double high) {
  if (!(low < high)) return high;
  const double apart = log(-expm1(low - high));
  const double edge = log_softplus(high - crd__math_softplus(low) + apart) -
                      log_softplus(-low - crd__math_softplus(-high) + apart);
  return within(edge, low, high);
}

/* Returns the first sample at or above the edge, by binary search. */
static size_t find(const crd__calibrator_samples *s, size_t low, double edge) {
  for (size_t high = s->count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (s->x[middle] < edge) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Computes edges from centres and assigns the rows; returns the largest move of an edge. */
static double find_edges(binning *b) {
  const size_t before = b->bins;
  double moved = 0;
  size_t made = 0;
  for (size_t m = 1; m <= before; m++) {
    const bool last = m == before;
    const double edge = last ? INFINITY : edge_between(b->centre[m - 1], b->centre[m]);
    const size_t end = last ? b->samples.count : find(&b->samples, b->first[made], edge);
    if (!last) moved = fmax(moved, fabs(edge - b->edge[m]));
    if (end == b->first[made]) b->edge[made] = edge; /* empty: merged with the next bin */
    else {
      b->first[++made] = end;
      b->edge[made] = edge;
    }
  }
  b->bins = made;
  return made < before ? INFINITY : moved;
}

static crd_status find_loss(crd_context *ctx, const binning *b, double *out) {
  const crd__calibrator_samples *const s = &b->samples;
  double sum = 0;
  for (size_t m = 0; m < b->bins; m++)
    for (size_t i = b->first[m]; i < b->first[m + 1]; i++) {
      if (i % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
      const double x = s->x[i], f = b->centre[m];
      sum +=
          s->weight[i] * (crd__math_sigmoid(x) * (crd__math_softplus(-f) - crd__math_softplus(-x)) +
                          crd__math_sigmoid(-x) * (crd__math_softplus(f) - crd__math_softplus(x)));
    }
  *out = fmax(0, sum) / (double)s->rows;
  return CRD_OK;
}

/* Builds the curve: the event frequency over each bin's probabilities. Near 1 distinct log-odds
 * round to the same probability, so a bin can become empty here, too. */
static size_t draw(const binning *b, crd__calibrator_curve *curve) {
  const crd__calibrator_samples *const s = &b->samples;
  double from = 0;
  size_t made = 0;
  for (size_t m = 0, i = 0; m < b->bins; m++) {
    const double edge = m + 1 < b->bins ? crd__math_sigmoid(b->edge[m + 1]) : 2;
    const double to = m + 1 < b->bins ? nextafter(edge, 0) : 1; /* curves have steps (a, b] */
    crd__calibrator_tally t = { 0, 0 };
    for (; i < s->count && crd__math_sigmoid(s->x[i]) < edge; i++) {
      t.weight += s->weight[i];
      t.hits += s->hits[i];
    }
    if (!(t.weight > 0)) continue;
    crd__calibrator_curve_add_step(curve, from, to, t.hits / t.weight);
    from = to;
    made++;
  }
  return made;
}

static void certify(size_t made, size_t asked, crd__calibrator_fitted *out) {
  out->certificate.gradient_norm = NAN;
  if (!out->certificate.converged)
    out->certificate.note = "the bin edges had not converged after 10000 iterations";
  else if (made < asked) {
    snprintf(out->text, sizeof out->text, "%zu of %zu bins remain: the others were empty", made,
             asked);
    out->certificate.note = out->text;
  }
}

static crd_status imax_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                           crd__calibrator_fitted *out) {
  const size_t asked = (size_t)data->settings[BINS];
  crd_certificate *const certificate = &out->certificate;
  binning b = { .bins = 0 };
  crd__calibrator_curve curve = { 0 };
  crd_status status = make_binning(ctx, data, &b);
  if (status == CRD_OK) status = crd__calibrator_curve_create(ctx, 2 * asked, &curve);
  if (status == CRD_OK) {
    begin(&b);
    find_centres(&b);
    while (status == CRD_OK && !certificate->converged && certificate->iterations < TURNS_MAX) {
      certificate->converged = find_edges(&b) <= at_rest;
      find_centres(&b);
      certificate->iterations++;
      status = crd__check_interrupt(ctx);
    }
  }
  if (status == CRD_OK) status = find_loss(ctx, &b, &certificate->objective);
  if (status == CRD_OK) {
    certify(draw(&b, &curve), asked, out);
    status = crd__calibrator_curve_learn(ctx, crd__calibrator_curve_learns, &curve, out);
  }
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  clear_binning(&ctx->alloc, &b);
  return status;
}

static const crd__calibrator_learns learns[] = { { .name = "probability", .free = true },
                                                 { .name = "calibrated", .free = true },
                                                 { .name = NULL } };

static const crd__calibrator_event_method event = { .fit = imax_fit,
                                                    .apply = crd__calibrator_curve_apply,
                                                    .describe =
                                                        crd__calibrator_curve_describe_steps,
                                                    .shared = true };

const crd__calibrator_method crd__calibrator_method_imax = {
  .info = { .name = "imax",
            .summary = "I-Max binning: bins that keep the most mutual information",
            .meaning = "Histogram binning with edges that maximise mutual information, so that a "
                       "few bins almost preserve the ranking; all classes share them, which needs "
                       "fewer rows but cannot correct classes that are miscalibrated differently.",
            .reference = "Patel, Beluch, Yang, Pfeiffer, Zhang 2021, Multi-class uncertainty "
                         "calibration via mutual information maximization-based binning",
            .standard = 100, /* memory grows with rows times classes */
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = learns,
  .event = &event,
};

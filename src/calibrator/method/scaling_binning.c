/*
 * scaling_binning.c -- scaling-binning calibrator: Platt scaling, then bins with the mean of the
 * scaled probability.
 *
 * Equal-mass bins are formed on g = sigmoid(a s + b), as in histogram binning (samples.h), but a
 * bin's value is the mean of g over its rows, not their event frequency: it has less variance, and
 * the output has so few values that its calibration error can be measured without bias.
 *
 * A bin ends at the midpoint of g between two rows. The curve is over the log-odds s, where that is
 * s = (logit(g) - b) / a, kept between the two rows, because g near 1 cannot distinguish rows.
 *
 * Kumar, Liang, Ma: Verified uncertainty calibration (2019); as in its code, all three steps use
 * the same rows.
 */
#include "base/memory.h"
#include "calibrator/curve.h"
#include "calibrator/method/platt.h"
#include "calibrator/samples.h"
#include "math/logspace.h"

#include <math.h>

enum { BINS_MAX = 10000 };
enum { SCOPE, BINS, TARGETS };
enum { SMOOTHED, PLAIN };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("top-1"),
  [BINS] = CRD__BINS("number of bins", BINS_MAX),
  [TARGETS] = { .name = "targets",
                .help = "Platt's smoothed targets, or plain 0 and 1",
                .standard = "smoothed",
                .words = "smoothed plain" },
};

/* Slope and intercept are kept because the certificate refers to them; only the curve is applied.
 */
static const crd__calibrator_learns learns[] = {
  { .name = "log_odds", .parts = CRD__EACH_EVENT, .free = true },
  { .name = "calibrated", .parts = CRD__EACH_EVENT, .free = true },
  { .name = "slope", .parts = CRD__EACH_EVENT },
  { .name = "intercept", .parts = CRD__EACH_EVENT },
  { .name = NULL },
};

static double scaled(const double line[2], double log_odds) {
  return crd__math_sigmoid(line[0] * log_odds + line[1]);
}

/* Returns the log-odds at a place: between two samples those of the midpoint of g, below the upper
 * one. */
static double edge(const crd__calibrator_samples *samples, const double line[2], size_t place) {
  if (place % 2 || place == 2 * samples->count)
    return crd__calibrator_samples_above(samples, (place - 1) / 2);
  const double low = samples->x[place / 2 - 1], high = samples->x[place / 2];
  const double g = (scaled(line, low) + scaled(line, high)) / 2;
  const double s = (log(g) - log1p(-g) - line[1]) / line[0];
  return s >= low && s < high ? s : low;
}

/* Returns the mean of g between two places. */
static double mean(const crd__calibrator_samples *samples, const double line[2], size_t from,
                   size_t to) {
  double sum = 0, weight = 0;
  for (size_t i = crd__calibrator_samples_before(from); i < crd__calibrator_samples_before(to);
       i++) {
    sum += samples->weight[i] * scaled(line, samples->x[i]);
    weight += samples->weight[i];
  }
  return sum / weight;
}

static void draw(const crd__calibrator_samples *samples, const double line[2], const size_t *ends,
                 size_t bins, crd__calibrator_curve *curve) {
  double low = samples->x[0];
  for (size_t b = 0, from = 0; b < bins; from = ends[b++]) {
    const double high = edge(samples, line, ends[b]);
    crd__calibrator_curve_add_step(curve, low, high, mean(samples, line, from, ends[b]));
    low = high;
  }
}

static crd_status scaling_binning_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                      crd__calibrator_fitted *out) {
  const size_t bins = (size_t)data->settings[BINS];
  double line[2];
  crd__calibrator_samples samples = { 0 };
  crd__calibrator_curve curve = { 0 };
  size_t *ends = NULL;
  CRD_TRY(crd__calibrator_platt_fit(ctx, data, data->settings[TARGETS] == PLAIN, line,
                                    &out->certificate));
  crd_status status = crd__calibrator_samples_make(ctx, data, data->log_odds, &samples);
  if (status == CRD_OK) status = crd__new(ctx, bins, sizeof *ends, "bins", &ends);
  if (status == CRD_OK) status = crd__calibrator_curve_create(ctx, 2 * bins, &curve);
  if (status == CRD_OK) {
    draw(&samples, line, ends, crd__calibrator_samples_cut(&samples, bins, ends), &curve);
    status = crd__calibrator_curve_learn(ctx, learns, &curve, out);
  }
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "slope", &line[0], 1);
  if (status == CRD_OK)
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "intercept", &line[1], 1);
  crd__free(&ctx->alloc, ends);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  crd__calibrator_samples_clear(&ctx->alloc, &samples);
  return status;
}

static const crd__calibrator_event_method event = {
  .fit = scaling_binning_fit,
  .apply = crd__calibrator_curve_log_odds_apply,
  .describe = crd__calibrator_curve_log_odds_describe_steps
};

const crd__calibrator_method crd__calibrator_method_scaling_binning = {
  .info = { .name = "scaling-binning",
            .summary = "scaling-binning calibration: Platt scaling, then equal-mass bins",
            .meaning = "Nearly as good as Platt scaling, with few enough distinct probabilities "
                       "that the remaining calibration error can be measured. Rows of a bin get "
                       "the same probability.",
            .reference = "Kumar, Liang, Ma 2019, Verified uncertainty calibration",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = learns,
  .event = &event,
};

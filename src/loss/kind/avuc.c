/*
 * avuc.c -- accuracy versus uncertainty calibration (AvUC): rows should be correct and certain, or
 * wrong and uncertain.
 *
 *   n = c f of correct rows, (1 - c) f of wrong ones;  f = 1 - tanh H if H <= threshold, else
 *   tanh H;  G, the good rows: correct and certain, or wrong and uncertain
 *   L = log(1 + B / S_G),  B and S_G the sums of n over bad and over good rows
 *
 *   dL/dn = 1 / (S_G + B) for bad rows, -B / ((S_G + B) S_G) for good ones
 *   dn/dc = +-f,  dn/dH = -+(1 - tanh^2 H) (c or 1 - c)
 *
 * With weights a row counts as N w_i / sum w rows. If no row is good, S_G is replaced by 1e-10 and
 * the gradient, which would be unbounded, is 0. 1 - tanh H is computed as 2 / (1 + exp 2H), without
 * cancellation. With soft targets, a row is correct by the share of its predicted class and wrong
 * by the rest. The authors set the threshold in the first epochs to the mean of the mean entropies
 * of correct and of wrong validation rows; here it is a setting. Krishnan, Tickoo: Improving model
 * calibration with accuracy versus uncertainty optimization (NeurIPS 2020).
 */
#include "loss/term.h"

#include <math.h>

enum { THRESHOLD };

static const double least_good = 1e-10;

/* A certain row is good by its correct share, an uncertain one by its wrong share. */
typedef struct {
  bool certain;
  double factor, bend; /* f and df/dH */
  double right, wrong; /* c and 1 - c, times the shares */
  double right_share, wrong_share;
} pair;

static pair look(const crd__loss_term *term, const crd__loss_batch *batch, size_t row) {
  const double h = batch->entropy[row], c = batch->confidence[row], a = batch->correct[row];
  const double uncertain = tanh(h), certain = 2 / (1 + exp(2 * h));
  const double steep = certain * (1 + uncertain);
  const bool is_certain = h <= term->settings[THRESHOLD];
  return (pair){ .certain = is_certain,
                 .factor = is_certain ? certain : uncertain,
                 .bend = is_certain ? -steep : steep,
                 .right = a * c,
                 .wrong = (1 - a) * (1 - c),
                 .right_share = a,
                 .wrong_share = 1 - a };
}

static void add_slopes(const crd__loss_term *term, const crd__loss_batch *batch,
                       const crd__loss_slopes *slopes, double of_good, double of_bad) {
  for (size_t i = 0; i < batch->rows; i++) {
    const double weight = batch->weight[i];
    if (!(weight > 0)) continue;
    const pair p = look(term, batch, i);
    const double right = weight * (p.certain ? of_good : of_bad);
    const double wrong = weight * (p.certain ? of_bad : of_good);
    slopes->confidence[i] += p.factor * (right * p.right_share - wrong * p.wrong_share);
    slopes->entropy[i] += p.bend * (right * p.right + wrong * p.wrong);
  }
}

static double avuc_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                           const crd__loss_slopes *slopes) {
  double rows = 0, good = 0, bad = 0;
  for (size_t i = 0; i < batch->rows; i++) {
    const double weight = batch->weight[i];
    if (!(weight > 0)) continue;
    const pair p = look(term, batch, i);
    rows++;
    good += weight * p.factor * (p.certain ? p.right : p.wrong);
    bad += weight * p.factor * (p.certain ? p.wrong : p.right);
  }
  const double each = rows / batch->total;
  good *= each;
  bad *= each;
  if (good < least_good) return log1p(bad / least_good);
  const double step = term->scale * each / (good + bad);
  add_slopes(term, batch, slopes, -step * bad / good, step);
  return log1p(bad / good);
}

static const crd_setting_info settings[] = {
  { .name = "threshold",
    .help = "entropy in nats up to which a row counts as certain",
    .standard = "1",
    .low = 0,
    .high = 1000 },
};

const crd__loss crd__loss_avuc = {
  .info = { .name = "avuc",
            .summary = "accuracy versus uncertainty calibration (AvUC)",
            .meaning = "Makes wrong rows uncertain and correct ones certain, by confidence and "
                       "entropy. Depends on an entropy threshold that suits the number of "
                       "classes.",
            .reference = "Krishnan, Tickoo: Improving model calibration with accuracy versus "
                         "uncertainty optimization (NeurIPS 2020)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "factor 3",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .measure = avuc_measure,
};

/*
 * soft_ece.c -- soft-binned ECE: rows belong to all bins by shares, so that it has a gradient.
 *
 *   u_im = softmax_m(-(c_i - x_m)^2 / T),  x_m = (m - 1/2) / M     row i's share in bin m
 *   S_m = sum_i u_im,  R_m = sum_i u_im (c_i - a_i)
 *   F = 1/N sum_m S_m |R_m / S_m|^q,  L = F^(1/q)
 *
 *   du_im/dc_i = 2 u_im (x_m - sum_l u_il x_l) / T
 *   dF/dc_i = 1/N sum_m (1 - q) |R_m / S_m|^q u'_im
 *                     + q |R_m / S_m|^(q-1) sign(R_m) (u'_im (c_i - a_i) + u_im)
 *   dL/dc_i = F^(1/q-1) / q dF/dc_i
 *
 * With weights a row counts as N w_i / sum w rows. Shares are exponentials relative to the nearest
 * bin, so they cannot all underflow. S_m below 1e-5 counts as 1e-5, and for F below 1e-20 the
 * gradient is 0, because the root is vertical at 0. With soft targets, a is the share of the
 * predicted class. The published form S^(1-q) |R|^q is inf * 0 for an empty bin.
 * Karandikar et al.: Soft calibration objectives for neural networks (NeurIPS 2021).
 */
#include "loss/term.h"

#include <math.h>

enum { BINS, TEMPERATURE, ORDER };
enum { MOST = 1000 };

static const double least_mass = 1e-5, least_error = 1e-20;

/* The bins, and the derivatives of N F with respect to S (by_mass) and R (by_gap). */
typedef struct {
  size_t count;
  double temperature, order, each; /* each: rows per unit of weight */
  double mass[MOST], gap[MOST], by_mass[MOST], by_gap[MOST];
  double share[MOST]; /* of the current row */
} bins;

static double place(const bins *b, size_t m) { return ((double)m + 0.5) / (double)b->count; }

/* Computes a row's share in each bin. */
static void share_out(bins *b, double c) {
  const double nearest = fmin(floor(c * (double)b->count), (double)b->count - 1);
  const double least = c - place(b, (size_t)nearest);
  double sum = 0;
  for (size_t m = 0; m < b->count; m++) {
    const double distance = c - place(b, m);
    sum += b->share[m] = exp((least * least - distance * distance) / b->temperature);
  }
  for (size_t m = 0; m < b->count; m++) b->share[m] /= sum;
}

static void fill(bins *b, const crd__loss_batch *batch) {
  for (size_t i = 0; i < batch->rows; i++) {
    const double weight = b->each * batch->weight[i];
    const double gap = batch->confidence[i] - batch->correct[i];
    if (!(weight > 0)) continue;
    share_out(b, batch->confidence[i]);
    for (size_t m = 0; m < b->count; m++) {
      b->mass[m] += weight * b->share[m];
      b->gap[m] += weight * b->share[m] * gap;
    }
  }
}

/* Returns N F, and sets its derivatives. */
static double judge(bins *b) {
  double sum = 0;
  for (size_t m = 0; m < b->count; m++) {
    const double mass = fmax(b->mass[m], least_mass), gap = fabs(b->gap[m]) / mass;
    const double sign = (b->gap[m] > 0) - (b->gap[m] < 0);
    sum += mass * pow(gap, b->order);
    b->by_mass[m] = b->mass[m] > least_mass ? (1 - b->order) * pow(gap, b->order) : 0;
    b->by_gap[m] = b->order * pow(gap, b->order - 1) * sign;
  }
  return sum;
}

/* Returns d(N F)/dc for a row of unit weight. */
static double slope(bins *b, const crd__loss_batch *batch, size_t row) {
  const double c = batch->confidence[row], gap = c - batch->correct[row];
  double mean = 0, sum = 0;
  share_out(b, c);
  for (size_t m = 0; m < b->count; m++) mean += b->share[m] * place(b, m);
  for (size_t m = 0; m < b->count; m++) {
    const double moved = 2 * b->share[m] * (place(b, m) - mean) / b->temperature;
    sum += b->by_mass[m] * moved + b->by_gap[m] * (moved * gap + b->share[m]);
  }
  return sum;
}

static double soft_ece_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                               const crd__loss_slopes *slopes) {
  const double *const s = term->settings;
  double rows = 0;
  for (size_t i = 0; i < batch->rows; i++) rows += batch->weight[i] > 0;
  bins b = { .count = (size_t)s[BINS],
             .temperature = s[TEMPERATURE],
             .order = s[ORDER],
             .each = rows / batch->total };
  fill(&b, batch);
  const double error = judge(&b) / rows, value = pow(error, 1 / b.order);
  if (!(error > least_error)) return value;
  const double factor = term->scale * value / (error * b.order * batch->total);
  for (size_t i = 0; i < batch->rows; i++)
    if (batch->weight[i] > 0)
      slopes->confidence[i] += factor * batch->weight[i] * slope(&b, batch, i);
  return value;
}

static const crd_setting_info settings[] = {
  { .name = "bins",
    .help = "number of bins",
    .standard = "15",
    .low = 1,
    .high = MOST,
    .whole = 1 },
  { .name = "temperature",
    .help = "softness of bin membership: larger spreads a row over more bins",
    .standard = "0.01",
    .low = 1e-6,
    .high = 1000 },
  { .name = "order",
    .help = "exponent of the gaps: 2 as in RMSCE, 1 as in ECE",
    .standard = "2",
    .low = 1,
    .high = 10 },
};

const crd__loss crd__loss_soft_ece = {
  .info = { .name = "soft-ece",
            .summary = "soft-binned expected calibration error, differentiable",
            .meaning = "The reported error with soft bin membership, so that it has a gradient. "
                       "Small batches have much of it by chance.",
            .reference =
                "Karandikar et al.: Soft calibration objectives for neural networks (NeurIPS 2021)",
            .auxiliary = 1,
            .soft_targets = 1,
            .grid = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .measure = soft_ece_measure,
};

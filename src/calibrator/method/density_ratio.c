/*
 * density_ratio.c -- ProCal's density-ratio calibration: confidence corrected by proximity.
 *
 * A row has two coordinates, its confidence c and its proximity
 *   D = exp(-mean distance of the nearest neighbours), or mean exp(-distance) as in the paper's
 * code, among the calibration rows (features normalised to length 1). The joint densities f1 of
 * correct rows and f0 of wrong rows are Gaussian product-kernel estimates with bandwidths h =
 * factor 1.06 sd n^(-1/6) on each axis, and the confidence becomes  q = n1 f1 / (n1 f1 + n0 f0).
 *
 * With weights n1 and n0 are sums of them, sd is the weighted standard deviation (over n), and the
 * n of a bandwidth is (sum w)^2 / sum w^2. Rows of weight 0 are left out; any other is one
 * neighbour. The sd is at least 0.001. A small constant is added to both densities, the 1e-10 by
 * which the code guards its denominator: where both vanish, q is the accuracy. It is the accuracy
 * everywhere if fewer than two rows are correct, or wrong.
 *
 * A row is not its own neighbour: one of those at distance 0 is left out. So a calibration row gets
 * the same proximity in fit and apply; a new row is affected only if it is a copy of an old one.
 *
 * Xiong, Deng, Koh, Wu, Li, Xu, Hooi 2023, Proximity-informed calibration for deep neural networks.
 */
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "calibrator/method.h"
#include "math/neighbours.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEIGHBOURS, PROXIMITY, BANDWIDTH };
enum { EXP_MEAN, MEAN_EXP };
enum { NEIGHBOURS_MAX = 100, BLOCK = 32 };
enum { WRONG, RIGHT, KINDS };
enum { CONFIDENCE, NEARNESS, AXES };

static const double trace = 1e-10;
static const double least_deviation = 1e-3;
static const double two_pi = 6.283185307179586;

static const crd_setting_info settings[] = {
  [NEIGHBOURS] = { .name = "neighbours",
                   .help = "number of nearest neighbours that define the proximity",
                   .standard = "10",
                   .low = 1,
                   .high = NEIGHBOURS_MAX,
                   .whole = 1 },
  [PROXIMITY] = { .name = "proximity",
                  .help = "from their distances: exp(-mean), as in the paper, or the mean of "
                          "exp(-distance), as in its code",
                  .standard = "exp-mean",
                  .words = "exp-mean mean-exp" },
  [BANDWIDTH] = { .name = "bandwidth",
                  .help = "factor of all kernel bandwidths",
                  .standard = "1",
                  .low = 0.01,
                  .high = 100 },
};

/* The calibration rows, to which others are compared. */
typedef struct {
  size_t rows, width;
  const double *features; /* rows x width */
  const double *confidence, *proximity;
  const double *weight; /* their sum is 1 */
  const double *right;  /* 1: correct, 0: wrong */
  const double *bandwidth[KINDS];
  double share; /* accuracy: the weight of correct rows */
} bank;

/* ---- Proximity. */

/* Computes the proximity from the squared distances of the wanted + 1 nearest rows, ascending. */
static double proximity_of(const double *squares, size_t wanted, double how) {
  const size_t first = squares[0] == 0;
  size_t found = 0;
  double sum = 0;
  for (size_t i = first; i < first + wanted && isfinite(squares[i]); i++, found++)
    sum += how == MEAN_EXP ? exp(-sqrt(squares[i])) : sqrt(squares[i]);
  if (found == 0) return 1; /* no other row */
  return how == MEAN_EXP ? sum / (double)found : exp(-sum / (double)found);
}

/* Computes the proximity of `count` rows, at most BLOCK. */
static void measure(const bank *b, const double *set, const double *features, size_t count,
                    double *out) {
  double squares[BLOCK * (NEIGHBOURS_MAX + 1)];
  const size_t wanted = (size_t)set[NEIGHBOURS];
  crd__math_neighbours(features, count, b->features, b->rows, b->width, wanted + 1, squares, NULL);
  for (size_t i = 0; i < count; i++)
    out[i] = proximity_of(squares + i * (wanted + 1), wanted, set[PROXIMITY]);
}

/* ---- Fitting. */

/* A bank under construction. */
typedef struct {
  bank bank;
  double *features, *confidence, *proximity, *weight, *right;
  double bandwidth[KINDS][AXES];
  size_t count[KINDS];
  const double *settings;
} making;

static crd_status allocate(crd_context *ctx, const crd__calibrator_event_data *data, making *m) {
  size_t cells;
  if (!crd__size_mul(data->rows, data->width, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *m->features, "features", &m->features));
  CRD_TRY(crd__new(ctx, data->rows, sizeof *m->confidence, "a fit", &m->confidence));
  CRD_TRY(crd__new(ctx, data->rows, sizeof *m->proximity, "a fit", &m->proximity));
  CRD_TRY(crd__new(ctx, data->rows, sizeof *m->weight, "a fit", &m->weight));
  return crd__new(ctx, data->rows, sizeof *m->right, "a fit", &m->right);
}

static void release(const crd_allocator *alloc, making *m) {
  crd__free(alloc, m->features);
  crd__free(alloc, m->confidence);
  crd__free(alloc, m->proximity);
  crd__free(alloc, m->weight);
  crd__free(alloc, m->right);
}

/* Copies the rows of positive weight. */
static void gather(const crd__calibrator_event_data *data, making *m) {
  size_t n = 0;
  for (size_t i = 0; i < data->rows; i++) {
    if (data->weights[i] == 0) continue;
    memcpy(m->features + n * data->width, data->features + i * data->width,
           data->width * sizeof *m->features);
    m->confidence[n] = data->probability[i];
    m->weight[n] = data->weights[i] / (double)data->rows;
    m->right[n] = data->happened[i] ? 1 : 0;
    m->count[data->happened[i] ? RIGHT : WRONG]++;
    m->bank.share += m->right[n] * m->weight[n];
    n++;
  }
  m->bank.share = fmin(m->bank.share, 1); /* rounding */
  m->bank.rows = n;
  m->bank.width = data->width;
  m->bank.features = m->features;
}

static crd_status measure_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                size_t to) {
  making *const m = arg;
  (void)ctx;
  (void)worker;
  measure(&m->bank, m->settings, m->features + from * m->bank.width, to - from,
          m->proximity + from);
  return CRD_OK;
}

/* Sets *out to the bandwidth; returns whether the standard deviation is at its lower bound. */
static bool choose_bandwidth(const making *m, size_t kind, const double *x, double *out) {
  double sum = 0, squares = 0, mean = 0, variance = 0;
  for (size_t i = 0; i < m->bank.rows; i++) {
    if (m->right[i] != (double)kind) continue;
    sum += m->weight[i];
    squares += m->weight[i] * m->weight[i];
    mean += m->weight[i] * x[i];
  }
  mean /= sum;
  for (size_t i = 0; i < m->bank.rows; i++)
    if (m->right[i] == (double)kind) variance += m->weight[i] * (x[i] - mean) * (x[i] - mean);
  const double deviation = sqrt(variance / sum);
  *out = m->settings[BANDWIDTH] * 1.06 * fmax(deviation, least_deviation) *
         pow(sum * sum / squares, -1. / 6);
  return deviation <= least_deviation;
}

static void say(const making *m, crd__calibrator_fitted *out) {
  char text[KINDS][AXES][CRD__NUMBER_SIZE];
  for (size_t s = 0; s < KINDS; s++)
    for (size_t a = 0; a < AXES; a++) crd__number_brief(text[s][a], m->bandwidth[s][a], 3);
  if (m->bandwidth[RIGHT][0] > 0)
    snprintf(out->text, sizeof out->text,
             "%zu correct rows with bandwidths %s (confidence) and %s (proximity); %zu wrong rows "
             "with %s and %s",
             m->count[RIGHT], text[RIGHT][CONFIDENCE], text[RIGHT][NEARNESS], m->count[WRONG],
             text[WRONG][CONFIDENCE], text[WRONG][NEARNESS]);
  else
    snprintf(out->text, sizeof out->text,
             "%zu correct and %zu wrong rows: a density needs two of each, so every row gets the "
             "accuracy",
             m->count[RIGHT], m->count[WRONG]);
  out->certificate.note = out->text;
}

static crd_status learn(crd_context *ctx, making *m, crd__calibrator_fitted *out) {
  const size_t rows = m->bank.rows;
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "share", &m->bank.share, 1));
  for (size_t s = 0; s < KINDS; s++)
    CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "bandwidths", m->bandwidth[s], AXES));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "confidence", m->confidence, rows));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "proximity", m->proximity, rows));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "weight", m->weight, rows));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "right", m->right, rows));
  return crd__calibrator_learn(ctx, &out->learnt, "features", m->features, rows * m->bank.width);
}

static crd_status fit_all(crd_context *ctx, const crd__calibrator_event_data *data, making *m,
                          crd__calibrator_fitted *out) {
  bool small = false;
  CRD_TRY(allocate(ctx, data, m));
  gather(data, m);
  CRD_TRY(crd__parallel_for(ctx, "fitting", m->bank.rows, BLOCK, measure_chunk, m));
  const double *const x[AXES] = { m->confidence, m->proximity };
  for (size_t s = 0; s < KINDS && m->count[RIGHT] > 1 && m->count[WRONG] > 1; s++)
    for (size_t a = 0; a < AXES; a++) small |= choose_bandwidth(m, s, x[a], &m->bandwidth[s][a]);
  out->certificate = (crd_certificate){
    .converged = 1, .objective = NAN, .gradient_norm = NAN, .bounds = small ? "bandwidth" : ""
  };
  say(m, out);
  return learn(ctx, m, out);
}

static crd_status density_ratio_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                    crd__calibrator_fitted *out) {
  making m = { .settings = data->settings };
  const crd_status status = fit_all(ctx, data, &m, out);
  release(&ctx->alloc, &m);
  return status;
}

/* ---- Applying. */

static bank recall(const crd__calibrator_model *model) {
  const crd__calibrator_learnt *const learnt = model->learnt;
  bank b = { .width = model->width };
  b.share = *crd__calibrator_recall(learnt, "share", 0, NULL);
  for (size_t s = 0; s < KINDS; s++)
    b.bandwidth[s] = crd__calibrator_recall(learnt, "bandwidths", s, NULL);
  b.confidence = crd__calibrator_recall(learnt, "confidence", 0, &b.rows);
  b.proximity = crd__calibrator_recall(learnt, "proximity", 0, NULL);
  b.weight = crd__calibrator_recall(learnt, "weight", 0, NULL);
  b.right = crd__calibrator_recall(learnt, "right", 0, NULL);
  b.features = crd__calibrator_recall(learnt, "features", 0, NULL);
  return b;
}

static double calibrate(const bank *b, double confidence, double proximity) {
  double mass[KINDS] = { 0 }, per[KINDS][AXES];
  for (size_t s = 0; s < KINDS; s++)
    for (size_t a = 0; a < AXES; a++) per[s][a] = 1 / b->bandwidth[s][a];
  for (size_t i = 0; i < b->rows; i++) {
    const size_t s = b->right[i] != 0 ? RIGHT : WRONG;
    const double u = (confidence - b->confidence[i]) * per[s][CONFIDENCE];
    const double v = (proximity - b->proximity[i]) * per[s][NEARNESS];
    mass[s] += b->weight[i] * exp(-0.5 * (u * u + v * v));
  }
  for (size_t s = 0; s < KINDS; s++)
    mass[s] = mass[s] * per[s][CONFIDENCE] * per[s][NEARNESS] / two_pi +
              trace * (s == RIGHT ? b->share : 1 - b->share);
  return mass[RIGHT] / (mass[RIGHT] + mass[WRONG]);
}

static void density_ratio_apply(const crd__calibrator_model *model, size_t rows,
                                const double *features, const double *probability, double *out) {
  const bank b = recall(model);
  const bool densities = b.bandwidth[RIGHT][CONFIDENCE] > 0;
  for (size_t from = 0; from < rows; from += BLOCK) {
    double proximity[BLOCK] = { 0 };
    const size_t count = rows - from < BLOCK ? rows - from : BLOCK;
    if (densities) measure(&b, model->settings, features + from * b.width, count, proximity);
    for (size_t i = 0; i < count; i++)
      out[from + i] = densities ? calibrate(&b, probability[from + i], proximity[i]) : b.share;
  }
}

static const crd__calibrator_learns learns[] = {
  { .name = "share" },
  { .name = "bandwidths", .parts = CRD__TWO, .length = CRD__TWO },
  { .name = "confidence", .free = true },
  { .name = "proximity", .free = true },
  { .name = "weight", .free = true },
  { .name = "right", .free = true },
  { .name = "features", .free = true, .wide = true },
  { .name = NULL }
};

static const crd__calibrator_event_method event = { .fit = density_ratio_fit,
                                                    .apply_features = density_ratio_apply };

const crd__calibrator_method crd__calibrator_method_density_ratio = {
  .info = { .name = "density-ratio",
            .summary = "ProCal density-ratio calibration by confidence and proximity",
            .meaning = "Corrects proximity bias: at the same confidence, models are more "
                       "overconfident on rows far from the others. It reads the array `features`, "
                       "calibrates the predicted class alone, and stores all rows it was fitted "
                       "on: its file is as large as their features, and every new row is compared "
                       "with each of them.",
            .reference = "Xiong, Deng, Koh, Wu, Li, Xu, Hooi 2023, Proximity-informed calibration "
                         "for deep neural networks",
            .needs_features = 1,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .as_is = true,
  .learns = learns,
  .event = &event,
};

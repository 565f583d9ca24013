/*
 * crl.c -- correctness ranking loss: rows that were correct more often should be more confident.
 *
 *   k_i = (h_i - low) / (epochs - low), 0 if that is 0/0; h: how often the row was correct so far
 *   L = mean over neighbours (i, j) of max(0, |k_i - k_j| - t (v_i - v_j)),  t = sign(k_i - k_j),
 *       and 0 where t = 0
 *   dL/dv_i = -t / N, dL/dv_j = t / N of each pair above 0
 *
 * Neighbours are consecutive rows of positive weight, and the last with the first; the weight of a
 * pair is the mean of both rows' weights. A single row has no neighbour. v is the confidence: the
 * largest probability, its margin over the second (the gradient flows through both, their classes
 * are constants), or 1 - H / log K. So the loss depends on the order of the batch, but not on
 * labels. The caller must keep counts aligned with rows when shuffling; the authors count in
 * training mode, on augmented rows.
 * Moon, Kim, Shin, Hwang: Confidence-aware learning for deep neural networks (ICML 2020).
 */
#include "data/array.h"
#include "loss/term.h"

#include <math.h>

enum { CONFIDENCE };
enum { LARGEST, MARGIN, ENTROPY };

/* Scratch values of a row. */
enum { VALUE, SECOND, SLOPE, KEPT };

static double *kept(const crd__loss_term *term, size_t row) { return term->row_kept + KEPT * row; }

/* Returns the class of the second largest probability, the lowest index on ties. */
static size_t second(const crd__loss_batch *batch, size_t row) {
  const double *const z = batch->logits + row * batch->classes;
  size_t best = batch->predicted[row] == 0;
  for (size_t k = best + 1; k < batch->classes; k++)
    if (k != batch->predicted[row] && z[k] > z[best]) best = k;
  return best;
}

static void crl_prepare(const crd__loss_term *term, const crd__loss_batch *batch, size_t row) {
  const int kind = (int)term->settings[CONFIDENCE];
  const size_t other = kind == MARGIN ? second(batch, row) : 0;
  double *const k = kept(term, row);
  k[VALUE] = batch->confidence[row];
  if (kind == MARGIN) k[VALUE] -= batch->p[row * batch->classes + other];
  if (kind == ENTROPY) k[VALUE] = 1 - batch->entropy[row] / log((double)batch->classes);
  k[SECOND] = (double)other;
  k[SLOPE] = 0;
}

static double rank(const crd_targets *targets, size_t row) {
  const double range = targets->epochs - targets->history_low;
  const double above = crd__data_array_number(&targets->history, row, 0) - targets->history_low;
  return range > 0 ? above / range : 0;
}

/* Returns the contribution of a pair to the value, and adds its slopes to both rows. */
static double compare(const crd__loss_term *term, const crd__loss_batch *batch, size_t i,
                      size_t j) {
  const double apart = rank(batch->targets, i) - rank(batch->targets, j);
  const double sign = (apart > 0) - (apart < 0);
  const double share = (batch->weight[i] + batch->weight[j]) / (2 * batch->total);
  const double miss = fabs(apart) - sign * (kept(term, i)[VALUE] - kept(term, j)[VALUE]);
  if (!(miss > 0) || sign == 0) return 0;
  kept(term, i)[SLOPE] -= sign * share;
  kept(term, j)[SLOPE] += sign * share;
  return share * miss;
}

static void add_slope(const crd__loss_term *term, const crd__loss_batch *batch,
                      const crd__loss_slopes *slopes, size_t row) {
  const double slope = term->scale * kept(term, row)[SLOPE];
  if ((int)term->settings[CONFIDENCE] == ENTROPY)
    slopes->entropy[row] -= slope / log((double)batch->classes);
  else slopes->confidence[row] += slope;
}

static double crl_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                          const crd__loss_slopes *slopes) {
  size_t first = 0;
  double sum = 0;
  while (!(batch->weight[first] > 0)) first++; /* ends: the total weight is above 0 */
  size_t last = first;
  for (size_t i = first + 1; i < batch->rows; i++) {
    if (!(batch->weight[i] > 0)) continue;
    sum += compare(term, batch, last, i);
    last = i;
  }
  if (last != first) sum += compare(term, batch, last, first);
  for (size_t i = first; i <= last; i++)
    if (batch->weight[i] > 0) add_slope(term, batch, slopes, i);
  return sum;
}

/* Adds the gradient through the second largest probability. */
static void crl_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                        double *gradient) {
  const double *const p = batch->p + row * batch->classes;
  const size_t other = (size_t)kept(term, row)[SECOND];
  if ((int)term->settings[CONFIDENCE] != MARGIN) return;
  const double push = term->scale * kept(term, row)[SLOPE] * p[other];
  for (size_t k = 0; k < batch->classes; k++) gradient[k] += push * p[k];
  gradient[other] -= push;
}

static const crd_setting_info settings[] = {
  { .name = "confidence",
    .help = "confidence to rank: largest probability, its margin over the second, or 1 - H/log K",
    .standard = "max",
    .words = "max margin entropy" },
};

const crd__loss crd__loss_crl = {
  .info = { .name = "crl",
            .summary = "correctness ranking loss: confidence ordered by past correctness",
            .meaning = "Makes confidence rank correct rows above wrong ones. Needs a count of "
                       "correct predictions for every training row, kept over the epochs.",
            .reference = "Moon et al.: Confidence-aware learning for deep neural networks (ICML "
                         "2020)",
            .auxiliary = 1,
            .soft_targets = 1,
            .history = 1,
            .grid = "factor 1",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = KEPT,
  .prepare = crl_prepare,
  .measure = crl_measure,
  .add_row = crl_add_row,
};

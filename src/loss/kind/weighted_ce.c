/*
 * weighted_ce.c -- cross-entropy with class weights v.
 *
 *   L = sum_i w_i v_y l_i / sum_i w_i v_y;   dL/dz_i = w_i v_y (p_i - e_y) / sum_j w_j v_y
 *
 * w are the rows' own weights, l_i = -log p_y. The sum is divided by the weights, not by the number
 * of rows, like PyTorch. With soft targets t, v_y l_i is sum_k t_k v_k (-log p_k) and v_y is
 * sum_k t_k v_k, so that a mixup batch has the mixture of both losses. If all weights are 0, L and
 * its gradient are 0.
 *
 *   inverse-frequency     v_k = N / (K n_k),  0 for classes that do not occur in training
 *   one-minus-frequency   v_k = 1 - n_k / N
 *
 * n_k of the N training rows have class k. With the first, all classes have equal total weight.
 * King, Zeng: Logistic regression in rare events data (Political Analysis 9, 2001).
 */
#include "loss/term.h"

#include <math.h>

enum { WEIGHTS };
enum { LIST = 2 }; /* the setting's value for a list, after those of the words */

/* ---- Checks of the weights. */

static crd_status check_numbers(crd_context *ctx, const char *what, const double *numbers,
                                size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) {
    if (!(numbers[k] >= 0 && isfinite(numbers[k])))
      return crd__fail(ctx, CRD_EUSAGE,
                       "weighted-ce: the %s of class %zu is %g, allowed are finite numbers from 0",
                       what, k, numbers[k]);
    sum += numbers[k];
  }
  if (sum > 0 && isfinite(sum)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "weighted-ce: the sum of the %ss is %g, expected a finite number above 0", what,
                   sum);
}

static crd_status weighted_ce_check(crd_context *ctx, const crd__loss_term *term) {
  const crd_loss_options *const o = term->options;
  if ((int)term->settings[WEIGHTS] == LIST)
    return check_numbers(ctx, "weight", term->list, term->list_count);
  if (!o->class_counts)
    return crd__fail(ctx, CRD_EUSAGE,
                     "weighted-ce: these weights need the class counts of the training set, which "
                     "are missing; or list the weights: weights=0.2,1.5,...");
  return check_numbers(ctx, "count", o->class_counts, o->classes);
}

static crd_status weighted_ce_admit(crd_context *ctx, const crd__loss_term *term,
                                    const crd__loss_batch *batch) {
  const bool list = (int)term->settings[WEIGHTS] == LIST;
  const size_t count = list ? term->list_count : term->options->classes;
  if (count == batch->classes) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "weighted-ce: %s of %zu classes for logits of %zu classes",
                   list ? "weights" : "counts", count, batch->classes);
}

/* ---- Weights of classes, scaled so that the mean over rows divides by their sum. */

static double inverse_frequency(const crd__loss_term *term, size_t k, double all) {
  const double n = term->options->class_counts[k];
  return n > 0 ? all / ((double)term->options->classes * n) : 0;
}

static double one_minus_frequency(const crd__loss_term *term, size_t k, double all) {
  return 1 - term->options->class_counts[k] / all;
}

static double listed(const crd__loss_term *term, size_t k, double all) {
  (void)all;
  return term->list[k];
}

/* Indexed by the setting; `all` is the number of training rows. */
static double (*const class_weight[])(const crd__loss_term *term, size_t k,
                                      double all) = { inverse_frequency, one_minus_frequency,
                                                      listed };

static double row_weight(const crd__loss_term *term, const crd__loss_batch *batch, size_t row) {
  double sum = 0;
  if (batch->label) return term->class_kept[batch->label[row]];
  for (size_t k = 0; k < batch->classes; k++)
    sum += crd__loss_share(batch, row, k) * term->class_kept[k];
  return sum;
}

static void weigh_classes(const crd__loss_term *term, const crd__loss_batch *batch) {
  const size_t kind = (size_t)term->settings[WEIGHTS];
  double all = 0, sum = 0;
  for (size_t k = 0; kind != LIST && k < batch->classes; k++) all += term->options->class_counts[k];
  for (size_t k = 0; k < batch->classes; k++)
    term->class_kept[k] = class_weight[kind](term, k, all);
  for (size_t i = 0; i < batch->rows; i++) sum += batch->weight[i] * row_weight(term, batch, i);
  for (size_t k = 0; k < batch->classes; k++)
    term->class_kept[k] = sum > 0 ? term->class_kept[k] / sum * batch->total : 0;
}

static crd__loss_class_loss weighted_ce_of_class(const crd__loss_term *term,
                                                 const crd__loss_batch *batch,
                                                 const crd__loss_class *class) {
  const double weight = term->class_kept[class->k];
  (void)batch;
  return (crd__loss_class_loss){ .value = -weight * class->log, .slope = weight };
}

static double weighted_ce_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                  const crd__loss_slopes *slopes) {
  weigh_classes(term, batch);
  for (size_t i = 0; i < batch->rows; i++) crd__loss_mixed_prepare(term, batch, i);
  return crd__loss_mixed_measure(term, batch, slopes);
}

static const crd_setting_info settings[] = {
  { .name = "weights",
    .help = "computed from the class counts of the training set, or a list, one number a class",
    .standard = "inverse-frequency",
    .words = "inverse-frequency one-minus-frequency",
    .list = 1 },
};

const crd__loss crd__loss_weighted_ce = {
  .info = { .name = "weighted-ce",
            .summary = "class-weighted cross-entropy",
            .meaning = "For imbalanced classes. The probabilities are then calibrated for the "
                       "reweighted class frequencies, not for those of the data.",
            .reference = "King, Zeng: Logistic regression in rare events data (Political Analysis "
                         "9, 2001)",
            .soft_targets = 1,
            .grid = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scratch = CRD__MIXED_KEPT,
  .scratch_classes = 1,
  .check = weighted_ce_check,
  .admit = weighted_ce_admit,
  .of_class = weighted_ce_of_class,
  .measure = weighted_ce_measure,
  .add_row = crd__loss_mixed_add_row,
};

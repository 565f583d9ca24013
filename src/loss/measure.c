/* measure.c -- functions for losses that are a mean over rows. */
#include "loss/term.h"

double crd__loss_measure_rows(const crd__loss_term *term, const crd__loss_batch *batch,
                              const crd__loss_slopes *slopes,
                              crd__loss_row_loss (*one)(const crd__loss_term *term,
                                                        const crd__loss_batch *batch, size_t row)) {
  double sum = 0;
  for (size_t i = 0; i < batch->rows; i++) {
    const double weight = batch->weight[i];
    if (!(weight > 0)) continue;
    const crd__loss_row_loss row = one(term, batch, i);
    sum += weight * row.value;
    slopes->label[i] += term->scale * weight / batch->total * row.slope;
  }
  return sum / batch->total;
}

/* ---- Losses of single classes, mixed by soft targets. */

/* Scratch values of a row: sums over classes, weighted by their shares. */
enum { VALUE, SLOPE, OTHER_SLOPE };

static double *kept_of(const crd__loss_term *term, size_t row) {
  return term->row_kept + row * CRD__MIXED_KEPT;
}

static crd__loss_class look(const crd__loss_batch *batch, size_t row, size_t k) {
  const size_t at = row * batch->classes + k;
  const double rest = k == batch->predicted[row] ? batch->confidence_rest[row] : 1 - batch->p[at];
  return (crd__loss_class){ .row = row,
                            .k = k,
                            .p = batch->p[at],
                            .log = crd__loss_log_of(rest, batch->logits[at], batch->log_sum[row]),
                            .rest = rest };
}

/* Returns the first class that may have a nonzero share; with labels, only the label has. */
static size_t first_class(const crd__loss_batch *batch, size_t row) {
  return batch->label ? batch->label[row] : 0;
}

static size_t end_class(const crd__loss_batch *batch, size_t row) {
  return batch->label ? batch->label[row] + 1 : batch->classes;
}

void crd__loss_mixed_prepare(const crd__loss_term *term, const crd__loss_batch *batch, size_t row) {
  double *const kept = kept_of(term, row);
  kept[VALUE] = kept[SLOPE] = kept[OTHER_SLOPE] = 0;
  for (size_t k = first_class(batch, row); k < end_class(batch, row); k++) {
    const double share = crd__loss_share(batch, row, k);
    if (!(share > 0)) continue;
    const crd__loss_class class = look(batch, row, k);
    const crd__loss_class_loss found = term->loss->of_class(term, batch, &class);
    kept[VALUE] += share * found.value;
    kept[SLOPE] += share * found.slope;
    kept[OTHER_SLOPE] += share * found.other_slope;
  }
}

static crd__loss_row_loss one_mixed(const crd__loss_term *term, const crd__loss_batch *batch,
                                    size_t row) {
  const double *const kept = kept_of(term, row);
  return (crd__loss_row_loss){ .value = kept[VALUE], .slope = batch->label ? kept[SLOPE] : 0 };
}

double crd__loss_mixed_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                               const crd__loss_slopes *slopes) {
  return crd__loss_measure_rows(term, batch, slopes, one_mixed);
}

/*
 * With W = sum t_k slope_k, class k gets W p_k - t_k slope_k, written as
 * (W - t_k slope_k) p_k - t_k slope_k (1 - p_k): exact for a one-hot target.
 */
static void add_shares(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                       double factor, double *gradient) {
  const double *const p = batch->p + row * batch->classes, *const kept = kept_of(term, row);
  for (size_t k = 0; k < batch->classes; k++) {
    const double share = crd__loss_share(batch, row, k);
    double pull = 0, rest = 0;
    if (share > 0) {
      const crd__loss_class class = look(batch, row, k);
      pull = share * term->loss->of_class(term, batch, &class).slope;
      rest = class.rest;
    }
    gradient[k] += factor * ((kept[SLOPE] - pull) * p[k] - pull * rest);
  }
}

static void add_others(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                       double factor, double *gradient) {
  const double *const p = batch->p + row * batch->classes;
  const double all = kept_of(term, row)[OTHER_SLOPE];
  if (all == 0) return;
  for (size_t k = 0; k < batch->classes; k++) gradient[k] += factor * all * p[k];
  for (size_t k = first_class(batch, row); k < end_class(batch, row); k++) {
    const double share = crd__loss_share(batch, row, k);
    if (!(share > 0)) continue;
    const crd__loss_class class = look(batch, row, k);
    const crd__loss_class_loss found = term->loss->of_class(term, batch, &class);
    gradient[found.other] -= factor * share * found.other_slope;
  }
}

void crd__loss_mixed_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                             double *gradient) {
  const double factor = term->scale * batch->weight[row] / batch->total;
  if (!batch->label) add_shares(term, batch, row, factor, gradient); /* else done by the slopes */
  add_others(term, batch, row, factor, gradient);
}

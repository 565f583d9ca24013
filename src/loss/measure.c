/* measure.c -- what losses share that are the mean of one number a row. */
#include "loss/term.h"

double crd__measure_rows(const crd__term *term, const crd__batch *batch, const crd__slopes *slopes,
                         crd__row_loss (*one)(const crd__term *term, const crd__batch *batch,
                                              size_t row)) {
  double sum = 0;
  for (size_t i = 0; i < batch->rows; i++) {
    const double weight = batch->weight[i];
    if (!(weight > 0)) continue;
    const crd__row_loss row = one(term, batch, i);
    sum += weight * row.value;
    slopes->label[i] += term->scale * weight / batch->total * row.slope;
  }
  return sum / batch->total;
}

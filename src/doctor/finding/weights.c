/* weights.c -- weights of rows, and the effective sample size. */
#include "data/array.h"
#include "doctor/finding.h"

#include <math.h>

static void weights_judge(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const crd_array *const weights = &x->predictions->parts.weights;
  double low = INFINITY, high = 0, sum = 0, square = 0;
  if (!weights->data) return;
  for (size_t i = 0; i < x->rows; i++) {
    double weight;
    crd__data_weights_read(x->predictions, i, 1, &weight);
    low = fmin(low, weight);
    high = fmax(high, weight);
    sum += weight;
    square += weight * weight;
  }
  out->severity = low == high ? CRD_FINE : CRD_NOTE;
  crd__text_addf(&out->found,
                 "Weights range from %s to %s: an effective sample size of %s rows; this report "
                 "counts every row once.",
                 crd__doctor_brief(ldexp(low, -x->predictions->weight_shift), 4).text,
                 crd__doctor_brief(ldexp(high, -x->predictions->weight_shift), 4).text,
                 crd__doctor_brief(rint(10 * sum * sum / square) / 10, 9).text);
  if (low != high)
    crd__text_addf(&out->advice, "%s gives the weighted numbers.",
                   crd__spell(x->ctx, "crd_evaluate"));
}

const crd__doctor_finding crd__doctor_finding_weights = {
  .info = { .name = "weights", .summary = "weights, which evaluation uses and the doctor ignores" },
  .judge = weights_judge,
};

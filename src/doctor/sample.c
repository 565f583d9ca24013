/* sample.c -- samples every n-th row of predictions, for quick checks. */
#include "base/memory.h"
#include "doctor/examine.h"

#include <assert.h>

crd_status crd__doctor_predictions_sample(crd_context *ctx, const crd_predictions *predictions,
                                          size_t rows, crd_predictions **out) {
  /* Rows may be periodic (ten classes in turn): a step without small prime factors covers all. */
  size_t step = predictions->rows / rows | 1;
  while (step > 1 && (step % 3 == 0 || step % 5 == 0 || step % 7 == 0)) step += 2;
  assert(step > 0); /* it is odd */
  const size_t count = predictions->rows / step + (predictions->rows % step > 0);
  size_t *picked;
  *out = NULL;
  CRD_TRY(crd__new(ctx, count, sizeof *picked, "a sample of rows", &picked));
  for (size_t i = 0; i < count; i++) picked[i] = i * step;
  const crd_status status = crd__data_predictions_pick(ctx, predictions, picked, count, out);
  crd__free(&ctx->alloc, picked);
  return status;
}

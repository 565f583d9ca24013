/* sample.c -- every n-th row of predictions: views with longer strides, nothing is copied. */
#include "evaluate/examine.h"

static void thin_out(crd_view *view, size_t step, size_t rows) {
  if (!view->data) return;
  view->row_stride *= (ptrdiff_t)step;
  view->rows = rows;
}

crd_predictions crd__predictions_sample(const crd_predictions *predictions, size_t rows) {
  crd_predictions sample = *predictions;
  crd_predictions_parts *const parts = &sample.parts;
  /* Rows may have a period (ten classes in turn): a step without small factors meets all of it. */
  size_t step = predictions->rows / rows | 1;
  while (step > 1 && (step % 3 == 0 || step % 5 == 0 || step % 7 == 0)) step += 2;
  sample.rows = predictions->rows / step + (predictions->rows % step > 0);
  crd_view *const views[] = { &parts->scores,  &parts->labels,     &parts->predicted,
                              &parts->correct, &parts->confidence, &parts->weights,
                              &parts->groups,  &parts->features };
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) thin_out(views[i], step, sample.rows);
  return sample;
}

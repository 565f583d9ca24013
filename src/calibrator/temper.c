/* temper.c -- softmax(z / T); the largest logit is subtracted first, to avoid overflow. */
#include "calibrator/temper.h"
#include "base/memory.h"

#include <math.h>

void crd__calibrator_temper(const double *logits, size_t rows, size_t classes, double temperature,
                            double *out) {
  for (size_t i = 0; i < rows; i++) {
    const double *const z = logits + i * classes;
    double *const p = out + i * classes;
    double top = z[0], mass = 0;
    for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
    for (size_t k = 0; k < classes; k++) mass += p[k] = exp((z[k] - top) / temperature);
    for (size_t k = 0; k < classes; k++) p[k] /= mass;
  }
}

const crd__calibrator_learns crd__calibrator_temper_learns[] = { { .name = "temperature" },
                                                                 { .name = NULL } };

void crd__calibrator_temper_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out) {
  const double temperature = *crd__calibrator_recall(model->learnt, "temperature", 0, NULL);
  crd__calibrator_temper(logits, rows, model->classes, temperature, out);
}

crd_status crd__calibrator_temper_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out) {
  const double b = 1 / *crd__calibrator_recall(model->learnt, "temperature", 0, NULL);
  CRD_TRY(crd__calibrator_map_add(ctx, out, CRD__SCALE, &b, 1, NULL, 0));
  return crd__calibrator_map_add(ctx, out, CRD__SOFTMAX, NULL, 0, NULL, 0);
}

/* ---- Summaries of stored rows of any type. */

static void summarise(const crd__calibrator_fit_data *data, size_t row,
                      crd__math_row_summary *out) {
  const size_t size = crd__math_row_type_size(data->type);
  crd__math_row_kernels_best()->peaks((const char *)data->stored + row * data->classes * size,
                                      data->type, 1, data->classes, out);
}

crd_status crd__calibrator_fit_peaks(crd_context *ctx, const crd__calibrator_fit_data *data,
                                     double **own, const double **peaks) {
  *own = NULL;
  *peaks = data->peaks;
  if (data->peaks) return CRD_OK;
  CRD_TRY(crd__new(ctx, data->rows, sizeof **own, "a fit", own));
  for (size_t i = 0; i < data->rows; i++) {
    crd__math_row_summary summary;
    summarise(data, i, &summary);
    (*own)[i] = summary.top;
  }
  *peaks = *own;
  return CRD_OK;
}

size_t crd__calibrator_stored_argmax(const crd__calibrator_fit_data *data, size_t row) {
  crd__math_row_summary summary;
  summarise(data, row, &summary);
  return summary.argmax;
}

/*
 * isotonic_joint.c -- multi-class isotonic regression (IRM): one curve for all classes, which keeps
 * the predicted class.
 *
 * One isotonic curve f is fitted to the pairs (p_ik, is k the true class of row i?) of all rows and
 * classes; then q_k ~ f(p_k) + 1e-9 p_k, where the second term breaks the ties of f.
 *
 * Zhang, Kailkhura, Han: Mix-n-Match: ensemble and compositional methods for uncertainty
 * calibration in deep learning (2020), there IRM.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/calibrator.h"
#include "calibrator/method/isotonic.h"
#include "math/logspace.h"

#include <math.h>

static const double tilt = 1e-9;
enum { CHUNK = 4096 };

/* The arrays of one event over all rows and classes. */
typedef struct {
  const crd__calibrator_fit_data *data;
  double *probability, *weights;
  unsigned char *happened;
} pool;

static crd_status make_pool(crd_context *ctx, size_t cells, pool *p) {
  CRD_TRY(crd__new(ctx, cells, sizeof *p->probability, "probabilities", &p->probability));
  CRD_TRY(crd__new(ctx, cells, sizeof *p->weights, "weights", &p->weights));
  return crd__new(ctx, cells, sizeof *p->happened, "labels", &p->happened);
}

static crd_status fill(crd_context *local, void *arg, unsigned worker, size_t from, size_t to) {
  const pool *const p = arg;
  const size_t classes = p->data->classes;
  (void)local, (void)worker;
  for (size_t i = from; i < to; i++) {
    double *const row = p->probability + i * classes;
    crd__math_log_odds(p->data->logits + i * classes, classes, row);
    for (size_t k = 0; k < classes; k++) {
      row[k] = crd__math_sigmoid(row[k]);
      p->weights[i * classes + k] = p->data->weights[i];
      p->happened[i * classes + k] = p->data->labels[i] == k;
    }
  }
  return CRD_OK;
}

static crd_status isotonic_joint_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                     crd__calibrator_fitted *out) {
  /* With two classes, 1 - p of one row equals p of another up to rounding. */
  const double twin = data->classes == 2 ? 0x1p-46 : 0;
  size_t cells;
  pool p = { .data = data };
  if (!crd__size_mul(data->rows, data->classes, &cells)) cells = SIZE_MAX;
  crd_status status = make_pool(ctx, cells, &p);
  if (status == CRD_OK) status = crd__parallel_for(ctx, NULL, data->rows, CHUNK, fill, &p);
  if (status == CRD_OK) {
    const crd__calibrator_event_data all = { .rows = cells,
                                             .probability = p.probability,
                                             .happened = p.happened,
                                             .weights = p.weights,
                                             .grain = fmax(data->grain, twin) };
    status = crd__calibrator_isotonic_fit(ctx, &all, false, out);
    out->certificate.note = NULL; /* the tie breaker keeps all probabilities above 0 */
  }
  crd__free(&ctx->alloc, p.probability);
  crd__free(&ctx->alloc, p.weights);
  crd__free(&ctx->alloc, p.happened);
  return status;
}

static void isotonic_joint_apply(const crd__calibrator_model *model, const double *logits,
                                 size_t rows, double *out) {
  const size_t classes = model->classes;
  size_t count;
  const double *const x = crd__calibrator_learnt_get(model->learnt, "probability", 0, &count);
  const double *const y = crd__calibrator_learnt_get(model->learnt, "calibrated", 0, NULL);
  for (size_t i = 0; i < rows; i++) {
    double *const row = out + i * classes, sum = 0, most = 0;
    const size_t top = crd__calibrator_argmax(logits + i * classes, classes);
    crd__math_log_odds(logits + i * classes, classes, row);
    for (size_t k = 0; k < classes; k++) most = fmax(most, row[k] = crd__math_sigmoid(row[k]));
    row[top] = most;
    for (size_t k = 0; k < classes; k++)
      sum += row[k] = crd__calibrator_curve_at(x, y, count, row[k]) + tilt * row[k];
    for (size_t k = 0; k < classes; k++) row[k] /= sum;
    crd__calibrator_keep_argmax(row, classes, top);
  }
}

/* Describes the sum of both terms as one curve from 0 to 1; dividing by 1 + tilt keeps it below 1,
 * and cancels when rows are normalised. */
static crd_status isotonic_joint_describe(crd_context *ctx, const crd__calibrator_model *model,
                                          crd__calibrator_map *out) {
  size_t count;
  const double *const x = crd__calibrator_learnt_get(model->learnt, "probability", 0, &count);
  const double *const y = crd__calibrator_learnt_get(model->learnt, "calibrated", 0, NULL);
  crd__calibrator_curve curve = { 0 };
  crd_status status = crd__calibrator_curve_create(ctx, count + 2, &curve);
  for (size_t i = 0; status == CRD_OK && i < count + 2; i++) {
    const double at = i == 0 ? 0 : i <= count ? x[i - 1] : 1;
    crd__calibrator_curve_add(&curve, at,
                              (crd__calibrator_curve_at(x, y, count, at) + tilt * at) / (1 + tilt));
  }
  out->reach = CRD__SHARED_EVENT;
  if (status == CRD_OK)
    status =
        crd__calibrator_map_add(ctx, out, CRD__LINES, curve.x, curve.count, curve.y, curve.count);
  crd__calibrator_curve_clear(&ctx->alloc, &curve);
  return status;
}

static const crd__calibrator_learns learns[] = { { .name = "probability", .free = true },
                                                 { .name = "calibrated", .free = true },
                                                 { .name = NULL } };

const crd__calibrator_method crd__calibrator_method_isotonic_joint = {
  .info = { .name = "isotonic-joint",
            .summary = "isotonic regression, one curve for all classes (IRM)",
            .meaning = "Isotonic regression that needs fewer rows, because all classes share a "
                       "curve, and changes no prediction; it cannot correct classes that are "
                       "miscalibrated differently.",
            .reference = "Zhang, Kailkhura, Han 2020, Mix-n-Match: ensemble and compositional "
                         "methods for uncertainty calibration in deep learning",
            .keeps_argmax = 1 },
  .as_is = true,
  .learns = learns,
  .fit = isotonic_joint_fit,
  .apply = isotonic_joint_apply,
  .describe = isotonic_joint_describe,
};

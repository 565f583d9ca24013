/*
 * temperature_ece.c -- temperature scaling by expected calibration error.
 *
 * The error is a step function of T with many local minima: every T of a grid is tried, and the
 * lowest of the best is taken. Confidences come from the kernels that the metric `ece` uses, bins
 * are (a, b] with exact edges and sums are exact, so that equal errors are equal to the last bit.
 *
 * Mukhoti et al.: Calibrating deep neural networks using focal loss (2020).
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "calibrator/calibrator.h"
#include "calibrator/temper.h"
#include "math/bins.h"
#include "math/rows.h"

#include <math.h>

enum { GRID, BINS };
enum { BINS_MAX = 1000, BLOCK = 32, CHUNK = 4 };
static const struct {
  size_t count;
  double per_unit;
} grid_of[] = { { 1000, 100 }, { 5000, 1000 } };

static const crd_setting_info settings[] = {
  [GRID] = { .name = "grid",
             .help = "temperatures tried: 0.01 to 10 by 0.01 (coarse), 0.001 to 5 by 0.001 (fine)",
             .standard = "coarse",
             .words = "coarse fine" },
  [BINS] = { .name = "bins",
             .help = "bins of the calibration error",
             .standard = "15",
             .low = 1,
             .high = BINS_MAX,
             .whole = 1 },
};

typedef struct {
  const crd__fit_data *data;
  const crd__row_kernels *kernels;
  double *scaled; /* BLOCK x classes for each worker */
  unsigned char *correct;
  size_t bins;
  double per_unit;
  double *errors; /* for each temperature */
} trial;

/* What rows from .. from+count-1 add to the bins: confidence and correctness. */
static void add_block(const trial *t, double temperature, size_t from, size_t count, double *scaled,
                      crd__sum (*bins)[2]) {
  const size_t classes = t->data->classes;
  const double *const z = t->data->logits + from * classes;
  crd__row_summary summary[BLOCK];
  for (size_t i = 0; i < count * classes; i++) scaled[i] = z[i] / temperature;
  t->kernels->logits(scaled, CRD__ROW_F64, count, classes, 0, summary);
  for (size_t i = 0; i < count; i++) {
    const bool other = t->data->pairs && summary[i].argmax == 0;
    const double confidence = (other ? summary[i].mass - 1 : 1) / summary[i].mass;
    const double weight = t->data->weights[from + i];
    crd__sum *const bin = bins[crd__bin_index(confidence, t->bins)];
    crd__sum_add(&bin[0], weight * confidence);
    if (t->correct[from + i]) crd__sum_add(&bin[1], weight);
  }
}

static crd_status try_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const trial *const t = arg;
  double *const scaled = t->scaled + worker * BLOCK * t->data->classes;
  (void)ctx;
  for (size_t g = from; g < to; g++) {
    crd__sum bins[BINS_MAX][2] = { 0 };
    for (size_t i = 0; i < t->data->rows; i += BLOCK)
      add_block(t, (double)(g + 1) / t->per_unit, i,
                t->data->rows - i < BLOCK ? t->data->rows - i : BLOCK, scaled, bins);
    for (size_t m = 0; m < t->bins; m++) t->errors[g] += crd__sum_distance(bins[m][0], bins[m][1]);
    t->errors[g] /= (double)t->data->rows;
  }
  return CRD_OK;
}

static crd_status search(crd_context *ctx, trial *t, size_t count, size_t *best) {
  const crd__fit_data *const data = t->data;
  const size_t workers = crd__parallel_workers(ctx, count / CHUNK + 1);
  CRD_TRY(crd__new(ctx, workers * BLOCK * data->classes, sizeof *t->scaled, "a fit", &t->scaled));
  CRD_TRY(crd__new(ctx, data->rows, 1, "a fit", &t->correct));
  CRD_TRY(crd__new(ctx, count, sizeof *t->errors, "a fit", &t->errors));
  for (size_t i = 0; i < data->rows; i++)
    t->correct[i] =
        data->labels[i] ==
        (data->pairs ? 1 : crd__argmax(data->logits + i * data->classes, data->classes));
  CRD_TRY(crd__parallel_for(ctx, "trying temperatures", count, CHUNK, try_chunk, t));
  *best = 0;
  for (size_t g = 1; g < count; g++)
    if (t->errors[g] < t->errors[*best]) *best = g;
  return CRD_OK;
}

static crd_status fit(crd_context *ctx, const crd__fit_data *data, crd__fit *out) {
  const size_t grid = (size_t)data->settings[GRID];
  trial t = { .data = data,
              .kernels = crd__row_kernels_best(),
              .bins = (size_t)data->settings[BINS],
              .per_unit = grid_of[grid].per_unit };
  size_t best = 0;
  crd_status status = search(ctx, &t, grid_of[grid].count, &best);
  if (status == CRD_OK) {
    const double temperature = (double)(best + 1) / t.per_unit;
    out->certificate.converged = 1;
    out->certificate.objective = t.errors[best];
    out->certificate.gradient_norm = (double)NAN;
    out->certificate.iterations = (unsigned)grid_of[grid].count;
    if (best == 0 || best + 1 == grid_of[grid].count) {
      out->certificate.bounds = "temperature";
      out->certificate.note = "the best temperature is an end of the grid";
    }
    status = crd__learn(ctx, &out->learnt, "temperature", &temperature, 1);
  }
  crd__free(&ctx->alloc, t.scaled);
  crd__free(&ctx->alloc, t.correct);
  crd__free(&ctx->alloc, t.errors);
  return status;
}

const crd__method crd_method_temperature_ece = {
  .info = { .name = "temperature-ece",
            .summary = "logits divided by one number, the best of a grid by calibration error",
            .meaning = "The temperature with the least expected calibration error on the fitted "
                       "rows. That error is noisy: another sample gives another temperature, and "
                       "the value reported for the fitted rows is too good.",
            .reference = "Mukhoti et al. 2020, Calibrating deep neural networks using focal loss",
            .keeps_argmax = 1,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = crd__temper_learns,
  .fit = fit,
  .apply = crd__temper_apply,
  .describe = crd__temper_describe,
};

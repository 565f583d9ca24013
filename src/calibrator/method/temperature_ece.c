/*
 * temperature_ece.c -- temperature scaling by expected calibration error.
 *
 * The error is discontinuous in T with many local minima: every T of a grid is tried, and the
 * lowest of the best is chosen. Bins are (a, b] with exact edges and sums are exact, so equal
 * errors are equal to the last bit.
 *
 * Most T are ruled out without computing exponentials. Confidences are smooth in log T: they are
 * computed with their derivatives at some T of the grid, the nodes, and interpolated between these
 * by cubic Hermite polynomials, whose error is below 2e-6 (the fourth derivative of a softmax with
 * respect to log T is at most some tens, times h^4 / 384). With a margin of five times that, and
 * every row near an edge of a bin counted as fully wrong, this gives a lower bound of the error at
 * T; the error is computed exactly only if the bound is not above the best error so far.
 *
 * Mukhoti et al.: Calibrating deep neural networks using focal loss (2020).
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/reduce.h"
#include "base/sum.h"
#include "calibrator/calibrator.h"
#include "calibrator/temper.h"
#include "math/bins.h"
#include "math/rows.h"
#include "math/sort.h"

#include <math.h>

enum { GRID, BINS };
enum { BINS_MAX = 1000, SCREEN_BINS_MAX = 100, NODES_MAX = 256, BLOCK = 32, BATCH = 8 };
enum { WORTH_A_THREAD = 1 << 16 };                 /* logits */
static const double spacing = 0.07, margin = 1e-5; /* of nodes in log T; of confidences */
static const struct {
  size_t count;
  double per_unit;
} grid_of[] = { { 1000, 100 }, { 5000, 1000 } };

static const crd_setting_info settings[] = {
  [GRID] = { .name = "grid",
             .help = "temperatures tried: 0.01 to 10 by 0.01 (coarse), 0.001 to 5 by 0.001 (fine)",
             .standard = "coarse",
             .words = "coarse fine" },
  [BINS] = CRD__BINS("number of bins of the calibration error", BINS_MAX),
};

/* A temperature between nodes: the node before it, and the Hermite coefficients of confidence and
 * derivative there and at the next node. */
typedef struct {
  size_t node;
  double value[2], slope[2];
} place;

typedef struct {
  const crd_context *ctx; /* for looks for interrupts */
  const crd__calibrator_fit_data *data;
  const crd__math_row_kernels *kernels;
  const double *peaks;
  unsigned char *correct, *other; /* other: pairs whose confidence is not the larger probability */
  size_t bins, count;             /* count: of temperatures */
  double per_unit;
  size_t nodes, node[NODES_MAX]; /* their indices in the grid */
  place *places;
  double *least; /* lower bound of the error at each temperature */
  double *errors;
  uint64_t *queue; /* temperatures in ascending order of `least`, in which they are computed */
  size_t first;    /* start of the current batch in the queue */
} trial;

static double temperature_at(const trial *t, size_t g) { return (double)(g + 1) / t->per_unit; }

static void temper_block(const trial *t, size_t g, size_t from, size_t rows, bool slopes,
                         crd__math_row_moments *out) {
  const crd__calibrator_fit_data *const data = t->data;
  const size_t size = crd__math_row_type_size(data->type);
  t->kernels->temper((const char *)data->stored + from * data->classes * size, data->type, rows,
                     data->classes, 1 / temperature_at(t, g), t->peaks + from, slopes, out);
}

/* ---- Exact errors. */

static double confidence_of(const trial *t, size_t row, double mass) {
  return (t->other[row] ? mass - 1 : 1) / mass;
}

static double error_at(const trial *t, size_t g) {
  crd__sum bins[BINS_MAX][2] = { 0 };
  double error = 0;
  for (size_t from = 0; from < t->data->rows; from += BLOCK) {
    crd__math_row_moments moments[BLOCK];
    const size_t rows = t->data->rows - from < BLOCK ? t->data->rows - from : BLOCK;
    temper_block(t, g, from, rows, false, moments);
    for (size_t i = 0; i < rows; i++) {
      const double confidence = confidence_of(t, from + i, moments[i].mass);
      const double weight = t->data->weights[from + i];
      crd__sum *const bin = bins[crd__math_bin_index(confidence, t->bins)];
      crd__sum_add(&bin[0], weight * confidence);
      if (t->correct[from + i]) crd__sum_add(&bin[1], weight);
    }
  }
  for (size_t m = 0; m < t->bins; m++) error += crd__sum_distance(bins[m][0], bins[m][1]);
  return error / (double)t->data->rows;
}

static crd_status try_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const trial *const t = arg;
  (void)ctx;
  (void)worker;
  for (size_t i = t->first + from; i < t->first + to; i++)
    t->errors[t->queue[i]] = error_at(t, t->queue[i]);
  return CRD_OK;
}

/* ---- Lower bounds by interpolation. */

static void place_nodes(trial *t) {
  size_t n = 0;
  t->nodes = 0;
  for (size_t g = 0; g < t->count; g = n) {
    t->node[t->nodes++] = g;
    n = g + 1;
    while (n + 1 < t->count && log(temperature_at(t, n + 1) / temperature_at(t, g)) <= spacing) n++;
  }
  for (size_t g = 0, at = 0; g < t->count; g++) {
    if (at + 2 < t->nodes && g >= t->node[at + 1]) at++;
    const double low = temperature_at(t, t->node[at]), high = temperature_at(t, t->node[at + 1]);
    const double width = log(high / low), x = log(temperature_at(t, g) / low) / width;
    t->places[g] = (place){ .node = at,
                            .value = { (1 + 2 * x) * (1 - x) * (1 - x), x * x * (3 - 2 * x) },
                            .slope = { width * x * (1 - x) * (1 - x), width * x * x * (x - 1) } };
  }
}

/* Confidences of a block of rows at a node, and their derivatives with respect to log T. */
typedef struct {
  double value[BLOCK], slope[BLOCK];
} node_block;

static void look_at_nodes(const trial *t, size_t from, size_t rows, node_block *out) {
  for (size_t n = 0; n < t->nodes; n++) {
    crd__math_row_moments moments[BLOCK];
    const double b = 1 / temperature_at(t, t->node[n]);
    temper_block(t, t->node[n], from, rows, true, moments);
    for (size_t i = 0; i < rows; i++) {
      const double mass = moments[i].mass, slope = b * moments[i].mean / (mass * mass);
      out[n].value[i] = confidence_of(t, from + i, mass);
      out[n].slope[i] = t->other[from + i] ? -slope : slope;
    }
  }
}

/* Adds, for each temperature, confidence - correctness by bins, and the weight near edges. */
static void screen_rows(void *arg, size_t from, size_t to, double *sums) {
  const trial *const t = arg;
  const double bins = (double)t->bins, near = bins * margin;
  node_block nodes[NODES_MAX] = { 0 };
  for (size_t first = from; first < to && !crd__interrupted(t->ctx); first += BLOCK) {
    const size_t rows = to - first < BLOCK ? to - first : BLOCK;
    look_at_nodes(t, first, rows, nodes);
    for (size_t g = 0; g < t->count; g++) {
      const place *const p = &t->places[g];
      const node_block *const low = &nodes[p->node], *const high = low + 1;
      double *const out = sums + g * (t->bins + 1), values[BLOCK];
      for (size_t i = 0; i < BLOCK; i++)
        values[i] = p->value[0] * low->value[i] + p->value[1] * high->value[i] +
                    p->slope[0] * low->slope[i] + p->slope[1] * high->slope[i];
      for (size_t i = 0; i < rows; i++) {
        const double weight = t->data->weights[first + i], scaled = values[i] * bins;
        const double edge = floor(scaled + 0.5);
        const size_t bin = scaled >= bins ? t->bins - 1 : scaled > 0 ? (size_t)scaled : 0;
        out[bin] += weight * (values[i] - t->correct[first + i]);
        if (fabs(scaled - edge) <= near && edge > 0 && edge < bins) out[t->bins] += weight;
      }
    }
  }
}

static crd_status screen(crd_context *ctx, trial *t) {
  const size_t terms = t->bins + 1;
  double *sums;
  if (t->bins > SCREEN_BINS_MAX) return CRD_OK; /* no temperature is ruled out */
  place_nodes(t);
  CRD_TRY(crd__new(ctx, t->count * terms, sizeof *sums, "a fit", &sums));
  const crd_status status = crd__reduce(ctx, (crd__load){ t->data->rows, 8 * t->count },
                                        t->count * terms, screen_rows, t, sums);
  for (size_t g = 0; status == CRD_OK && g < t->count; g++) {
    double error = -2 * sums[g * terms + t->bins];
    for (size_t m = 0; m < t->bins; m++) error += fabs(sums[g * terms + m]);
    t->least[g] = error / (double)t->data->rows - margin;
  }
  crd__free(&ctx->alloc, sums);
  return status;
}

/* ---- The search. */

static crd_status allocate(crd_context *ctx, trial *t) {
  const size_t rows = t->data->rows;
  CRD_TRY(crd__new(ctx, rows, 1, "a fit", &t->correct));
  CRD_TRY(crd__new(ctx, rows, 1, "a fit", &t->other));
  CRD_TRY(crd__new(ctx, t->count, sizeof *t->places, "a fit", &t->places));
  CRD_TRY(crd__new(ctx, t->count, sizeof *t->least, "a fit", &t->least));
  CRD_TRY(crd__new(ctx, t->count, sizeof *t->errors, "a fit", &t->errors));
  return crd__new(ctx, t->count, 2 * sizeof *t->queue, "a fit", &t->queue);
}

static void release(const crd_allocator *alloc, trial *t) {
  crd__free(alloc, t->correct);
  crd__free(alloc, t->other);
  crd__free(alloc, t->places);
  crd__free(alloc, t->least);
  crd__free(alloc, t->errors);
  crd__free(alloc, t->queue);
}

/* Sorts the temperatures by the lower bound of their error. */
static void line_up(trial *t) {
  uint64_t *const records = t->queue;
  for (size_t g = 0; g < t->count; g++) {
    records[2 * g] = crd__math_sort_key(fmax(0, t->least[g]));
    records[2 * g + 1] = g;
  }
  crd__math_sort_records(records, t->count, 2);
  for (size_t g = 0; g < t->count; g++) t->queue[g] = records[2 * g + 1];
}

static crd_status search(crd_context *ctx, trial *t, size_t *best) {
  const crd__calibrator_fit_data *const data = t->data;
  for (size_t i = 0; i < data->rows; i++) {
    const size_t top = crd__calibrator_stored_argmax(data, i);
    t->correct[i] = data->labels[i] == (data->pairs ? 1 : top);
    t->other[i] = data->pairs && top == 0;
  }
  const size_t share = data->rows * data->classes < WORTH_A_THREAD ? BATCH : 1;
  CRD_TRY(screen(ctx, t));
  line_up(t);
  for (t->first = 0; t->first < t->count; t->first += BATCH) {
    const size_t size = t->count - t->first < BATCH ? t->count - t->first : BATCH;
    if (t->first && t->least[t->queue[t->first]] > t->errors[*best]) break;
    crd__progress(ctx, "trying temperatures", t->first, t->count);
    CRD_TRY(crd__parallel_for(ctx, NULL, size, share, try_chunk, t));
    if (t->first == 0) *best = t->queue[0];
    for (size_t i = t->first; i < t->first + size; i++) {
      const size_t g = t->queue[i];
      const double gain = t->errors[*best] - t->errors[g];
      if (gain > 0 || (gain == 0 && g < *best)) *best = g;
    }
  }
  return CRD_OK;
}

static crd_status temperature_ece_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                      crd__calibrator_fitted *out) {
  const size_t grid = (size_t)data->settings[GRID];
  trial t = { .ctx = ctx,
              .data = data,
              .kernels = crd__math_row_kernels_best(),
              .bins = (size_t)data->settings[BINS],
              .count = grid_of[grid].count,
              .per_unit = grid_of[grid].per_unit };
  size_t best = 0;
  double *own = NULL;
  crd_status status = crd__calibrator_fit_peaks(ctx, data, &own, &t.peaks);
  if (status == CRD_OK) status = allocate(ctx, &t);
  if (status == CRD_OK) status = search(ctx, &t, &best);
  if (status == CRD_OK) {
    const double temperature = temperature_at(&t, best);
    out->certificate.converged = 1;
    out->certificate.objective = t.errors[best];
    out->certificate.gradient_norm = (double)NAN;
    out->certificate.iterations = (unsigned)grid_of[grid].count;
    if (best == 0 || best + 1 == grid_of[grid].count) {
      out->certificate.bounds = "temperature";
      out->certificate.note = "the best temperature is at an end of the grid";
    }
    status = crd__calibrator_learnt_add(ctx, &out->learnt, "temperature", &temperature, 1);
  }
  release(&ctx->alloc, &t);
  crd__free(&ctx->alloc, own);
  return status;
}

const crd__calibrator_method crd__calibrator_method_temperature_ece = {
  .info = { .name = "temperature-ece",
            .summary = "temperature scaling, T chosen from a grid by ECE",
            .meaning = "The temperature with the smallest expected calibration error on the "
                       "calibration rows. That error is noisy: another sample gives another "
                       "temperature, and its value on the calibration rows is optimistic.",
            .reference = "Mukhoti et al. 2020, Calibrating deep neural networks using focal loss",
            .keeps_argmax = 1,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .straight = true,
  .learns = crd__calibrator_temper_learns,
  .fit = temperature_ece_fit,
  .apply = crd__calibrator_temper_apply,
  .describe = crd__calibrator_temper_describe,
};

/*
 * temperatures.c -- metrics after temperature scaling, logits z divided by T, for a grid of T.
 *
 * With b = 1 / T, m the largest z, S = sum exp(b (z - m)) and Q = sum exp(2 b (z - m)), the row
 * kernels give
 *   confidence  1 / S (with one event: exp(b (z_1 - m)) / S)
 *   nll         log S - b (z_y - m)
 *   brier       (1 - p_y)^2 + Q / S^2 - p_y^2, p_y = exp(b (z_y - m)) / S
 * for all T while a block of rows is in the cache; probabilities are never stored. The predicted
 * class does not change. As in calibration methods, probabilities are read as logarithms, pairs as
 * two classes, and values of exactly 0 as the floor that temperature scaling would fit on these
 * rows. At T = 1 rows are used unchanged, so that the values are those of the result.
 *
 * Rows are summed by the metrics' own tallies, exactly: the same bits for any number of threads.
 * Predictions with a separate confidence beside the scores have no temperatures, since it does not
 * follow from logits.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/calibrator.h"
#include "metric/log_loss.h"
#include "profile/part.h"

#include <math.h>

extern const crd__metric crd__metric_ece, crd__metric_confidence, crd__metric_nll,
    crd__metric_nll_top1, crd__metric_brier, crd__metric_brier_top1;

enum { STEPS = 30, TEMPERATURES = 2 * STEPS + 1, CHUNK = 4096 };

/* The metrics at each temperature, in order; for pairs, the last two are the top-1 variants. The
 * first is for the fine bins, the second for those of the result. */
enum { FINE, ECE, CONFIDENCE, NLL, BRIER, METRICS };

/* The workspace of a worker: a block of rows at one temperature, and its sums. */
typedef struct {
  const struct work *work;
  crd__data_row_reader *reader;
  double *logits;
  double *top, *confidence, *nll, *brier;
  crd__math_row_summary *peaks;
  crd__math_row_moments *mass, *squares;
  crd__sum *cells; /* temperatures x stride */
} workspace;

typedef struct work {
  const crd_predictions *predictions;
  const crd__math_row_kernels *kernels;
  size_t classes; /* of the logits: two for pairs */
  crd__data_reading how;
  bool event; /* confidence is the probability of class 1 */
  const crd__metric *metrics[METRICS];
  crd__metric_shape shapes[METRICS];
  size_t offset[METRICS + 1]; /* in the cells of a temperature */
  workspace *spaces;
  unsigned workers;
} work;

/* 10^(j / 30), rounded to three digits. */
static double temperature_at(size_t index) {
  const double exact = pow(10, ((double)index - STEPS) / STEPS), unit = exact < 1 ? 1000 : 100;
  return rint(exact * unit) / unit;
}

/* ---- One block of rows at one temperature. */

static void temper_row(const work *w, const workspace *d, const crd__data_rows *rows, size_t i,
                       double b) {
  const double *const z = d->logits + i * w->classes;
  const double mass = d->mass[i].mass, square = d->squares[i].mass;
  d->confidence[i] = (w->event ? exp(b * (z[1] - d->top[i])) : 1) / mass;
  if (!rows->label) return;
  const double power = b * (z[rows->label[i]] - d->top[i]), p = exp(power) / mass;
  d->nll[i] = fmax(0, log(mass) - power);
  /* Clamp to what exact sums can hold: logits may exceed 1e11, and temperatures be small. */
  const double weight = rows->weight[i];
  if (!crd__term_fits(weight * d->nll[i])) d->nll[i] = weight > 0 ? CRD__TERM_MAX / weight : 0;
  d->brier[i] = fmax(0, (1 - p) * (1 - p) + (square / mass / mass - p * p));
}

static void count(const work *w, crd__sum *cells, const crd__data_rows *rows) {
  for (size_t m = 0; m < METRICS; m++)
    w->metrics[m]->tally->add(cells + w->offset[m], &w->shapes[m], rows);
}

static void temper_block(const work *w, const workspace *d, const crd__data_rows *rows,
                         size_t index) {
  const double b = 1 / temperature_at(index);
  crd__sum *const cells = d->cells + index * w->offset[METRICS];
  crd__data_rows tempered = *rows;
  if (b == 1) {
    count(w, cells, rows);
    return;
  }
  w->kernels->temper(d->logits, CRD__ROW_F64, rows->count, w->classes, b, d->top, false, d->mass);
  if (rows->label)
    w->kernels->temper(d->logits, CRD__ROW_F64, rows->count, w->classes, 2 * b, d->top, false,
                       d->squares);
  for (size_t i = 0; i < rows->count; i++) temper_row(w, d, rows, i, b);
  tempered.confidence = d->confidence;
  tempered.nll = d->nll;
  tempered.brier = d->brier;
  count(w, cells, &tempered);
}

static crd_status temper_rows(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const workspace *const d = self;
  const work *const w = d->work;
  crd__data_clipping met = { 0 };
  CRD_TRY(crd__data_logits_read(ctx, w->predictions, &w->how, rows->first, rows->count, d->logits,
                                &met));
  w->kernels->peaks(d->logits, CRD__ROW_F64, rows->count, w->classes, d->peaks);
  for (size_t i = 0; i < rows->count; i++) d->top[i] = d->peaks[i].top;
  for (size_t t = 0; t < TEMPERATURES; t++) temper_block(w, d, rows, t);
  return CRD_OK;
}

static crd_status temper_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const work *const w = arg;
  workspace *const d = &w->spaces[worker];
  return crd__data_row_reader_walk(ctx, d->reader, from, to, temper_rows, d);
}

/* ---- The pass. */

static crd_status allocate(crd_context *ctx, const work *w, workspace *d) {
  const unsigned needs = w->predictions->classes ? CRD__NEED_NLL | CRD__NEED_BRIER : 0;
  d->work = w;
  CRD_TRY(crd__data_row_reader_create(ctx, w->predictions, needs, &d->reader));
  const size_t rows = crd__data_row_reader_capacity(d->reader);
  const struct {
    void *at;
    size_t count, size;
  } arrays[] = {
    { &d->logits, rows, w->classes * sizeof *d->logits },
    { &d->top, rows, sizeof *d->top },
    { &d->confidence, rows, sizeof *d->confidence },
    { &d->nll, rows, sizeof *d->nll },
    { &d->brier, rows, sizeof *d->brier },
    { &d->peaks, rows, sizeof *d->peaks },
    { &d->mass, rows, sizeof *d->mass },
    { &d->squares, rows, sizeof *d->squares },
    { &d->cells, TEMPERATURES * w->offset[METRICS], sizeof *d->cells },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "temperatures", arrays[i].at));
  return CRD_OK;
}

static void release(const crd_allocator *alloc, workspace *d) {
  void *const owned[] = { d->logits, d->top,  d->confidence, d->nll,  d->brier,
                          d->peaks,  d->mass, d->squares,    d->cells };
  crd__data_row_reader_destroy(d->reader);
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
}

static work plan(const crd_predictions *p, unsigned bins) {
  const bool pairs = p->classes == 0;
  work w = { .predictions = p,
             .kernels = crd__math_row_kernels_best(),
             .classes = pairs ? 2 : p->classes,
             .event = pairs || (p->classes == 2 && p->parts.binary == CRD_BINARY_POS),
             .metrics = { &crd__metric_ece, &crd__metric_ece, &crd__metric_confidence,
                          pairs ? &crd__metric_nll_top1 : &crd__metric_nll,
                          pairs ? &crd__metric_brier_top1 : &crd__metric_brier } };
  for (size_t m = 0; m < METRICS; m++) {
    w.shapes[m] =
        (crd__metric_shape){ .classes = p->classes, .bins = m == FINE ? CRD_FINE_BINS : bins };
    w.offset[m + 1] = w.offset[m] + w.metrics[m]->tally->cells(&w.shapes[m]);
  }
  return w;
}

/* Merges all sums into the first worker's cells. */
static void collect(const work *w) {
  for (unsigned each = 1; each < w->workers; each++)
    for (size_t i = 0; i < TEMPERATURES * w->offset[METRICS]; i++)
      crd__sum_merge(&w->spaces[0].cells[i], w->spaces[each].cells[i]);
}

static crd_status pass(crd_context *ctx, work *w) {
  const size_t rows = crd_predictions_rows(w->predictions);
  w->workers = crd__parallel_workers(ctx, rows / CHUNK + 1);
  CRD_TRY(crd__new(ctx, w->workers, sizeof *w->spaces, "temperatures", &w->spaces));
  for (unsigned each = 0; each < w->workers; each++) CRD_TRY(allocate(ctx, w, &w->spaces[each]));
  CRD_TRY(crd__parallel_for(ctx, "trying temperatures", rows, CHUNK, temper_chunk, w));
  collect(w);
  return CRD_OK;
}

/* ---- The part. */

static double finish(const work *w, const crd__sum *cells, double weight, size_t metric) {
  const crd__metric_facts facts = { .shape = w->shapes[metric],
                                    .weight = weight,
                                    .cells = cells + w->offset[metric] };
  return w->metrics[metric]->finish(&facts).value;
}

static crd_status keep(crd_context *ctx, const crd__profile_source *source, const work *w,
                       crd_profile *out) {
  const double weight = crd__profile_facts(source, 1).weight;
  crd_temperature_point *points;
  CRD_TRY(crd__arena_add(ctx, out, TEMPERATURES, sizeof *points, "a profile", &points));
  for (size_t t = 0; t < TEMPERATURES; t++) {
    const crd__sum *const cells = w->spaces[0].cells + t * w->offset[METRICS];
    points[t] = (crd_temperature_point){ .temperature = temperature_at(t),
                                         .nll = finish(w, cells, weight, NLL),
                                         .brier = finish(w, cells, weight, BRIER),
                                         .ece = finish(w, cells, weight, ECE),
                                         .confidence = finish(w, cells, weight, CONFIDENCE) };
    CRD_TRY(crd__profile_fine_bins(ctx, out, cells, source->evidence->kind.weight_shift,
                                   &points[t].bins));
  }
  out->temperatures = points;
  out->temperature_count = TEMPERATURES;
  return CRD_OK;
}

/* Sets the floor that a calibrator would fit on these rows; for logits the default. */
static crd_status choose_floor(crd_context *ctx, work *w) {
  crd_calibrator *c;
  w->how = (crd__data_reading){ .floor = crd__data_floor_standard(w->predictions->parts.input) };
  if (w->predictions->parts.input == CRD_INPUT_LOGITS) return CRD_OK;
  CRD_TRY(crd_calibrator_fit(ctx, "temperature-fixed", NULL, w->predictions, &c));
  w->how.floor = crd__calibrator_floor(c);
  crd_calibrator_destroy(c);
  return CRD_OK;
}

static crd_status temperatures_fill(crd_context *ctx, const crd__profile_source *source,
                                    crd_profile *out) {
  const crd_predictions *const p = source->predictions;
  work w = plan(p, source->bins);
  if (!w.event && p->parts.confidence.data) return CRD_OK;
  crd_status status = choose_floor(ctx, &w);
  if (status == CRD_OK) status = pass(ctx, &w);
  if (status == CRD_OK) status = keep(ctx, source, &w, out);
  for (unsigned each = 0; each < w.workers && w.spaces; each++)
    release(&ctx->alloc, &w.spaces[each]);
  crd__free(&ctx->alloc, w.spaces);
  return status;
}

const crd__profile_part crd__profile_part_temperatures = { .part = CRD_PROFILE_TEMPERATURES,
                                                           .fill = temperatures_fill };

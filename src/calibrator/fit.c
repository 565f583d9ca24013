/* fit.c -- the frame of a fit: reads and checks the data, runs the method, keeps the result. */
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/parallel.h"
#include "calibrator/calibrator.h"
#include "calibrator/compat.h"
#include "data/array.h"
#include "data/rows.h"

#include <math.h>

enum { CHUNK = 1024 };

/* The calibration rows, and the state of reading them. */
typedef struct {
  const crd_predictions *predictions;
  crd__data_reading how;
  size_t classes;
  size_t width;       /* of the features that the method needs; 0: none */
  const void *stored; /* the rows in the predictions' memory; NULL: they are copied to `logits` */
  crd__math_row_type type;
  double *logits, *peaks, *weights, *features;
  size_t *labels;
  crd__data_row_reader **readers; /* one per worker, if more than labels must be read */
  crd__data_clipping *met;        /* one per worker */
  bool floored;                   /* the floor was given or fitted */
  unsigned workers;
} gathering;

static crd_status take_events(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const gathering *const g = self;
  (void)ctx;
  for (size_t i = 0; i < rows->count; i++)
    g->labels[rows->first + i] = rows->label ? rows->label[i] : rows->correct[i];
  return CRD_OK;
}

/* Reads labels (or correctness) and weights. Separate confidences are read only to check them. */
static crd_status read_events(crd_context *ctx, gathering *g, crd__data_row_reader *reader,
                              size_t from, size_t to) {
  crd__data_weights_read(g->predictions, from, to - from, g->weights + from);
  if (!reader) return crd__data_labels_read(ctx, g->predictions, from, to - from, g->labels + from);
  return crd__data_row_reader_walk(ctx, reader, from, to, take_events, g);
}

static crd_status read_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  gathering *const g = arg;
  CRD_TRY(read_events(ctx, g, g->readers[worker], from, to));
  if (g->width)
    CRD_TRY(crd__calibrator_features_read(ctx, g->predictions, from, to - from,
                                          g->features + from * g->width));
  if (g->stored)
    return crd__data_logits_check(ctx, g->predictions, from, to - from, g->peaks + from);
  return crd__data_logits_read(ctx, g->predictions, &g->how, from, to - from,
                               g->logits + from * g->classes, &g->met[worker]);
}

static crd_status allocate(crd_context *ctx, gathering *g, size_t rows) {
  size_t cells, wide;
  if (!crd__size_mul(rows, g->classes, &cells)) cells = SIZE_MAX;
  if (!crd__size_mul(rows, g->width, &wide)) wide = SIZE_MAX;
  g->workers = crd__parallel_workers(ctx, rows / CHUNK + 1);
  if (g->stored) CRD_TRY(crd__new(ctx, rows, sizeof *g->peaks, "logits", &g->peaks));
  else CRD_TRY(crd__new(ctx, cells, sizeof *g->logits, "logits", &g->logits));
  CRD_TRY(crd__new(ctx, wide, sizeof *g->features, "features", &g->features));
  CRD_TRY(crd__new(ctx, rows, sizeof *g->weights, "weights", &g->weights));
  CRD_TRY(crd__new(ctx, rows, sizeof *g->labels, "labels", &g->labels));
  CRD_TRY(crd__new(ctx, g->workers, sizeof *g->met, "a fit", &g->met));
  CRD_TRY(crd__new(ctx, g->workers, sizeof(crd__data_row_reader *), "a fit", &g->readers));
  const crd_predictions_parts *const parts = &g->predictions->parts;
  const bool more = parts->input == CRD_INPUT_PAIRS || parts->confidence.data;
  for (unsigned w = 0; more && w < g->workers; w++)
    CRD_TRY(crd__data_row_reader_create(ctx, g->predictions, 0, &g->readers[w]));
  return CRD_OK;
}

static void release(const crd_allocator *alloc, gathering *g) {
  for (unsigned w = 0; g->readers && w < g->workers; w++)
    crd__data_row_reader_destroy(g->readers[w]);
  crd__free(alloc, g->readers);
  crd__free(alloc, g->logits);
  crd__free(alloc, g->features);
  crd__free(alloc, g->peaks);
  crd__free(alloc, g->weights);
  crd__free(alloc, g->labels);
  crd__free(alloc, g->met);
}

/* Fails for a single row, which no method can be fitted on meaningfully. */
static crd_status demand_rows(crd_context *ctx, const crd__calibrator_method *method,
                              const gathering *g, size_t rows) {
  enum { ROWS_MIN = 2 };
  const char *const name = crd_predictions_name(g->predictions);
  size_t counting = 0;
  for (size_t i = 0; i < rows; i++) counting += g->weights[i] > 0;
  if (counting >= ROWS_MIN || method->given) return CRD_OK;
  if (rows < ROWS_MIN)
    return crd__fail(ctx, CRD_EINPUT, "%.400s: found one row, but %s needs at least %d rows", name,
                     method->info.name, ROWS_MIN);
  return crd__fail(ctx, CRD_EINPUT,
                   "%.400s: of %zu rows one has a weight above 0, but %s needs at least %d such "
                   "rows",
                   name, rows, method->info.name, ROWS_MIN);
}

/* Scales the weights to sum to `rows`. They are summed in row order, whatever the number of
 * threads.
 */
static void scale_weights(double *weights, size_t rows) {
  double sum = 0;
  for (size_t i = 0; i < rows; i++) sum += weights[i];
  for (size_t i = 0; i < rows; i++) weights[i] *= (double)rows / sum;
}

/* ---- How many predicted classes changed. */

typedef struct {
  const crd_calibrator *calibrator;
  const double *logits, *features;
  double *out; /* CHUNK x classes for each worker */
  size_t *changes;
} recount;

static crd_status count_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const recount *const r = arg;
  const size_t classes = crd__calibrator_model_of(r->calibrator).classes;
  double *const out = r->out + (size_t)worker * CHUNK * classes;
  (void)ctx;
  crd__calibrator_apply_rows(r->calibrator, r->logits + from * classes,
                             r->features + from * r->calibrator->width, to - from, out);
  for (size_t i = from; i < to; i++)
    r->changes[worker] += crd__calibrator_argmax(r->logits + i * classes, classes) !=
                          crd__calibrator_argmax(out + (i - from) * classes, classes);
  return CRD_OK;
}

static crd_status count_changes(crd_context *ctx, crd_calibrator *c, const gathering *g,
                                size_t rows) {
  recount r = { .calibrator = c, .logits = g->logits, .features = g->features };
  /* Pairs have no classes; tests verify the methods that claim to keep the argmax. */
  if (c->classes == 0 || crd_calibrator_is_top(c) || c->method->info.keeps_argmax) return CRD_OK;
  crd_status status =
      crd__new(ctx, (size_t)g->workers * CHUNK * g->classes, sizeof *r.out, "a fit", &r.out);
  if (status == CRD_OK) status = crd__new(ctx, g->workers, sizeof *r.changes, "a fit", &r.changes);
  if (status == CRD_OK) status = crd__parallel_for(ctx, NULL, rows, CHUNK, count_chunk, &r);
  for (unsigned w = 0; status == CRD_OK && w < g->workers; w++)
    c->fit.certificate.argmax_changes += r.changes[w];
  crd__free(&ctx->alloc, r.out);
  crd__free(&ctx->alloc, r.changes);
  return status;
}

/* Fits by the method, or by the implementation that the setting `compat` names. */
static crd_status fit(crd_context *ctx, const crd__calibrator_method *method,
                      const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  const crd__calibrator_compat *const other =
      crd__calibrator_compat_chosen(&method->info, data->settings);
  if (other) return other->fit(ctx, other, method, data, out);
  return method->event ? crd__calibrator_event_fit(ctx, method, data, out)
                       : method->fit(ctx, data, out);
}

static bool is_single(const crd_predictions_parts *parts) {
  return parts->input != CRD_INPUT_LOGITS &&
         (parts->scores.dtype == CRD_F32 || parts->scores.dtype == CRD_F16);
}

/* ---- The floor of probabilities (floor.h). */

/* Returns whether a floor applies: the method reads logarithms, and the input is probabilities. */
static bool takes_floor(const crd_calibrator *c) {
  const crd__calibrator_compat *const other =
      crd__calibrator_compat_chosen(&c->method->info, c->settings);
  return c->input != CRD_INPUT_LOGITS && !c->method->as_is &&
         !(other && crd__calibrator_compat_clips(other, &c->method->info));
}

static crd_status learn_floor(crd_context *ctx, crd_calibrator *c, const crd__data_floor *floor) {
  const double values[] = { floor->first, floor->others };
  const bool same = floor->first == floor->others;
  return crd__calibrator_learnt_add(ctx, &c->fit.learnt, "floor", values + same, same ? 1 : 2);
}

/* Fits the floor if it is needed and not given, and reads the rows again with it. */
static crd_status settle_floor(crd_context *ctx, const crd_calibrator *c, gathering *g,
                               const crd__calibrator_fit_data *data, crd__data_clipping *met) {
  if (g->floored || !takes_floor(c) || !crd__calibrator_floor_is_needed(met)) return CRD_OK;
  CRD_TRY(crd__calibrator_floor_fit(ctx, g->predictions, data, g->logits, met, &g->how.floor));
  g->floored = true;
  *met = (crd__data_clipping){ 0 };
  return crd__data_logits_read_all(ctx, g->predictions, &g->how, g->logits, met);
}

/* Returns the relative tolerance within which rounded probabilities are equal. After normalising,
 * rounded values differ in their last digits, in float32 in the seventh; differences below half of
 * the resolution never count. One number per row needs no normalising, so its tolerance is 0. */
static double grain_of(const crd_predictions *p, const crd__data_clipping *met) {
  static const double most = 0x1p-21;
  if (crd__data_cols(&p->parts.scores) < 2 || !crd__calibrator_floor_is_needed(met)) return 0;
  const double *const least = met->least;
  const double r = least[0] > 0 && !(least[1] > 0 && least[1] < least[0]) ? least[0] : least[1];
  return fmin(most, r / 2);
}

static crd_status run(crd_context *ctx, crd_calibrator *c, gathering *g) {
  const size_t rows = crd_predictions_rows(g->predictions);
  crd__data_clipping met = { 0 };
  CRD_TRY(allocate(ctx, g, rows));
  CRD_TRY(crd__parallel_for(ctx, "reading", rows, CHUNK, read_chunk, g));
  CRD_TRY(demand_rows(ctx, c->method, g, rows));
  scale_weights(g->weights, rows);
  crd__calibrator_fit_data data = { .rows = rows,
                                    .classes = g->classes,
                                    .logits = g->logits,
                                    .stored = g->stored ? g->stored : g->logits,
                                    .type = g->stored ? g->type : CRD__ROW_F64,
                                    .peaks = g->peaks,
                                    .labels = g->labels,
                                    .weights = g->weights,
                                    .features = g->features,
                                    .width = g->width,
                                    .settings = c->settings,
                                    .pairs = c->classes == 0,
                                    .top = crd_calibrator_is_top(c),
                                    .single = is_single(&g->predictions->parts),
                                    .seed = ctx->seed };
  for (unsigned w = 0; w < g->workers; w++) crd__data_clipping_merge(&met, &g->met[w]);
  data.grain = grain_of(g->predictions, &met);
  CRD_TRY(settle_floor(ctx, c, g, &data, &met));
  c->fit.certificate = (crd_certificate){ 0 };
  CRD_TRY(fit(ctx, c->method, &data, &c->fit));
  c->fit.certificate.rows_clipped = met.rows;
  if (g->floored) c->fit.certificate.values_floored = met.values;
  if (g->floored) CRD_TRY(learn_floor(ctx, c, &g->how.floor));
  CRD_TRY(crd__calibrator_certificate_check_temperature(ctx, c, &data, &met));
  return count_changes(ctx, c, g, rows);
}

/* Takes the caller's floor, if there is one and it applies. EUSAGE if it is out of range. */
static crd_status take_floor(crd_context *ctx, const crd_calibrator *c,
                             const crd__data_floor *given, gathering *g) {
  char text[CRD__NUMBER_SIZE], least[CRD__NUMBER_SIZE], most[CRD__NUMBER_SIZE];
  const double limit = crd__data_floor_limit(g->classes);
  g->how.floor = crd__data_floor_standard(c->input);
  if (!given || c->method->as_is) return CRD_OK;
  if (c->input == CRD_INPUT_LOGITS)
    return crd__fail(ctx, CRD_EUSAGE, "%s: a floor is for probabilities, these are logits",
                     g->predictions->parts.name);
  for (size_t k = 0; k < 2; k++) {
    const double value = crd__data_floor_of(given, k);
    if (!(value >= CRD__LEAST_PROBABILITY && value <= limit))
      return crd__fail(ctx, CRD_EUSAGE, "a floor of %s, allowed is %s to %s (half of 1/classes)",
                       crd__number_brief(text, value, 6),
                       crd__number_format(least, CRD__LEAST_PROBABILITY),
                       crd__number_brief(most, limit, 6));
  }
  if (!takes_floor(c)) return CRD_OK;
  g->how.floor = *given;
  g->floored = true;
  return CRD_OK;
}

crd_status crd__calibrator_fit(crd_context *ctx, const char *method, const char *settings,
                               const crd__data_floor *floor, const crd_predictions *predictions,
                               crd_calibrator **out) {
  const crd__calibrator_method *chosen;
  crd_calibrator *c;
  *out = NULL;
  CRD_TRY(crd__calibrator_method_named(ctx, method, &chosen));
  CRD_TRY(crd__data_ranking_refuse(ctx, predictions, "calibration"));
  CRD_TRY(crd__calibrator_create(ctx, chosen, settings, &c));
  c->classes = predictions->classes;
  c->input = predictions->parts.input;
  c->rows = crd_predictions_rows(predictions);
  c->width = chosen->info.needs_features ? crd_predictions_features(predictions) : 0;
  gathering g = { .predictions = predictions,
                  .how = { .scale = chosen->scale },
                  .classes = c->classes ? c->classes : 2,
                  .width = c->width };
  crd_status status = crd__calibrator_features_check(ctx, &chosen->info, 0, predictions);
  if (status == CRD_OK) status = take_floor(ctx, c, floor, &g);
  if (chosen->straight && !crd__calibrator_compat_chosen(&chosen->info, c->settings))
    g.stored = crd__data_logits_stored(predictions, &g.type);
  if (status == CRD_OK) status = run(ctx, c, &g);
  release(&ctx->alloc, &g);
  if (status == CRD_OK) status = crd__calibrator_certificate_own(ctx, c);
  if (status == CRD_OK) *out = c;
  else crd_calibrator_destroy(c);
  return status;
}

crd_status crd_calibrator_fit_with(crd_context *ctx, const char *method, const char *settings,
                                   const crd_fit_options *options,
                                   const crd_predictions *predictions, crd_calibrator **out) {
  crd_fit_options own;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_fit_options, options, &own));
  const double value = own.floor;
  const crd__data_floor floor = { value, value };
  return crd__calibrator_fit(ctx, method, settings, value != 0 ? &floor : NULL, predictions, out);
}

crd_status crd_calibrator_fit(crd_context *ctx, const char *method, const char *settings,
                              const crd_predictions *predictions, crd_calibrator **out) {
  return crd__calibrator_fit(ctx, method, settings, NULL, predictions, out);
}

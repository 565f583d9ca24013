/*
 * event.c -- extends methods that calibrate one binary event to all classes.
 *
 * one-vs-rest: one event per class ("k is the true class"); rows are normalised afterwards, a row
 * of zeros becomes uniform. Two classes need only one event. Methods with shared parameters are
 * fitted once, on the events of all classes. top-1: the event is "the predicted class is correct";
 * its probability replaces the confidence, and the other classes keep their proportions.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/calibrator.h"
#include "math/logspace.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, CHUNK = 4096 };

/* The arrays of one event. */
typedef struct {
  double *odds; /* of all classes, or of the event alone */
  double *log_odds, *probability;
  unsigned char *happened;
} scratch;

static crd_status make_scratch(crd_context *ctx, size_t rows, size_t classes, scratch *s) {
  size_t cells;
  if (!crd__size_mul(rows, classes, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *s->odds, "log-odds", &s->odds));
  CRD_TRY(crd__new(ctx, rows, sizeof *s->log_odds, "log-odds", &s->log_odds));
  CRD_TRY(crd__new(ctx, rows, sizeof *s->probability, "log-odds", &s->probability));
  return crd__new(ctx, rows, sizeof *s->happened, "log-odds", &s->happened);
}

static void free_scratch(const crd_allocator *alloc, scratch *s) {
  crd__free(alloc, s->odds);
  crd__free(alloc, s->log_odds);
  crd__free(alloc, s->probability);
  crd__free(alloc, s->happened);
}

/* Merges the certificate of one event into that of all; the objective is the mean of the defined
 * ones. */
static void join(crd_certificate *all, const crd_certificate *one, size_t *measured) {
  all->converged &= one->converged;
  if (!isnan(one->objective)) {
    const double before = *measured ? all->objective : 0;
    all->objective = before + (one->objective - before) / (double)++*measured;
  }
  all->gradient_norm = fmax(all->gradient_norm, one->gradient_norm); /* fmax ignores a NaN */
  all->iterations += one->iterations;
  all->separable |= one->separable;
  if (one->bounds && *one->bounds) all->bounds = one->bounds;
  if (one->note && *one->note) all->note = one->note;
}

static crd_status fit_event(crd_context *ctx, const crd__calibrator_method *method,
                            const crd__calibrator_fit_data *data, const scratch *s,
                            size_t *measured, crd__calibrator_fitted *out) {
  crd_certificate all = out->certificate;
  const crd__calibrator_event_data event = { .rows = data->rows,
                                             .log_odds = s->log_odds,
                                             .probability = s->probability,
                                             .happened = s->happened,
                                             .weights = data->weights,
                                             .features = data->features,
                                             .width = data->width,
                                             .settings = data->settings,
                                             .grain = data->grain };
  out->certificate = (crd_certificate){ 0 };
  CRD_TRY(method->event->fit(ctx, &event, out));
  join(&all, &out->certificate, measured);
  out->certificate = all;
  return CRD_OK;
}

static crd_status fit_top(crd_context *ctx, const crd__calibrator_method *method,
                          const crd__calibrator_fit_data *data, const scratch *s,
                          crd__calibrator_fitted *out) {
  size_t measured = 0;
  for (size_t i = 0; i < data->rows; i++) {
    const double *const odds = s->odds + i * data->classes;
    const size_t top = crd__calibrator_argmax(data->logits + i * data->classes, data->classes);
    s->log_odds[i] = odds[top];
    s->probability[i] = crd__math_sigmoid(odds[top]);
    s->happened[i] = data->labels[i] == top;
  }
  return fit_event(ctx, method, data, s, &measured, out);
}

static crd_status fit_classes(crd_context *ctx, const crd__calibrator_method *method,
                              const crd__calibrator_fit_data *data, const scratch *s,
                              crd__calibrator_fitted *out) {
  const size_t first = data->classes == 2;
  size_t measured = 0;
  for (size_t k = first; k < data->classes; k++) {
    CRD_TRY(crd__check_interrupt(ctx));
    for (size_t i = 0; i < data->rows; i++) {
      s->log_odds[i] = s->odds[i * data->classes + k];
      s->probability[i] = crd__math_sigmoid(s->log_odds[i]);
      s->happened[i] = data->labels[i] == k;
    }
    CRD_TRY(fit_event(ctx, method, data, s, &measured, out));
  }
  return CRD_OK;
}

/* Every class of every row as an event. */
typedef struct {
  const crd__calibrator_fit_data *data;
  const double *odds;
  double *weights, *probability;
  unsigned char *happened;
} cells;

static crd_status fill_cells(crd_context *local, void *arg, unsigned worker, size_t from,
                             size_t to) {
  const cells *const c = arg;
  const size_t classes = c->data->classes;
  (void)local, (void)worker;
  for (size_t i = from * classes; i < to * classes; i++) {
    c->weights[i] = c->data->weights[i / classes];
    c->probability[i] = crd__math_sigmoid(c->odds[i]);
    c->happened[i] = c->data->labels[i / classes] == i % classes;
  }
  return CRD_OK;
}

/* Fits one event on every class of every row. */
static crd_status fit_cells(crd_context *ctx, const crd__calibrator_method *method,
                            const crd__calibrator_fit_data *data, const scratch *s,
                            crd__calibrator_fitted *out) {
  const size_t count = data->rows * data->classes;
  scratch all = { .log_odds = s->odds };
  double *weights = NULL;
  size_t measured = 0;
  crd_status status = crd__new(ctx, count, sizeof *weights, "weights", &weights);
  if (status == CRD_OK)
    status = crd__new(ctx, count, sizeof *all.probability, "log-odds", &all.probability);
  if (status == CRD_OK) status = crd__new(ctx, count, 1, "log-odds", &all.happened);
  cells c = { data, s->odds, weights, all.probability, all.happened };
  if (status == CRD_OK) status = crd__parallel_for(ctx, NULL, data->rows, CHUNK, fill_cells, &c);
  crd__calibrator_fit_data pooled = *data;
  pooled.rows = count;
  pooled.weights = weights;
  if (status == CRD_OK) status = fit_event(ctx, method, &pooled, &all, &measured, out);
  crd__free(&ctx->alloc, weights);
  crd__free(&ctx->alloc, all.probability);
  crd__free(&ctx->alloc, all.happened);
  return status;
}

typedef struct {
  const crd__calibrator_fit_data *data;
  double *odds;
} odds_of;

static crd_status fill_odds(crd_context *local, void *arg, unsigned worker, size_t from,
                            size_t to) {
  const odds_of *const o = arg;
  const size_t classes = o->data->classes;
  (void)local, (void)worker;
  for (size_t i = from; i < to; i++)
    crd__math_log_odds(o->data->logits + i * classes, classes, o->odds + i * classes);
  return CRD_OK;
}

crd_status crd__calibrator_event_fit(crd_context *ctx, const crd__calibrator_method *method,
                                     const crd__calibrator_fit_data *data,
                                     crd__calibrator_fitted *out) {
  const bool shared = method->event->shared && data->classes > 2;
  scratch s = { 0 };
  crd_status status = make_scratch(ctx, data->rows, data->classes, &s);
  out->certificate.converged = 1;
  out->certificate.objective = out->certificate.gradient_norm = (double)NAN;
  odds_of o = { data, s.odds };
  if (status == CRD_OK) status = crd__parallel_for(ctx, NULL, data->rows, CHUNK, fill_odds, &o);
  if (status == CRD_OK)
    status = (data->top ? fit_top : shared ? fit_cells : fit_classes)(ctx, method, data, &s, out);
  free_scratch(&ctx->alloc, &s);
  return status;
}

/* ---- Applying. `out` first holds the log-odds of a block of rows, then the results. */

/* Distributes 1 - row[top] over the other classes in their old proportions. */
static void share_rest(const double *logits, size_t classes, size_t top, double *row) {
  double second = -INFINITY, mass = 0;
  for (size_t k = 0; k < classes; k++)
    if (k != top) second = fmax(second, logits[k]);
  for (size_t k = 0; k < classes; k++)
    if (k != top) mass += row[k] = exp(logits[k] - second);
  for (size_t k = 0; k < classes; k++)
    if (k != top) row[k] *= (1 - row[top]) / mass;
}

/* Applies the method of event `part` to a block of rows. */
static void map_event(const crd__calibrator_method *method, const crd__calibrator_model *model,
                      size_t part, size_t rows, const double *features, const double *log_odds,
                      const double *probability, double *out) {
  const crd__calibrator_event_method *const event = method->event;
  if (event->apply_features) event->apply_features(model, rows, features, probability, out);
  else event->apply(model, part, rows, log_odds, probability, out);
}

static void apply_top(const crd__calibrator_method *method, const crd__calibrator_model *model,
                      const double *logits, const double *features, size_t rows, double *out) {
  const size_t classes = model->classes;
  double log_odds[BLOCK] = { 0 }, probability[BLOCK] = { 0 }, mapped[BLOCK];
  size_t top[BLOCK];
  for (size_t i = 0; i < rows; i++) {
    top[i] = crd__calibrator_argmax(logits + i * classes, classes);
    log_odds[i] = out[i * classes + top[i]];
    probability[i] = crd__math_sigmoid(log_odds[i]);
  }
  map_event(method, model, 0, rows, features, log_odds, probability, mapped);
  for (size_t i = 0; i < rows; i++) {
    out[i * classes + top[i]] = mapped[i];
    share_rest(logits + i * classes, classes, top[i], out + i * classes);
  }
}

/* Pairwise summation in NumPy's order: curves give equal values to many rows, and rankings depend
 * on whether their sums are equal or differ in the last digit. */
static double sum_of(const double *row, size_t count) {
  double lanes[8], sum = 0;
  if (count > 128) {
    const size_t half = count / 2 - count / 2 % 8;
    return sum_of(row, half) + sum_of(row + half, count - half);
  }
  const size_t whole = count - count % 8;
  if (whole) {
    memcpy(lanes, row, sizeof lanes);
    for (size_t k = 8; k < whole; k++) lanes[k % 8] += row[k];
    sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
          ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
  for (size_t k = whole; k < count; k++) sum += row[k];
  return sum;
}

static void normalise(double *row, size_t classes) {
  const double sum = sum_of(row, classes);
  for (size_t k = 0; k < classes; k++) row[k] = sum > 0 ? row[k] / sum : 1 / (double)classes;
}

static void apply_classes(const crd__calibrator_method *method, const crd__calibrator_model *model,
                          const double *features, size_t rows, double *out) {
  const size_t classes = model->classes, first = classes == 2;
  double log_odds[BLOCK], probability[BLOCK], mapped[BLOCK];
  for (size_t k = first; k < classes; k++) {
    for (size_t i = 0; i < rows; i++) {
      log_odds[i] = out[i * classes + k];
      probability[i] = crd__math_sigmoid(log_odds[i]);
    }
    map_event(method, model, method->event->shared ? 0 : k - first, rows, features, log_odds,
              probability, mapped);
    for (size_t i = 0; i < rows; i++) out[i * classes + k] = mapped[i];
  }
  for (size_t i = 0; i < rows; i++) {
    double *const row = out + i * classes;
    if (classes == 2) row[0] = 1 - row[1];
    else normalise(row, classes);
  }
}

void crd__calibrator_event_apply(const crd__calibrator_method *method,
                                 const crd__calibrator_model *model, const double *logits,
                                 const double *features, size_t rows, double *out) {
  const size_t classes = model->classes;
  for (size_t from = 0; from < rows; from += BLOCK) {
    const size_t count = rows - from < BLOCK ? rows - from : BLOCK;
    const double *const block = logits + from * classes;
    const double *const wide = features + from * model->width;
    double *const here = out + from * classes;
    for (size_t i = 0; i < count; i++)
      crd__math_log_odds(block + i * classes, classes, here + i * classes);
    if (model->top) apply_top(method, model, block, wide, count, here);
    else apply_classes(method, model, wide, count, here);
  }
}

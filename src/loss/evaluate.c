/*
 * evaluate.c -- value and gradient of a loss on a batch: reads the batch, measures every term, and
 * computes the gradient row by row (term.h).
 */
#include "base/options.h"
#include "base/parallel.h"
#include "data/array.h"
#include "loss/loss.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

/* ---- Checks of the arguments. */

static crd_status check_column(crd_context *ctx, const char *what, const crd_array *view,
                               size_t rows) {
  if (!view->data || (crd__data_rows_of(view) == rows && crd__data_cols(view) == 1)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s %zu x %zu, expected %zu x 1", what, crd__data_rows_of(view),
                   crd__data_cols(view), rows);
}

static crd_status check_shapes(crd_context *ctx, const crd_array *logits, const crd_targets *t) {
  if (logits->dtype != CRD_F32 && logits->dtype != CRD_F64)
    return crd__fail(ctx, CRD_EUSAGE, "logits are %s, allowed are f32 and f64",
                     crd_dtype_name(logits->dtype));
  if (crd__data_rows_of(logits) == 0 || crd__data_cols(logits) < 2)
    return crd__fail(ctx, CRD_EUSAGE,
                     "logits are %zu x %zu, expected at least one row and two classes",
                     crd__data_rows_of(logits), crd__data_cols(logits));
  if (crd__data_rows_of(&t->labels) != crd__data_rows_of(logits) ||
      (crd__data_cols(&t->labels) != 1 && crd__data_cols(&t->labels) != crd__data_cols(logits)))
    return crd__fail(ctx, CRD_EUSAGE,
                     "labels are %zu x %zu, expected %zu x 1, or %zu x %zu class probabilities",
                     crd__data_rows_of(&t->labels), crd__data_cols(&t->labels),
                     crd__data_rows_of(logits), crd__data_rows_of(logits), crd__data_cols(logits));
  CRD_TRY(check_column(ctx, "weights are", &t->weights, crd__data_rows_of(logits)));
  return check_column(ctx, "the history is", &t->history, crd__data_rows_of(logits));
}

static crd_status check_terms(crd_context *ctx, const crd_loss *loss, const crd_targets *t) {
  for (size_t i = 0; i < loss->count; i++) {
    const crd_loss_info *const info = &loss->parts[i].loss->info;
    if (crd__data_cols(&t->labels) > 1 && !info->soft_targets)
      return crd__fail(ctx, CRD_EUSAGE, "%s needs class indices, found class probabilities",
                       info->name);
    if (info->history && !t->history.data)
      return crd__fail(ctx, CRD_EUSAGE, "%s needs a history: how often each row was correct",
                       info->name);
  }
  return CRD_OK;
}

/* ---- Terms, with their scratch buffers. */

typedef struct {
  const crd_loss *loss;
  crd__loss_batch batch;
  crd__loss_scratch *s;
  crd__loss_term terms[CRD_LOSS_TERMS_MAX];
  double times; /* 1, or the total weight for sum reduction */
  crd_dtype dtype;
  unsigned char *gradient;
} evaluation;

static void set_out(evaluation *e) {
  double *kept = e->s->kept;
  e->times = e->loss->options.reduction == CRD_REDUCTION_SUM ? e->batch.total : 1;
  for (size_t i = 0; i < e->loss->count; i++) {
    const crd__loss_part *const part = &e->loss->parts[i];
    e->terms[i] = (crd__loss_term){ .loss = part->loss,
                                    .settings = part->settings,
                                    .list = part->list,
                                    .list_count = part->list_count,
                                    .options = &e->loss->options,
                                    .scale = part->factor * e->times,
                                    .row_kept = kept,
                                    .class_kept = kept + e->batch.rows * part->loss->scratch };
    kept = e->terms[i].class_kept + e->batch.classes * part->loss->scratch_classes;
  }
}

static crd_status admit(crd_context *ctx, const evaluation *e) {
  for (size_t i = 0; i < e->loss->count; i++)
    if (e->terms[i].loss->admit) CRD_TRY(e->terms[i].loss->admit(ctx, &e->terms[i], &e->batch));
  return CRD_OK;
}

static crd_status prepare_chunk(crd_context *local, void *arg, unsigned worker, size_t from,
                                size_t to) {
  evaluation *const e = arg;
  (void)local;
  (void)worker;
  for (size_t t = 0; t < e->loss->count; t++)
    for (size_t i = from; e->terms[t].loss->prepare && i < to; i++)
      if (e->batch.weight[i] > 0) e->terms[t].loss->prepare(&e->terms[t], &e->batch, i);
  return CRD_OK;
}

static void measure(const evaluation *e, crd_loss_value *out) {
  const crd__loss_slopes *const s = &e->s->slopes;
  const size_t bytes = e->batch.rows * sizeof(double);
  memset(s->label, 0, bytes);
  memset(s->confidence, 0, bytes);
  memset(s->entropy, 0, bytes);
  out->value = 0;
  for (size_t i = 0; i < e->loss->count; i++) {
    const double mean = e->terms[i].loss->measure(&e->terms[i], &e->batch, s);
    out->terms[i] = e->times * mean;
    out->value += e->terms[i].scale * mean;
  }
}

/* ---- The gradient. */

/* Sets the gradient through the target and the confidence. p - 1 would cancel for the largest p and
 * for that of the label, so their 1 - p is used instead. */
static void set_pulls(const crd__loss_batch *b, size_t i, double pull, double push,
                      double *restrict out) {
  const double *const p = b->p + i * b->classes, rest = b->confidence_rest[i], both = pull - push;
  const double *const t = b->target ? b->target + i * b->classes : NULL;
  const size_t j = b->predicted[i], y = b->label ? b->label[i] : j;
  for (size_t k = 0; k < b->classes; k++) out[k] = both * p[k];
  for (size_t k = 0; t && k < b->classes; k++) out[k] -= pull * t[k];
  if (b->label) out[y] = -pull * b->label_rest[i] - push * p[y];
  out[j] = push * rest + pull * (t ? (1 - t[j]) - rest : y == j ? -rest : p[j]);
}

/* Subtracts `slope` times the gradient of the entropy from out[from .. to-1]; returns the sum of
 * the terms that were subtracted. */
static double pull_entropy(const crd__loss_batch *b, size_t i, double slope, size_t from, size_t to,
                           double *restrict out) {
  const double *const p = b->p + i * b->classes, *const z = b->logits + i * b->classes;
  const double log_sum = b->log_sum[i], entropy = b->entropy[i];
  double lane[CRD__LANES] = { 0 };
  while (from < to) {
    const size_t count = to - from < CRD__LANES ? to - from : CRD__LANES;
    for (size_t j = 0; j < count; j++, from++) {
      const double pull = slope * p[from] * (p[from] > 0 ? z[from] - log_sum + entropy : 0);
      out[from] -= pull;
      lane[j] += pull;
    }
  }
  return crd__loss_sum_lanes(lane);
}

static void set_slopes(const evaluation *e, size_t i, double *out) {
  const crd__loss_slopes *const s = &e->s->slopes;
  const crd__loss_batch *const b = &e->batch;
  const size_t j = b->predicted[i];
  set_pulls(b, i, s->label[i], s->confidence[i] * b->confidence[i], out);
  if (s->entropy[i] == 0) return;
  /* the gradient sums to 0: the predicted class gets minus the sum of the others */
  out[j] += pull_entropy(b, i, s->entropy[i], 0, j, out) +
            pull_entropy(b, i, s->entropy[i], j + 1, b->classes, out);
}

static void put(const evaluation *e, size_t i, const double *row) {
  const size_t classes = e->batch.classes;
  if (e->dtype == CRD_F64)
    memcpy(e->gradient + i * classes * sizeof *row, row, classes * sizeof *row);
  else {
    float *const out = (float *)(void *)e->gradient + i * classes;
    for (size_t k = 0; k < classes; k++) out[k] = (float)row[k];
  }
  e->s->squares[i] = crd__loss_dot(row, row, classes);
}

static crd_status differentiate_chunk(crd_context *local, void *arg, unsigned worker, size_t from,
                                      size_t to) {
  const evaluation *const e = arg;
  double *const row = e->s->row + worker * e->batch.classes;
  (void)local;
  for (size_t i = from; i < to; i++) {
    if (e->batch.weight[i] > 0) {
      set_slopes(e, i, row);
      for (size_t t = 0; t < e->loss->count; t++)
        if (e->terms[t].loss->add_row) e->terms[t].loss->add_row(&e->terms[t], &e->batch, i, row);
    } else memset(row, 0, e->batch.classes * sizeof *row);
    put(e, i, row);
  }
  return CRD_OK;
}

static crd_status differentiate(crd_context *ctx, evaluation *e, size_t chunk,
                                crd_loss_value *out) {
  double squares = 0;
  CRD_TRY(crd__parallel_for(ctx, NULL, e->batch.rows, chunk, differentiate_chunk, e));
  for (size_t i = 0; i < e->batch.rows; i++) squares += e->s->squares[i];
  out->gradient_norm = sqrt(squares);
  return CRD_OK;
}

static crd_status run(crd_context *ctx, evaluation *e, const crd_array *logits,
                      const crd_targets *targets, size_t chunk, crd_loss_value *out) {
  CRD_TRY(crd__loss_batch_read(ctx, logits, targets, e->s, &e->batch));
  if (!(e->batch.total > 0)) { /* all weights are 0 */
    if (e->gradient)
      memset(e->gradient, 0, e->batch.rows * e->batch.classes * crd_dtype_size(e->dtype));
    if (e->gradient) out->gradient_norm = 0;
    return CRD_OK;
  }
  set_out(e);
  CRD_TRY(admit(ctx, e));
  CRD_TRY(crd__parallel_for(ctx, NULL, e->batch.rows, chunk, prepare_chunk, e));
  measure(e, out);
  return e->gradient ? differentiate(ctx, e, chunk, out) : CRD_OK;
}

crd_status crd_loss_evaluate(crd_context *ctx, const crd_loss *loss, const crd_array *logits,
                             const crd_targets *targets, crd_loss_value *value, void *gradient) {
  evaluation e = { .loss = loss, .dtype = logits->dtype, .gradient = gradient };
  crd_loss_value found = { .gradient_norm = (double)NAN, .term_count = loss->count };
  crd_array z = *logits;
  crd_targets t;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_targets, targets, &t));
  CRD_TRY(crd__data_matrix(ctx, "batch", "logits", &z));
  CRD_TRY(crd__data_matrix(ctx, "batch", "labels", &t.labels));
  CRD_TRY(crd__data_matrix(ctx, "batch", "weights", &t.weights));
  CRD_TRY(crd__data_matrix(ctx, "batch", "history", &t.history));
  CRD_TRY(check_shapes(ctx, &z, &t));
  CRD_TRY(check_terms(ctx, loss, &t));
  const size_t chunk = CHUNK / crd__data_cols(&z) + 1,
               chunks = (crd__data_rows_of(&z) + chunk - 1) / chunk;
  const size_t workers = crd__parallel_workers(ctx, chunks);
  CRD_TRY(
      crd__loss_scratch_take(ctx, loss, crd__data_rows_of(&z), crd__data_cols(&z), workers, &e.s));
  const crd_status status = run(ctx, &e, &z, &t, chunk, &found);
  crd__loss_scratch_give(loss, e.s);
  if (status == CRD_OK) *value = found;
  return status;
}

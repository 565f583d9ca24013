/*
 * step.c -- one step of training: batch, forward pass, loss, backward pass, clipping, optimiser.
 *
 * A step runs with a context of its own that nobody interrupts: a network stopped halfway would
 * have updated some of its running statistics, and a resumed run would differ. It allocates
 * nothing.
 */
#include "base/memory.h"
#include "data/array.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double crd__train_rate(const crd_trainer *trainer, uint64_t step) {
  const uint64_t steps = (uint64_t)trainer->options.epochs * trainer->batches;
  return trainer->optimiser.chosen.values[CRD__TRAIN_RATE] *
         crd__train_schedule_factor(&trainer->schedule, step, steps);
}

/* One batch on its way. */
typedef struct {
  crd_trainer *t;
  const crd__train_pass *pass;
  const crd_batch *batch;
  crd_array logits;
  double lambda; /* of mixup; 1: none */
  crd_loss_value value;
} stage;

/* ---- Failures. */

crd_status crd__train_diverged(crd_context *ctx, const crd_trainer *t, uint64_t step,
                               const char *what) {
  return crd__fail(
      ctx, CRD_ENUMERIC, "training diverged in epoch %llu, step %llu: %s; try a smaller %s, or %s",
      (unsigned long long)(step ? (step - 1) / t->batches + 1 : 1), (unsigned long long)step, what,
      crd__spell(ctx, "rate"), crd__spell(ctx, "clip"));
}

/* The same for the running step. */
static crd_status diverged(crd_context *ctx, const crd_trainer *t, const char *what) {
  return crd__train_diverged(ctx, t, t->at.step + 1, what);
}

static bool all_finite(const float *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* The loss of invalid logits fails as that of invalid input does. */
static crd_status explain(crd_context *ctx, const stage *s, crd_status status) {
  char what[128];
  if (status != CRD_EINPUT || all_finite(s->logits.data, crd_array_count(&s->logits)))
    return status;
  snprintf(what, sizeof what, "the logits are not finite, nor is the loss term '%.60s'",
           crd_loss_term(s->t->loss, 0));
  return diverged(ctx, s->t, what);
}

static crd_status check_value(crd_context *ctx, const stage *s) {
  char what[128];
  for (size_t i = 0; i < s->value.term_count; i++)
    if (!isfinite(s->value.terms[i])) {
      snprintf(what, sizeof what, "the loss term '%.60s' is not finite",
               crd_loss_term(s->t->loss, i));
      return diverged(ctx, s->t, what);
    }
  return isfinite(s->value.value) ? CRD_OK : diverged(ctx, s->t, "the loss is not finite");
}

/* ---- The incomplete last batch has a network of its own. */

static void copy_to_last(const crd_trainer *t) {
  const crd__train_parameters *const from = &t->pass.parameters, *const to = &t->last.parameters;
  for (size_t i = 0; i < from->count; i++)
    memcpy(to->items[i].shape->values, from->items[i].shape->values,
           from->items[i].shape->count * sizeof(float));
}

static void copy_from_last(const crd_trainer *t) {
  const crd__train_parameters *const from = &t->last.parameters, *const to = &t->pass.parameters;
  for (size_t i = 0; i < from->count; i++) {
    const crd_parameter *const own = from->items[i].shape, *const other = to->items[i].shape;
    if (own->gradient) memcpy(other->gradient, own->gradient, own->count * sizeof(float));
    else memcpy(other->values, own->values, own->count * sizeof(float));
  }
}

/* ---- The loss. */

static crd_array column(const void *data, crd_dtype dtype, size_t rows) {
  return data ? crd_array_matrix(data, dtype, rows, 1) : (crd_array){ 0 };
}

static float least(const float *x, size_t count) {
  float low = x[0];
  for (size_t i = 1; i < count; i++) low = x[i] < low ? x[i] : low;
  return low;
}

/* What crl needs: how often each row of the batch was correct so far. The first epoch counts as
 * one, as in the authors' code. */
static void add_history(const stage *s, crd_targets *targets) {
  const crd_trainer *const t = s->t;
  if (!t->history) return;
  for (size_t i = 0; i < s->batch->rows; i++)
    t->batch_history[i] = t->correct[s->batch->positions[i]];
  targets->history = column(t->batch_history, CRD_F32, s->batch->rows);
  targets->history_low = (double)least(t->correct, crd_dataset_describe(t->training)->rows);
  targets->epochs = t->at.epoch > 1 ? (double)t->at.epoch : 1;
}

static crd_targets targets_of(const stage *s, crd_array labels) {
  crd_targets targets = { .size = sizeof targets,
                          .labels = labels,
                          .weights = column(s->batch->weights, CRD_F64, s->batch->rows) };
  add_history(s, &targets);
  return targets;
}

static crd_status measure(crd_context *ctx, const stage *s, crd_array labels, crd_loss_value *value,
                          float *gradient) {
  const crd_targets targets = targets_of(s, labels);
  const crd_status status =
      crd_loss_evaluate(ctx, s->t->loss, &s->logits, &targets, value, gradient);
  return status == CRD_OK ? CRD_OK : explain(ctx, s, status);
}

static double blend(double lambda, double x, double y) { return lambda * x + (1 - lambda) * y; }

/* lambda l(z, y) + (1 - lambda) l(z, y'), for losses that are not defined for soft targets. */
static crd_status measure_both(crd_context *ctx, stage *s) {
  const crd__train_mixup *const m = &s->t->mixup;
  const size_t rows = s->batch->rows, cells = crd_array_count(&s->logits);
  crd_loss_value other;
  float *const gradient = s->pass->gradient;
  for (size_t i = 0; i < rows; i++) m->partner_labels[i] = s->batch->labels[m->partner[i]];
  CRD_TRY(measure(ctx, s, column(s->batch->labels, CRD_I64, rows), &s->value, gradient));
  CRD_TRY(measure(ctx, s, column(m->partner_labels, CRD_I64, rows), &other, m->gradient));
  s->value.value = blend(s->lambda, s->value.value, other.value);
  for (size_t i = 0; i < s->value.term_count; i++)
    s->value.terms[i] = blend(s->lambda, s->value.terms[i], other.terms[i]);
  for (size_t i = 0; i < cells; i++)
    gradient[i] = (float)blend(s->lambda, (double)gradient[i], (double)m->gradient[i]);
  return CRD_OK;
}

static crd_status measure_mixed(crd_context *ctx, stage *s) {
  const crd__train_mixup *const m = &s->t->mixup;
  const size_t rows = s->batch->rows, classes = (size_t)s->logits.dims[1];
  const crd_array labels = column(s->batch->labels, CRD_I64, rows);
  if (!s->t->soft) return measure_both(ctx, s);
  CRD_TRY(crd_mixup_labels(ctx, &labels, classes, s->lambda, m->partner, m->targets));
  return measure(ctx, s, crd_array_matrix(m->targets, CRD_F64, rows, classes), &s->value,
                 s->pass->gradient);
}

/* ---- The pass. */

/* Mixes the input if that is wanted. */
static crd_status mix(crd_context *ctx, stage *s, crd_array *input) {
  const crd_trainer *const t = s->t;
  const crd_array labels = column(s->batch->labels, CRD_I64, s->batch->rows);
  s->lambda = 1;
  if (!(t->options.mixup > 0)) return CRD_OK;
  const crd_mixup_options options = { .size = sizeof options,
                                      .alpha = t->options.mixup,
                                      .step = t->at.step };
  CRD_TRY(crd_mixup_draw(ctx, &options, &labels, &s->lambda, t->mixup.partner));
  const size_t cells = crd_array_count(input) / s->batch->rows;
  const crd_array rows = crd_array_matrix(input->data, CRD_F32, s->batch->rows, cells);
  CRD_TRY(crd_mixup_rows(ctx, &rows, s->lambda, t->mixup.partner, t->mixup.inputs));
  input->data = t->mixup.inputs;
  return CRD_OK;
}

static crd_status differentiate(crd_context *ctx, stage *s) {
  crd_array input = s->pass->input, gradient = s->pass->output;
  CRD_TRY(
      crd__train_frozen_apply(ctx, &s->t->frozen, s->batch->inputs, s->batch->rows, &input.data));
  CRD_TRY(mix(ctx, s, &input));
  crd__network_set_run(s->pass->network, s->t->at.step);
  CRD_TRY(crd_network_run(ctx, s->pass->network, &input, 1));
  s->logits = *crd_network_output(s->pass->network, 0);
  if (s->t->options.mixup > 0) CRD_TRY(measure_mixed(ctx, s));
  else
    CRD_TRY(measure(ctx, s, column(s->batch->labels, CRD_I64, s->batch->rows), &s->value,
                    s->pass->gradient));
  CRD_TRY(check_value(ctx, s));
  gradient.data = s->pass->gradient;
  crd_network_clear_gradients(s->pass->network);
  return crd_network_backward(ctx, s->pass->network, &gradient);
}

static crd_status optimise(crd_context *ctx, const crd_trainer *t) {
  crd__train_update update = { .settings = t->optimiser.chosen.values,
                               .rate = crd__train_rate(t, t->at.step),
                               .step = t->at.step + 1,
                               .decay = t->optimiser.chosen.values[CRD__TRAIN_DECAY],
                               .scale = 1 };
  double norm;
  CRD_TRY(crd__train_parameters_norm(ctx, &t->pass.parameters, &norm));
  if (!isfinite(norm)) return diverged(ctx, t, "the gradient is not finite");
  update.scale = crd__train_clip(norm, t->options.clip);
  crd__train_parameters_step(
      &t->pass.parameters, crd__train_optimiser_at(t->optimiser.chosen.index), &update, t->threads);
  return CRD_OK;
}

/* ---- Statistics of the epoch. */

static size_t argmax(const float *z, size_t classes) {
  size_t best = 0;
  for (size_t k = 1; k < classes; k++)
    if (z[k] > z[best]) best = k;
  return best;
}

/* With mixup the share of the predicted class in the mixed target. */
static void count_hits(const stage *s) {
  crd_trainer *const t = s->t;
  const size_t classes = (size_t)s->logits.dims[1];
  const float *const z = s->logits.data;
  for (size_t i = 0; i < s->batch->rows; i++) {
    const int64_t predicted = (int64_t)argmax(z + i * classes, classes);
    double hit = predicted == s->batch->labels[i] ? s->lambda : 0;
    if (s->lambda < 1 && predicted == s->batch->labels[t->mixup.partner[i]]) hit += 1 - s->lambda;
    t->sums[CRD__TRAIN_HITS] += hit;
    if (t->history) t->correct[s->batch->positions[i]] += (float)hit;
  }
}

static void add_sums(const stage *s) {
  double *const sums = s->t->sums, rows = (double)s->batch->rows;
  count_hits(s);
  sums[CRD__TRAIN_ROWS] += rows;
  sums[CRD__TRAIN_LOSS] += rows * s->value.value;
  for (size_t i = 0; i < s->value.term_count; i++)
    sums[CRD__TRAIN_TERMS + i] += rows * s->value.terms[i];
}

/* ---- The step. */

static crd_status train_on(crd_context *ctx, crd_trainer *t, const crd_batch *batch) {
  const bool last = batch->rows != t->pass.batch;
  stage s = { .t = t, .pass = last ? &t->last : &t->pass, .batch = batch };
  if (last) copy_to_last(t);
  CRD_TRY(differentiate(ctx, &s));
  if (last) copy_from_last(t);
  CRD_TRY(optimise(ctx, t));
  add_sums(&s);
  return CRD_OK;
}

crd_status crd__train_step(crd_context *ctx, crd_trainer *t) {
  crd_batch batch;
  crd_context alone;
  if (t->seek) crd_loader_seek(t->loader, t->at.epoch, (size_t)t->at.batch);
  t->seek = true; /* unless this step succeeds */
  CRD_TRY(crd_loader_next(ctx, t->loader, &batch));
  memset(&alone, 0, sizeof alone);
  alone.alloc = ctx->alloc;
  alone.files = ctx->files;
  alone.spelling = ctx->spelling;
  alone.spelling_self = ctx->spelling_self;
  alone.threads = t->threads;
  alone.seed = t->seed;
  const crd_status status = train_on(&alone, t, &batch);
  if (status != CRD_OK) {
    memcpy(ctx->message, alone.message, sizeof ctx->message);
    return status;
  }
  t->at.batch++;
  t->at.step++;
  t->seek = false;
  return CRD_OK;
}

/* ---- What steps need. */

static crd_status make_mixup(crd_context *ctx, crd_trainer *t) {
  crd__train_mixup *const m = &t->mixup;
  const size_t rows = t->pass.batch, classes = (size_t)t->pass.output.dims[1];
  if (!(t->options.mixup > 0)) return CRD_OK;
  if (t->pass.input.dtype != CRD_F32)
    return crd__fail(ctx, CRD_EUSAGE, "%s mixes numbers, the data are %s", crd__spell(ctx, "mixup"),
                     crd_dtype_name(t->pass.input.dtype));
  CRD_TRY(crd__new(ctx, crd_array_count(&t->pass.input), sizeof(float), "mixup", &m->inputs));
  CRD_TRY(crd__new(ctx, rows * classes, sizeof *m->targets, "mixup", &m->targets));
  CRD_TRY(crd__new(ctx, rows * classes, sizeof *m->gradient, "mixup", &m->gradient));
  CRD_TRY(crd__new(ctx, rows, sizeof *m->partner_labels, "mixup", &m->partner_labels));
  return crd__new(ctx, rows, sizeof *m->partner, "mixup", &m->partner);
}

/* Evaluates the loss once, on logits of 0: an error of its settings appears now, and its scratch
 * buffers are as large as they will be. */
static crd_status try_loss(crd_context *ctx, crd_trainer *t) {
  crd_array logits = t->pass.output;
  int64_t *labels;
  float *zeros;
  crd_loss_value value;
  CRD_TRY(crd__new(ctx, t->pass.batch, sizeof *labels, "labels", &labels));
  crd_status status = crd__new(ctx, crd_array_count(&logits), sizeof *zeros, "logits", &zeros);
  if (status == CRD_OK) {
    logits.data = zeros;
    const crd_targets targets = { .size = sizeof targets,
                                  .labels = column(labels, CRD_I64, t->pass.batch),
                                  .history = column(t->batch_history, CRD_F32, t->pass.batch),
                                  .epochs = 1 };
    status = crd_loss_evaluate(ctx, t->loss, &logits, &targets, &value, t->pass.gradient);
    crd__free(&ctx->alloc, zeros);
  }
  crd__free(&ctx->alloc, labels);
  return status;
}

crd_status crd__train_step_make(crd_context *ctx, crd_trainer *t) {
  const size_t rows = crd_dataset_describe(t->training)->rows;
  if (t->history) {
    CRD_TRY(crd__new(ctx, rows, sizeof *t->correct, "a history", &t->correct));
    CRD_TRY(crd__new(ctx, t->pass.batch, sizeof(float), "a history", &t->batch_history));
  }
  CRD_TRY(make_mixup(ctx, t));
  return try_loss(ctx, t);
}

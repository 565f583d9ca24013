/* epoch.c -- runs the steps of an epoch, evaluates the network after it, and keeps the best one. */
#include "base/memory.h"
#include "base/number.h"
#include "credence/metric.h"
#include "network/stream.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Progress. */

/* Reports rows, and the mean loss of the epoch so far as part of the stage's name. */
static void report(crd_context *ctx, const crd_trainer *t) {
  char stage[96], loss[CRD__NUMBER_SIZE];
  const uint64_t rows = t->options.batch;
  if (!ctx->progress) return;
  snprintf(stage, sizeof stage, "epoch %llu/%zu, loss %s", (unsigned long long)t->at.epoch + 1,
           t->options.epochs,
           crd__number_brief(loss, t->sums[CRD__TRAIN_LOSS] / t->sums[CRD__TRAIN_ROWS], 4));
  crd__progress(ctx, stage, t->at.step * rows, (uint64_t)t->options.epochs * t->batches * rows);
}

/* ---- Models. */

crd_status crd__train_model(crd_context *ctx, const crd_trainer *t, const crd_model *of,
                            const float *values, crd_model **out) {
  const crd__train_parameters *const p = &t->pass.parameters;
  crd_weights *weights;
  *out = NULL;
  CRD_TRY(crd__new(ctx, p->count, sizeof *weights, "parameters", &weights));
  for (size_t i = 0; i < p->count; i++)
    weights[i] =
        (crd_weights){ .name = p->items[i].shape->name,
                       .values = values ? values + p->items[i].first : p->items[i].shape->values,
                       .count = p->items[i].shape->count };
  const crd_status status = crd_model_update(ctx, of, weights, p->count, NULL, 0, out);
  crd__free(&ctx->alloc, weights);
  return status;
}

crd_status crd_trainer_model(crd_context *ctx, const crd_trainer *trainer, crd_model **out) {
  crd_model *model;
  *out = NULL;
  CRD_TRY(crd__train_model(ctx, trainer, trainer->whole,
                           trainer->best ? trainer->best_values : NULL, &model));
  if (!trainer->encoding) {
    *out = model;
    return CRD_OK;
  }
  const crd_status status = crd_model_set_encoding(ctx, model, trainer->encoding, out);
  crd_model_destroy(model);
  return status;
}

crd_status crd__train_check_finite(crd_context *ctx, const crd_trainer *t) {
  const crd_parameter *const invalid = crd__train_parameters_invalid(&t->pass.parameters);
  char what[128];
  if (!invalid) return CRD_OK;
  snprintf(what, sizeof what, "the parameter '%.60s' is not finite", invalid->name);
  return crd__train_diverged(ctx, t, t->at.step, what);
}

/* ---- Evaluation. */

/* Data to evaluate on. */
typedef struct {
  const char *name;
  const crd_dataset *data;
  const crd__train_features *features; /* NULL: nothing is frozen */
} subject;

static crd_status evaluate_data(crd_context *ctx, const crd_trainer *t, const crd_model *model,
                                subject s, double *values, float **logits) {
  const crd_dataset_shape *const shape = crd_dataset_describe(s.data);
  const crd_encoding plain = { .class_count = shape->classes };
  CRD_TRY(crd__new(ctx, shape->rows, shape->classes * sizeof **logits, "logits", logits));
  if (s.features)
    CRD_TRY(crd__train_features_logits(ctx, model, s.features, t->pass.batch, *logits));
  else
    CRD_TRY(crd__network_logits(ctx, model, s.data, t->encoding ? t->encoding : &plain,
                                t->pass.batch, *logits));
  if (t->options.logits)
    CRD_TRY(crd__train_logits_write(ctx, s.data, *logits, t->options.logits, s.name,
                                    (size_t)t->at.epoch + 1));
  return crd__train_metrics_compute(ctx, &t->metrics, s.data, *logits, values);
}

/* A row is learned from the first epoch on after which it is always predicted correctly. Its
 * largest logit is that of the last epoch so far. */
static void update_learned(const crd_trainer *t, const float *logits) {
  const crd_dataset_shape *const shape = crd_dataset_describe(t->training);
  for (size_t i = 0; i < shape->rows; i++) {
    const float *const z = logits + i * shape->classes;
    size_t best = 0;
    for (size_t k = 1; k < shape->classes; k++)
      if (z[k] > z[best]) best = k;
    if ((int64_t)best != crd_dataset_label(t->training, i)) t->learned[i] = 0;
    else if (!t->learned[i]) t->learned[i] = (uint32_t)(t->at.epoch + 1);
    t->max_logit[i] = z[best];
  }
}

/* The training data come last: nothing can fail after the learned epochs have changed. */
static crd_status evaluate_all(crd_context *ctx, const crd_trainer *t, const crd_model *model,
                               double *values) {
  const size_t width = crd__train_metrics_count(&t->metrics);
  const crd__train_frozen *const f = &t->frozen;
  double *const own = values;
  float *logits = NULL;
  if (t->options.evaluate_train) values += width;
  for (size_t i = 0; i < t->options.monitor_count; i++, values += width) {
    const subject monitor = { t->monitors[i].name, t->monitors[i].data,
                              f->front ? &f->monitors[i] : NULL };
    const crd_status status = evaluate_data(ctx, t, model, monitor, values, &logits);
    crd__free(&ctx->alloc, logits);
    logits = NULL;
    CRD_TRY(status);
  }
  if (!t->options.evaluate_train) return CRD_OK;
  const subject training = { "train-eval", t->training, f->front ? &f->training : NULL };
  const crd_status status = evaluate_data(ctx, t, model, training, own, &logits);
  if (status == CRD_OK) update_learned(t, logits);
  crd__free(&ctx->alloc, logits);
  return status;
}

static crd_status evaluate(crd_context *ctx, const crd_trainer *t, double *values) {
  crd_model *model;
  if (!t->options.evaluate_train && !t->options.monitor_count) return CRD_OK;
  CRD_TRY(crd__train_model(ctx, t, t->model, NULL, &model));
  const crd_status status = evaluate_all(ctx, t, model, values);
  crd_model_destroy(model);
  return status;
}

/* ---- The end of an epoch. */

static size_t add_means(const crd_trainer *t, double *values) {
  const size_t terms = crd_loss_term_count(t->loss);
  size_t count = 0;
  values[count++] = t->sums[CRD__TRAIN_LOSS] / t->sums[CRD__TRAIN_ROWS];
  for (size_t i = 0; terms > 1 && i < terms; i++)
    values[count++] = t->sums[CRD__TRAIN_TERMS + i] / t->sums[CRD__TRAIN_ROWS];
  values[count++] = t->sums[CRD__TRAIN_HITS] / t->sums[CRD__TRAIN_ROWS];
  return count;
}

/* Keeps the parameters if the first monitor's metric is better than before. */
static bool keep_best(crd_trainer *t, const double *monitored) {
  if (!t->options.best) return false;
  const crd_metric_info *const metric = crd_metric_find(t->options.best);
  const double value = monitored[crd__train_metrics_find(&t->metrics, t->options.best)];
  const bool higher = metric->direction == CRD_HIGHER_IS_BETTER;
  if (isnan(value)) return false;
  if (t->best && !(higher ? value > t->best_value : value < t->best_value)) return false;
  t->best = (size_t)t->at.epoch + 1;
  t->best_value = value;
  crd__train_parameters_read(&t->pass.parameters, t->best_values);
  return true;
}

static crd_status finish_epoch(crd_context *ctx, crd_trainer *t) {
  const size_t width = crd__train_metrics_count(&t->metrics);
  CRD_TRY(crd__train_check_finite(ctx, t));
  CRD_TRY(crd__train_records_reserve(ctx, &t->alloc, &t->records, t->records.count + 1));
  double *const row = crd__train_records_row(&t->records, t->records.count);
  double *const own = row + CRD__TRAIN_RECORD_OWN, *const evaluated = own + add_means(t, own);
  CRD_TRY(evaluate(ctx, t, evaluated));
  row[CRD__TRAIN_RECORD_RATE] = crd__train_rate(t, t->at.step - 1);
  row[CRD__TRAIN_RECORD_BEST] = keep_best(t, evaluated + (t->options.evaluate_train ? width : 0));
  t->records.count++;
  t->at.epoch++;
  t->at.batch = 0;
  memset(t->sums, 0, sizeof t->sums);
  const bool tired = t->options.patience && t->at.epoch - t->best >= t->options.patience;
  t->at.done = tired || t->at.epoch == t->options.epochs;
  return CRD_OK;
}

/* ---- Epochs. */

static crd_status save(crd_context *ctx, crd_trainer *t) {
  if (!t->path) return CRD_OK;
  CRD_TRY(crd_trainer_save(ctx, t, t->path));
  t->saved = crd__train_clock();
  return CRD_OK;
}

static crd_status run_steps(crd_context *ctx, crd_trainer *t) {
  while (t->at.batch < t->batches) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(crd__train_step(ctx, t));
    report(ctx, t);
    if (t->path && crd__train_clock() - t->saved >= t->every) CRD_TRY(save(ctx, t));
  }
  return CRD_OK;
}

crd_status crd_trainer_epoch(crd_context *ctx, crd_trainer *trainer, crd_epoch *out, int *done) {
  const double begin = crd__train_clock();
  *out = (crd_epoch){ 0 };
  *done = (int)trainer->at.done;
  if (trainer->at.done) return CRD_OK;
  CRD_TRY(run_steps(ctx, trainer));
  CRD_TRY(finish_epoch(ctx, trainer));
  CRD_TRY(save(ctx, trainer));
  crd__train_records_show(&trainer->records, trainer->records.count, out);
  out->seconds = crd__train_clock() - begin;
  *done = (int)trainer->at.done;
  return CRD_OK;
}

crd_status crd_trainer_save_to(crd_context *ctx, crd_trainer *trainer, const char *path,
                               double seconds) {
  char *const copy = path ? crd__strdup(&ctx->alloc, path) : NULL;
  if (path && !copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  crd__free(&trainer->alloc, trainer->path);
  trainer->path = copy;
  trainer->every = seconds;
  trainer->saved = crd__train_clock();
  return CRD_OK;
}

/* ---- What is known of a trainer. */

int crd_trainer_done(const crd_trainer *trainer) { return (int)trainer->at.done; }

size_t crd_trainer_epochs(const crd_trainer *trainer) { return trainer->records.count; }

int crd_trainer_record(const crd_trainer *trainer, size_t epoch, crd_epoch *out) {
  *out = (crd_epoch){ 0 };
  if (epoch < 1 || epoch > trainer->records.count) return 0;
  crd__train_records_show(&trainer->records, epoch, out);
  return 1;
}

size_t crd_trainer_best(const crd_trainer *trainer) {
  return trainer->best ? trainer->best : trainer->records.count;
}

unsigned crd_trainer_threads(const crd_trainer *trainer) { return trainer->threads; }

const uint32_t *crd_trainer_learned(const crd_trainer *trainer) { return trainer->learned; }

const float *crd_trainer_max_logits(const crd_trainer *trainer) { return trainer->max_logit; }

const char *crd_trainer_settings(const crd_trainer *trainer) { return trainer->fingerprint; }

const char *crd_trainer_fingerprint(const crd_trainer *trainer) { return trainer->digest; }

const char *crd_trainer_note(const crd_trainer *trainer, size_t index) {
  return crd_loss_note(trainer->loss, index);
}

/* trainer.c -- creates trainers and runs epochs (trainer.h). */
#include "train/trainer.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/parallel.h"
#include "loss/loss.h"
#include "network/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { EPOCHS = 10, EPOCHS_MOST = 300, STEPS = 1500, STEPS_OF_VECTORS = 5000, BATCH = 128 };

double crd__train_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Options. */

/* Copies a text of the options, or its default, into the trainer's own memory. */
static crd_status own(crd_context *ctx, crd_trainer *t, size_t index, const char *fallback,
                      const char **text) {
  const char *const given = *text ? *text : fallback;
  *text = NULL;
  if (!given) return CRD_OK;
  t->texts[index] = crd__strdup(&ctx->alloc, given);
  if (!t->texts[index]) return crd__fail(ctx, CRD_ENOMEM, "no memory for options");
  *text = t->texts[index];
  return CRD_OK;
}

static crd_status own_monitors(crd_context *ctx, crd_trainer *t) {
  const size_t count = t->options.monitor_count;
  CRD_TRY(crd__new(ctx, count, sizeof *t->monitors, "monitors", &t->monitors));
  for (size_t i = 0; i < count; i++) {
    t->monitors[i].data = t->options.monitors[i].data;
    t->monitors[i].name = crd__strdup(&ctx->alloc, t->options.monitors[i].name);
    if (!t->monitors[i].name) return crd__fail(ctx, CRD_ENOMEM, "no memory for monitors");
  }
  t->options.monitors = t->monitors;
  return CRD_OK;
}

static crd_status check_number(crd_context *ctx, const char *field, double value) {
  char found[CRD__NUMBER_SIZE];
  if (value >= 0 && isfinite(value)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s is %s, allowed are finite numbers from 0 on",
                   crd__spell(ctx, field), crd__number_format(found, value));
}

static crd_status take_options(crd_context *ctx, crd_trainer *t, const crd_train_options *given) {
  crd_train_options *const o = &t->options;
  const size_t rows = crd_dataset_describe(t->training)->rows;
  *o = *given;
  CRD_TRY(own(ctx, t, 0, "ce", &o->loss));
  CRD_TRY(own(ctx, t, 1, "adamw", &o->optimiser));
  CRD_TRY(own(ctx, t, 2, "cosine", &o->schedule));
  CRD_TRY(own(ctx, t, 3, NULL, &o->augment));
  CRD_TRY(own(ctx, t, 4, NULL, &o->best));
  CRD_TRY(own(ctx, t, 5, NULL, &o->freeze));
  CRD_TRY(own(ctx, t, 6, NULL, &o->cache));
  CRD_TRY(own(ctx, t, 7, NULL, &o->logits));
  CRD_TRY(own_monitors(ctx, t));
  CRD_TRY(check_number(ctx, "clip", o->clip));
  CRD_TRY(check_number(ctx, "mixup", o->mixup));
  if (!o->batch) o->batch = rows < BATCH ? rows : BATCH; /* few rows make one batch */
  if (o->best && !o->monitor_count)
    return crd__fail(ctx, CRD_EUSAGE, "%s needs data to evaluate on", crd__spell(ctx, "best"));
  if (o->patience && !o->best)
    return crd__fail(ctx, CRD_EUSAGE, "%s needs a metric that improves: %s",
                     crd__spell(ctx, "patience"), crd__spell(ctx, "best"));
  CRD_TRY(crd__train_part_read(ctx, &crd__train_optimisers, o->optimiser, &t->optimiser));
  return crd__train_part_read(ctx, &crd__train_schedules, o->schedule, &t->schedule);
}

/* ---- Data. */

static crd_status check_labels(crd_context *ctx, const crd_dataset *training) {
  const crd_dataset_shape *const shape = crd_dataset_describe(training);
  if (shape->classes < 2)
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu classes, expected at least 2", shape->name,
                     shape->classes);
  for (size_t i = 0; i < shape->rows; i++)
    if (crd_dataset_label(training, i) < 0)
      return crd__fail(ctx, CRD_EINPUT, "%s: row %zu has no label", shape->name, i);
  return CRD_OK;
}

static bool is_alike(const crd_dataset_shape *a, const crd_dataset_shape *b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Writes "1 x 28 x 28". */
static void write_shape(const crd_dataset_shape *shape, char *text, size_t size) {
  size_t at = 0;
  *text = '\0';
  for (size_t i = 0; i < shape->rank && at < size; i++)
    at +=
        (size_t)snprintf(text + at, size - at, "%s%lld", i ? " x " : "", (long long)shape->dims[i]);
}

static crd_status refuse_shape(crd_context *ctx, const crd_monitor *m,
                               const crd_dataset_shape *shape, const crd_dataset_shape *expected) {
  char found[96], wanted[96];
  write_shape(shape, found, sizeof found);
  write_shape(expected, wanted, sizeof wanted);
  return crd__fail(ctx, CRD_EINPUT,
                   "%s (%s): its samples have the shape %s, those of the training data %s",
                   shape->name, m->name, found, wanted);
}

static crd_status check_monitor(crd_context *ctx, const crd_trainer *t, const crd_monitor *m) {
  const crd_dataset_shape *const shape = crd_dataset_describe(m->data), *const own_shape =
                                                                            crd_dataset_describe(
                                                                                t->training);
  size_t labelled = 0;
  for (size_t i = 0; i < shape->rows && !labelled; i++)
    labelled += crd_dataset_label(m->data, i) >= 0;
  if (!labelled) return crd__fail(ctx, CRD_EINPUT, "%s (%s): has no labels", shape->name, m->name);
  if (shape->classes != own_shape->classes)
    return crd__fail(ctx, CRD_EINPUT, "%s (%s): %zu classes, the training data have %zu",
                     shape->name, m->name, shape->classes, own_shape->classes);
  return is_alike(shape, own_shape) ? CRD_OK : refuse_shape(ctx, m, shape, own_shape);
}

/* ---- The loss. */

static crd_status make_loss(crd_context *ctx, crd_trainer *t) {
  const crd_dataset_shape *const shape = crd_dataset_describe(t->training);
  double *counts;
  CRD_TRY(crd__new(ctx, shape->classes, sizeof *counts, "class counts", &counts));
  for (size_t i = 0; i < shape->rows; i++) counts[crd_dataset_label(t->training, i)]++;
  const crd_loss_options options = { .size = sizeof options,
                                     .allow_negative = t->options.allow_negative,
                                     .classes = shape->classes,
                                     .class_counts = counts };
  const crd_status status = crd_loss_create(ctx, t->options.loss, &options, &t->loss);
  crd__free(&ctx->alloc, counts);
  CRD_TRY(status);
  t->soft = true;
  for (size_t i = 0; i < t->loss->count; i++) {
    t->soft = t->soft && t->loss->parts[i].loss->info.soft_targets;
    t->history = t->history || t->loss->parts[i].loss->info.history;
  }
  return CRD_OK;
}

/* ---- Columns. */

/* The second of two equal terms is called "ce#2". */
static void add_term(crd__text *names, const crd_loss *loss, size_t index) {
  size_t before = 0;
  for (size_t i = 0; i < index; i++)
    before += strcmp(crd_loss_term(loss, i), crd_loss_term(loss, index)) == 0;
  crd__text_addf(names, "loss.%s", crd_loss_term(loss, index));
  if (before) crd__text_addf(names, "#%zu", before + 1);
  crd__text_add_bytes(names, "", 1);
}

static size_t term_columns(const crd_trainer *t) {
  return crd_loss_term_count(t->loss) > 1 ? crd_loss_term_count(t->loss) : 0;
}

static crd_status make_records(crd_context *ctx, crd_trainer *t) {
  crd__text names;
  size_t count = 2 + term_columns(t) +
                 crd__train_metrics_count(&t->metrics) *
                     (t->options.monitor_count + (t->options.evaluate_train != 0));
  crd__text_init(&names, &ctx->alloc);
  crd__text_add_bytes(&names, "loss", sizeof "loss");
  for (size_t i = 0; i < term_columns(t); i++) add_term(&names, t->loss, i);
  crd__text_add_bytes(&names, "train.accuracy", sizeof "train.accuracy");
  if (t->options.evaluate_train) crd__train_metrics_names(&t->metrics, "train-eval", &names);
  for (size_t i = 0; i < t->options.monitor_count; i++)
    crd__train_metrics_names(&t->metrics, t->monitors[i].name, &names);
  crd_status status = crd__train_records_make(ctx, &names, count, &t->records);
  if (status == CRD_OK) status = crd__train_records_reserve(ctx, &t->alloc, &t->records, 1);
  crd__text_clear(&names);
  return status;
}

/* ---- The trainer. */

/* A loss takes logits: a softmax at the end would be applied twice. */
static crd_status check_model(crd_context *ctx, const crd_model *model) {
  const crd__onnx_file *const file = model->file;
  if (!file->output_count)
    return crd__fail(ctx, CRD_EINPUT, "%s: the model has no output", file->path);
  const int maker = file->edges[file->outputs[0]].producer;
  if (maker == CRD__ONNX_NONE || strcmp(file->nodes[maker].op, "Softmax") != 0) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: its output is a softmax; training needs logits: export the model without "
                   "its last node",
                   file->path);
}

/* A few thousand rows need more than ten passes; vectors pass quickly. */
static size_t usual_epochs(crd_sample_type type, size_t batches) {
  const size_t steps = type == CRD_SAMPLES_VECTORS ? STEPS_OF_VECTORS : STEPS;
  const size_t epochs = (steps + batches - 1) / batches;
  return epochs < EPOCHS ? EPOCHS : epochs > EPOCHS_MOST ? EPOCHS_MOST : epochs;
}

static crd_status make_passes(crd_context *ctx, crd_trainer *t) {
  const size_t rows = crd_dataset_describe(t->training)->rows, rest = rows % t->options.batch;
  const crd_loader_options reading = { .size = sizeof reading,
                                       .batch = t->options.batch,
                                       .shuffle = 1,
                                       .keep_last = t->options.keep_last,
                                       .seed = t->seed,
                                       .augment = t->options.augment,
                                       .encoding = t->frozen.rows ? NULL : t->encoding };
  CRD_TRY(
      crd_loader_create(ctx, t->frozen.rows ? t->frozen.rows : t->training, &reading, &t->loader));
  t->batches = crd_loader_batches(t->loader);
  if (!t->options.epochs)
    t->options.epochs = usual_epochs(crd_dataset_describe(t->training)->type, t->batches);
  CRD_TRY(
      crd__train_pass_make(ctx, t, t->options.batch < rows ? t->options.batch : rows, &t->pass));
  return t->options.keep_last && rest && rows > rest ? crd__train_pass_make(ctx, t, rest, &t->last)
                                                     : CRD_OK;
}

static crd_status make_state(crd_context *ctx, crd_trainer *t) {
  const size_t rows = crd_dataset_describe(t->training)->rows;
  CRD_TRY(crd__train_step_make(ctx, t));
  if (t->options.evaluate_train)
    CRD_TRY(crd__new(ctx, rows, sizeof *t->learned, "learned epochs", &t->learned));
  if (t->options.evaluate_train)
    CRD_TRY(crd__new(ctx, rows, sizeof *t->max_logit, "logits", &t->max_logit));
  if (t->options.best)
    CRD_TRY(crd__new(ctx, t->pass.parameters.all, sizeof(float), "the best parameters",
                     &t->best_values));
  CRD_TRY(make_records(ctx, t));
  return crd__train_fingerprint_make(ctx, t);
}

static crd_status create(crd_context *ctx, crd_trainer *t, const crd_model *model,
                         const crd_train_options *options) {
  CRD_TRY(check_labels(ctx, t->training));
  CRD_TRY(take_options(ctx, t, options));
  CRD_TRY(crd__train_metrics_make(ctx, t->options.best, &t->metrics));
  for (size_t i = 0; i < t->options.monitor_count; i++)
    CRD_TRY(check_monitor(ctx, t, &t->monitors[i]));
  CRD_TRY(make_loss(ctx, t));
  CRD_TRY(check_model(ctx, model));
  CRD_TRY(crd_model_settle(ctx, model, &t->whole));
  t->model = t->whole;
  if (t->options.freeze) CRD_TRY(crd__train_frozen_make(ctx, t));
  CRD_TRY(make_passes(ctx, t));
  return make_state(ctx, t);
}

crd_status crd_trainer_create(crd_context *ctx, const crd_model *model, const crd_dataset *training,
                              const crd_encoding *encoding, const crd_train_options *options,
                              crd_trainer **out) {
  crd_train_options given;
  crd_trainer *t;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_train_options, options, &given));
  CRD_TRY(crd__new(ctx, 1, sizeof *t, "a trainer", &t));
  *t = (crd_trainer){ .alloc = ctx->alloc,
                      .training = training,
                      .encoding = encoding,
                      .seed = ctx->seed,
                      .threads = crd__parallel_workers(ctx, SIZE_MAX),
                      .seek = true,
                      .best_value = (double)NAN };
  const crd_status status = create(ctx, t, model, &given);
  if (status == CRD_OK) *out = t;
  else crd_trainer_destroy(t);
  return status;
}

static void clear_mixup(const crd_allocator *alloc, crd__train_mixup *m) {
  crd__free(alloc, m->inputs);
  crd__free(alloc, m->targets);
  crd__free(alloc, m->partner_labels);
  crd__free(alloc, m->partner);
  crd__free(alloc, m->gradient);
}

void crd_trainer_destroy(crd_trainer *t) {
  if (!t) return;
  const crd_allocator alloc = t->alloc;
  crd_loader_destroy(t->loader);
  crd__train_pass_clear(&alloc, &t->pass);
  crd__train_pass_clear(&alloc, &t->last);
  clear_mixup(&alloc, &t->mixup);
  crd_loss_destroy(t->loss);
  if (t->model != t->whole) crd_model_destroy(t->model);
  crd_model_destroy(t->whole);
  crd__train_frozen_clear(&alloc, &t->frozen);
  crd__train_part_clear(&alloc, &t->optimiser);
  crd__train_part_clear(&alloc, &t->schedule);
  crd__train_records_clear(&alloc, &t->records);
  for (size_t i = 0; t->monitors && i < t->options.monitor_count; i++)
    crd__free(&alloc, (void *)(uintptr_t)t->monitors[i].name);
  crd__free(&alloc, t->monitors);
  for (size_t i = 0; i < sizeof t->texts / sizeof *t->texts; i++) crd__free(&alloc, t->texts[i]);
  crd__free(&alloc, t->correct);
  crd__free(&alloc, t->batch_history);
  crd__free(&alloc, t->learned);
  crd__free(&alloc, t->max_logit);
  crd__free(&alloc, t->best_values);
  crd__free(&alloc, t->fingerprint);
  crd__free(&alloc, t->path);
  crd__free(&alloc, t);
}

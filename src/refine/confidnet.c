/*
 * confidnet.c -- ConfidNet: features of all rows, then epochs of the head, of which the best one on
 * validation data is kept.
 *
 * The criterion is the average precision of detecting errors (AUPR-error). Where it does not exist,
 * since all validation rows are predicted correctly, or all wrongly, it is the validation loss. Of
 * equal epochs the first one is kept.
 */
#include "refine/confidnet.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "network/model.h"

#include <math.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Creation. */

static crd_status name_tensors(crd_context *ctx, const crd_confidnet_options *options,
                               crd_confidnet *c) {
  const char *const path = c->model->file->path;
  const char *const logits =
      crd__refine_logits(c->model, options->feed ? options->feed->output : NULL);
  if (!logits) return crd__fail(ctx, CRD_EINPUT, "%s: the model has no output", path);
  const char *const tensor =
      options->tensor ? options->tensor : crd_confidnet_tensor(c->model, logits);
  if (!tensor)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: no Gemm or MatMul leads to '%.60s'; name the tensor with the features "
                     "(%s)",
                     path, logits, crd__spell(ctx, "tensor"));
  c->logits = crd__strdup(&ctx->alloc, logits);
  c->tensor = crd__strdup(&ctx->alloc, tensor);
  if (!c->logits || !c->tensor)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for the name of a tensor");
  return CRD_OK;
}

static crd_status read_rows(crd_context *ctx, crd_confidnet *c, const crd_dataset *training,
                            const crd_dataset *validation, const crd_confidnet_options *options) {
  const crd__refine_source from = { .model = c->model,
                                    .logits = c->logits,
                                    .tensor = c->tensor,
                                    .feed = options->feed,
                                    .weighting = c->settings.weighting };
  CRD_TRY(crd__refine_rows_make(ctx, &from, training, &c->training));
  CRD_TRY(crd__refine_rows_make(ctx, &from, validation, &c->validation));
  if (c->training.features == c->validation.features) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "rows have %zu features in training, %zu in validation",
                   c->training.features, c->validation.features);
}

static void shape_head(crd_confidnet *c) {
  const size_t hidden = (size_t)c->settings.hidden;
  c->head.layers = hidden + 1;
  c->head.sizes[0] = c->training.features;
  for (size_t i = 0; i < hidden; i++) c->head.sizes[i + 1] = (size_t)c->widths[i];
  c->head.sizes[hidden + 1] = 1;
}

static crd_status make_stage(crd_context *ctx, crd_confidnet *c) {
  const size_t wanted = (size_t)c->settings.batch;
  const size_t batch = wanted < c->training.rows ? wanted : c->training.rows;
  shape_head(c);
  const size_t count = crd__refine_head_count(&c->head);
  CRD_TRY(crd__new(ctx, count, sizeof *c->best, "weights", &c->best));
  CRD_TRY(crd__new(ctx, c->training.rows, sizeof *c->order, "an order", &c->order));
  CRD_TRY(
      crd__new(ctx, c->validation.rows, sizeof *c->confidences, "confidences", &c->confidences));
  crd__refine_head_draw(&c->head, c->seed, c->best);
  c->summary.parameters = count;
  return crd__refine_stage_make(ctx, &c->head, c->best, batch, &c->stage);
}

static void note_rows(crd_context *ctx, const crd_confidnet *c) {
  static const double few = 0.02;
  const crd__refine_rows *const t = &c->training;
  const crd__refine_rows *const v = &c->validation;
  if ((double)t->errors < few * (double)t->rows)
    crd__log(ctx, CRD_LOG_INFO,
             "only %zu of %zu training rows are predicted wrongly: data that the classifier was "
             "not trained on shows more of its errors",
             t->errors, t->rows);
  if (v->errors == 0 || v->errors == v->rows)
    crd__log(ctx, CRD_LOG_INFO,
             "all %zu validation rows are predicted %s: the epoch is selected by the loss, not by "
             "aupr-error",
             v->rows, v->errors ? "wrongly" : "correctly");
}

static crd_status summarise(crd_context *ctx, crd_confidnet *c) {
  crd_confidnet_summary *const s = &c->summary;
  const crd__refine_rows *const v = &c->validation;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__refine_settings_spell(&c->settings, c->widths, &text);
  s->settings = c->text = text.bytes;
  CRD_TRY(crd__text_status(ctx, &text));
  s->tensor = c->tensor;
  s->logits = c->logits;
  s->features = c->training.features;
  s->classes = c->training.classes;
  s->rows = c->training.rows;
  s->errors = c->training.errors;
  s->validation_rows = v->rows;
  s->validation_errors = v->errors;
  s->criterion = v->errors && v->errors < v->rows ? "aupr-error" : "loss";
  return crd__refine_quality(ctx, v, v->top, &s->maximum);
}

static crd_status prepare(crd_context *ctx, crd_confidnet *c, const crd_dataset *training,
                          const crd_dataset *validation, const crd_confidnet_options *options) {
  CRD_TRY(crd__refine_settings_read(ctx, options->settings, &c->settings, c->widths));
  CRD_TRY(name_tensors(ctx, options, c));
  CRD_TRY(read_rows(ctx, c, training, validation, options));
  CRD_TRY(summarise(ctx, c));
  note_rows(ctx, c);
  return make_stage(ctx, c);
}

crd_status crd_confidnet_create(crd_context *ctx, const crd_model *model,
                                const crd_dataset *training, const crd_dataset *validation,
                                const crd_confidnet_options *options, crd_confidnet **out) {
  crd_confidnet_options own;
  crd_feed_options feed;
  crd_confidnet *c;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_confidnet_options, options, &own));
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_feed_options, own.feed, &feed));
  if (own.feed) own.feed = &feed;
  CRD_TRY(crd__new(ctx, 1, sizeof *c, "a confidence network", &c));
  c->alloc = ctx->alloc;
  c->model = model;
  c->seed = ctx->seed;
  const crd_status status = prepare(ctx, c, training, validation, &own);
  if (status == CRD_OK) *out = c;
  else crd_confidnet_destroy(c);
  return status;
}

void crd_confidnet_destroy(crd_confidnet *confidnet) {
  if (!confidnet) return;
  const crd_allocator alloc = confidnet->alloc;
  void *const owned[] = { confidnet->order, confidnet->confidences, confidnet->best,
                          confidnet->text,  confidnet->tensor,      confidnet->logits };
  crd__refine_stage_clear(&alloc, &confidnet->stage);
  crd__refine_rows_clear(&alloc, &confidnet->training);
  crd__refine_rows_clear(&alloc, &confidnet->validation);
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(&alloc, owned[i]);
  crd__free(&alloc, confidnet);
}

const crd_confidnet_summary *crd_confidnet_describe(const crd_confidnet *confidnet) {
  return &confidnet->summary;
}

/* ---- Epochs. */

/* Draws a random order (Fisher, Yates) that seed and epoch determine. */
static void shuffle(crd_confidnet *c) {
  static const uint64_t stream = 0x6f72646572; /* "order" */
  const size_t rows = c->training.rows;
  for (size_t i = 0; i < rows; i++) c->order[i] = i;
  for (size_t i = rows; i > 1; i--) {
    const double u = crd__random_uniform(c->seed, stream + c->summary.epochs, i);
    const size_t at = (size_t)(u * (double)i), kept = c->order[i - 1];
    c->order[i - 1] = c->order[at];
    c->order[at] = kept;
  }
}

static crd_status run_steps(crd_context *ctx, crd_confidnet *c, double *loss) {
  const size_t rows = c->training.rows, epochs = (size_t)c->settings.epochs;
  double sum = 0;
  shuffle(c);
  for (size_t from = 0; from < rows; from += c->stage.batch) {
    const size_t left = rows - from, count = left < c->stage.batch ? left : c->stage.batch;
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(
        crd__refine_step(ctx, &c->stage, &c->settings, &c->training, c->order + from, count, &sum));
    crd__progress(ctx, "training", c->summary.epochs * rows + from + count, epochs * rows);
  }
  *loss = sum / (double)rows;
  return CRD_OK;
}

/* Keeps the head if the epoch is better than all before it. */
static void select_epoch(crd_confidnet *c, crd_confidnet_epoch *epoch) {
  crd_confidnet_summary *const s = &c->summary;
  const bool ranked = strcmp(s->criterion, "aupr-error") == 0;
  const double value = ranked ? epoch->quality.aupr_error : -epoch->validation_loss;
  if (s->best && !(value > c->best_value)) return;
  c->best_value = value;
  s->best = epoch->epoch;
  s->quality = epoch->quality;
  epoch->best = 1;
  crd__train_parameters_read(&c->stage.parameters, c->best);
}

crd_status crd_confidnet_train(crd_context *ctx, crd_confidnet *confidnet, crd_confidnet_epoch *out,
                               int *done) {
  crd_confidnet *const c = confidnet;
  crd_confidnet_summary *const s = &c->summary;
  const double started = now();
  *out = (crd_confidnet_epoch){ .epoch = s->epochs + 1 };
  CRD_TRY(run_steps(ctx, c, &out->loss));
  CRD_TRY(crd__refine_confidences(ctx, &c->stage, &c->validation, c->confidences,
                                  &out->validation_loss));
  CRD_TRY(crd__refine_quality(ctx, &c->validation, c->confidences, &out->quality));
  s->epochs++;
  select_epoch(c, out);
  const bool stuck =
      c->settings.patience > 0 && (double)(s->epochs - s->best) >= c->settings.patience;
  *done = stuck || (double)s->epochs >= c->settings.epochs;
  out->seconds = now() - started;
  return CRD_OK;
}

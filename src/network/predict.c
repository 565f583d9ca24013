/*
 * predict.c -- runs a classifier over all rows and writes its predictions, with what belongs to the
 * rows beside them: with a confidence network also `confidence`, and `predicted`, the class that it
 * is about.
 *
 * Features are written first: files are written one array after the other, and features are larger
 * than predictions, which are kept in memory meanwhile.
 */
#include "network/predict.h"
#include "credence/edit.h"

#include "base/memory.h"
#include "io/format/npy.h"
#include "network/encoding.h"
#include "onnx/part.h"

#include <math.h>
#include <string.h>

#define SUM_SLACK 0.01 /* the same as for predictions of unknown kind */

/* ---- The part of a model that computes what is written. */

static int output_edge(const crd_model *model, const char *name) {
  const crd__onnx_file *const file = model->file;
  for (size_t i = 0; i < file->output_count; i++)
    if (!name || strcmp(file->edges[file->outputs[i]].name, name) == 0) return file->outputs[i];
  return CRD__ONNX_NONE;
}

static crd_status check_count(crd_context *ctx, size_t count, const char *first) {
  if (count == 1) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "the model has %zu outputs; choose the one with the predictions "
                   "(%s), the first one is '%s'",
                   count, crd__spell(ctx, "output"), first);
}

/* A model with a confidence network names its outputs, unless one is chosen. */
static void find_confidence(crd__network_prediction *p, const crd_model *model) {
  const char *const scores = crd_model_metadata(model, CRD__KEY_SCORES);
  const char *const confidence = crd_model_metadata(model, CRD__KEY_CONFIDENCE);
  if (p->output || !scores || !confidence || output_edge(model, scores) == CRD__ONNX_NONE ||
      output_edge(model, confidence) == CRD__ONNX_NONE)
    return;
  p->output = scores;
  p->confidence = confidence;
}

/* The others need not be computed, nor be supported. */
static bool is_one_of_many(const crd_model *model, const char *output) {
  return output && model->file->output_count > 1 && output_edge(model, output) != CRD__ONNX_NONE;
}

static void add_edge(int *edges, size_t *count, int edge) {
  for (size_t i = 0; i < *count; i++)
    if (edges[i] == edge) return;
  edges[(*count)++] = edge;
}

static crd_status find_edges(const crd__network_prediction *p, const crd_model *model,
                             const char *features, int *edges, size_t *count) {
  const crd__onnx_file *const file = model->file;
  int edge;
  if (!p->output)
    CRD_TRY(check_count(p->ctx, file->output_count,
                        file->output_count ? file->edges[file->outputs[0]].name : ""));
  add_edge(edges, count, output_edge(model, p->output));
  if (edges[0] == CRD__ONNX_NONE)
    return crd__fail(p->ctx, CRD_EUSAGE, "no output is called '%s'", p->output ? p->output : "");
  if (features) {
    CRD_TRY(crd__onnx_part_find(p->ctx, file, features, &edge));
    add_edge(edges, count, edge);
  }
  if (p->confidence) add_edge(edges, count, output_edge(model, p->confidence));
  return CRD_OK;
}

/* Keeps the nodes that compute predictions, features and confidences. */
static crd_status tap(crd__network_prediction *p, const crd_model *model, const char *features) {
  crd_context *const ctx = p->ctx;
  crd__onnx_part part = { .input = CRD__ONNX_NONE };
  crd__text bytes;
  int edges[CRD__ONNX_PART_OUTPUTS_MAX];
  size_t count = 0;
  CRD_TRY(find_edges(p, model, features, edges, &count));
  crd__text_init(&bytes, &ctx->alloc);
  crd_status status = crd__onnx_part_before(ctx, model->file, edges, count, &part);
  if (status == CRD_OK) status = crd__onnx_part_write(ctx, &part, &bytes);
  crd__onnx_part_clear(&ctx->alloc, &part);
  CRD_TRY(crd__network_model_finish(ctx, status, model, &bytes, &p->tapped));
  p->output = model->file->edges[edges[0]].name;
  return CRD_OK;
}

/* ---- Checks before the run. */

static crd_status check_output(const crd__network_prediction *p) {
  const crd__network_batch_output *const output = p->batches.outputs;
  if (!p->tapped) CRD_TRY(check_count(p->ctx, p->batches.count, p->batches.arrays[0].name));
  if (output->shape.rank == 2 && output->shape.dtype == CRD_F32) return CRD_OK;
  return crd__fail(
      p->ctx, CRD_EINPUT,
      "output '%s' is %s with %zu dimensions; predictions must be f32 with two: (rows, classes)",
      p->batches.arrays[0].name, crd_dtype_name(output->shape.dtype), output->shape.rank);
}

crd_status crd__network_predict_make(crd__network_prediction *p, const crd_model *model,
                                     const crd_array *rows, const crd_feed_options *options) {
  crd_feed_options how = *options;
  how.wide_outputs = 1; /* calibration sees the digits that rounding to float16 would drop */
  p->output = how.output;
  find_confidence(p, model);
  if (how.features || p->confidence || is_one_of_many(model, how.output)) {
    CRD_TRY(tap(p, model, how.features));
    model = p->tapped;
    how.output = p->output;
  }
  p->features = how.features != NULL;
  CRD_TRY(crd__network_batches_make_with(p->ctx, model, rows, &how, how.features, p->confidence,
                                         &p->batches));
  return check_output(p);
}

size_t crd__network_predict_classes(const crd__network_prediction *p) {
  const size_t columns = (size_t)p->batches.outputs->shape.dims[1];
  return columns == 1 ? 2 : columns;
}

/* ---- Logits or probabilities. */

/* Networks may end with a softmax: rows that sum to 1 are named probabilities. */
static const char *scores_name(const crd__network_prediction *p) {
  const crd__network_batches *const b = &p->batches;
  const float *at = crd_network_output(b->network, b->outputs->index)->data;
  const size_t classes = (size_t)b->outputs->shape.dims[1];
  if (classes == 1) return "scores";
  for (size_t i = 0; i < b->done; i++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++, at++) {
      if (*at < 0 || *at > 1) return "logits";
      sum += (double)*at;
    }
    if (fabs(sum - 1) > SUM_SLACK) return "logits";
  }
  return "probabilities";
}

/* ---- Writing. */

/* Makes rows of `predicted`: of equal scores the first one counts. */
static crd_status make_predicted(crd_context *ctx, void *self, size_t from, size_t count,
                                 void *out) {
  const crd__network_prediction *const p = self;
  const crd__network_batch_output *const scores = p->batches.outputs;
  const crd__data_source *const confidences = &p->batches.arrays[p->batches.count - 1].source;
  const size_t classes = (size_t)scores->shape.dims[1];
  float *const last = out; /* runs the batches of these rows; replaced below */
  CRD_TRY(confidences->make(ctx, confidences->self, from, count, last));
  for (size_t i = 0; i < count; i++) {
    const float *const row = (const float *)scores->kept + (from + i) * classes;
    size_t top = 0;
    for (size_t k = 1; k < classes; k++)
      if (row[k] > row[top]) top = k;
    ((int64_t *)out)[i] = (int64_t)top;
  }
  return CRD_OK;
}

/* Puts confidences and their classes in front of the other arrays. */
static void add_confidences(crd__network_prediction *p) {
  const size_t rows = p->batches.feed.rows;
  if (!p->confidence) return;
  memmove(p->arrays + 2, p->arrays, p->count * sizeof *p->arrays);
  p->arrays[0] = p->batches.arrays[p->batches.count - 1];
  p->arrays[0].name = "confidence";
  p->arrays[1] = (crd__io_array){ .name = "predicted",
                                  .view = crd_array_matrix(NULL, CRD_I64, rows, 1),
                                  .source = { make_predicted, p, p->batches.feed.batch } };
  p->count += 2;
}

/* Puts features and predictions in front of the other arrays. */
static void order_arrays(crd__network_prediction *p, const char *path) {
  const size_t features = p->features ? 1 : 0;
  add_confidences(p);
  if (crd__io_npy_is_extension(path)) p->count = 0; /* it takes one array only */
  memmove(p->arrays + 1 + features, p->arrays, p->count * sizeof *p->arrays);
  p->arrays[features] = p->batches.arrays[0];
  p->arrays[features].name = p->scores;
  if (p->batches.outputs->shape.dims[1] > 1) p->arrays[features].columns = p->class_names;
  if (features) {
    p->arrays[0] = p->batches.arrays[1];
    p->arrays[0].name = "features";
  }
  p->count += 1 + features;
}

crd_status crd__network_predict_begin(crd__network_prediction *p, size_t first) {
  p->batches.finite = true;
  p->batches.first = first;
  CRD_TRY(crd__network_batches_begin(p->ctx, &p->batches));
  p->scores = scores_name(p);
  return CRD_OK;
}

crd_status crd__network_predict_write(crd__network_prediction *p, const char *path,
                                      crd_feed_summary *summary) {
  if (p->features && crd__io_npy_is_extension(path))
    return crd__fail(p->ctx, CRD_EUSAGE,
                     "%s: .npy takes one array only, but features are wanted too (%s); write .npz "
                     "or .safetensors",
                     path, crd__spell(p->ctx, "features"));
  order_arrays(p, path);
  CRD_TRY(crd__io_bundle_write(p->ctx, path, p->arrays, p->count));
  const crd__network_batch_output *const outputs = p->batches.outputs;
  *summary = (crd_feed_summary){ .rows = p->batches.feed.rows,
                                 .batch = p->batches.feed.batch,
                                 .classes = (size_t)outputs[0].shape.dims[1],
                                 .scores = p->scores,
                                 .confidence = p->confidence && !crd__io_npy_is_extension(path) };
  if (p->features) summary->features = crd_array_count(&outputs[1].shape) / p->batches.feed.rows;
  return CRD_OK;
}

void crd__network_predict_clear(crd__network_prediction *p) {
  crd__network_batches_clear(&p->ctx->alloc, &p->batches);
  crd_model_destroy(p->tapped);
  p->tapped = NULL;
}

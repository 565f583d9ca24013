/*
 * predict.c -- runs a classifier over all rows and writes its predictions, with what belongs to the
 * rows beside them.
 *
 * Features are written first: files are written one array after the other, and features are larger
 * than predictions, which are kept in memory meanwhile.
 */
#include "network/predict.h"

#include "base/memory.h"
#include "io/format/npy.h"
#include "network/model.h"
#include "onnx/part.h"

#include <math.h>
#include <string.h>

#define SUM_SLACK 0.01 /* the same as for predictions of unknown kind */

/* ---- A model with features as output. */

static crd_status find_output(crd_context *ctx, const crd_model *model, const char *name,
                              int *out) {
  const crd__onnx_file *const file = model->file;
  for (size_t i = 0; i < file->output_count; i++) {
    *out = file->outputs[i];
    if (!name || strcmp(file->edges[*out].name, name) == 0) return CRD_OK;
  }
  return crd__fail(ctx, CRD_EUSAGE, "no output is called '%s'", name ? name : "");
}

static crd_status check_count(crd_context *ctx, size_t count, const char *first) {
  if (count == 1) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "the model has %zu outputs; choose the one with the predictions "
                   "(%s), the first one is '%s'",
                   count, crd__spell(ctx, "output"), first);
}

/* Keeps the nodes that compute predictions and features. */
static crd_status tap(crd_context *ctx, const crd_model *model, const crd_feed_options *options,
                      crd_model **out) {
  const crd__onnx_file *const file = model->file;
  crd__onnx_part part = { .input = CRD__ONNX_NONE };
  crd__text bytes;
  int edges[2];
  if (!options->output)
    CRD_TRY(check_count(ctx, file->output_count,
                        file->output_count ? file->edges[file->outputs[0]].name : ""));
  CRD_TRY(find_output(ctx, model, options->output, &edges[0]));
  CRD_TRY(crd__onnx_part_find(ctx, file, options->features, &edges[1]));
  crd__text_init(&bytes, &ctx->alloc);
  const size_t count = edges[0] == edges[1] ? 1 : 2;
  crd_status status = crd__onnx_part_before(ctx, file, edges, count, &part);
  if (status == CRD_OK) status = crd__onnx_part_write(ctx, &part, &bytes);
  crd__onnx_part_clear(&ctx->alloc, &part);
  return crd__network_model_finish(ctx, status, model, &bytes, out);
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
  if (how.features) {
    CRD_TRY(tap(p->ctx, model, options, &p->tapped));
    model = p->tapped;
    if (!how.output) how.output = crd_model_output(model, 0)->name;
  }
  CRD_TRY(crd__network_batches_make_with(p->ctx, model, rows, &how, how.features, &p->batches));
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

/* Puts features and predictions in front of the other arrays. */
static void order_arrays(crd__network_prediction *p, const char *path) {
  const size_t features = p->tapped ? 1 : 0;
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
  if (p->tapped && crd__io_npy_is_extension(path))
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
                                 .scores = p->scores };
  if (p->tapped) summary->features = crd_array_count(&outputs[1].shape) / p->batches.feed.rows;
  return CRD_OK;
}

void crd__network_predict_clear(crd__network_prediction *p) {
  crd__network_batches_clear(&p->ctx->alloc, &p->batches);
  crd_model_destroy(p->tapped);
  p->tapped = NULL;
}

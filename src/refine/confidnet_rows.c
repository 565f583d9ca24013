/*
 * confidnet_rows.c -- features, true class probability and correctness of all rows.
 *
 * The classifier is frozen: it runs once over the data, and its features stay in memory. Softmax is
 * computed in float64 from the logits.
 */
#include "base/memory.h"
#include "dataset/classes.h"
#include "network/model.h"
#include "network/stream.h"
#include "onnx/part.h"
#include "refine/confidnet.h"

#include <math.h>
#include <string.h>

/* ---- Names. */

static const crd__onnx_node *producer_of(const crd__onnx_file *file, int edge) {
  const int producer = edge == CRD__ONNX_NONE ? CRD__ONNX_NONE : file->edges[edge].producer;
  return producer == CRD__ONNX_NONE ? NULL : &file->nodes[producer];
}

static bool is_op(const crd__onnx_node *node, const char *op) {
  return node && !node->domain[0] && strcmp(node->op, op) == 0;
}

const char *crd__refine_logits(const crd_model *model, const char *name) {
  const crd__onnx_file *const file = model->file;
  if (name) return name;
  if (!file->output_count) return NULL;
  const crd__onnx_node *const node = producer_of(file, file->outputs[0]);
  return file->edges[is_op(node, "Softmax") ? node->inputs[0] : file->outputs[0]].name;
}

static int edge_of(const crd__onnx_file *file, const char *name) {
  for (size_t i = 0; name && i < file->edge_count; i++)
    if (strcmp(file->edges[i].name, name) == 0) return (int)i;
  return CRD__ONNX_NONE;
}

/* Returns the first input of a node that is not a constant. */
static int variable_of(const crd__onnx_file *file, const crd__onnx_node *node) {
  for (size_t i = 0; i < node->input_count; i++)
    if (node->inputs[i] != CRD__ONNX_NONE && !file->edges[node->inputs[i]].constant &&
        !is_op(producer_of(file, node->inputs[i]), "Constant"))
      return node->inputs[i];
  return CRD__ONNX_NONE;
}

const char *crd_confidnet_tensor(const crd_model *model, const char *logits) {
  const crd__onnx_file *const file = model->file;
  int edge = edge_of(file, crd__refine_logits(model, logits));
  for (const crd__onnx_node *node; (node = producer_of(file, edge));) {
    edge = variable_of(file, node);
    if (edge != CRD__ONNX_NONE && (is_op(node, "Gemm") || is_op(node, "MatMul")))
      return file->edges[edge].name;
  }
  return NULL;
}

/* ---- Softmax. */

/* Sets p_y, the largest probability and correctness of a row. */
static void judge(const float *z, size_t classes, int64_t label, crd__refine_rows *out,
                  size_t row) {
  double mass = 0;
  size_t top = 0;
  for (size_t k = 1; k < classes; k++)
    if (z[k] > z[top]) top = k;
  for (size_t k = 0; k < classes; k++) mass += exp((double)z[k] - (double)z[top]);
  out->tcp[row] = (float)(exp((double)z[label] - (double)z[top]) / mass);
  out->top[row] = (float)(1 / mass);
  out->correct[row] = (int64_t)top == label;
  out->errors += (int64_t)top != label;
}

/* Networks may end with a softmax that no node is called by. */
static bool are_probabilities(const float *z, size_t rows, size_t classes) {
  static const double slack = 0.01; /* as in predictions of unknown kind */
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++, z++) {
      if (*z < 0 || *z > 1) return false;
      sum += (double)*z;
    }
    if (fabs(sum - 1) > slack) return false;
  }
  return true;
}

static crd_status fill(crd_context *ctx, const float *logits, const crd_dataset *data,
                       crd__refine_rows *out) {
  for (size_t i = 0; i < out->rows; i++) {
    const int64_t label = crd_dataset_label(data, i);
    if (label < 0)
      return crd__fail(ctx, CRD_EINPUT, "%.200s: row %zu has no label",
                       crd_dataset_describe(data)->name, i);
    judge(logits + i * out->classes, out->classes, label, out, i);
    if (out->weights) out->weights[i] = crd_dataset_weight(data, i);
  }
  return CRD_OK;
}

static crd_status weigh(crd_context *ctx, const char *name, double weighting,
                        crd__refine_rows *out) {
  double total = 0;
  for (size_t i = 0; i < out->rows; i++) total += out->weights ? out->weights[i] : 1;
  if (!(total > 0)) return crd__fail(ctx, CRD_EINPUT, "%.200s: all weights are 0", name);
  for (size_t i = 0; i < out->rows; i++)
    out->factors[i] = (out->weights ? out->weights[i] : 1) * (double)out->rows / total *
                      (out->correct[i] ? 1 : weighting);
  return CRD_OK;
}

/* ---- The run. */

/* What a run needs. */
typedef struct {
  crd_context *ctx;
  const crd__refine_source *from;
  crd_encoding *encoding; /* of the model; NULL: none */
  crd_model *tapped;      /* the part that computes logits and features */
  crd_dataset *read;      /* texts as tokens; NULL: the data as it is */
  crd_dataset *matched;   /* labels as classes of the network; NULL: they are already */
  crd__network_stream stream;
  crd__network_batches batches;
} run;

static crd_status tap(run *r) {
  crd_context *const ctx = r->ctx;
  const crd__onnx_file *const file = r->from->model->file;
  crd__onnx_part part = { .input = CRD__ONNX_NONE };
  crd__text bytes;
  int edges[2];
  CRD_TRY(crd__onnx_part_find(ctx, file, r->from->logits, &edges[0]));
  CRD_TRY(crd__onnx_part_find(ctx, file, r->from->tensor, &edges[1]));
  crd__text_init(&bytes, &ctx->alloc);
  crd_status status = crd__onnx_part_before(ctx, file, edges, edges[0] == edges[1] ? 1 : 2, &part);
  if (status == CRD_OK) status = crd__onnx_part_write(ctx, &part, &bytes);
  crd__onnx_part_clear(&ctx->alloc, &part);
  return crd__network_model_finish(ctx, status, r->from->model, &bytes, &r->tapped);
}

/* Texts become tokens of the model's vocabulary. */
static crd_status read_texts(run *r, const crd_dataset *data) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  size_t *all;
  if (shape->type != CRD_SAMPLES_TEXTS) return CRD_OK;
  if (!r->encoding || !r->encoding->length)
    return crd__fail(r->ctx, CRD_EINPUT,
                     "%.200s: the samples are texts, and the model has no vocabulary", shape->name);
  CRD_TRY(crd__new(r->ctx, shape->rows, sizeof *all, "rows", &all));
  for (size_t i = 0; i < shape->rows; i++) all[i] = i;
  const crd_status status = crd_dataset_take(r->ctx, data, all, shape->rows, &r->read);
  crd__free(&r->ctx->alloc, all);
  CRD_TRY(status);
  crd_encoding words = *r->encoding;
  words.class_count = 0; /* labels: when the network's classes are known */
  return crd_dataset_encode(r->ctx, r->read, &words);
}

static crd_status compile(run *r, const crd_dataset *data) {
  crd_feed_options how =
      r->from->feed ? *r->from->feed : (crd_feed_options){ .size = sizeof(crd_feed_options) };
  how.sources = &crd_dataset_describe(data)->name;
  how.output = r->from->logits;
  how.features = NULL;
  crd__network_normalise(r->encoding, &how);
  crd__network_stream_open(data, &r->stream);
  if (crd__network_is_channels_first(r->tapped, &r->stream.shape)) how.channels_last = 0;
  CRD_TRY(crd__network_batches_make_with(r->ctx, r->tapped, &r->stream.shape, &how, r->from->tensor,
                                         NULL, &r->batches));
  crd__network_feed_pull(&r->batches.feed, 0, crd__network_stream_source(&r->stream));
  r->batches.finite = true;
  return CRD_OK;
}

static crd_status check_shapes(const run *r, const crd_dataset *data) {
  const crd_array *const z = &r->batches.outputs[0].shape, *const x = &r->batches.outputs[1].shape;
  const char *const path = r->from->model->file->path;
  if (z->rank != 2 || z->dtype != CRD_F32 || z->dims[1] < 2)
    return crd__fail(r->ctx, CRD_EINPUT,
                     "%s: '%.60s' is %s with %zu dimensions and %zu values per row; logits are f32 "
                     "with two: (rows, at least 2 classes)",
                     path, r->from->logits, crd_dtype_name(z->dtype), z->rank,
                     crd_array_count(z) / r->batches.feed.rows);
  if (x->rank < 2 || x->dtype != CRD_F32)
    return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' is not one row of f32 per sample", path,
                     r->from->tensor);
  const size_t names = r->encoding ? r->encoding->class_count : 0;
  if (names && names != (size_t)z->dims[1])
    return crd__fail(r->ctx, CRD_EINPUT, "%s: '%.60s' has %lld classes, but the metadata name %zu",
                     path, r->from->logits, (long long)z->dims[1], names);
  if (crd_dataset_describe(data)->classes == 0)
    return crd__fail(r->ctx, CRD_EINPUT, "%.200s: the data has no labels",
                     crd_dataset_describe(data)->name);
  return CRD_OK;
}

static crd_status allocate(crd_context *ctx, const crd_dataset *data, crd__refine_rows *out) {
  CRD_TRY(crd__new(ctx, out->rows, out->features * sizeof *out->x, "features", &out->x));
  CRD_TRY(crd__new(ctx, out->rows, sizeof *out->tcp, "probabilities", &out->tcp));
  CRD_TRY(crd__new(ctx, out->rows, sizeof *out->top, "probabilities", &out->top));
  CRD_TRY(crd__new(ctx, out->rows, sizeof *out->correct, "correctness", &out->correct));
  CRD_TRY(crd__new(ctx, out->rows, sizeof *out->factors, "weights", &out->factors));
  if (!crd_dataset_describe(data)->has_weights) return CRD_OK;
  return crd__new(ctx, out->rows, sizeof *out->weights, "weights", &out->weights);
}

static crd_status make(run *r, const crd_dataset *data, crd__refine_rows *out) {
  const char *const path = r->from->model->file->path;
  if (!crd_dataset_describe(data)->rows)
    return crd__fail(r->ctx, CRD_EINPUT, "%.200s: the data has no rows",
                     crd_dataset_describe(data)->name);
  CRD_TRY(crd_model_encoding(r->ctx, r->from->model, &r->encoding));
  CRD_TRY(tap(r));
  CRD_TRY(read_texts(r, data));
  CRD_TRY(compile(r, r->read ? r->read : data));
  CRD_TRY(check_shapes(r, data));
  const crd__network_batch_output *const logits = &r->batches.outputs[0];
  const crd_array *const x = &r->batches.outputs[1].shape;
  out->rows = r->batches.feed.rows;
  out->classes = (size_t)logits->shape.dims[1];
  out->features = crd_array_count(x) / out->rows;
  out->rank = x->rank;
  CRD_TRY(crd__dataset_match_classes(r->ctx, data, r->encoding, out->classes, path, &r->matched));
  CRD_TRY(allocate(r->ctx, data, out));
  const crd__data_source *const features = &r->batches.arrays[1].source;
  CRD_TRY(features->make(r->ctx, features->self, 0, out->rows, out->x));
  if (are_probabilities((const float *)logits->kept, out->rows, out->classes))
    return crd__fail(r->ctx, CRD_EINPUT,
                     "%s: '%.60s' holds probabilities, not logits; name the logits (%s)", path,
                     r->from->logits, crd__spell(r->ctx, "output"));
  CRD_TRY(fill(r->ctx, (const float *)logits->kept, r->matched ? r->matched : data, out));
  return weigh(r->ctx, crd_dataset_describe(data)->name, r->from->weighting, out);
}

crd_status crd__refine_rows_make(crd_context *ctx, const crd__refine_source *source,
                                 const crd_dataset *data, crd__refine_rows *out) {
  run r = { .ctx = ctx, .from = source };
  *out = (crd__refine_rows){ 0 };
  crd_status status = make(&r, data, out);
  if (status == CRD_ENUMERIC) status = crd__fail_in(ctx, status, crd_dataset_describe(data)->name);
  crd__network_batches_clear(&ctx->alloc, &r.batches);
  crd__network_stream_clear(&ctx->alloc, &r.stream);
  crd_dataset_destroy(r.read);
  crd_dataset_destroy(r.matched);
  crd_encoding_destroy(r.encoding);
  crd_model_destroy(r.tapped);
  return status;
}

void crd__refine_rows_clear(const crd_allocator *alloc, crd__refine_rows *rows) {
  void *const owned[] = {
    rows->x, rows->tcp, rows->top, rows->correct, rows->weights, rows->factors
  };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
  *rows = (crd__refine_rows){ 0 };
}

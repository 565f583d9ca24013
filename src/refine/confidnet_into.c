/*
 * confidnet_into.c -- the classifier with its head as one ONNX file: new nodes, constants and
 * outputs at the end of the graph; everything else is copied unchanged.
 *
 * The metadata name the outputs that predictions consist of, for `crd_dataset_predict_to`.
 */
#include "base/json_text.h"
#include "network/encoding.h"
#include "network/model.h"
#include "onnx/reader.h"
#include "onnx/update.h"
#include "refine/confidnet.h"

#include <stdio.h>
#include <string.h>

/* Gemm without a fixed shape of its bias, and ArgMax, are as old as the first; the last is the
 * latest tested. */
enum { OPSET_MIN = 7, OPSET_MAX = 26, METADATA = 4 };

typedef struct {
  crd_context *ctx;
  const crd_confidnet *c;
  const crd__onnx_file *file;
  const crd__onnx_model *model; /* of the file */
  char prefix[24];
  char probabilities[40], predicted[40], confidence[40];
  crd__onnx_graph graph;
  crd__onnx_metadata_edit metadata;
} adding;

static crd_status check_version(const adding *a) {
  const int64_t opset = a->file->opset;
  if (opset >= OPSET_MIN && opset <= OPSET_MAX) return CRD_OK;
  return crd__fail(a->ctx, CRD_EINPUT,
                   "%s: the model has operator set %lld; the nodes to be added exist in operator "
                   "sets %d to %d",
                   a->file->path, (long long)opset, OPSET_MIN, OPSET_MAX);
}

/* ---- Names. */

static void choose_names(adding *a) {
  static const char *const outputs[] = { "probabilities", "predicted", "confidence" };
  char *const names[] = { a->probabilities, a->predicted, a->confidence };
  bool taken = false;
  snprintf(a->prefix, sizeof a->prefix, "credence_");
  for (unsigned i = 2; crd__onnx_has_name(a->model, a->prefix, false); i++)
    snprintf(a->prefix, sizeof a->prefix, "credence%u_", i);
  for (size_t i = 0; i < 3; i++) taken |= crd__onnx_has_name(a->model, outputs[i], true);
  for (size_t i = 0; i < 3; i++)
    snprintf(names[i], sizeof a->confidence, "%s%s", taken ? a->prefix : "", outputs[i]);
}

static bool is_output(const adding *a, const char *name) {
  for (size_t i = 0; i < a->file->output_count; i++)
    if (strcmp(a->file->edges[a->file->outputs[i]].name, name) == 0) return true;
  return false;
}

/* ---- Nodes. */

static crd__onnx_graph_value given(adding *a, const char *name) {
  const crd__onnx_span span = { (const unsigned char *)name, strlen(name) };
  return crd__onnx_graph_foreign(&a->graph, span, CRD__ONNX_FLOAT);
}

static void add_classes(adding *a) {
  const crd__onnx_graph_attribute axis[] = { { .name = "axis", .i = 1 }, { .name = NULL } };
  const crd__onnx_graph_attribute top[] = { { .name = "axis", .i = 1 },
                                            { .name = "keepdims", .i = 0 },
                                            { .name = NULL } };
  const crd__onnx_graph_value z = given(a, a->c->logits);
  const crd__onnx_graph_value p = crd__onnx_graph_node(&a->graph, "Softmax", &z, 1, axis);
  const crd__onnx_graph_value k = crd__onnx_graph_node(&a->graph, "ArgMax", &z, 1, top);
  crd__onnx_graph_output(&a->graph, p, a->probabilities, CRD__ONNX_FLOAT, a->c->training.classes);
  crd__onnx_graph_output(&a->graph, k, a->predicted, CRD__ONNX_INT64, 0);
}

static void add_head(adding *a) {
  const crd__onnx_graph_attribute axis[] = { { .name = "axis", .i = 1 }, { .name = NULL } };
  static const int64_t flat[] = { -1 };
  crd__onnx_graph *const g = &a->graph;
  crd__onnx_graph_value x = given(a, a->c->tensor);
  if (a->c->training.rank != 2) x = crd__onnx_graph_node(g, "Flatten", &x, 1, axis);
  const crd__onnx_graph_value v = crd__refine_head_add(g, &a->c->head, a->c->best, x);
  const crd__onnx_graph_value column = crd__onnx_graph_node(g, "Sigmoid", &v, 1, NULL);
  const crd__onnx_graph_value inputs[] = { column, crd__onnx_graph_int64s(g, flat, 1) };
  const crd__onnx_graph_value c = crd__onnx_graph_node(g, "Reshape", inputs, 2, NULL);
  crd__onnx_graph_output(g, c, a->confidence, CRD__ONNX_FLOAT, 0);
}

/* The rows of the logits, or else of the first output. */
static crd_status find_rows(adding *a) {
  crd__onnx_value value;
  CRD_TRY(crd__onnx_find(a->ctx, a->model, a->c->logits, &value));
  if (!value.shaped && a->file->output_count)
    CRD_TRY(crd__onnx_find(a->ctx, a->model, a->file->edges[a->file->outputs[0]].name, &value));
  if (value.shaped) a->graph.rows = value.rows;
  return CRD_OK;
}

/* ---- Writing. */

static crd_status into_field(void *self, crd__onnx_writer *w, crd__onnx_kind outer,
                             const crd__onnx_field *field, bool *done) {
  const adding *const a = self;
  (void)w;
  return crd__onnx_metadata_field(&a->metadata, outer, field, done);
}

static crd_status into_end(void *self, crd__onnx_writer *w, crd__onnx_kind outer) {
  const adding *const a = self;
  CRD_TRY(crd__onnx_metadata_end(&a->metadata, w, outer));
  if (!crd__onnx_writer_in_graph(w, outer)) return CRD_OK;
  return crd__onnx_writer_put(w, a->graph.body.bytes, a->graph.body.length);
}

static void describe(const crd_confidnet_summary *s, crd__text *text) {
  crd__text_addf(text, "{\"tensor\":");
  crd__json_add_string(text, s->tensor);
  crd__text_addf(text, ",\"epoch\":%zu,\"settings\":", s->best);
  crd__json_add_string(text, s->settings);
  crd__text_add(text, "}");
}

static crd_status write_model(adding *a, crd__text *out) {
  crd__text about;
  crd__text_init(&about, &a->ctx->alloc);
  describe(&a->c->summary, &about);
  const crd_metadata items[METADATA] = {
    { CRD__KEY_SCORES, is_output(a, a->c->logits) ? a->c->logits : a->probabilities },
    { CRD__KEY_CONFIDENCE, a->confidence },
    { CRD__KEY_PREDICTED, a->predicted },
    { "credence.confidnet", about.bytes },
  };
  const crd__onnx_edit edit = { into_field, into_end, a };
  a->metadata = (crd__onnx_metadata_edit){ items, METADATA };
  crd_status status = crd__text_status(a->ctx, &about);
  if (status == CRD_OK) status = crd__text_status(a->ctx, &a->graph.body);
  if (status == CRD_OK) status = crd__onnx_file_rewrite(a->ctx, a->file, &edit, out);
  crd__text_clear(&about);
  return status;
}

crd_status crd_confidnet_model(crd_context *ctx, const crd_confidnet *confidnet, crd_model **out) {
  const crd__onnx_file *const file = confidnet->model->file;
  adding a = { .ctx = ctx, .c = confidnet, .file = file };
  crd__text whole;
  *out = NULL;
  if (!confidnet->summary.best)
    return crd__fail(ctx, CRD_EUSAGE, "no epoch has finished: there is no head yet");
  a.model = &((const crd__onnx_resources *)file->inside)->model;
  CRD_TRY(check_version(&a));
  choose_names(&a);
  crd__onnx_graph_init(&a.graph, &ctx->alloc);
  crd__text_init(&whole, &ctx->alloc);
  a.graph.prefix = a.prefix;
  a.graph.opset = file->opset;
  a.graph.ir = file->ir;
  crd_status status = find_rows(&a);
  if (status == CRD_OK) {
    add_classes(&a);
    add_head(&a);
    status = write_model(&a, &whole);
  }
  crd__onnx_graph_clear(&a.graph);
  return crd__network_model_finish(ctx, status, confidnet->model, &whole, out);
}

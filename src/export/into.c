/*
 * into.c -- inserts a calibrator into the graph of an existing ONNX model.
 *
 * In protocol buffers the fields of a message may come in any order, and elements of a repeated
 * field need not be adjacent. So nodes, constants and outputs are appended to the graph, its length
 * is rewritten, and all other bytes are copied unchanged.
 */
#include "base/file.h"
#include "calibrator/calibrator.h"
#include "export/export.h"
#include "onnx/fields.h"
#include "onnx/graph.h"
#include "onnx/model.h"
#include "onnx/proto.h"

#include <inttypes.h>
#include <stdio.h>

/* Operator set 26 is the latest tested; the format has operator sets since IR 3. Protocol buffers
 * are limited to 2 GB. */
enum { OPSET_MAX = 26, IR_MIN = 3, SIZE_LIMIT = INT32_MAX };

/* ---- Checks of the model. */

#define SHOWN(span) (int)((span).length < 100 ? (span).length : 100), (const char *)(span).bytes

static crd_status check_versions(crd_context *ctx, const crd__onnx_model *m,
                                 const crd__calibrator_map *map) {
  const int least = crd__export_onnx_opset(map);
  if (m->ir < IR_MIN)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: the model has IR version %" PRId64 "; at least %d is needed", m->path,
                     m->ir, IR_MIN);
  if (m->opset >= least && m->opset <= OPSET_MAX) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "%s: the model has operator set %" PRId64
                   "; the nodes to be added exist in operator sets %d to %d",
                   m->path, m->opset, least, OPSET_MAX);
}

static crd_status check_folder(crd_context *ctx, const crd__onnx_model *m, const char *path) {
  if (!m->external || !path || crd__same_folder(path, m->path)) return CRD_OK;
  return crd__fail(
      ctx, CRD_EUSAGE,
      "%s: the model has external weights, which it looks for in its own folder: the copy must be "
      "written there, not to %.200s",
      m->path, path);
}

/* float16, float32, float64, bfloat16. */
static bool is_float(int64_t type) {
  return type == CRD__ONNX_FLOAT || type == CRD__ONNX_DOUBLE || type == 10 || type == 16;
}

static crd_status check_value(crd_context *ctx, const crd__onnx_model *m,
                              const crd__onnx_value *value, size_t classes) {
  if (value->type && !is_float(value->type))
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: '%.*s' is not a floating-point tensor, so it cannot be scores", m->path,
                     SHOWN(value->name));
  if (value->shaped && value->rank != 2)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: '%.*s' has %zu dimensions, expected 2 (rows and classes)", m->path,
                     SHOWN(value->name), value->rank);
  if (value->shaped && value->columns >= 0 && (uint64_t)value->columns != classes)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%s: '%.*s' has %" PRId64 " columns; scores of %zu classes were calibrated",
                     m->path, SHOWN(value->name), value->columns, classes);
  return CRD_OK;
}

/* Calibrated logits are the input of the last softmax. */
static crd_status check_kind(crd_context *ctx, const crd__onnx_model *m,
                             const crd__onnx_value *value, crd_input input) {
  crd__onnx_span maker, before;
  if (input != CRD_INPUT_LOGITS || !crd__onnx_producer(m, value->name, &maker, &before) ||
      !crd__onnx_span_is(maker, "Softmax"))
    return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE,
                   "%s: '%.*s' comes from Softmax, but logits were calibrated; these are '%.*s'",
                   m->path, SHOWN(value->name), SHOWN(before));
}

static crd_status find_scores(crd_context *ctx, const crd__onnx_model *m,
                              const crd__calibrator_map *map, const char *name,
                              crd__onnx_value *out) {
  if (map->input == CRD_INPUT_PAIRS)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the calibrator was fitted on confidences; a model's rows have scores of all "
                     "classes");
  CRD_TRY(crd__onnx_find(ctx, m, name, out));
  CRD_TRY(check_value(ctx, m, out, map->classes));
  return check_kind(ctx, m, out, map->input);
}

/* ---- Names. */

typedef struct {
  char prefix[16], probabilities[32], predicted[32];
} names;

static crd_status choose_names(crd_context *ctx, const crd__onnx_model *m, names *out) {
  size_t number = 1;
  do {
    if (number == 100)
      return crd__fail(ctx, CRD_EUSAGE,
                       "%s: the model has too many names that begin with 'credence'", m->path);
    if (number == 1) snprintf(out->prefix, sizeof out->prefix, "credence_");
    else snprintf(out->prefix, sizeof out->prefix, "credence%zu_", number);
    number++;
  } while (crd__onnx_has_name(m, out->prefix, false));
  const char *const before =
      crd__onnx_has_name(m, "probabilities", true) || crd__onnx_has_name(m, "predicted", true)
          ? out->prefix
          : "";
  snprintf(out->probabilities, sizeof out->probabilities, "%sprobabilities", before);
  snprintf(out->predicted, sizeof out->predicted, "%spredicted", before);
  return CRD_OK;
}

/* ---- Writing. */

static crd_status write_span(crd_context *ctx, const crd__io_sink *sink, const unsigned char *from,
                             const unsigned char *to) {
  return to > from ? sink->write(ctx, sink->self, from, (size_t)(to - from)) : CRD_OK;
}

static crd_status write_model(crd_context *ctx, const crd__onnx_model *m, const crd__text *nodes,
                              const crd__io_sink *sink) {
  const size_t length = m->graph.length + nodes->length;
  const unsigned char *const graph_end = m->graph.bytes + m->graph.length;
  if (m->all.length + nodes->length > SIZE_LIMIT - 16)
    return crd__fail(
        ctx, CRD_EUSAGE,
        "%s: the model would have %zu bytes; readers of ONNX take up to %d (weights may "
        "be kept in other files)",
        m->path, m->all.length + nodes->length, SIZE_LIMIT);
  crd__text head;
  crd__text_init(&head, &ctx->alloc);
  crd__onnx_proto_head(&head, MODEL_GRAPH, length);
  crd_status status = crd__text_status(ctx, &head);
  if (status == CRD_OK) status = write_span(ctx, sink, m->all.bytes, m->graph_field.bytes);
  if (status == CRD_OK) status = sink->write(ctx, sink->self, head.bytes, head.length);
  if (status == CRD_OK) status = write_span(ctx, sink, m->graph.bytes, graph_end);
  if (status == CRD_OK) status = sink->write(ctx, sink->self, nodes->bytes, nodes->length);
  if (status == CRD_OK) status = write_span(ctx, sink, graph_end, m->all.bytes + m->all.length);
  crd__text_clear(&head);
  return status;
}

crd_status crd__export_into(crd_context *ctx, const crd__calibrator_map *map, const char *path,
                            crd__onnx_span bytes, const char *value, const char *target,
                            const crd__io_sink *sink) {
  crd__onnx_model m;
  crd__onnx_value scores;
  names n;
  crd__text nodes;
  CRD_TRY(crd__onnx_read(ctx, path, bytes, NULL, &m));
  CRD_TRY(check_versions(ctx, &m, map));
  CRD_TRY(check_folder(ctx, &m, target));
  CRD_TRY(find_scores(ctx, &m, map, value, &scores));
  CRD_TRY(choose_names(ctx, &m, &n));
  const crd__export_onnx_place place = { .scores = scores.name,
                                         .rows = scores.rows,
                                         .ir = m.ir,
                                         .opset = m.opset,
                                         .prefix = n.prefix,
                                         .probabilities = n.probabilities,
                                         .predicted = n.predicted };
  crd_status status = crd__export_onnx_nodes(ctx, map, &place, &nodes);
  if (status == CRD_OK) status = write_model(ctx, &m, &nodes, sink);
  crd__text_clear(&nodes);
  return status;
}

static crd_status to_output(crd_context *ctx, void *self, const void *bytes, size_t count) {
  return crd_output_write(ctx, self, bytes, count);
}

crd_status crd_calibrator_export_into(crd_context *ctx, const crd_calibrator *calibrator,
                                      const char *model_path, const char *value,
                                      crd_output *output) {
  crd__calibrator_map map;
  crd__blob blob;
  crd_status status = crd__calibrator_map_make(ctx, calibrator, &map);
  if (status == CRD_OK) status = crd__blob_open(ctx, model_path, &blob);
  if (status == CRD_OK) {
    const crd__onnx_span bytes = { blob.bytes, blob.length };
    const crd__io_sink sink = { to_output, output };
    status = crd__export_into(ctx, &map, model_path, bytes, value, crd__output_path(output), &sink);
    crd__blob_close(&ctx->alloc, &blob);
  }
  crd__calibrator_map_clear(&map);
  return status;
}

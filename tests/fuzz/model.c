/* model.c -- any bytes as an ONNX model that a calibrator is inserted into. */
#include "fuzz.h"

#include "calibrator/calibrator.h"
#include "export/export.h"
#include "onnx/model.h"

#include <string.h>

enum { CLASSES = 3 };

/* A curve shared by all classes, for logits with the corpus's number of classes. */
static crd_status make_map(crd_context *ctx, crd__calibrator_map *map) {
  *map = (crd__calibrator_map){
    .alloc = ctx->alloc, .classes = CLASSES, .input = CRD_INPUT_LOGITS, .reach = CRD__SHARED_EVENT
  };
  const double x[] = { .1, .5 }, y[] = { 0, .9 };
  return crd__calibrator_map_add(ctx, map, CRD__LINES, x, 2, y, 2);
}

/* Looks up names and values in any accepted model. */
static void look_around(crd_context *ctx, const crd__onnx_model *m) {
  crd__onnx_value value;
  crd__onnx_span op, input;
  (void)crd__onnx_has_name(m, "credence", false);
  if (crd__onnx_find(ctx, m, NULL, &value) == CRD_OK)
    (void)crd__onnx_producer(m, value.name, &op, &input);
  HOLDS(m->graph.bytes >= m->all.bytes);
  HOLDS(m->graph.length <= m->all.length);
}

static crd_status count(crd_context *ctx, void *self, const void *bytes, size_t length) {
  (void)ctx;
  HOLDS(bytes || !length);
  *(size_t *)self += length;
  return CRD_OK;
}

static void go_into(crd_context *ctx, const crd__calibrator_map *map, crd__onnx_span bytes,
                    const char *value) {
  size_t written = 0;
  const crd__io_sink sink = { count, &written };
  const crd_status status =
      crd__export_into(ctx, map, "fuzz.onnx", bytes, value, "copy.onnx", &sink);
  HOLDS(status == CRD_OK ? written > bytes.length : crd_context_message(ctx)[0] != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__calibrator_map map;
  crd__onnx_model m;
  const crd__onnx_span all = { bytes, length };
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  HOLDS(make_map(ctx, &map) == CRD_OK);
  if (crd__onnx_read(ctx, "fuzz.onnx", all, NULL, &m) == CRD_OK) look_around(ctx, &m);
  go_into(ctx, &map, all, NULL);
  go_into(ctx, &map, all, "logits");
  crd__calibrator_map_clear(&map);
  crd_context_destroy(ctx);
  return 0;
}

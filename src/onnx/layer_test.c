/* layer_test.c -- the last layer of a classifier, replaced: in every form in which files have it.
 */
#include "messages_test.h"

#include "onnx/layer.h"

#include <math.h>

enum { FEATURES = 4, CLASSES = 2, NEW = 7 };

typedef struct {
  const char *name;
  bool gemm, turned, transpose, first, bias, shared;
} form;

static const form forms[] = {
  { "Gemm", .gemm = true, .turned = true, .bias = true },
  { "Gemm, not transposed", .gemm = true, .bias = true },
  { "Gemm without bias", .gemm = true, .turned = true },
  { "Gemm of a transpose", .gemm = true, .transpose = true, .bias = true },
  { "MatMul", .bias = false },
  { "MatMul and Add", .bias = true },
  { "Add and MatMul", .bias = true, .first = true },
  { "MatMul of a transpose", .bias = true, .transpose = true },
  { "shared weights", .gemm = true, .turned = true, .bias = true, .shared = true },
};

static void put_floats(builder *b, const char *name, size_t rank, int64_t rows, int64_t columns) {
  static const float zeros[FEATURES * CLASSES];
  const int64_t dims[] = { rows, columns };
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, dims + 2 - rank, rank);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, zeros, (size_t)(rows * columns) * 4);
  leave(b);
}

static void put_int(builder *b, const char *name, int64_t value) {
  enter(b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, name);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INT, value);
  crd__onnx_proto_int(top(b), ATTRIBUTE_TYPE, CRD__ATTRIBUTE_INT);
  leave(b);
}

/* h = Relu(x);  logits = h W + b;  and p = Softmax(logits), another output. */
static builder make(void **state, const form *f) {
  const bool by_class = f->turned != f->transpose;
  builder b = begin(state);
  crd__onnx_proto_int(top(&b), MODEL_IR, 8);
  enter(&b, MODEL_GRAPH);
  put_value(&b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, FEATURES }, 2);
  put_value(&b, GRAPH_INPUT, "w", CRD__ONNX_FLOAT, (int64_t[]){ 1, 1 }, 2); /* as in old files */
  put_floats(&b, "w", 2, by_class ? CLASSES : FEATURES, by_class ? FEATURES : CLASSES);
  if (f->bias) put_floats(&b, "b", 1, 1, CLASSES);
  put_node(&b, "Relu", "x", "h");
  if (f->transpose) put_node(&b, "Transpose", "w", "t");
  const char *const w = f->transpose ? "h,t" : "h,w";
  if (f->gemm) {
    open_node(&b, "Gemm", w, "logits");
    if (f->bias) crd__onnx_proto_string(top(&b), NODE_INPUT, "b");
    put_int(&b, "transB", f->turned);
    leave(&b);
  } else put_node(&b, "MatMul", w, f->bias ? "product" : "logits");
  if (!f->gemm && f->bias) put_node(&b, "Add", f->first ? "b,product" : "product,b", "logits");
  if (f->shared) put_node(&b, "Add", "w,b", "s");           /* other readers of both */
  if (f->shared) put_floats(&b, "classes_weight", 1, 1, 1); /* a name that is taken */
  put_node(&b, "Softmax", "logits", "p");
  put_value(&b, GRAPH_VALUE, "product", CRD__ONNX_FLOAT, (int64_t[]){ -1, CLASSES }, 2);
  put_value(&b, GRAPH_OUTPUT, "logits", CRD__ONNX_FLOAT, (int64_t[]){ -1, CLASSES }, 2);
  put_value(&b, GRAPH_OUTPUT, "p", CRD__ONNX_FLOAT, (int64_t[]){ -1, CLASSES }, 2);
  while (b.depth) leave(&b);
  return b;
}

static const crd__onnx_metadata_edit none = { NULL, 0 };

static crd__onnx_file *read_bytes(crd_context *ctx, const void *bytes, size_t length) {
  crd__onnx_file *file;
  if (crd__onnx_file_read(ctx, "made.onnx", (crd__onnx_span){ bytes, length }, &file) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return file;
}

static crd__text replaced(const builder *b, uint64_t seed) {
  crd__onnx_file *const file = read_bytes(b->ctx, made(b).bytes, made(b).length);
  crd__text out;
  crd__text_init(&out, &b->ctx->alloc);
  crd_context_set_seed(b->ctx, seed);
  if (crd__onnx_layer_replace(b->ctx, file, NEW, none, &out) != CRD_OK)
    fail_msg("%s", crd_context_message(b->ctx));
  crd__onnx_file_destroy(file);
  return out;
}

static const crd__onnx_tensor *find(const crd__onnx_file *file, const char *name) {
  for (size_t i = 0; i < file->edge_count; i++)
    if (strcmp(file->edges[i].name, name) == 0) return file->edges[i].constant;
  return NULL;
}

static void read_floats(const crd__onnx_tensor *t, float *out) {
  memcpy(out, t->bytes, t->count * sizeof *out);
}

/* Weights are the same function of class and feature in every form, and within their bounds. */
static void check_values(const form *f, const crd__onnx_tensor *w, float first[NEW][FEATURES]) {
  const bool by_class = f->turned != f->transpose;
  float values[NEW * FEATURES];
  assert_int_equal(w->rank, 2);
  assert_int_equal(w->dims[0], by_class ? NEW : FEATURES);
  assert_int_equal(w->dims[1], by_class ? FEATURES : NEW);
  read_floats(w, values);
  double sum = 0, squares = 0;
  for (size_t c = 0; c < NEW; c++)
    for (size_t i = 0; i < FEATURES; i++) {
      const float value = values[by_class ? c * FEATURES + i : i * NEW + c];
      assert_true(fabsf(value) <= .5F); /* 1 / sqrt(4) */
      if (f == forms) first[c][i] = value;
      assert_true(first[c][i] == value);
      sum += (double)value;
      squares += (double)value * (double)value;
    }
  assert_true(fabs(sum) < 4 && squares > 1 && squares < 4); /* 28 values of variance 1/12 */
}

static void every_form_is_replaced(void **state) {
  float first[NEW][FEATURES] = { { 0 } };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const form *const f = &forms[i];
    builder b = make(state, f);
    crd__text out = replaced(&b, 1), again = replaced(&b, 1), other = replaced(&b, 2);
    assert_int_equal(out.length, again.length);
    assert_memory_equal(out.bytes, again.bytes, out.length);
    assert_true(out.length != other.length || memcmp(out.bytes, other.bytes, out.length) != 0);
    crd__onnx_file *const file = read_bytes(b.ctx, out.bytes, out.length);
    const crd__onnx_tensor *const w = find(file, f->shared ? "classes_weight2" : "w");
    const crd__onnx_tensor *const bias = find(file, f->shared ? "classes_bias" : "b");
    assert_non_null(w);
    check_values(f, w, first);
    assert_true((bias != NULL) == f->bias);
    if (bias) assert_true(bias->rank == 1 && bias->dims[0] == NEW);
    if (f->shared) assert_int_equal(find(file, "w")->count, CLASSES * FEATURES);
    assert_int_equal(file->input_count, 1);
    const crd_port *const logits = &file->edges[file->outputs[0]].port;
    const crd_port *const p = &file->edges[file->outputs[1]].port;
    assert_true(logits->known && logits->dims[1] == NEW && logits->dims[0] == -1);
    assert_string_equal(logits->dim_names[0], "N");
    assert_false(p->known);
    crd__onnx_file_destroy(file);
    crd__text *const texts[] = { &out, &again, &other, top(&b) };
    for (size_t t = 0; t < 4; t++) crd__text_clear(texts[t]);
  }
}

/* ---- Models without such a layer. */

static void other_outputs_are_refused(void **state) {
  static const struct {
    const char *nodes[3][3], *words;
  } bad[] = {
    { { { "Relu", "x", "y" } },
      "the output 'y' is not that of a fully connected layer (Gemm, or MatMul and Add): its node "
      "is another (Relu)" },
    { { { "Gemm", "x,x", "y" } }, "its weights are not a matrix of f32 (Gemm)" },
    { { { "Gemm", "x,v", "y" } }, "its weights are not a matrix of f32" },
    { { { "Gemm", "x,n", "y" } }, "its weights are not a matrix of f32" },
    { { { "Gemm", "x", "y" } }, "its weights are not a matrix of f32" },
    { { { "Gemm", "x,w,x", "y" } }, "its bias is not a constant of f32" },
    { { { "Add", "x,w", "y" } }, "it adds no product" },
    { { { "Add", ",", "y" } }, "it adds no product" },
    { { { "Relu", "x", "m" }, { "Add", "m,w", "y" } }, "it adds no product" },
    { { { "MatMul", "x,w", "m" }, { "Add", "m,x", "y" } }, "its bias is not a constant of f32" },
    { { { "MatMul", "x,w", "m" }, { "Add", "m,n", "y" } }, "its bias is not a constant of f32" },
    { { { "MatMul", "x,w", "m" }, { "Add", "m,", "y" } }, "its bias is not a constant of f32" },
    { { { "MatMul", "x,h", "y" }, { "Identity", "w", "h" } },
      "its weights are not a matrix of f32" },
    { { { "Transpose", "w", "t" }, { "MatMul", "x,t", "y" }, { "Relu", "t", "u" } },
      "other nodes read its weights" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    put_floats(&b, "w", 2, 3, 2);
    put_floats(&b, "v", 1, 1, 3);
    open_tensor(&b, GRAPH_INITIALIZER, "n", CRD__ONNX_INT64, (int64_t[]){ 1, 1 }, 2);
    crd__onnx_proto_int(top(&b), TENSOR_INT64S, 5);
    leave(&b);
    for (size_t n = 0; n < 3 && bad[i].nodes[n][0]; n++)
      put_node(&b, bad[i].nodes[n][0], bad[i].nodes[n][1], bad[i].nodes[n][2]);
    while (b.depth) leave(&b);
    crd__onnx_file *const file = read_bytes(b.ctx, made(&b).bytes, made(&b).length);
    crd__text out;
    crd__text_init(&out, &b.ctx->alloc);
    assert_int_equal(crd__onnx_layer_replace(b.ctx, file, NEW, none, &out), CRD_EINPUT);
    check_message(&b, bad[i].words);
    assert_int_equal(out.length, 0);
    crd__onnx_file_destroy(file);
    crd__text_clear(top(&b));
  }
}

static void numbers_of_classes_are_checked(void **state) {
  builder b = make(state, &forms[0]);
  crd__onnx_file *const file = read_bytes(b.ctx, made(&b).bytes, made(&b).length);
  crd__text out;
  crd__text_init(&out, &b.ctx->alloc);
  assert_int_equal(crd__onnx_layer_replace(b.ctx, file, 0, none, &out), CRD_EUSAGE);
  check_message(&b, "0 classes");
  assert_int_equal(crd__onnx_layer_replace(b.ctx, file, SIZE_MAX / 2, none, &out), CRD_EUSAGE);
  check_message(&b, "too many for memory");
  crd__onnx_file_destroy(file);
  crd__text_clear(top(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(every_form_is_replaced),
                                      cmocka_unit_test(other_outputs_are_refused),
                                      cmocka_unit_test(numbers_of_classes_are_checked) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* fuse_test.c -- fusion rules match the patterns that exporters write; golden/networks tests that
 * results stay the same. */
#include "graph/fuse.h"

#include "support.h"

#include "base/random.h"
#include "onnx/graph.h"

#include <math.h>
#include <stdio.h>

static size_t count(const crd__graph *net, const crd__graph_op *op) {
  size_t found = 0;
  for (size_t n = 0; n < net->node_count; n++)
    found += !net->nodes[n].gone && net->nodes[n].op == op;
  return found;
}

static crd__graph *infer_and_fuse(crd_context *ctx, const crd__onnx_file *file) {
  const crd_compile_options options = { .size = sizeof options, .batch = 1 };
  crd__graph *net;
  assert_int_equal(crd__graph_create(ctx, file, &options, &net), CRD_OK);
  for (size_t n = 0; n < net->node_count; n++)
    assert_int_equal(crd__graph_infer(ctx, net, &net->nodes[n]), CRD_OK);
  assert_int_equal(crd__graph_fuse(ctx, net), CRD_OK);
  return net;
}

/* Expected numbers of nodes after fusion. */
static const struct {
  const char *name;
  size_t norms, products; /* left after fusion */
  size_t after;           /* elementwise functions fused into products and convolutions, at least */
} cases[] = {
  { "vit-opset11-dynamic", 7, 15, 3 },       { "vit-opset17", 7, 15, 3 },
  { "mixer-opset9-dynamic", 7, 12, 6 },      { "mixer-opset17-dynamic", 7, 12, 6 },
  { "mobilenet-opset13-dynamic", 0, 0, 20 },
};

static void exported_networks_are_fused(void **state) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[300];
    crd__onnx_file *file;
    size_t after = 0;
    snprintf(path, sizeof path, "%s/tests/networks/%s.onnx", CREDENCE_SOURCE, cases[i].name);
    assert_int_equal(crd__onnx_file_open(*state, path, &file), CRD_OK);
    crd__graph *const net = infer_and_fuse(*state, file);
    for (size_t n = 0; n < net->node_count; n++)
      for (size_t k = 0; k < net->nodes[n].after.count && !net->nodes[n].gone; k++)
        after += !net->nodes[n].after.items[k].sum;
    assert_int_equal(count(net, &crd__graph_op_erf), 0);
    assert_int_equal(count(net, &crd__graph_op_gelu), 0);
    assert_int_equal(count(net, &crd__graph_op_sqrt), 0);
    assert_int_equal(count(net, &crd__graph_op_layer_normalization), cases[i].norms);
    assert_int_equal(count(net, &crd__graph_op_matmul), cases[i].products);
    assert_true(after >= cases[i].after);
    crd__graph_destroy(net);
    crd__onnx_file_destroy(file);
  }
}

/* ---- Small graphs, in which any intermediate value may also be an output. */

enum { ROWS = 6, COLUMNS = 8, VALUES = 10 };

typedef struct {
  crd__onnx_graph graph;
  size_t count; /* number of nodes */
  crd__onnx_graph_value values[VALUES];
  int64_t columns[VALUES];
} builder;

static crd__onnx_graph_value add(builder *b, const char *op, crd__onnx_graph_value x,
                                 const crd__onnx_graph_value *y, int64_t columns,
                                 const crd__onnx_graph_attribute *attributes) {
  const crd__onnx_graph_value inputs[] = { x, y ? *y : x };
  b->values[b->count] = crd__onnx_graph_node(&b->graph, op, inputs, y ? 2 : 1, attributes);
  b->columns[b->count] = columns;
  return b->values[b->count++];
}

static crd__onnx_graph_value pair(builder *b, const char *op, crd__onnx_graph_value x,
                                  crd__onnx_graph_value y) {
  return add(b, op, x, &y, COLUMNS, NULL);
}

static crd__onnx_graph_value number(builder *b, const char *name, float value) {
  return crd__onnx_graph_floats(&b->graph, name, &value, NULL, 0);
}

static void gelu_with(builder *b, crd__onnx_graph_value x, crd__onnx_graph_value root) {
  const crd__onnx_graph_value by = pair(b, "Div", x, root);
  const crd__onnx_graph_value erf = add(b, "Erf", by, NULL, COLUMNS, NULL);
  const crd__onnx_graph_value sum = pair(b, "Add", erf, number(b, "one", 1));
  pair(b, "Mul", pair(b, "Mul", x, sum), number(b, "half", 0.5F));
}

static void gelu(builder *b, crd__onnx_graph_value x) {
  gelu_with(b, x, number(b, "root", 1.41421356F));
}

static void gelu_inaccurate(builder *b, crd__onnx_graph_value x) {
  gelu_with(b, x, number(b, "root", 1.4140625F));
}

/* The square root of 2 as a float16. */
static void gelu_float16(builder *b, crd__onnx_graph_value x) {
  const crd__onnx_graph_attribute to[] = { { .name = "to", .i = 10, .type = CRD__ATTRIBUTE_INT },
                                           { .name = NULL } };
  gelu_with(b, x, add(b, "Cast", number(b, "root", 1.4140625F), NULL, 1, to));
}

static void gelu_half_first(builder *b, crd__onnx_graph_value x) {
  const crd__onnx_graph_value half = pair(b, "Mul", number(b, "half", 0.5F), x);
  const crd__onnx_graph_value by = pair(b, "Mul", x, number(b, "root", 0.70710678F));
  const crd__onnx_graph_value erf = add(b, "Erf", by, NULL, COLUMNS, NULL);
  pair(b, "Mul", half, pair(b, "Add", number(b, "one", 1), erf));
}

static void hard_swish(builder *b, crd__onnx_graph_value x) {
  const crd__onnx_graph_attribute sixth[] = {
    { .name = "alpha", .f = 1.0F / 6, .type = CRD__ATTRIBUTE_FLOAT }, { .name = NULL }
  };
  pair(b, "Mul", x, add(b, "HardSigmoid", x, NULL, COLUMNS, sixth));
}

static void layer_norm_of(builder *b, crd__onnx_graph_value x, bool product) {
  const int64_t last[] = { -1 }, dims[] = { COLUMNS };
  const crd__onnx_graph_attribute axes[] = {
    { .name = "axes", .ints = last, .count = 1, .type = CRD__ATTRIBUTE_INTS }, { .name = NULL }
  };
  float list[COLUMNS];
  for (size_t i = 0; i < COLUMNS; i++) list[i] = (float)i / 4 - 1;
  const crd__onnx_graph_value mean = add(b, "ReduceMean", x, NULL, 1, axes),
                              d = pair(b, "Sub", x, mean);
  const crd__onnx_graph_value square =
      product ? pair(b, "Mul", d, d) : pair(b, "Pow", d, number(b, "two", 2));
  const crd__onnx_graph_value variance = add(b, "ReduceMean", square, NULL, 1, axes);
  const crd__onnx_graph_value small = number(b, "small", 1e-3F);
  const crd__onnx_graph_value sum = add(b, "Add", variance, &small, 1, NULL);
  const crd__onnx_graph_value ratio = pair(b, "Div", d, add(b, "Sqrt", sum, NULL, 1, NULL));
  const crd__onnx_graph_value scaled =
      pair(b, "Mul", ratio, crd__onnx_graph_floats(&b->graph, "scale", list, dims, 1));
  pair(b, "Add", scaled, crd__onnx_graph_floats(&b->graph, "shift", list, dims, 1));
}

static void layer_norm(builder *b, crd__onnx_graph_value x) { layer_norm_of(b, x, false); }
static void layer_norm_product(builder *b, crd__onnx_graph_value x) { layer_norm_of(b, x, true); }

enum { NOTHING = -1, ALL = -2 };

/* The last value is the first output; then the watched one, or all, in order. */
static void build(crd_context *ctx, void (*make)(builder *b, crd__onnx_graph_value x), int watched,
                  builder *b, crd__text *out) {
  const crd_allocator *const alloc = &ctx->alloc;
  *b = (builder){ .count = 0 };
  crd__onnx_graph_init(&b->graph, alloc);
  crd__text_init(out, alloc);
  make(b,
       crd__onnx_graph_input_of(&b->graph, "x", CRD__ONNX_FLOAT, (int64_t[]){ ROWS, COLUMNS }, 2));
  for (size_t i = 0; i < b->count; i++) {
    const size_t k = (i + b->count - 1) % b->count;
    if (i == 0 || watched == ALL || watched == (int)k)
      crd__onnx_graph_output_of(&b->graph, b->values[k], CRD__ONNX_FLOAT,
                                (int64_t[]){ ROWS, b->columns[k] }, 2);
  }
  assert_int_equal(crd__onnx_graph_finish(ctx, &b->graph, "graph", "", out), CRD_OK);
  crd__onnx_graph_clear(&b->graph);
}

/* Concatenate all outputs; returns the number of elements. */
static size_t run(crd_context *ctx, const crd__text *bytes, float *out) {
  crd_model *model;
  crd_network *network;
  float x[ROWS * COLUMNS];
  size_t count = 0;
  for (size_t i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(crd__random_uniform(1, 0, i) * 8 - 4);
  const crd_array input = { .data = x, .dtype = CRD_F32, .rank = 2, .dims = { ROWS, COLUMNS } };
  if (crd_model_open_memory(ctx, "graph", bytes->bytes, bytes->length, &model) != CRD_OK ||
      crd_network_compile(ctx, model, NULL, &network) != CRD_OK ||
      crd_network_run(ctx, network, &input, 1) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  for (size_t i = 0; crd_network_output(network, i); i++) {
    const crd_array *const y = crd_network_output(network, i);
    for (size_t k = 0; k < crd_array_count(y); k++) out[count++] = ((const float *)y->data)[k];
  }
  crd_network_destroy(network);
  crd_model_destroy(model);
  return count;
}

static void check_near(const float *a, const float *b, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(fabsf(a[i] - b[i]) <= 2e-6F * (1 + fabsf(b[i]))))
      fail_msg("%g instead of %g at %zu", (double)a[i], (double)b[i], i);
}

/* Count the nodes left after fusion. */
static size_t count_left(crd_context *ctx, const crd__text *bytes) {
  crd__onnx_file *file;
  crd__graph *net;
  size_t left = 0;
  assert_int_equal(
      crd__onnx_file_read(ctx, "graph",
                          (crd__onnx_span){ (const unsigned char *)bytes->bytes, bytes->length },
                          &file),
      CRD_OK);
  net = infer_and_fuse(ctx, file);
  for (size_t n = 0; n < net->node_count; n++) left += !net->nodes[n].gone;
  crd__graph_destroy(net);
  crd__onnx_file_destroy(file);
  return left;
}

static void check_graph(crd_context *ctx, void (*make)(builder *b, crd__onnx_graph_value x)) {
  static float all[VALUES * ROWS * COLUMNS], some[2 * ROWS * COLUMNS];
  builder b;
  crd__text bytes;
  build(ctx, make, ALL, &b, &bytes);
  run(ctx, &bytes, all);
  assert_int_equal(count_left(ctx, &bytes), b.count); /* every value has another reader */
  crd__text_clear(&bytes);
  const size_t nodes = b.count;
  for (int watched = NOTHING; watched < (int)nodes - 1; watched++) {
    build(ctx, make, watched, &b, &bytes);
    const size_t count = run(ctx, &bytes, some);
    size_t from = ROWS * COLUMNS; /* after the first output */
    for (int k = 0; k < watched; k++) from += (size_t)(ROWS * b.columns[k]);
    check_near(some, all, ROWS * COLUMNS);
    check_near(some + ROWS * COLUMNS, all + from, count - ROWS * COLUMNS);
    if (watched == NOTHING) assert_int_equal(count_left(ctx, &bytes), 1);
    crd__text_clear(&bytes);
  }
}

static void only_what_nobody_else_reads_is_fused(void **state) {
  check_graph(*state, gelu);
  check_graph(*state, gelu_half_first);
  check_graph(*state, hard_swish);
  check_graph(*state, layer_norm);
  check_graph(*state, layer_norm_product);
}

/* Numbers of float16 are recognized as far as they can be written; those of float32 are exact. */
static void rounded_numbers_are_recognized(void **state) {
  static const struct {
    void (*make)(builder *b, crd__onnx_graph_value x);
    bool fused;
  } graphs[] = { { gelu_float16, true }, { gelu_inaccurate, false } };
  for (size_t i = 0; i < 2; i++) {
    builder b;
    crd__text bytes;
    build(*state, graphs[i].make, NOTHING, &b, &bytes);
    assert_true((count_left(*state, &bytes) == 1) == graphs[i].fused);
    crd__text_clear(&bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(exported_networks_are_fused),
    cmocka_unit_test(only_what_nobody_else_reads_is_fused),
    cmocka_unit_test(rounded_numbers_are_recognized),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

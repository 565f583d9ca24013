/*
 * shift_test.c -- a constant added to a value: the copy is the model as it would have been built
 * with an Add in it, byte by byte.
 */
#include "messages_test.h"

#include "onnx/shift.h"

#include <stdio.h>

static const float values[] = { 0.5F, -1, 1e-30F };
static const int64_t sample[] = { 3 };

#define LONG_NAME                                                                                  \
  "model/backbone/stage_1/block_12/attention/projection/output/dropout/residual/addition/value_0"

/* How a model is built: with the names as they are, or with the Add in front of a node. */
typedef struct {
  const char *input; /* its name */
  const char *value; /* NULL: nothing is added */
  size_t before;     /* the node with the Add in front of it */
  const char *prefix;
  const char *taken; /* a name in use; NULL: none */
} form;

static const char *reader_of(const form *f, const char *name) {
  static char sums[4][40];
  static unsigned next;
  if (!f->value || strcmp(f->value, name) != 0) return name;
  snprintf(sums[++next % 4], sizeof sums[0], "%sperturbed", f->prefix);
  return sums[next % 4];
}

static void put_sum(builder *b, const form *f) {
  crd__onnx_graph graph;
  char delta[40], sum[40];
  snprintf(delta, sizeof delta, "%sdelta", f->prefix);
  snprintf(sum, sizeof sum, "%sperturbed", f->prefix);
  crd__onnx_graph_init(&graph, &b->ctx->alloc);
  crd__onnx_graph_floats(&graph, delta, values, sample, 1);
  crd__text_add_bytes(top(b), graph.body.bytes, graph.body.length);
  crd__onnx_graph_clear(&graph);
  enter(b, GRAPH_NODE);
  crd__onnx_proto_string(top(b), NODE_INPUT, f->value);
  crd__onnx_proto_string(top(b), NODE_INPUT, delta);
  crd__onnx_proto_string(top(b), NODE_OUTPUT, sum);
  crd__onnx_proto_string(top(b), NODE_NAME, sum);
  crd__onnx_proto_string(top(b), NODE_OP, "Add");
  leave(b);
}

static void put(builder *b, const form *f, size_t index, const char *op, const char *first,
                const char *second, const char *output) {
  if (f->value && index == f->before) put_sum(b, f);
  enter(b, GRAPH_NODE);
  crd__onnx_proto_string(top(b), 77, "future of the node");
  crd__onnx_proto_string(top(b), NODE_INPUT, reader_of(f, first));
  if (second) crd__onnx_proto_string(top(b), NODE_INPUT, reader_of(f, second));
  crd__onnx_proto_string(top(b), NODE_OUTPUT, output);
  crd__onnx_proto_string(top(b), NODE_OP, op);
  if (f->taken && index == 0) crd__onnx_proto_string(top(b), NODE_NAME, f->taken);
  leave(b);
}

static void put_pair(builder *b, const char *key, const char *value) {
  enter(b, MODEL_METADATA);
  crd__onnx_proto_string(top(b), ENTRY_KEY, key);
  crd__onnx_proto_string(top(b), ENTRY_VALUE, value);
  leave(b);
}

/* z = (x x + (-w)) - x; the last node is the first of the file. `lone` is read by nothing, and `w`
 * depends on no input. */
static builder build(void **state, const form *f) {
  static const int64_t dims[] = { -1, 3 };
  builder b = begin(state);
  crd__onnx_proto_int(top(&b), MODEL_IR, 8);
  crd__onnx_proto_string(top(&b), 99, "future of the model");
  enter(&b, MODEL_OPSET);
  crd__onnx_proto_int(top(&b), OPSET_VERSION, 13);
  leave(&b);
  if (!f->value) put_pair(&b, "credence.clamp", "of an earlier one");
  put_pair(&b, "author", "somebody");
  enter(&b, MODEL_GRAPH);
  put_value(&b, GRAPH_INPUT, f->input, CRD__ONNX_FLOAT, dims, 2);
  open_tensor(&b, GRAPH_INITIALIZER, "w", CRD__ONNX_FLOAT, sample, 1);
  crd__onnx_proto_bytes(top(&b), TENSOR_FLOATS, (const float[]){ 1, 2, 3 }, 12);
  leave(&b);
  put(&b, f, 0, "Neg", "w", NULL, "v");
  put(&b, f, 1, "Sub", "b", f->input, "z");
  crd__onnx_proto_string(top(&b), 98, "future of the graph");
  put(&b, f, 2, "Mul", f->input, f->input, "a");
  put(&b, f, 3, "Add", "a", "v", "b");
  put(&b, f, 4, "Relu", "a", NULL, "lone");
  put_value(&b, GRAPH_OUTPUT, "z", CRD__ONNX_FLOAT, dims, 2);
  leave(&b);
  if (f->value) put_pair(&b, "credence.clamp", "added");
  return b;
}

static crd__onnx_file *read_made(const builder *b) {
  crd__onnx_file *file;
  if (crd__onnx_file_read(b->ctx, "m.onnx", made(b), &file) != CRD_OK)
    fail_msg("%s", crd_context_message(b->ctx));
  return file;
}

static crd_status write(const builder *b, const char *value, crd__text *out) {
  const crd_metadata pair = { "credence.clamp", "added" };
  const crd__onnx_shift shift = {
    .value = value, .values = values, .rank = 1, .dims = { 3 }, .metadata = { &pair, 1 }
  };
  crd__onnx_file *const file = read_made(b);
  crd__text_init(out, &b->ctx->alloc);
  const crd_status status = crd__onnx_shift_write(b->ctx, file, &shift, out);
  crd__onnx_file_destroy(file);
  return status;
}

static void copies_have_an_add(void **state) {
  static const form forms[] = {
    { .input = "x", .value = "x", .before = 1, .prefix = "credence_" },
    { .input = "x", .value = "a", .before = 3, .prefix = "credence_" },
    { .input = "x", .value = "b", .before = 1, .prefix = "credence_" },
    { .input = LONG_NAME, .value = LONG_NAME, .before = 1, .prefix = "credence_" },
    { .input = "x", .value = "x", .before = 1, .prefix = "credence2_", .taken = "credence_old" },
    { .input = "credence_x", .value = "credence_x", .before = 1, .prefix = "credence2_" },
    { .input = "credence_x",
      .value = "a",
      .before = 3,
      .prefix = "credence3_",
      .taken = "credence2_x" },
  };
  assert_true(strlen(LONG_NAME) > 80);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    form plain = forms[i];
    plain.value = NULL;
    builder before = build(state, &plain), after = build(state, &forms[i]);
    crd__text found;
    if (write(&before, forms[i].value, &found) != CRD_OK)
      fail_msg("%s", crd_context_message(*state));
    if (found.length != made(&after).length ||
        memcmp(found.bytes, made(&after).bytes, found.length) != 0)
      fail_msg("copy %zu differs", i);
    /* It is a model, and the sum can be computed before its readers. */
    const crd__onnx_span bytes = { (const unsigned char *)found.bytes, found.length };
    crd__onnx_file *file;
    assert_int_equal(crd__onnx_file_read(*state, "copy.onnx", bytes, &file), CRD_OK);
    assert_int_equal(file->node_count, 6);
    assert_string_equal(crd__onnx_file_metadata(file, "credence.clamp"), "added");
    assert_string_equal(crd__onnx_file_metadata(file, "author"), "somebody");
    crd__onnx_file_destroy(file);
    crd__text_clear(&found);
    crd__text_clear(top(&before));
    crd__text_clear(top(&after));
  }
}

/* ---- Failures. */

static void refuse(const builder *b, const char *value, crd_status status, const char *words) {
  crd__text found;
  assert_int_equal(write(b, value, &found), status);
  check_message(b, words);
  assert_int_equal(found.length, 0);
  crd__text_clear(&found);
}

static void other_values_fail(void **state) {
  builder b = build(state, &(form){ .input = "pixels" });
  refuse(&b, "pixel", CRD_EUSAGE, "m.onnx: no tensor is called 'pixel'; did you mean 'pixels'?");
  refuse(&b, "", CRD_EUSAGE, "m.onnx: no tensor is called ''");
  refuse(&b, "w", CRD_EUSAGE, "m.onnx: 'w' is a constant: it does not depend on an input");
  refuse(&b, "v", CRD_EUSAGE, "m.onnx: 'v' is a constant: it does not depend on an input");
  refuse(&b, "lone", CRD_EUSAGE, "m.onnx: no node reads 'lone'");
  refuse(&b, "z", CRD_EUSAGE, "m.onnx: no node reads 'z'");
  crd__text_clear(top(&b));
}

static void inner_graphs_fail(void **state) {
  static const struct {
    unsigned field;
    int type;
  } attributes[] = { { ATTRIBUTE_GRAPH, 5 },
                     { ATTRIBUTE_GRAPH, 0 },
                     { ATTRIBUTE_GRAPHS, 10 },
                     { ATTRIBUTE_GRAPHS, 0 } };
  for (size_t i = 0; i < 4; i++) {
    builder b = begin(state);
    open_graph(&b, "y");
    put_node(&b, "Relu", "x", "h");
    open_node(&b, "If", "h", "y");
    enter(&b, NODE_ATTRIBUTE);
    crd__onnx_proto_string(top(&b), ATTRIBUTE_NAME, "then_branch");
    if (attributes[i].type) crd__onnx_proto_int(top(&b), ATTRIBUTE_TYPE, attributes[i].type);
    enter(&b, attributes[i].field);
    put_node(&b, "Neg", "x", "inner");
    while (b.depth) leave(&b);
    refuse(&b, "x", CRD_EINPUT, "m.onnx: node 'y' (If) has a graph inside, which might read 'x'");
    crd__text_clear(top(&b));
  }
}

static void put_small(builder *b, int64_t opset, int type, const int64_t *dims, size_t rank) {
  crd__onnx_proto_int(top(b), MODEL_IR, 7);
  enter(b, MODEL_OPSET);
  crd__onnx_proto_int(top(b), OPSET_VERSION, opset);
  leave(b);
  enter(b, MODEL_GRAPH);
  put_value(b, GRAPH_INPUT, "x", type, dims, rank);
  put_node(b, "Neg", "x", "y");
  put_value(b, GRAPH_OUTPUT, "y", type, dims, rank);
  leave(b);
}

static void old_operator_sets_fail(void **state) {
  static const int64_t dims[] = { -1, 3 };
  crd__text found;
  for (int64_t opset = 6; opset < 8; opset++) {
    builder b = begin(state);
    put_small(&b, opset, CRD__ONNX_FLOAT, dims, 2);
    if (opset < 7)
      refuse(&b, "x", CRD_EINPUT, "m.onnx: the model has operator set 6; at least 7 is needed");
    else assert_int_equal(write(&b, "x", &found), CRD_OK);
    crd__text_clear(top(&b));
  }
  crd__text_clear(&found);
}

/* What the file gives of type and shape must fit; what it leaves open may. */
static void other_shapes_fail(void **state) {
  static const struct {
    int type;
    int64_t dims[3];
    size_t rank;
    const char *words; /* NULL: it fits */
  } cases[] = {
    { CRD__ONNX_FLOAT, { 8, 3 }, 2, NULL },
    { CRD__ONNX_FLOAT, { -1, -2 }, 2, NULL },
    { CRD__ONNX_FLOAT, { -1, 4 }, 2, "m.onnx: rows of 'x' have the shape 4, the perturbation" },
    { CRD__ONNX_FLOAT, { -1, 1 }, 2, "m.onnx: rows of 'x' have the shape 1, the perturbation" },
    { CRD__ONNX_FLOAT, { 3 }, 1, "m.onnx: 'x' has no rows that a perturbation is added to" },
    { CRD__ONNX_FLOAT,
      { -1, 3, 3 },
      3,
      "m.onnx: rows of 'x' have the shape 3 x 3, the perturbation" },
    { CRD__ONNX_INT64,
      { -1, 3 },
      2,
      "m.onnx: 'x' is i64; a perturbation can only be added to f32" },
    { CRD__ONNX_DOUBLE,
      { -1, 3 },
      2,
      "m.onnx: 'x' is f64; a perturbation can only be added to f32" },
    { 10, { -1, 3 }, 2, "m.onnx: 'x' is f16; a perturbation can only be added to f32" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    builder b = begin(state);
    crd__text found;
    put_small(&b, 13, cases[i].type, cases[i].dims, cases[i].rank);
    if (cases[i].words) refuse(&b, "x", CRD_EUSAGE, cases[i].words);
    else {
      assert_int_equal(write(&b, "x", &found), CRD_OK);
      crd__text_clear(&found);
    }
    crd__text_clear(top(&b));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(copies_have_an_add),
                                      cmocka_unit_test(other_values_fail),
                                      cmocka_unit_test(inner_graphs_fail),
                                      cmocka_unit_test(old_operator_sets_fail),
                                      cmocka_unit_test(other_shapes_fail) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* model_test.c -- models built field by field, valid and broken. */
#include "messages_test.h"

#include "onnx/model.h"

#include <stdlib.h>
#include <string.h>

static void add_output(builder *b, const char *name, int type, int64_t columns) {
  put_value(b, GRAPH_OUTPUT, name, type, (int64_t[]){ -1, columns }, 2);
}

static crd_status read(const builder *b, size_t length, crd__onnx_model *out) {
  const crd__onnx_span bytes = { (const unsigned char *)(length ? b->texts[0].bytes : ""), length };
  return crd__onnx_read(b->ctx, "m.onnx", bytes, NULL, out);
}

static void finds_values_and_their_makers(void **state) {
  builder b = begin(state);
  crd__onnx_model m;
  crd__onnx_value v;
  crd__onnx_span op, input;
  crd__onnx_proto_int(top(&b), MODEL_IR, 9);
  enter(&b, MODEL_OPSET);
  crd__onnx_proto_string(top(&b), OPSET_DOMAIN, "ai.onnx.ml");
  crd__onnx_proto_int(top(&b), OPSET_VERSION, 3);
  leave(&b);
  enter(&b, MODEL_OPSET);
  crd__onnx_proto_int(top(&b), OPSET_VERSION, 19);
  leave(&b);
  enter(&b, MODEL_GRAPH);
  put_node(&b, "Relu", "x", "inner");
  put_node(&b, "Softmax", "inner", "p");
  add_output(&b, "p", CRD__ONNX_FLOAT, 7);
  leave(&b);
  assert_int_equal(read(&b, b.texts[0].length, &m), CRD_OK);
  assert_int_equal(m.ir, 9);
  assert_int_equal(m.opset, 19);
  assert_false(m.external);
  assert_int_equal(crd__onnx_find(b.ctx, &m, NULL, &v), CRD_OK);
  assert_true(crd__onnx_span_is(v.name, "p") && v.shaped && v.rank == 2 && v.columns == 7);
  assert_int_equal(v.type, CRD__ONNX_FLOAT);
  assert_int_equal(v.rows.length, 3); /* a name of one letter */
  assert_true(crd__onnx_producer(&m, v.name, &op, &input));
  assert_true(crd__onnx_span_is(op, "Softmax") && crd__onnx_span_is(input, "inner"));
  assert_int_equal(crd__onnx_find(b.ctx, &m, "inner", &v), CRD_OK);
  assert_true(crd__onnx_span_is(v.name, "inner") && !v.shaped && v.type == 0);
  assert_int_equal(crd__onnx_find(b.ctx, &m, "x", &v), CRD_EUSAGE);
  check_message(&b, "nothing in the model is called 'x'; its outputs are 'p'");
  assert_true(crd__onnx_has_name(&m, "inne", false) && !crd__onnx_has_name(&m, "inne", true));
  crd__text_clear(top(&b));
}

/* A subgraph in a node, and a tensor with external data. */
static void looks_into_graphs_inside(void **state) {
  builder b = begin(state);
  crd__onnx_model m;
  enter(&b, MODEL_GRAPH);
  enter(&b, GRAPH_NODE);
  enter(&b, NODE_ATTRIBUTE);
  enter(&b, ATTRIBUTE_GRAPH);
  put_node(&b, "Neg", "a", "credence_v1");
  enter(&b, GRAPH_INITIALIZER);
  crd__onnx_proto_int(top(&b), TENSOR_LOCATION, LOCATION_EXTERNAL);
  for (size_t i = 0; i < 5; i++) leave(&b);
  assert_int_equal(read(&b, b.texts[0].length, &m), CRD_OK);
  assert_true(m.external && crd__onnx_has_name(&m, "credence_", false));
  crd__text_clear(top(&b));
}

static void endless_nesting_is_refused(void **state) {
  for (size_t graphs = 30; graphs <= 40; graphs += 10) {
    builder b = begin(state);
    crd__onnx_model m;
    enter(&b, MODEL_GRAPH);
    for (size_t i = 0; i < graphs; i++) {
      enter(&b, GRAPH_NODE);
      enter(&b, NODE_ATTRIBUTE);
      enter(&b, ATTRIBUTE_GRAPH);
    }
    while (b.depth) leave(&b);
    assert_int_equal(read(&b, b.texts[0].length, &m), graphs > 32 ? CRD_EINPUT : CRD_OK);
    crd__text_clear(top(&b));
  }
}

/* Every truncation of a model fails, except those between two of its fields. */
static void truncated_files_fail(void **state) {
  builder b = begin(state);
  crd__onnx_model m;
  enter(&b, MODEL_GRAPH);
  put_node(&b, "Relu", "x", "y");
  add_output(&b, "y", CRD__ONNX_FLOAT, 3);
  leave(&b);
  const size_t whole = b.texts[0].length;
  crd__onnx_proto_int(top(&b), MODEL_IR, 9);
  for (size_t length = 0; length < b.texts[0].length; length++) {
    const crd_status status = read(&b, length, &m);
    assert_int_equal(status, length == whole ? CRD_OK : CRD_EINPUT);
  }
  check_message(&b, "m.onnx: not an ONNX model, or truncated");
  assert_int_equal(read(&b, 0, &m), CRD_EINPUT);
  check_message(&b, "it has 0 graphs, expected one");
  crd__text_clear(top(&b));
}

static void lies_about_lengths_are_refused(void **state) {
  static const struct {
    const char *bytes;
    size_t length;
  } cases[] = {
    { "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },     /* a graph of 2^64 - 1 bytes */
    { "\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12 }, /* a varint that never ends */
    { "\x3a\x02\x0a\x05", 4 },                                  /* a node longer than its graph */
    { "\x38\x01", 2 },                                          /* a graph encoded as a varint */
    { "\x03\x01", 2 },                                          /* field 0, and a group */
    { "\x3d\x01\x02", 3 },     /* four bytes announced, two present */
    { "\x3a\x00\x3a\x00", 4 }, /* two graphs */
  };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__onnx_model m;
    unsigned char *const copy = malloc(cases[i].length); /* exact, to detect overreads */
    memcpy(copy, cases[i].bytes, cases[i].length);
    const crd__onnx_span bytes = { copy, cases[i].length };
    assert_int_equal(crd__onnx_read(ctx, "lie.onnx", bytes, NULL, &m), CRD_EINPUT);
    free(copy);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_values_and_their_makers),  cmocka_unit_test(looks_into_graphs_inside),
    cmocka_unit_test(endless_nesting_is_refused),     cmocka_unit_test(truncated_files_fail),
    cmocka_unit_test(lies_about_lengths_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* proto_test.c -- the examples of the protocol buffers' own description, byte for byte. */
#include "support.h"

#include "onnx/graph.h"
#include "onnx/proto.h"

#include <string.h>

static void begin(void **state, crd__text *text) {
  crd__text_init(text, &((crd_context *)*state)->alloc);
}

static void check(crd__text *text, const char *bytes, size_t count) {
  assert_false(text->failed);
  assert_int_equal(text->length, count);
  assert_memory_equal(text->bytes, bytes, count);
  crd__text_clear(text);
}

static void numbers(void **state) {
  crd__text text;
  begin(state, &text);
  crd__onnx_proto_int(&text, 1, 150); /* the description's first example */
  check(&text, "\x08\x96\x01", 3);
  begin(state, &text);
  crd__onnx_proto_int(&text, 2, 0);
  crd__onnx_proto_int(&text, 16, 127); /* a key of two bytes */
  crd__onnx_proto_int(&text, 1, -2);
  check(&text, "\x10\x00\x80\x01\x7f\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16);
}

static void numbers_with_a_point(void **state) {
  crd__text text;
  begin(state, &text);
  crd__onnx_proto_float(&text, 2, -1.5F); /* 0xbfc00000 */
  check(&text, "\x15\x00\x00\xc0\xbf", 5);
}

static void strings_and_messages(void **state) {
  crd__text text, inner;
  begin(state, &text);
  begin(state, &inner);
  crd__onnx_proto_string(&text, 2, "testing"); /* the description's second example */
  check(&text, "\x12\x07testing", 9);
  begin(state, &text);
  crd__onnx_proto_int(&inner, 1, 150);
  crd__onnx_proto_message(&text, 3, &inner);
  crd__text_clear(&inner);
  crd__onnx_proto_message(&text, 4, &inner); /* an empty one */
  check(&text, "\x1a\x03\x08\x96\x01\x22\x00", 7);
}

/* A constant of two dimensions, and one without any. */
static void tensors(void **state) {
  crd__onnx_graph graph;
  crd_context *const ctx = *state;
  crd__onnx_graph_init(&graph, &ctx->alloc);
  assert_string_equal(crd__onnx_graph_doubles(&graph, (double[]){ 1, -2 }, 1, 2).name, "v0");
  assert_string_equal(crd__onnx_graph_doubles(&graph, (double[]){ 1 }, 0, 0).name, "v1");
  static const char expected[] = "\x2a\x1c\x08\x01\x08\x02\x10\x0b\x42\x02v0\x4a\x10"
                                 "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0"
                                 "\x2a\x10\x10\x0b\x42\x02v1\x4a\x08\0\0\0\0\0\0\xf0\x3f";
  assert_int_equal(graph.body.length, sizeof expected - 1);
  assert_memory_equal(graph.body.bytes, expected, sizeof expected - 1);
  crd__onnx_graph_clear(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers),
    cmocka_unit_test(numbers_with_a_point),
    cmocka_unit_test(strings_and_messages),
    cmocka_unit_test(tensors),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

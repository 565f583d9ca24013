/* settle_test.c -- models exported for training, as models for inference. */
#include "messages_test.h"

#include "onnx/settle.h"

static void put_number(builder *b, const char *name, int64_t value) {
  enter(b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, name);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INT, value);
  crd__onnx_proto_int(top(b), ATTRIBUTE_TYPE, CRD__ATTRIBUTE_INT);
  leave(b);
}

static void put_floats(builder *b, const char *name) {
  static const float ones[] = { 1, 1, 1 };
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, ones, sizeof ones);
  leave(b);
}

typedef struct {
  int64_t opset;
  bool training;      /* as exported for training, or what is expected of it */
  const char *reader; /* a further node that reads this; NULL: none */
} recipe;

/* y = Dropout(BatchNormalization(x)). */
static builder make(void **state, recipe r) {
  builder b = begin(state);
  crd__onnx_proto_int(top(&b), MODEL_IR, 8);
  enter(&b, MODEL_OPSET);
  crd__onnx_proto_int(top(&b), OPSET_VERSION, r.opset);
  leave(&b);
  enter(&b, MODEL_GRAPH);
  put_value(&b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  for (const char *name = "s\0t\0m\0v\0r\0o\0"; *name; name += 2) put_floats(&b, name);
  open_node(&b, "BatchNormalization", "x,s,t,m,v", r.training ? "h,m2,v2" : "h");
  if (r.training) put_number(&b, "training_mode", 1);
  put_number(&b, "momentum", 1);
  leave(&b);
  put_node(&b, "Dropout", r.training ? "h,r,o" : "h,r", "y,mask");
  if (r.reader) put_node(&b, "Relu", r.reader, "z");
  put_value(&b, GRAPH_VALUE, "h", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  if (r.training) put_value(&b, GRAPH_VALUE, "m2", CRD__ONNX_FLOAT, (int64_t[]){ 3 }, 1);
  put_value(&b, GRAPH_OUTPUT, "y", CRD__ONNX_FLOAT, (int64_t[]){ -1, 3 }, 2);
  while (b.depth) leave(&b);
  return b;
}

static crd_status settle(const builder *b, crd__text *out) {
  crd__onnx_file *file;
  if (crd__onnx_file_read(b->ctx, "made.onnx", made(b), &file) != CRD_OK)
    fail_msg("%s", crd_context_message(b->ctx));
  crd__text_init(out, &b->ctx->alloc);
  const crd_status status = crd__onnx_settle_write(b->ctx, file, out);
  crd__onnx_file_destroy(file);
  return status;
}

static void check_settled(void **state, recipe given, recipe wanted) {
  builder b = make(state, given), want = make(state, wanted);
  crd__text out;
  assert_int_equal(settle(&b, &out), CRD_OK);
  assert_int_equal(out.length, made(&want).length);
  assert_memory_equal(out.bytes, made(&want).bytes, out.length);
  crd__text_clear(&out);
  crd__text_clear(top(&b));
  crd__text_clear(top(&want));
}

static void training_is_turned_off(void **state) {
  for (int64_t opset = 14; opset <= 20; opset += 3)
    check_settled(state, (recipe){ opset, true, NULL }, (recipe){ opset, false, NULL });
  check_settled(state, (recipe){ 14, true, "h" }, (recipe){ 14, false, "h" });
}

/* Others, and those of operator sets in which the mode was something else, keep their bytes. */
static void other_models_stay(void **state) {
  check_settled(state, (recipe){ 17, false, NULL }, (recipe){ 17, false, NULL });
  check_settled(state, (recipe){ 11, true, NULL }, (recipe){ 11, true, NULL });
}

static void statistics_that_are_read_are_refused(void **state) {
  builder b = make(state, (recipe){ 17, true, "m2" });
  crd__text out;
  assert_int_equal(settle(&b, &out), CRD_EINPUT);
  check_message(&b, "made.onnx: 'm2', the running statistic after a batch, is read");
  assert_int_equal(out.length, 0);
  crd__text_clear(top(&b));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(training_is_turned_off),
                                      cmocka_unit_test(other_models_stay),
                                      cmocka_unit_test(statistics_that_are_read_are_refused) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* survey_test.c -- problems of nodes: causes are named once, nodes behind them only counted. */
#include "network/runs_test.h"

#include "network/network.h"
#include "onnx/messages_test.h"

static crd_model *open_made(builder *b) {
  crd_model *model;
  while (b->depth) leave(b);
  WORKS(b->ctx, crd_model_open_memory(b->ctx, "made.onnx", made(b).bytes, made(b).length, &model));
  return model;
}

static const crd_survey *survey_of(crd_context *ctx, const crd_model *model) {
  const crd_survey *survey;
  WORKS(ctx, crd_survey_make(ctx, model, NULL, &survey));
  return survey;
}

static void close_all(const crd_survey *survey, crd_model *model, builder *b) {
  crd_survey_destroy(survey);
  crd_model_destroy(model);
  crd__text_clear(top(b));
}

static void put_ints(builder *b, const char *name, const int64_t *values, int64_t count) {
  open_tensor(b, GRAPH_INITIALIZER, name, CRD__ONNX_INT64, &count, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, values, (size_t)count * sizeof *values);
  leave(b);
}

/* Two operators are unknown, one of them twice; of the nodes behind them only the one with an
 * attribute that does not exist is wrong by itself. */
static void causes_are_grouped(void **state) {
  builder b = begin(state);
  open_graph(&b, "y");
  put_node(&b, "Foo", "x", "a");
  put_node(&b, "Relu", "a", "b");
  put_node(&b, "Bar", "b", "c");
  put_node(&b, "Foo", "c", "d");
  open_node(&b, "Relu", "d", "e");
  enter(&b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(&b), ATTRIBUTE_NAME, "odd");
  crd__onnx_proto_int(top(&b), ATTRIBUTE_TYPE, 2);
  leave(&b);
  leave(&b);
  put_node(&b, "Relu", "e", "f");
  put_node(&b, "Add", "f,x", "y");
  crd_model *const model = open_made(&b);
  const crd_survey *const s = survey_of(*state, model);
  assert_int_equal(s->problem_count, 4);
  assert_int_equal(s->behind_count, 3);
  assert_int_equal(s->cause_count, 3);
  assert_string_equal(s->causes[0].problem, "the operator Foo is not supported");
  assert_true(s->causes[0].node_count == 2 && s->causes[0].first == 0);
  assert_string_equal(s->causes[1].problem, "the operator Bar is not supported");
  assert_true(s->causes[1].node_count == 1 && s->causes[1].first == 2);
  assert_string_equal(s->causes[2].problem, "Relu: its attribute 'odd' is unknown");
  assert_true(s->nodes[1].behind && !s->nodes[1].problem && !s->nodes[0].behind);
  assert_non_null(strstr(s->nodes[4].problem, "node 'e' (Relu): its attribute 'odd' is unknown"));
  close_all(s, model, &b);
}

/* The file records the shape of a computed value; it would be a constant, so that the node that
 * needs a constant is not to blame, even through another node. The next one is. */
static void lost_constants_are_not_causes(void **state) {
  static const int64_t shape[] = { 3, -1 };
  builder b = begin(state);
  open_graph(&b, "y");
  put_ints(&b, "shape", shape, 2);
  put_value(&b, GRAPH_VALUE, "computed", CRD__ONNX_INT64, (int64_t[]){ 2 }, 1);
  put_value(&b, GRAPH_VALUE, "flat", CRD__ONNX_FLOAT, (int64_t[]){ 3, 1 }, 2);
  put_node(&b, "Foo", "shape", "computed");
  put_node(&b, "Identity", "computed", "same");
  put_node(&b, "Reshape", "x,same", "flat");
  put_node(&b, "Relu", "flat", "active");
  put_node(&b, "MatMul", "active,active", "y"); /* 3 x 1 times 3 x 1 */
  crd_model *const model = open_made(&b);
  const crd_survey *const s = survey_of(*state, model);
  assert_true(s->nodes[0].problem && s->nodes[2].behind && !s->nodes[2].problem);
  assert_true(s->nodes[2].known && s->nodes[2].dims[0] == 3);
  assert_true(!s->nodes[3].behind && s->nodes[3].flops == 3);
  assert_true(s->nodes[4].problem && !s->nodes[4].behind);
  assert_true(s->problem_count == 2 && s->behind_count == 1 && s->cause_count == 2);
  close_all(s, model, &b);
}

/* The shape of a value of unknown shape is lost as well. */
static void lost_shapes_are_not_causes(void **state) {
  builder b = begin(state);
  open_graph(&b, "y");
  put_value(&b, GRAPH_VALUE, "shape", CRD__ONNX_INT64, (int64_t[]){ 2 }, 1);
  put_node(&b, "Foo", "x", "a");
  put_node(&b, "Shape", "a", "shape");
  put_node(&b, "Reshape", "x,shape", "y");
  crd_model *const model = open_made(&b);
  const crd_survey *const s = survey_of(*state, model);
  assert_true(s->problem_count == 1 && s->behind_count == 2);
  assert_true(s->nodes[1].behind && s->nodes[2].behind);
  close_all(s, model, &b);
}

/* A value that depends on the data is a cause of its own. */
static void data_dependence_is_a_cause(void **state) {
  builder b = begin(state);
  open_graph(&b, "y");
  put_node(&b, "Reshape", "x,x", "y");
  crd_model *const model = open_made(&b);
  const crd_survey *const s = survey_of(*state, model);
  assert_true(s->problem_count == 1 && !s->behind_count && s->cause_count == 1);
  assert_int_equal(strncmp(s->causes[0].problem, "Reshape: its input 1 ", 21), 0);
  close_all(s, model, &b);
}

static const struct {
  const char *file;
  size_t convolutions, batch_norms;
  bool noted;
} networks[] = {
  { "resnet50-opset13-dynamic", 53, 0, true },   /* folded */
  { "resnet20-opset11-dynamic", 19, 19, false }, /* kept */
  { "alexnet-opset11-dynamic", 5, 0, true },     /* never had any */
  { "vit-opset11-dynamic", 1, 0, false },        /* patches; layer norms of several nodes */
  { "vit-opset17", 1, 0, false },
  { "text-opset11", 3, 0, true },
};

static void missing_norms_are_noted(void **state) {
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
    char path[300];
    snprintf(path, sizeof path, CREDENCE_SOURCE "/tests/networks/%s.onnx", networks[i].file);
    crd_model *const model = open_model(*state, path);
    const crd_survey *const s = survey_of(*state, model);
    assert_int_equal(s->convolutions, networks[i].convolutions);
    assert_int_equal(s->batch_norms, networks[i].batch_norms);
    assert_true((s->note != NULL) == networks[i].noted);
    assert_true(!s->problem_count && !s->cause_count);
    crd_survey_destroy(s);
    crd_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(causes_are_grouped), TEST(lost_constants_are_not_causes),
                                      TEST(lost_shapes_are_not_causes),
                                      TEST(data_dependence_is_a_cause),
                                      TEST(missing_norms_are_noted) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

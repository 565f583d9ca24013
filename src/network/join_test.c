/* join_test.c -- small models in a row, as one model. */
#include "network/runs_test.h"

#include "network/model.h"
#include "onnx/messages_test.h"

static crd_model *join(crd_context *ctx, const crd_model *first, const crd_model *second) {
  crd_model *out;
  WORKS(ctx, crd_model_join(ctx, first, second, &out));
  return out;
}

/* ---- Small models: y = x + w. */

typedef struct {
  int64_t opset, ir, columns;
  const char *op;     /* of a further node, on y; NULL: none */
  const char *domain; /* of further operators, with a version; NULL: none */
  int64_t version;
  bool function, two_inputs;
  float w;
} recipe;

static void put_opset(builder *b, const char *domain, int64_t version) {
  enter(b, MODEL_OPSET);
  if (domain) crd__onnx_proto_string(top(b), OPSET_DOMAIN, domain);
  crd__onnx_proto_int(top(b), OPSET_VERSION, version);
  leave(b);
}

static crd_model *make(builder *b, void **state, recipe r) {
  const float values[] = { r.w, 2 * r.w, 3 * r.w };
  const int64_t columns = r.columns ? r.columns : 3, dims[] = { -1, columns };
  crd_model *model;
  *b = begin(state);
  crd__onnx_proto_int(top(b), MODEL_IR, r.ir ? r.ir : 8);
  put_opset(b, NULL, r.opset ? r.opset : 17);
  if (r.domain) put_opset(b, r.domain, r.version);
  enter(b, MODEL_GRAPH);
  crd__onnx_proto_string(top(b), GRAPH_NAME, "sum");
  put_value(b, GRAPH_INPUT, "x", CRD__ONNX_FLOAT, dims, 2);
  if (r.two_inputs) put_value(b, GRAPH_INPUT, "x2", CRD__ONNX_FLOAT, dims, 2);
  open_tensor(b, GRAPH_INITIALIZER, "w", CRD__ONNX_FLOAT, (int64_t[]){ columns }, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, values, (size_t)columns * 4);
  leave(b);
  open_node(b, "Add", "x,w", "y");
  crd__onnx_proto_string(top(b), NODE_NAME, "sum");
  leave(b);
  if (r.op) put_node(b, r.op, "y", "z");
  put_value(b, GRAPH_OUTPUT, r.op ? "z" : "y", CRD__ONNX_FLOAT, dims, 2);
  leave(b);
  if (r.function) crd__onnx_proto_string(top(b), MODEL_FUNCTION, "");
  WORKS(b->ctx, crd_model_open_memory(b->ctx, "sum.onnx", made(b).bytes, made(b).length, &model));
  return model;
}

static void names_get_a_prefix(void **state) {
  static const float x[] = { 1, 1, 1 };
  builder b, c;
  crd_model *const first = make(&b, state, (recipe){ .w = 1 });
  crd_model *const second = make(&c, state, (recipe){ .w = 10, .ir = 9 });
  crd_model *const both = join(*state, first, second);
  crd_model *const four = join(*state, both, both);
  const crd_array row = { .data = x, .dtype = CRD_F32, .rank = 2, .dims = { 1, 3 } };
  crd_array got = run_once(*state, four, &row);
  for (int i = 0; i < 3; i++) assert_true(((const float *)got.data)[i] == 1 + 22 * (float)(i + 1));
  assert_string_equal(crd_model_input(both, 0)->name, "x");
  assert_string_equal(crd_model_output(both, 0)->name, "second_y");
  assert_null(crd_model_output(both, 1));
  assert_string_equal(both->file->nodes[0].name, "sum");
  assert_string_equal(both->file->nodes[1].name, "second_sum");
  assert_int_equal(both->file->ir, 9);
  assert_string_equal(crd_model_output(four, 0)->name, "second2_second_y");
  drop(*state, &got);
  crd_model *const all[] = { first, second, both, four };
  for (size_t i = 0; i < 4; i++) crd_model_destroy(all[i]);
  crd__text_clear(top(&b));
  crd__text_clear(top(&c));
}

/* The later operator set is used, if nodes of the earlier one mean the same there. */
static void versions_of_operators(void **state) {
  static const struct {
    recipe first, second;
    int64_t opset;
    const char *words; /* NULL: they join */
  } cases[] = {
    { { .opset = 11, .op = "Relu" }, { .opset = 17 }, 17, NULL },
    { { .opset = 17 }, { .opset = 11, .op = "Flatten" }, 17, NULL },
    { { .opset = 13, .op = "Softmax" }, { .opset = 17 }, 17, NULL },
    { { .opset = 17 }, { .opset = 11, .op = "BatchNormalization" }, 17, NULL },
    { { .opset = 11, .op = "Softmax" },
      { .opset = 17 },
      0,
      "node 'z' (Softmax) of operator set 11 may mean something else in operator set 17" },
    { { .opset = 17 }, { .opset = 16, .op = "Unknown" }, 0, "node 'z' (Unknown)" },
    { { .opset = 8 }, { .opset = 17 }, 0, "node 'sum' (Add) of operator set 8" },
    { { .domain = "d", .version = 1 }, { .domain = "d", .version = 1 }, 17, NULL },
    { { .w = 1 }, { .domain = "d", .version = 1 }, 17, NULL },
    { { .domain = "d", .version = 1 },
      { .domain = "d", .version = 2 },
      0,
      "the operators 'd' have version 1 in sum.onnx, but 2 in sum.onnx" },
    { { .function = true }, { .w = 1 }, 17, NULL },
    { { .w = 1 }, { .function = true }, 17, NULL },
    { { .function = true }, { .function = true }, 0, "both have functions of their own" },
    { { .columns = 2 },
      { .columns = 3 },
      0,
      "output 'y' of sum.onnx is f32 of any x 2, but input 'x' of sum.onnx is f32 of any x 3" },
    { { .w = 1 }, { .two_inputs = true }, 0, "the model has 2 inputs, expected one" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    builder b, c;
    crd_model *const first = make(&b, state, cases[i].first);
    crd_model *const second = make(&c, state, cases[i].second);
    crd_model *both = first;
    const crd_status status = crd_model_join(*state, first, second, &both);
    if (cases[i].words) {
      FAILS(*state, CRD_EINPUT, status, cases[i].words);
      assert_null(both);
    } else {
      WORKS(*state, status);
      assert_int_equal(both->file->opset, cases[i].opset);
    }
    crd_model_destroy(both);
    crd_model_destroy(first);
    crd_model_destroy(second);
    crd__text_clear(top(&b));
    crd__text_clear(top(&c));
  }
}

static crd_status join_somewhere(crd_context *ctx, const void *path) {
  crd_model *model = NULL, *before = NULL, *after = NULL, *out = NULL;
  crd_status status = crd_model_open(ctx, path, &model);
  if (status == CRD_OK) status = crd_model_cut(ctx, model, "active", CRD_PART_BEFORE, &before);
  if (status == CRD_OK) status = crd_model_cut(ctx, model, "active", CRD_PART_AFTER, &after);
  if (status == CRD_OK) status = crd_model_join(ctx, before, after, &out);
  crd_model *const all[] = { model, before, after, out };
  for (size_t i = 0; i < 4; i++) crd_model_destroy(all[i]);
  return status;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  fail_each_allocation(join_somewhere, DATA_FILE("net.onnx"));
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(names_get_a_prefix), TEST(versions_of_operators),
                                      TEST(survives_lack_of_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

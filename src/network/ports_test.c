/* ports_test.c -- models of float16 and bfloat16: types of inputs, outputs and parameters, rounding
 * at the end only, gradients, weights that are written again. */
#include "network/runs_test.h"

#include "math/half.h"
#include "network/model.h"
#include "onnx/messages_test.h"

enum { HALF = 10, BFLOAT = 16, ROWS = 2, COLUMNS = 3 };

static const float rows[ROWS][COLUMNS] = { { 1.0F, -2.0F, 0.5F }, { 3.0F, 0.25F, -1.0F } };
/* Neither 1 + w nor the sum of a row has so few digits as float16. */
static const float weights[COLUMNS] = { 0x1.004p-8F, 0x1.8p-9F, 0x1.ffcp-10F };

static uint16_t narrowed(int type, float value) {
  return type == HALF ? crd__math_half_from_double((double)value)
                      : crd__math_bfloat_from_double((double)value);
}

static double widened(int type, uint16_t bits) {
  return type == HALF ? crd__math_half_to_double(bits) : crd__math_bfloat_to_double(bits);
}

static double weight(int type, size_t i) { return widened(type, narrowed(type, weights[i])); }

static void put_attribute(builder *b, const char *name, int64_t value) {
  enter(b, NODE_ATTRIBUTE);
  crd__onnx_proto_string(top(b), ATTRIBUTE_NAME, name);
  crd__onnx_proto_int(top(b), ATTRIBUTE_INT, value);
  crd__onnx_proto_int(top(b), ATTRIBUTE_TYPE, CRD__ATTRIBUTE_INT);
  leave(b);
}

/* y = x * (x + w), all of one type; `wide` is the sum as float32. Only x and y are declared. */
static crd_model *open_made(builder *b, int type) {
  static const int64_t shape[] = { -1, COLUMNS }, count[] = { COLUMNS };
  uint16_t bits[COLUMNS];
  crd_model *model;
  for (size_t i = 0; i < COLUMNS; i++) bits[i] = narrowed(type, weights[i]);
  crd__onnx_proto_int(top(b), MODEL_IR, 8);
  enter(b, MODEL_OPSET);
  crd__onnx_proto_int(top(b), OPSET_VERSION, 14);
  leave(b);
  enter(b, MODEL_GRAPH);
  put_value(b, GRAPH_INPUT, "x", type, shape, 2);
  put_value(b, GRAPH_OUTPUT, "y", type, shape, 2);
  open_tensor(b, GRAPH_INITIALIZER, "w", type, count, 1);
  crd__onnx_proto_bytes(top(b), TENSOR_RAW, bits, sizeof bits);
  leave(b);
  put_node(b, "Add", "x,w", "sum");
  open_node(b, "Cast", "sum", "wide");
  put_attribute(b, "to", CRD__ONNX_FLOAT);
  leave(b);
  open_node(b, "Cast", "wide", "again");
  put_attribute(b, "to", type);
  leave(b);
  put_node(b, "Mul", "x,again", "y");
  while (b->depth) leave(b);
  WORKS(b->ctx, crd_model_open_memory(b->ctx, "made.onnx", made(b).bytes, made(b).length, &model));
  return model;
}

static void close_made(builder *b, crd_model *model) {
  crd_model_destroy(model);
  crd__text_clear(top(b));
}

static crd_dtype dtype_of(int type) { return type == HALF ? CRD_F16 : CRD_BF16; }

static crd_array matrix(crd_dtype dtype, const void *data) {
  return (crd_array){ .data = data, .dtype = dtype, .rank = 2, .dims = { ROWS, COLUMNS } };
}

static double expected(int type, size_t i) {
  const double x = (double)rows[i / COLUMNS][i % COLUMNS];
  return x * (x + weight(type, i % COLUMNS));
}

/* Returns the network's first output after a run on float32 or narrow inputs. */
static const crd_array *run(crd_context *ctx, crd_network *network, int type) {
  uint16_t bits[ROWS * COLUMNS];
  const crd_dtype dtype = crd_network_input(network, 0)->dtype;
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    bits[i] = narrowed(type, rows[i / COLUMNS][i % COLUMNS]);
  const crd_array x = matrix(dtype, dtype == CRD_F32 ? (const void *)rows : bits);
  WORKS(ctx, crd_network_run(ctx, network, &x, 1));
  return crd_network_output(network, 0);
}

/* ---- Inference. */

static void check_rounded(crd_context *ctx, const crd_model *model, int type) {
  const crd_compile_options how = { .size = sizeof how, .batch = ROWS };
  crd_network *network;
  WORKS(ctx, crd_network_compile(ctx, model, &how, &network));
  assert_int_equal(crd_network_input(network, 0)->dtype, dtype_of(type));
  const crd_array *const y = run(ctx, network, type);
  assert_int_equal(y->dtype, dtype_of(type));
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    assert_int_equal(((const uint16_t *)y->data)[i], narrowed(type, (float)expected(type, i)));
  crd_network_destroy(network);
}

static void check_wide(crd_context *ctx, const crd_model *model, int type) {
  const crd_array given = matrix(CRD_F32, NULL);
  const crd_compile_options how = {
    .size = sizeof how, .inputs = &given, .input_count = 1, .wide_outputs = 1
  };
  crd_network *network;
  WORKS(ctx, crd_network_compile(ctx, model, &how, &network));
  assert_int_equal(crd_network_input(network, 0)->dtype, CRD_F32);
  const crd_array *const y = run(ctx, network, type);
  assert_int_equal(y->dtype, CRD_F32);
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    assert_true(((const float *)y->data)[i] == (float)expected(type, i));
  crd_network_destroy(network);
}

static void outputs_are_rounded_once(void **state) {
  static const int types[] = { HALF, BFLOAT };
  for (size_t i = 0; i < 2; i++) {
    builder b = begin(state);
    crd_model *const model = open_made(&b, types[i]);
    check_rounded(*state, model, types[i]);
    check_wide(*state, model, types[i]);
    const crd_array other = matrix(CRD_F64, NULL);
    const crd_compile_options wrong = { .size = sizeof wrong, .inputs = &other, .input_count = 1 };
    crd_network *network;
    assert_int_equal(crd_network_compile(*state, model, &wrong, &network), CRD_EUSAGE);
    close_made(&b, model);
  }
}

/* An input that is bound to a value becomes a constant. */
static void bound_inputs_are_converted(void **state) {
  builder b = begin(state);
  crd_model *const model = open_made(&b, HALF);
  uint16_t bits[ROWS * COLUMNS];
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    bits[i] = narrowed(HALF, rows[i / COLUMNS][i % COLUMNS]);
  const crd_array x = matrix(CRD_F16, bits);
  const crd_compile_options how = { .size = sizeof how, .inputs = &x, .input_count = 1 };
  crd_network *network;
  WORKS(*state, crd_network_compile(*state, model, &how, &network));
  WORKS(*state, crd_network_run(*state, network, NULL, 0));
  const crd_array *const y = crd_network_output(network, 0);
  for (size_t i = 0; i < ROWS * COLUMNS; i++)
    assert_int_equal(((const uint16_t *)y->data)[i], narrowed(HALF, (float)expected(HALF, i)));
  crd_network_destroy(network);
  close_made(&b, model);
}

/* x + w overflows float16, not float32: the cast of the sum to float16 makes it infinite. */
static void casts_overflow(void **state) {
  static const float large[] = { 0, 0, 20000.0F }, most[] = { 1, 1, 65504.0F };
  const crd_array x = { .data = most, .dtype = CRD_F32, .rank = 2, .dims = { 1, COLUMNS } };
  const crd_array given = { .dtype = CRD_F32, .rank = 2, .dims = { 1, COLUMNS } };
  const crd_weights w = { "w", large, COLUMNS };
  const crd_compile_options how = {
    .size = sizeof how, .inputs = &given, .input_count = 1, .wide_outputs = 1
  };
  builder b = begin(state);
  crd_model *const model = open_made(&b, HALF), *updated;
  crd_network *network;
  WORKS(*state, crd_model_update(*state, model, &w, 1, NULL, 0, &updated));
  WORKS(*state, crd_network_compile(*state, updated, &how, &network));
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  const float *const y = crd_network_output(network, 0)->data;
  assert_true(y[0] == 1 && isinf(y[2]));
  crd_network_destroy(network);
  crd_model_destroy(updated);
  close_made(&b, model);
}

/* ---- Gradients. */

/* With L = sum of y: dL/dx = 2 x + w; dL/dw = the sum of x over the rows. */
static void gradients_are_float32(void **state) {
  static const float ones[ROWS * COLUMNS] = { 1, 1, 1, 1, 1, 1 };
  const crd_array gradient = matrix(CRD_F32, ones);
  for (crd_mode mode = CRD_MODE_INPUT_GRADIENT; mode <= CRD_MODE_TRAINING; mode++) {
    builder b = begin(state);
    crd_model *const model = open_made(&b, HALF);
    const crd_compile_options how = { .size = sizeof how, .batch = ROWS, .mode = mode };
    crd_network *network;
    WORKS(*state, crd_network_compile(*state, model, &how, &network));
    assert_int_equal(crd_network_input(network, 0)->dtype, CRD_F32);
    assert_int_equal(run(*state, network, HALF)->dtype, CRD_F32);
    WORKS(*state, crd_network_backward(*state, network, &gradient));
    const float *const by_x = crd_network_input_gradient(network, 0)->data;
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
      const double x = (double)rows[i / COLUMNS][i % COLUMNS];
      assert_true(fabs((double)by_x[i] - (2 * x + weight(HALF, i % COLUMNS))) < 1e-6);
    }
    const crd_parameter *const w = crd_network_parameter(network, 0);
    assert_true((mode == CRD_MODE_TRAINING) == (w != NULL));
    for (size_t i = 0; w && i < COLUMNS; i++) {
      assert_true((double)w->values[i] == weight(HALF, i));
      assert_true(fabs((double)(w->gradient[i] - rows[0][i] - rows[1][i])) < 1e-6);
    }
    crd_network_destroy(network);
    close_made(&b, model);
  }
}

/* ---- Files. */

/* Trained weights are rounded to the type that the file has. */
static void weights_keep_their_type(void **state) {
  static const int types[] = { HALF, BFLOAT };
  static const float trained[COLUMNS] = { 0.1F, -70000.0F, 1.0F };
  for (size_t i = 0; i < 2; i++) {
    builder b = begin(state);
    crd_model *const model = open_made(&b, types[i]), *updated;
    const crd_weights given = { "w", trained, COLUMNS };
    WORKS(*state, crd_model_update(*state, model, &given, 1, NULL, 0, &updated));
    const crd__onnx_file *const file = updated->file;
    const crd__onnx_tensor *const w = file->edges[file->nodes[0].inputs[1]].constant;
    assert_true(w->type == types[i] && w->count == COLUMNS);
    for (size_t k = 0; k < COLUMNS; k++) {
      uint16_t bits;
      memcpy(&bits, w->bytes + k * sizeof bits, sizeof bits);
      assert_int_equal(bits, narrowed(types[i], trained[k]));
    }
    crd_model_destroy(updated);
    close_made(&b, model);
  }
}

/* Values that the file does not declare have the type that the operators give them. */
static void values_keep_their_type(void **state) {
  static const struct {
    const char *value;
    crd_dtype dtype;
  } values[] = { { "sum", CRD_F16 }, { "wide", CRD_F32 }, { "again", CRD_F16 } };
  builder b = begin(state);
  crd_model *const model = open_made(&b, HALF);
  for (size_t i = 0; i < 3; i++) {
    crd_model *const before = cut(*state, model, values[i].value, CRD_PART_BEFORE);
    assert_int_equal(crd_model_output(before, 0)->dtype, values[i].dtype);
    const crd_compile_options how = { .size = sizeof how, .batch = ROWS };
    crd_network *network;
    WORKS(*state, crd_network_compile(*state, before, &how, &network));
    assert_int_equal(crd_network_output(network, 0)->dtype, values[i].dtype);
    crd_network_destroy(network);
    crd_model_destroy(before);
  }
  const crd_survey *survey;
  WORKS(*state, crd_survey_make(*state, model, NULL, &survey));
  assert_true(survey->nodes[0].dtype == CRD_F16 && survey->nodes[1].dtype == CRD_F32);
  assert_int_equal(survey->parameters, COLUMNS);
  crd_survey_destroy(survey);
  close_made(&b, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(outputs_are_rounded_once), TEST(bound_inputs_are_converted), TEST(casts_overflow),
    TEST(gradients_are_float32),    TEST(weights_keep_their_type),    TEST(values_keep_their_type)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

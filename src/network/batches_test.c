/*
 * batches_test.c -- conversion of rows to batches against plain loops; results do not depend on the
 * batch size, and equal those of each row alone.
 */
#include "io/testing.h"

#include "data/array.h"
#include "io/array.h"
#include "math/half.h"
#include "network/batches.h"
#include "onnx/graph.h"

#include <math.h>

static const char image_model[] = CREDENCE_SOURCE "/tests/cli/data/image.onnx";
static const char both_model[] = CREDENCE_SOURCE "/tests/cli/data/both.onnx";
static const char row_model[] = CREDENCE_SOURCE "/tests/cli/data/net.onnx";

enum { ROWS = 5, CHANNELS = 3, HEIGHT = 4, WIDTH = 100, AREA = HEIGHT * WIDTH };
enum { ROW = CHANNELS * AREA, ALL = ROWS * ROW };

static crd_model *open_model(crd_context *ctx, const char *path) {
  crd_model *model;
  WORKS(ctx, crd_model_open(ctx, path, &model));
  return model;
}

/* Integers below 128, which every type holds. */
static unsigned value_at(size_t row, size_t channel, size_t pixel) {
  return (unsigned)((row * 31 + channel * 57 + pixel * 7 + pixel * pixel) % 128);
}

static void put_value(void *to, crd_dtype dtype, size_t at, unsigned value) {
  switch (dtype) {
  case CRD_F16:
    ((uint16_t *)to)[at] = crd__math_half_from_double(value);
    break;
  case CRD_BF16:
    ((uint16_t *)to)[at] = crd__math_bfloat_from_double(value);
    break;
  case CRD_F32:
    ((float *)to)[at] = (float)value;
    break;
  case CRD_F64:
    ((double *)to)[at] = value;
    break;
  case CRD_I64:
  case CRD_U64:
    ((uint64_t *)to)[at] = value;
    break;
  case CRD_I32:
  case CRD_U32:
    ((uint32_t *)to)[at] = value;
    break;
  case CRD_I16:
  case CRD_U16:
    ((uint16_t *)to)[at] = (uint16_t)value;
    break;
  default:
    ((uint8_t *)to)[at] = (uint8_t)value;
    break;
  }
}

static void fill(void *to, crd_dtype dtype, bool last) {
  for (size_t row = 0; row < ROWS; row++)
    for (size_t c = 0; c < CHANNELS; c++)
      for (size_t i = 0; i < AREA; i++)
        put_value(to, dtype, row * ROW + (last ? i * CHANNELS + c : c * AREA + i),
                  value_at(row, c, i));
}

static crd_array images(const void *data, crd_dtype dtype, bool last) {
  crd_array tensor = {
    .data = data, .dtype = dtype, .rank = 4, .dims = { ROWS, CHANNELS, HEIGHT, WIDTH }
  };
  const crd_array moved = {
    .data = data, .dtype = dtype, .rank = 4, .dims = { ROWS, HEIGHT, WIDTH, CHANNELS }
  };
  if (last) tensor = moved;
  return tensor;
}

typedef struct {
  const unsigned char *data;
  size_t row_bytes, next;
} store;

/* A source that expects every row to be pulled once, in order, and none beyond the last. */
static crd_status hand_out(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  store *const s = self;
  (void)ctx;
  assert_int_equal(from, s->next);
  assert_true(count > 0 && from + count <= ROWS);
  memcpy(out, s->data + from * s->row_bytes, count * s->row_bytes);
  s->next = from + count;
  return CRD_OK;
}

/* Every type and layout, with and without arithmetic, from memory and from a source; past the end
 * the last row is repeated. */
static void check_feed(crd_context *ctx, const crd_model *model, crd_dtype dtype,
                       const crd_feed_options *how, bool pull) {
  static uint64_t data[ALL];
  fill(data, dtype, how->channels_last);
  const crd_array given = images(pull ? NULL : data, dtype, how->channels_last);
  store s = { .data = (const unsigned char *)data, .row_bytes = ROW * crd_dtype_size(dtype) };
  crd__network_feed feed;
  WORKS(ctx, crd__network_feed_make(ctx, model, &given, 1, how, &feed));
  if (pull) crd__network_feed_pull(&feed, 0, (crd__data_source){ hand_out, &s, 0 });
  assert_int_equal(feed.batch, 2);
  for (size_t from = 0; from < ROWS; from += feed.batch) {
    WORKS(ctx, crd__network_feed_take(ctx, &feed, from));
    const float *at = feed.tensors[0].data;
    assert_int_equal(feed.tensors[0].dims[1], CHANNELS);
    for (size_t b = 0; b < feed.batch; b++)
      for (size_t c = 0; c < CHANNELS; c++)
        for (size_t i = 0; i < AREA; i++) {
          const size_t row = from + b < ROWS ? from + b : ROWS - 1, k = how->channels > 1 ? c : 0;
          unsigned value = value_at(row, c, i);
          if (dtype == CRD_BOOL) value = value != 0;
          const double x = how->scale != 0 ? how->scale * value : value;
          const double y = (x - (how->mean ? how->mean[k] : 0)) / (how->std ? how->std[k] : 1);
          assert_true(*at++ == (float)y);
        }
  }
  crd__network_feed_clear(&ctx->alloc, &feed);
}

static void test_feed(void **state) {
  static const double mean[] = { 0.5, 0.25, 0.125 }, std[] = { 0.3, 0.2, 0.7 };
  static const crd_feed_options ways[] = {
    { .size = sizeof *ways, .batch = 2 },
    { .size = sizeof *ways, .batch = 2, .channels_last = 1 },
    { .size = sizeof *ways, .batch = 2, .scale = 1.0 / 255 },
    { .size = sizeof *ways,
      .batch = 2,
      .scale = 1.0 / 255,
      .mean = mean,
      .std = std,
      .channels = 3 },
    { .size = sizeof *ways, .batch = 2, .mean = mean, .channels = 3, .channels_last = 1 },
    { .size = sizeof *ways, .batch = 2, .std = std, .channels = 1, .channels_last = 1 },
  };
  crd_model *const model = open_model(*state, image_model);
  for (crd_dtype dtype = CRD_F16; dtype <= CRD_BF16; dtype++)
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
      for (int pull = 0; pull < 2; pull++) check_feed(*state, model, dtype, &ways[i], pull);
  crd_model_destroy(model);
}

/* A model whose input is not f32. */
static crd_model *model_of(crd_context *ctx, int type) {
  static const int64_t dims[] = { -1, CHANNELS, HEIGHT, WIDTH };
  crd__onnx_graph graph;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&graph, &ctx->alloc);
  crd__text_init(&bytes, &ctx->alloc);
  const crd__onnx_graph_value x = crd__onnx_graph_input_of(&graph, "x", type, dims, 4);
  crd__onnx_graph_output_of(&graph, crd__onnx_graph_node(&graph, "Identity", &x, 1, NULL), type,
                            dims, 4);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &graph, "identity", "", &bytes));
  WORKS(ctx, crd_model_open_memory(ctx, "identity.onnx", bytes.bytes, bytes.length, &model));
  crd__onnx_graph_clear(&graph);
  crd__text_clear(&bytes);
  return model;
}

/* Every input type, from rows of the same type and of f32. */
static void test_types(void **state) {
  crd_context *const ctx = *state;
  static uint64_t data[ALL], moved[ALL];
  static const crd_feed_options last = { .size = sizeof last, .batch = ROWS, .channels_last = 1 },
                                halved = { .size = sizeof halved, .batch = ROWS, .scale = 0.5 };
  static const int numbers[] = {
    [CRD_F16] = 10, [CRD_F32] = 1, [CRD_F64] = 11, [CRD_I8] = 3,   [CRD_I16] = 5,  [CRD_I32] = 6,
    [CRD_I64] = 7,  [CRD_U8] = 2,  [CRD_U16] = 4,  [CRD_U32] = 12, [CRD_U64] = 13, [CRD_BOOL] = 9
  };
  for (crd_dtype dtype = CRD_F16; dtype <= CRD_BOOL; dtype++) {
    const bool real = dtype <= CRD_F64;
    crd_model *const model = model_of(ctx, numbers[dtype]);
    crd__network_feed feed;
    fill(data, dtype, true);
    fill(moved, dtype, false);
    const uint64_t large = (UINT64_C(1) << 53) + 1; /* not representable in f64 */
    if (dtype == CRD_I64) data[0] = moved[0] = large;
    if (dtype == CRD_BOOL)
      for (size_t i = 0; i < ALL; i++) {
        ((bool *)data)[i] = ((unsigned char *)data)[i] != 0;
        ((bool *)moved)[i] = ((unsigned char *)moved)[i] != 0;
      }
    crd_array given = images(data, dtype, true);
    WORKS(ctx, crd__network_feed_make(ctx, model, &given, 1, &last, &feed));
    WORKS(ctx, crd__network_feed_take(ctx, &feed, 0));
    assert_memory_equal(feed.tensors[0].data, moved, ALL * crd_dtype_size(dtype));
    crd__network_feed_clear(&ctx->alloc, &feed);
    fill(data, CRD_F32, false);
    given = images(data, CRD_F32, false);
    assert_int_equal(crd__network_feed_make(ctx, model, &given, 1, &halved, &feed),
                     real ? CRD_OK : CRD_EINPUT);
    if (real) WORKS(ctx, crd__network_feed_take(ctx, &feed, 0));
    const crd_array found = crd_array_matrix(feed.tensors[0].data, dtype, ALL, 1);
    for (size_t i = 0; i < ALL && real; i++)
      assert_true(crd__data_array_number(&found, i, 0) == 0.5 * (double)((const float *)data)[i]);
    crd__network_feed_clear(&ctx->alloc, &feed);
    crd_model_destroy(model);
  }
}

/* Rows that need no conversion are not copied. */
static void test_in_place(void **state) {
  static float data[ALL];
  crd__network_feed feed;
  crd_model *const model = open_model(*state, image_model);
  const crd_array given = images(data, CRD_F32, false);
  const crd_feed_options how = { .size = sizeof how, .batch = 3 };
  WORKS(*state, crd__network_feed_make(*state, model, &given, 1, &how, &feed));
  WORKS(*state, crd__network_feed_take(*state, &feed, 0));
  assert_ptr_equal(feed.tensors[0].data, data);
  WORKS(*state, crd__network_feed_take(*state, &feed, 1));
  assert_ptr_equal(feed.tensors[0].data, data + ROW);
  WORKS(*state, crd__network_feed_take(*state, &feed, 3));
  assert_ptr_equal(feed.tensors[0].data, feed.inputs[0].converted);
  crd__network_feed_clear(&((crd_context *)*state)->alloc, &feed);
  crd_model_destroy(model);
}

/* ---- Many rows. */

enum { MANY = 300 };

/* Row by row, with a network compiled for one row. */
static void run_alone(crd_context *ctx, const crd_model *model, const float *rows, float *out) {
  crd_network *network;
  WORKS(ctx, crd_network_compile(ctx, model, NULL, &network));
  for (size_t i = 0; i < MANY; i++) {
    const crd_array row = { .data = rows + 2 * i, .dtype = CRD_F32, .rank = 2, .dims = { 1, 2 } };
    WORKS(ctx, crd_network_run(ctx, network, &row, 1));
    memcpy(out + 3 * i, crd_network_output(network, 0)->data, 3 * sizeof *out);
  }
  crd_network_destroy(network);
}

static void test_batches(void **state) {
  static float rows[MANY][2], alone[MANY][3];
  static const size_t sizes[] = { 0, 1, 7, 100, 299, 300, 1000 };
  static const char *const names[] = { "b.npy", "b.npz", "b.safetensors" };
  crd_model *const model = open_model(*state, row_model);
  for (size_t i = 0; i < MANY; i++) rows[i][0] = (float)i / 100, rows[i][1] = (float)(i % 7) - 3;
  run_alone(*state, model, rows[0], alone[0]);
  const crd_array given = { .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { MANY, 2 } };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const crd_feed_options how = { .size = sizeof how, .batch = sizes[i] };
    const char *const path = scratch_path(names[i % 3]);
    crd_feed_summary done;
    crd_array_file *array;
    WORKS(*state, crd_model_run_to(*state, model, &given, 1, &how, path, &done));
    assert_int_equal(done.rows, MANY);
    assert_int_equal(done.batch, sizes[i] == 0 ? 128 : sizes[i] < MANY ? sizes[i] : MANY);
    WORKS(*state, crd_array_file_open(*state, path, &array));
    const crd_array *const t = crd_array_file_array(array);
    assert_int_equal(crd_array_count(t), 3 * MANY);
    for (size_t k = 0; k < 3 * (size_t)MANY; k++)
      assert_true(near((double)((const float *)t->data)[k], (double)alone[k / 3][k % 3], 1e-6));
    crd_array_file_destroy(array);
    unlink(path);
  }
  crd_model_destroy(model);
}

/* Several outputs, of a model with a fixed batch size of four. */
static void test_outputs(void **state) {
  static float rows[MANY][2], alone[MANY][3];
  static const char *const names[] = { "o.npz", "o.safetensors", "o.csv" };
  crd_model *const one = open_model(*state, row_model), *const both =
                                                            open_model(*state, both_model);
  for (size_t i = 0; i < MANY; i++) rows[i][0] = (float)(i % 11), rows[i][1] = 1 - (float)i / 50;
  run_alone(*state, one, rows[0], alone[0]);
  const crd_array given = {
    .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { MANY - 3, 2 }
  }; /* the last batch has one row */
  for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
    const char *const path = scratch_path(names[f]);
    crd_feed_summary done;
    crd__io_bundle *bundle;
    crd_array view;
    WORKS(*state, crd_model_run_to(*state, both, &given, 1, NULL, path, &done));
    assert_int_equal(done.batch, 4);
    WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
    const bool table = strstr(path, ".csv") != NULL;
    const size_t index = table ? 0 : crd__io_bundle_find(bundle, "probabilities");
    WORKS(*state, crd__io_bundle_matrix(*state, bundle, index, &view));
    assert_int_equal(crd__data_rows_of(&view), MANY - 3);
    assert_int_equal(crd__data_cols(&view),
                     3); /* a table holds the logits only, which come first */
    for (size_t i = 0; i < crd__data_rows_of(&view); i++) {
      double p[3], mass = 0;
      for (size_t k = 0; k < 3; k++) {
        const double value = crd__data_array_number(&view, i, k);
        mass += p[k] = table ? exp(value) : value;
      }
      for (size_t k = 0; k < 3; k++) assert_true(near(p[k] / mass, (double)alone[i][k], 1e-6));
    }
    crd__io_bundle_destroy(bundle);
    unlink(path);
  }
  crd_model_destroy(one);
  crd_model_destroy(both);
}

/* Predictions are kept, features are made again if their batch has passed. */
static void test_order(void **state) {
  enum { GIVEN = 10 };
  float rows[GIVEN][2], logits[2][GIVEN][3], features[2][GIVEN][3];
  crd_model *const both = open_model(*state, both_model);
  for (size_t i = 0; i < GIVEN; i++) rows[i][0] = (float)(i % 7), rows[i][1] = 1 - (float)i / 3;
  const crd_array given = { .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { GIVEN, 2 } };
  const crd_feed_options how = { .size = sizeof how, .output = "logits" };
  for (int first = 0; first < 2; first++) {
    crd__network_batches b;
    WORKS(*state,
          crd__network_batches_make_with(*state, both, &given, &how, "probabilities", NULL, &b));
    assert_int_equal(b.count, 2);
    void *const to[] = { logits[first], features[first] };
    for (int i = 0; i < 2; i++) {
      const int index = i ^ first;
      const crd__data_source source = b.arrays[index].source;
      for (size_t from = 0; from < GIVEN; from += 5)
        WORKS(*state, source.make(*state, source.self, from, 5, (float *)to[index] + from * 3));
    }
    crd__network_batches_clear(&((crd_context *)*state)->alloc, &b);
  }
  assert_memory_equal(logits[0], logits[1], sizeof logits[0]);
  assert_memory_equal(features[0], features[1], sizeof features[0]);
  assert_memory_not_equal(features[0], logits[0], sizeof logits[0]);
  crd_model_destroy(both);
}

static void test_refused(void **state) {
  static const uint64_t rows[8][2];
  const crd_array given = { .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { 8, 2 } },
                  none = { .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { 0, 2 } };
  const crd_array whole = { .data = rows, .dtype = CRD_U64, .rank = 2, .dims = { 8, 2 } },
                  wide = { .data = rows, .dtype = CRD_F32, .rank = 2, .dims = { 4, 4 } };
  const crd_feed_options three = { .size = sizeof three, .batch = 3 },
                         other = { .size = sizeof other, .output = "label" };
  const crd_feed_options from = { .size = sizeof from,
                                  .sources = (const char *const[]){ "x.npy" } };
  crd_model *const model = open_model(*state, both_model);
  FAILS(*state, CRD_EINPUT, crd_model_run_to(*state, model, &given, 1, &three, "x.npz", NULL),
        "a batch of 3 rows, but the model takes batches of 4");
  FAILS(*state, CRD_EUSAGE, crd_model_run_to(*state, model, &given, 1, &other, "x.npz", NULL),
        "no output is called 'label', the first one is 'logits'");
  FAILS(*state, CRD_EUSAGE, crd_model_run_to(*state, model, &given, 1, NULL, "x.npy", NULL),
        "x.npy: npy holds one array, not 2");
  FAILS(*state, CRD_EINPUT, crd_model_run_to(*state, model, &none, 1, NULL, "x.npz", NULL),
        "input 'x' has no rows");
  FAILS(*state, CRD_EINPUT, crd_model_run_to(*state, model, &none, 1, &from, "x.npz", NULL),
        "x.npy: input 'x' has no rows");
  FAILS(*state, CRD_EINPUT, crd_model_run_to(*state, model, &wide, 1, &from, "x.npz", NULL),
        "x.npy: input 'x' takes rows of 2 values, found 4 values");
  WORKS(*state, crd_model_run_to(*state, model, &whole, 1, NULL, scratch_path("w.npz"), NULL));
  unlink(scratch_path("w.npz"));
  crd_model_destroy(model);
}

/* Every allocation fails once. */
static crd_status predict_somewhere(crd_context *ctx, const void *path) {
  crd_model *model = NULL;
  const crd_feed_options how = { .size = sizeof how, .batch = 2, .channels_last = 1 };
  crd_status status = crd_model_open(ctx, image_model, &model);
  if (status == CRD_OK)
    status = crd_model_predict_to(ctx, model, CREDENCE_SOURCE "/tests/cli/data/images.npz", &how,
                                  path, NULL);
  crd_model_destroy(model);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  const char *const path = scratch_path("m.npz");
  fail_each_allocation(predict_somewhere, path);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_feed),    TEST(test_types),   TEST(test_in_place),
                                      TEST(test_batches), TEST(test_outputs), TEST(test_order),
                                      TEST(test_refused), TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

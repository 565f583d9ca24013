/* stream_test.c -- datasets through networks, against plain loops over their rows. */
#include "io/testing.h"

#include "network/model.h"
#include "network/stream.h"
#include "onnx/graph.h"

#include <math.h>

enum { ROWS = 7, CLASSES = 3 };

static const float slopes[CLASSES] = { 1, -2, .5F };

/* logits = x W, for rows of one value. */
static crd_model *make_model(crd_context *ctx) {
  static const int64_t in[] = { -1, 1 }, out[] = { -1, CLASSES }, dims[] = { 1, CLASSES };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&g, &ctx->alloc);
  const crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2);
  const crd__onnx_graph_value w = crd__onnx_graph_floats(&g, "w", slopes, dims, 2);
  const crd__onnx_graph_value inputs[] = { x, w };
  const crd__onnx_graph_value y = crd__onnx_graph_node_as(&g, "logits", "MatMul", inputs, 2, NULL);
  crd__onnx_graph_output_of(&g, y, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &g, "line", "", &bytes));
  crd__onnx_graph_clear(&g);
  WORKS(ctx, crd__network_model_adopt(ctx, "line.onnx", &bytes, &model));
  return model;
}

static crd_dataset *open_data(crd_context *ctx) {
  crd_dataset *data;
  WORKS(ctx, crd_dataset_open(ctx, "synthetic:line:rows=7#test", NULL, &data));
  assert_int_equal(crd_dataset_describe(data)->rows, ROWS);
  return data;
}

static double mean = .25, deviation = 2;
static char names[4][2] = { "a", "b", "c", "d" };
static char *class_names[] = { names[0], names[1], names[2], names[3] };

static crd_encoding encoding_of(size_t classes, size_t channels) {
  return (crd_encoding){ .class_count = classes,
                         .class_names = class_names,
                         .channels = channels,
                         .mean = &mean,
                         .std = &deviation };
}

static void logits_of_all_rows(void **state) {
  crd_model *const model = make_model(*state);
  crd_dataset *const data = open_data(*state);
  for (size_t batch = 0; batch < ROWS + 2; batch++)
    for (size_t channels = 0; channels < 2; channels++) {
      const crd_encoding encoding = encoding_of(CLASSES, channels);
      float logits[ROWS * CLASSES];
      WORKS(*state, crd__network_logits(*state, model, data, &encoding, batch, logits));
      for (size_t i = 0; i < ROWS; i++) {
        float x;
        WORKS(*state, crd_dataset_read(*state, data, &i, 1, &x));
        const float taken = channels ? (float)(((double)x - mean) / deviation) : x;
        for (size_t k = 0; k < CLASSES; k++)
          assert_true(fabsf(logits[i * CLASSES + k] - taken * slopes[k]) < 1e-6F);
      }
    }
  crd_dataset_destroy(data);
  crd_model_destroy(model);
}

static void other_classes_are_refused(void **state) {
  crd_model *const model = make_model(*state);
  crd_dataset *const data = open_data(*state);
  float logits[ROWS * (CLASSES + 1)];
  const crd_encoding four = encoding_of(4, 0);
  FAILS(*state, CRD_EINPUT, crd__network_logits(*state, model, data, &four, 0, logits),
        "output 'logits' is f32 with 2 dimensions and 3 values per row; expected f32 with two: "
        "(rows, 4 classes)");
  crd_encoding wide = encoding_of(CLASSES, 3);
  FAILS(*state, CRD_EINPUT, crd__network_logits(*state, model, data, &wide, 0, logits),
        "3 means or standard deviations, but input 'x' has 1 channels");
  crd_dataset_destroy(data);
  crd_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(logits_of_all_rows), TEST(other_classes_are_refused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* memory_test.c -- batches that fit into a given memory, against what compiled networks take. */
#include "io/testing.h"

#include "network/network.h"

#define FOLDER CREDENCE_SOURCE "/tests/networks/"
static const char transformer[] = FOLDER "vit-opset11-dynamic.onnx";
enum { LARGEST = 64 };

static crd_model *open_model(crd_context *ctx, const char *path) {
  crd_model *model;
  WORKS(ctx, crd_model_open(ctx, path, &model));
  return model;
}

static crd_compile_options options_of(crd_mode mode, size_t batch) {
  return (crd_compile_options){
    .size = sizeof(crd_compile_options), .batch = batch, .mode = mode, .shared_gradient = 1
  };
}

static uint64_t bytes_of(crd_context *ctx, const crd_model *model,
                         const crd_compile_options *options) {
  crd_network *network;
  WORKS(ctx, crd_network_compile(ctx, model, options, &network));
  const uint64_t bytes = crd__network_bytes(network);
  crd_network_destroy(network);
  return bytes;
}

/* A little more memory than a batch takes gives that batch, a little less its half. */
static void batches_fit(void **state) {
  static const crd_mode modes[] = { CRD_MODE_INFERENCE, CRD_MODE_INPUT_GRADIENT };
  crd_model *const model = open_model(*state, transformer);
  for (size_t i = 0; i < 2; i++)
    for (size_t batch = LARGEST; batch >= 4; batch /= 2) {
      const crd_compile_options exact = options_of(modes[i], batch);
      const crd_compile_options all = options_of(modes[i], LARGEST);
      const double bytes = (double)bytes_of(*state, model, &exact);
      size_t found;
      WORKS(*state, crd_survey_batch(*state, model, &all, (uint64_t)(1.2 * bytes), &found));
      assert_int_equal(found, batch);
      WORKS(*state, crd_survey_batch(*state, model, &all, (uint64_t)(0.8 * bytes), &found));
      assert_int_equal(found, batch / 2);
    }
  crd_model_destroy(model);
}

/* A backward pass keeps what a forward pass may overwrite. */
static void gradients_take_more(void **state) {
  crd_model *const model = open_model(*state, FOLDER "resnet20-opset11-dynamic.onnx");
  const crd_compile_options plain = options_of(CRD_MODE_INFERENCE, LARGEST);
  const crd_compile_options back = options_of(CRD_MODE_INPUT_GRADIENT, LARGEST);
  const uint64_t bytes = bytes_of(*state, model, &plain) * 3 / 2;
  size_t found;
  WORKS(*state, crd_survey_batch(*state, model, &plain, bytes, &found));
  assert_int_equal(found, LARGEST);
  WORKS(*state, crd_survey_batch(*state, model, &back, bytes, &found));
  assert_true(found < LARGEST);
  crd_model_destroy(model);
}

/* Shapes that the caller gives have the batch in front; a constant stays as it is. */
static void given_inputs(void **state) {
  crd_model *const model = open_model(*state, transformer);
  const crd_array image = { .dtype = CRD_F32, .rank = 4, .dims = { LARGEST, 3, 32, 32 } };
  crd_compile_options options = options_of(CRD_MODE_INPUT_GRADIENT, LARGEST);
  size_t found;
  const uint64_t bytes = bytes_of(*state, model, &options);
  options.inputs = &image;
  options.input_count = 1;
  WORKS(*state, crd_survey_batch(*state, model, &options, bytes / 2, &found));
  assert_true(found > 1 && found < LARGEST);
  assert_int_equal(image.dims[0], LARGEST);
  WORKS(*state, crd_survey_batch(*state, model, &options, 0, &found));
  assert_int_equal(found, 1);
  options.batch = 0; /* one row */
  WORKS(*state, crd_survey_batch(*state, model, &options, bytes, &found));
  assert_int_equal(found, 1);
  crd_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(batches_fit), TEST(gradients_take_more),
                                      TEST(given_inputs) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

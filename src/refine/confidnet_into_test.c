/* confidnet_into_test.c -- the classifier with its head: values, names, and predictions of it. */
#include "refine/confidnet_testing.h"

#include "io/bundle.h"

static crd_model *build(crd_context *ctx, const scene *s, const char *tensor, crd_confidnet **c) {
  const crd_confidnet_options options = { .size = sizeof options,
                                          .settings = "hidden=8,epochs=2",
                                          .tensor = tensor };
  crd_model *model;
  WORKS(ctx, crd_confidnet_create(ctx, s->model, s->data, s->held_out, &options, c));
  train_all(ctx, *c);
  WORKS(ctx, crd_confidnet_model(ctx, *c, &model));
  return model;
}

/* Runs the part of a model that computes a value; the engine has no ArgMax. */
static void run_to(crd_context *ctx, const crd_model *model, const char *value, const samples *s,
                   float *out, size_t columns) {
  const crd_compile_options how = { .size = sizeof how, .batch = s->rows };
  const crd_array x = crd_array_matrix(s->inputs, CRD_F32, s->rows, INPUTS);
  crd_model *part;
  crd_network *network;
  WORKS(ctx, crd_model_cut(ctx, model, value, CRD_PART_BEFORE, &part));
  WORKS(ctx, crd_network_compile(ctx, part, &how, &network));
  WORKS(ctx, crd_network_run(ctx, network, &x, 1));
  const crd_array *const y = crd_network_output(network, 0);
  assert_int_equal(crd_array_count(y), s->rows * columns);
  assert_int_equal(y->rank, columns > 1 ? 2 : 1);
  memcpy(out, y->data, s->rows * columns * sizeof *out);
  crd_network_destroy(network);
  crd_model_destroy(part);
}

/* The confidences of the model are those of the kept epoch. */
static void check_values(crd_context *ctx, const design *d, const char *tensor) {
  static float found[ROWS], wanted[ROWS], probabilities[ROWS * CLASSES];
  scene s;
  crd_confidnet *c;
  double loss;
  open_scene(ctx, d, SOME_WRONG, &s);
  crd_model *const model = build(ctx, &s, tensor, &c);
  crd__train_parameters_write(&c->stage.parameters, c->best);
  WORKS(ctx, crd__refine_confidences(ctx, &c->stage, &c->validation, wanted, &loss));
  run_to(ctx, model, "confidence", &s.validation, found, 1);
  run_to(ctx, model, "probabilities", &s.validation, probabilities, CLASSES);
  for (size_t i = 0; i < s.validation.rows; i++) {
    const float *const p = probabilities + i * CLASSES;
    NEAR(found[i], wanted[i], 1e-6);
    NEAR(p[0] + p[1] + p[2], 1, 1e-6);
    NEAR(fmaxf(p[0], fmaxf(p[1], p[2])), c->validation.top[i], 1e-6);
  }
  crd_model_destroy(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_values(void **state) {
  check_values(*state, &(design){ 0 }, NULL);
  check_values(*state, &(design){ .last = "Softmax" }, NULL);
  check_values(*state, &(design){ .deep = true }, "deep");
  check_values(*state, &(design){ .opset = 11 }, NULL);
  check_values(*state, &(design){ 0 }, "logits");
  check_values(*state, &(design){ 0 }, "x");
}

static const char *name_of(const crd_model *model, size_t index) {
  return crd_model_output(model, index) ? crd_model_output(model, index)->name : "none";
}

static void test_names(void **state) {
  scene s;
  crd_confidnet *c;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_model *const model = build(*state, &s, NULL, &c);
  assert_string_equal(name_of(model, 0), "logits");
  assert_string_equal(name_of(model, 1), "probabilities");
  assert_string_equal(name_of(model, 2), "predicted");
  assert_string_equal(name_of(model, 3), "confidence");
  assert_string_equal(crd_model_metadata(model, "credence.scores"), "logits");
  assert_string_equal(crd_model_metadata(model, "credence.confidence"), "confidence");
  assert_non_null(strstr(crd_model_metadata(model, "credence.confidnet"), "\"tensor\":\"h\""));
  crd_model_destroy(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
  open_scene(*state, &(design){ .name = "confidence", .last = "Softmax" }, SOME_WRONG, &s);
  crd_model *const taken = build(*state, &s, NULL, &c);
  assert_string_equal(name_of(taken, 0), "last");
  assert_string_equal(name_of(taken, 3), "credence_confidence");
  assert_string_equal(crd_model_metadata(taken, "credence.scores"), "credence_probabilities");
  crd_model_destroy(taken);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_old_opset(void **state) {
  scene s;
  crd_confidnet *c;
  crd_model *model;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  c = create(*state, &s, "hidden=8,epochs=1");
  train_all(*state, c);
  ((crd__onnx_file *)s.model->file)->opset = 6;
  FAILS(*state, CRD_EINPUT, crd_confidnet_model(*state, c, &model), "operator set 6");
  assert_null(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

/* ---- Predictions. */

static const void *array_of(crd_context *ctx, crd__io_bundle *bundle, const char *name,
                            crd_dtype dtype, size_t rows) {
  const size_t index = crd__io_bundle_find_in(bundle, NULL, name);
  crd_array array;
  if (index == bundle->count) fail_msg("no array %s", name);
  WORKS(ctx, crd__io_bundle_matrix(ctx, bundle, index, &array));
  assert_int_equal(array.dtype, dtype);
  assert_int_equal(array.dims[0], rows);
  return array.data;
}

static void check_predictions(crd_context *ctx, const char *features) {
  static float wanted[ROWS];
  const char *const path = scratch_path("predicted.npz");
  const crd_feed_options how = { .size = sizeof how, .batch = 32, .features = features };
  scene s;
  crd_confidnet *c;
  crd_feed_summary summary;
  crd__io_bundle *bundle;
  open_scene(ctx, &(design){ 0 }, SOME_WRONG, &s);
  crd_model *const model = build(ctx, &s, NULL, &c);
  run_to(ctx, model, "confidence", &s.validation, wanted, 1);
  WORKS(ctx, crd_dataset_predict_to(ctx, model, s.held_out, &how, path, &summary));
  assert_true(summary.confidence && summary.labelled);
  assert_string_equal(summary.scores, "logits");
  assert_int_equal(summary.features, !features ? 0 : *features == 'h' ? HIDDEN : CLASSES);
  WORKS(ctx, crd__io_bundle_open(ctx, path, NULL, &bundle));
  const size_t rows = s.validation.rows;
  const float *const confidence = array_of(ctx, bundle, "confidence", CRD_F32, rows);
  const int64_t *const predicted = array_of(ctx, bundle, "predicted", CRD_I64, rows);
  (void)array_of(ctx, bundle, "logits", CRD_F32, rows);
  if (features) (void)array_of(ctx, bundle, "features", CRD_F32, rows);
  for (size_t i = 0; i < rows; i++) {
    NEAR(confidence[i], wanted[i], 1e-6);
    assert_int_equal(predicted[i], plain_top(s.validation.inputs + i * INPUTS));
  }
  crd__io_bundle_destroy(bundle);
  unlink(path);
  crd_model_destroy(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_predictions(void **state) {
  check_predictions(*state, NULL);
  check_predictions(*state, "h");
  check_predictions(*state, "logits");
}

/* An output of choice, or one array only: no confidences. Other outputs are not computed: the
 * engine has no ArgMax. */
static void test_other_predictions(void **state) {
  const crd_feed_options how = { .size = sizeof how, .output = "probabilities" };
  const char *const array = scratch_path("predicted.npy");
  scene s;
  crd_confidnet *c;
  crd_feed_summary summary;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_model *const model = build(*state, &s, NULL, &c);
  WORKS(*state, crd_dataset_predict_to(*state, model, s.held_out, NULL, array, &summary));
  assert_false(summary.confidence);
  unlink(array);
  const char *const path = scratch_path("chosen.npz");
  WORKS(*state, crd_dataset_predict_to(*state, model, s.held_out, &how, path, &summary));
  assert_string_equal(summary.scores, "probabilities");
  assert_false(summary.confidence);
  unlink(path);
  crd_model_destroy(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_values), TEST(test_names), TEST(test_old_opset),
                                      TEST(test_predictions), TEST(test_other_predictions) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

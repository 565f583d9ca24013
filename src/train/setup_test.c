/* setup_test.c -- what a trainer needs, from data and the name of a network or a model. */
#include "train/testing.h"

typedef struct {
  crd_dataset *training, *other;
  crd_encoding *encoding;
  crd_model *model;
} ready;

static crd_status prepare_for(crd_context *ctx, const crd_setup_options *options, ready *r) {
  *r = (ready){ rows_from(ctx, 0, ROWS, false), rows_from(ctx, ROWS, ROWS, false), NULL, NULL };
  return crd_train_setup(ctx, r->training, &r->other, 1, options, &r->encoding, &r->model);
}

static void release(ready *r) {
  crd_dataset_destroy(r->training);
  crd_dataset_destroy(r->other);
  crd_encoding_destroy(r->encoding);
  crd_model_destroy(r->model);
}

static void keep_message(void *self, crd_log_level level, const char *message) {
  if (level == CRD_LOG_WARNING) snprintf(self, 200, "%s", message);
}

static void the_usual_network_is_built(void **state) {
  ready r;
  WORKS(*state, prepare_for(*state, NULL, &r));
  assert_int_equal(r.encoding->class_count, CLASSES);
  assert_int_equal(r.encoding->channels, INPUTS);
  assert_int_equal(crd_model_output(r.model, 0)->dims[1], CLASSES);
  release(&r);
  FAILS(*state, CRD_EUSAGE,
        prepare_for(*state,
                    &(crd_setup_options){ .size = sizeof(crd_setup_options), .network = "mpl" },
                    &r),
        "no network is called 'mpl'");
  assert_null(r.encoding);
  assert_null(r.model);
  release(&r);
}

static void a_model_keeps_its_scale(void **state) {
  crd_model *const plain = small_model(*state);
  double mean[INPUTS] = { 1, 2, 3, 4 }, deviation[INPUTS] = { 1, 1, 1, 2 };
  const crd_encoding scale = { .channels = INPUTS, .mean = mean, .std = deviation };
  crd_model *model;
  ready r;
  WORKS(*state, crd_model_set_encoding(*state, plain, &scale, &model));
  WORKS(*state,
        prepare_for(*state,
                    &(crd_setup_options){ .size = sizeof(crd_setup_options), .model = model }, &r));
  assert_null(r.model); /* it is trained as it is */
  assert_int_equal(r.encoding->class_count, CLASSES);
  assert_true(r.encoding->mean[3] == 4 && r.encoding->std[3] == 2);
  release(&r);
  crd_model_destroy(model);
  crd_model_destroy(plain);
}

static void another_number_of_classes_gets_a_new_layer(void **state) {
  crd_model *const plain = small_model(*state);
  char message[200] = "";
  crd_model *five;
  ready r;
  WORKS(*state, crd_model_set_classes(*state, plain, 5, &five));
  crd_context_set_log(*state, keep_message, message);
  WORKS(*state,
        prepare_for(*state,
                    &(crd_setup_options){ .size = sizeof(crd_setup_options), .model = five }, &r));
  crd_context_set_log(*state, NULL, NULL);
  assert_string_equal(message, "small.onnx: a new last layer for 3 classes, instead of 5");
  assert_int_equal(crd_model_output(r.model, 0)->dims[1], CLASSES);
  release(&r);
  crd_model_destroy(five);
  crd_model_destroy(plain);
}

static void a_head_replaces_what_is_behind_a_tensor(void **state) {
  crd_model *const model = small_model(*state);
  crd_setup_options how = {
    .size = sizeof how, .model = model, .freeze = "relu", .head = "mlp(hidden=7)"
  };
  ready r;
  WORKS(*state, prepare_for(*state, &how, &r));
  assert_int_equal(crd_model_output(r.model, 0)->dims[1], CLASSES);
  release(&r);
  how.freeze = NULL;
  FAILS(*state, CRD_EUSAGE, prepare_for(*state, &how, &r),
        "head needs a tensor behind which it begins: freeze");
  release(&r);
  how = (crd_setup_options){ .size = sizeof how, .model = model, .network = "mlp" };
  FAILS(*state, CRD_EUSAGE, prepare_for(*state, &how, &r),
        "network and model are given: one of them is trained");
  release(&r);
  crd_model_destroy(model);
}

static void one_class_is_too_few(void **state) {
  static const int64_t labels[ROWS];
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(all_samples()->inputs, CRD_F32,
                                                                 ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1) };
  crd_encoding *encoding;
  crd_dataset *data;
  crd_model *model;
  WORKS(*state, crd_dataset_create(*state, &arrays, &data));
  FAILS(*state, CRD_EINPUT, crd_train_setup(*state, data, NULL, 0, NULL, &encoding, &model),
        ": all labels are '0': training needs at least two classes (label_column chooses the "
        "column of labels)");
  crd_dataset_destroy(data);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(the_usual_network_is_built),
                                      TEST(a_model_keeps_its_scale),
                                      TEST(another_number_of_classes_gets_a_new_layer),
                                      TEST(a_head_replaces_what_is_behind_a_tensor),
                                      TEST(one_class_is_too_few) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

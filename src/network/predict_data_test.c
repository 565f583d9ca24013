/*
 * predict_data_test.c -- predictions for datasets: the same as for files with the same values, and
 * the labels, indices and features written beside them.
 */
#include "network/runs_test.h"

#include "credence/array_file.h"
#include "io/bundle.h"

enum { ROWS = 5, CLASSES = 3 };

static char names[CLASSES][8] = { "west", "east", "north" };
static char *class_names[] = { names[0], names[1], names[2] };
static double mean[] = { 1, 2 }, deviation[] = { 2, 4 };
static const float inputs[ROWS][2] = { { 1, 2 }, { 3, -2 }, { -1, 6 }, { 0, 0 }, { 5, 1 } };

/* net.onnx up to its logits, with an encoding. */
static crd_model *make_model(crd_context *ctx, size_t classes, size_t channels) {
  const crd_encoding encoding = { .class_count = classes,
                                  .class_names = class_names,
                                  .channels = channels,
                                  .mean = mean,
                                  .std = deviation };
  crd_model *const net = open_model(ctx, DATA_FILE("net.onnx"));
  crd_model *const logits = cut(ctx, net, "logits", CRD_PART_BEFORE);
  crd_model *model;
  WORKS(ctx, crd_model_set_encoding(ctx, logits, &encoding, &model));
  crd_model_destroy(logits);
  crd_model_destroy(net);
  return model;
}

/* The data has its classes in another order. */
static crd_dataset *make_dataset(crd_context *ctx) {
  static const int64_t labels[ROWS] = { 0, 1, 2, 0, 1 }, groups[ROWS] = { 7, 3, 7, 7, 3 };
  static const double weights[ROWS] = { 1, 2, 1, .5, 0 };
  static const char *const own[] = { "east", "north", "west" };
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, 2),
    .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
    .weights = crd_array_matrix(weights, CRD_F64, ROWS, 1),
    .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
    .classes = CLASSES,
    .class_names = own,
  };
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

static crd_array read_array(crd_context *ctx, const char *path, const char *name,
                            crd_array_file **file) {
  char spec[400];
  snprintf(spec, sizeof spec, "%s#%s", path, name);
  WORKS(ctx, crd_array_file_open(ctx, spec, file));
  return *crd_array_file_array(*file);
}

static void check_integers(crd_context *ctx, const char *path, const char *name,
                           const int64_t *want, size_t count) {
  crd_array_file *file;
  const crd_array got = read_array(ctx, path, name, &file);
  assert_int_equal(got.dtype, CRD_I64);
  assert_int_equal(crd_array_count(&got), count);
  assert_memory_equal(got.data, want, count * sizeof *want);
  crd_array_file_destroy(file);
}

/* The network itself, on normalised rows. */
static crd_array run_rows(crd_context *ctx, const crd_model *model, const size_t *rows,
                          size_t count) {
  float values[ROWS][2];
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < 2; k++)
      values[i][k] = (float)(((double)inputs[rows[i]][k] - mean[k]) / deviation[k]);
  const crd_array x = {
    .data = values, .dtype = CRD_F32, .rank = 2, .dims = { (int64_t)count, 2 }
  };
  return run_once(ctx, model, &x);
}

static void rows_are_normalised_and_labels_mapped(void **state) {
  static const int64_t labels[ROWS] = { 1, 2, 0, 1, 2 }, groups[ROWS] = { 0, 1, 0, 0, 1 },
                       indices[ROWS] = { 0, 1, 2, 3, 4 };
  static const size_t all[ROWS] = { 0, 1, 2, 3, 4 };
  crd_model *const model = make_model(*state, CLASSES, 2);
  crd_dataset *const data = make_dataset(*state);
  crd_array want = run_rows(*state, model, all, ROWS);
  for (size_t batch = 0; batch < 4; batch++) {
    const char *const path = scratch_path("rows.npz");
    const crd_feed_options how = { .size = sizeof how, .batch = batch };
    crd_feed_summary done;
    crd_array_file *file;
    WORKS(*state, crd_dataset_predict_to(*state, model, data, &how, path, &done));
    assert_true(done.rows == ROWS && done.classes == CLASSES && done.labelled);
    assert_string_equal(done.scores, "logits");
    assert_int_equal(done.features, 0);
    const crd_array got = read_array(*state, path, "logits", &file);
    check_near("logits", &got, &want);
    crd_array_file_destroy(file);
    check_integers(*state, path, "labels", labels, ROWS);
    check_integers(*state, path, "groups", groups, ROWS);
    check_integers(*state, path, "indices", indices, ROWS);
    crd_predictions *predictions;
    WORKS(*state, crd_predictions_open(*state, path, NULL, &predictions));
    assert_string_equal(crd_predictions_class_name(predictions, 2), "north");
    crd_predictions_destroy(predictions);
    unlink(path);
  }
  assert_int_equal(crd_dataset_label(data, 0), 0); /* the caller's dataset is as it was */
  drop(*state, &want);
  crd_dataset_destroy(data);
  crd_model_destroy(model);
}

static void parts_keep_their_indices(void **state) {
  static const size_t rows[] = { 4, 1 };
  static const int64_t indices[] = { 4, 1 }, labels[] = { 2, 2 };
  crd_model *const model = make_model(*state, CLASSES, 2);
  crd_dataset *const data = make_dataset(*state);
  crd_dataset *part;
  crd_array_file *file;
  const char *const path = scratch_path("part.npz");
  WORKS(*state, crd_dataset_take(*state, data, rows, 2, &part));
  WORKS(*state, crd_dataset_predict_to(*state, model, part, NULL, path, NULL));
  crd_array want = run_rows(*state, model, rows, 2);
  const crd_array got = read_array(*state, path, "logits", &file);
  check_near("logits", &got, &want);
  check_integers(*state, path, "indices", indices, 2);
  check_integers(*state, path, "labels", labels, 2);
  drop(*state, &want);
  crd_array_file_destroy(file);
  crd_dataset_destroy(part);
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  unlink(path);
}

/* Rows without a label are for evaluations to leave out. */
static void some_rows_have_no_label(void **state) {
  static const int64_t given[ROWS] = { 2, -1, 0, -1, 1 };
  static const int64_t labels[ROWS] = { 2, CRD_IGNORE_LABEL, 0, CRD_IGNORE_LABEL, 1 };
  const char *const path = scratch_path("some.npz");
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, 2),
                                      .labels = crd_array_matrix(given, CRD_I64, ROWS, 1),
                                      .classes = CLASSES };
  crd_model *const model = make_model(*state, 0, 2); /* without names */
  crd_dataset *data;
  crd_predictions *predictions;
  crd_feed_summary done;
  WORKS(*state, crd_dataset_create(*state, &arrays, &data));
  WORKS(*state, crd_dataset_predict_to(*state, model, data, NULL, path, &done));
  assert_true(done.labelled);
  check_integers(*state, path, "labels", labels, ROWS);
  WORKS(*state, crd_predictions_open(*state, path, NULL, &predictions));
  assert_int_equal(crd_predictions_rows(predictions), 3);
  crd_predictions_destroy(predictions);
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  unlink(path);
}

/* ---- Images, and features of four dimensions. */

static size_t batches_run;

static void count_batches(void *self, const char *stage, uint64_t done, uint64_t total) {
  (void)self, (void)done, (void)total;
  batches_run += strcmp(stage, "running") == 0;
}

static crd_model *make_image_model(crd_context *ctx) {
  static double means[] = { 100, 50, 0 }, deviations[] = { 60, 70, 80 };
  const crd_encoding encoding = { .channels = 3, .mean = means, .std = deviations };
  crd_model *const plain = open_model(ctx, DATA_FILE("image.onnx"));
  crd_model *model;
  WORKS(ctx, crd_model_set_encoding(ctx, plain, &encoding, &model));
  crd_model_destroy(plain);
  return model;
}

/* A dataset of the file, and the file itself with options for the same. */
static void images_are_as_in_files(void **state) {
  static const double means[] = { 100, 50, 0 }, deviations[] = { 60, 70, 80 };
  static const char images[] = DATA_FILE("images.npz");
  const char *const a = scratch_path("a.npz"), *const b = scratch_path("b.npz");
  const crd_feed_options how = { .size = sizeof how,
                                 .mean = means,
                                 .std = deviations,
                                 .channels = 3,
                                 .channels_last = 1,
                                 .batch = 2 };
  crd_model *const model = make_image_model(*state);
  crd_dataset *data;
  crd_array_file *left, *right;
  WORKS(*state, crd_dataset_open(*state, images, NULL, &data));
  const crd_feed_options last = { .size = sizeof last, .channels_last = 1 };
  WORKS(*state, crd_dataset_predict_to(*state, model, data, &last, a, NULL));
  WORKS(*state, crd_model_predict_to(*state, model, images, &how, b, NULL));
  const crd_array got = read_array(*state, a, "logits", &left);
  const crd_array want = read_array(*state, b, "logits", &right);
  check_near("logits", &got, &want);
  crd_array_file_destroy(left);
  crd_array_file_destroy(right);
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  unlink(a);
  unlink(b);
}

/* Every batch runs once, in whatever order a format writes its arrays. */
static void features_have_their_shape(void **state) {
  static const char *const files[] = { "f.npz", "f.safetensors" };
  crd_model *const model = make_image_model(*state);
  crd_model *const before = cut(*state, model, "active", CRD_PART_BEFORE);
  crd_dataset *data;
  WORKS(*state, crd_dataset_open(*state, DATA_FILE("images.npz"), NULL, &data));
  crd_context_set_progress(*state, count_batches, NULL);
  for (size_t i = 0; i < 2; i++) {
    const crd_feed_options how = {
      .size = sizeof how, .features = "active", .batch = 2, .channels_last = 1
    };
    const char *const path = scratch_path(files[i]);
    crd_feed_summary done;
    batches_run = 0;
    WORKS(*state, crd_dataset_predict_to(*state, model, data, &how, path, &done));
    assert_int_equal(done.features, 4 * 4 * 6);
    assert_int_equal(batches_run, 3);
    crd_array_file *file;
    const crd_array got = read_array(*state, path, "features", &file);
    assert_true(got.rank == 4 && got.dims[0] == 5 && got.dims[1] == 4 && got.dims[3] == 6);
    crd_array_file_destroy(file);
    unlink(path);
  }
  crd_context_set_progress(*state, NULL, NULL);
  crd_dataset_destroy(data);
  crd_model_destroy(before);
  crd_model_destroy(model);
}

/* (n, h, w, 3) becomes (n, 3, h, w) by itself; then the option has nothing to do. */
static void channels_are_moved_once(void **state) {
  static float pixels[2 * 5 * 5 * 3];
  const char *const path = scratch_path("moved.npz");
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = { .data = pixels, .dtype = CRD_F32, .rank = 4, .dims = { 2, 5, 5, 3 } }
  };
  crd_model *const model = make_image_model(*state);
  crd_dataset *data;
  WORKS(*state, crd_dataset_create(*state, &arrays, &data));
  for (int last = 0; last < 2; last++) {
    const crd_feed_options how = { .size = sizeof how, .channels_last = last };
    crd_feed_summary done;
    WORKS(*state, crd_dataset_predict_to(*state, model, data, &how, path, &done));
    assert_false(done.labelled);
  }
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  unlink(path);
}

static void features_are_the_tensor(void **state) {
  static const size_t all[ROWS] = { 0, 1, 2, 3, 4 };
  const char *const path = scratch_path("tensor.npz");
  const crd_feed_options how = { .size = sizeof how, .features = "hidden", .batch = 2 };
  crd_model *const model = make_model(*state, CLASSES, 2);
  crd_model *const before = cut(*state, model, "hidden", CRD_PART_BEFORE);
  crd_dataset *const data = make_dataset(*state);
  crd_array_file *file;
  WORKS(*state, crd_dataset_predict_to(*state, model, data, &how, path, NULL));
  crd_array want = run_rows(*state, before, all, ROWS), logits = run_rows(*state, model, all, ROWS);
  const char *const table = scratch_path("tensor.csv");
  crd_context_set_progress(*state, count_batches, NULL);
  batches_run = 0;
  WORKS(*state, crd_dataset_predict_to(*state, model, data, &how, table, NULL));
  assert_int_equal(batches_run, 3);
  crd_context_set_progress(*state, NULL, NULL);
  unlink(table);
  crd_array got = read_array(*state, path, "features", &file);
  check_near("features", &got, &want);
  crd_array_file_destroy(file);
  got = read_array(*state, path, "logits", &file);
  check_near("logits", &got, &logits);
  crd_array_file_destroy(file);
  drop(*state, &want);
  drop(*state, &logits);
  crd_dataset_destroy(data);
  crd_model_destroy(before);
  crd_model_destroy(model);
  unlink(path);
}

/* ---- What does not fit. */

static void other_classes_are_refused(void **state) {
  const char *const path = scratch_path("bad.npz");
  crd_dataset *const data = make_dataset(*state);
  crd_model *const two = make_model(*state, 2, 2);
  FAILS(*state, CRD_EINPUT, crd_dataset_predict_to(*state, two, data, NULL, path, NULL),
        "has 3 classes, the model has 2: the first that differs is 'east', where the model has "
        "'west'");
  crd_model *const wide = make_model(*state, CLASSES, 1);
  const crd_feed_options how = {
    .size = sizeof how, .mean = mean, .std = deviation, .channels = 2
  };
  WORKS(*state, crd_dataset_predict_to(*state, wide, data, &how, path, NULL)); /* options win */
  crd_model_destroy(two);
  crd_model_destroy(wide);
  crd_dataset_destroy(data);
  unlink(path);
}

static crd_status predict_somewhere(crd_context *ctx, const void *path) {
  const crd_feed_options how = {
    .size = sizeof how, .features = "active", .batch = 2, .channels_last = 1
  };
  crd_model *model = NULL;
  crd_dataset *data = NULL;
  crd_status status = crd_model_open(ctx, DATA_FILE("image.onnx"), &model);
  if (status == CRD_OK) status = crd_dataset_open(ctx, DATA_FILE("images.npz"), NULL, &data);
  if (status == CRD_OK) status = crd_dataset_predict_to(ctx, model, data, &how, path, NULL);
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  return status;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  const char *const path = scratch_path("memory.npz");
  fail_each_allocation(predict_somewhere, path);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(rows_are_normalised_and_labels_mapped),
    TEST(parts_keep_their_indices),
    TEST(some_rows_have_no_label),
    TEST(images_are_as_in_files),
    TEST(features_have_their_shape),
    TEST(channels_are_moved_once),
    TEST(features_are_the_tensor),
    TEST(other_classes_are_refused),
    TEST(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

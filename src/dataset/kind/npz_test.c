/* npz_test.c -- arrays of one file: names, splits, layouts, types, labels. */
#include "dataset/kind/testing.h"

#include "dataset/dataset.h"
#include "io/write.h"

/* An array to write: its name and shape. */
typedef struct {
  const char *name;
  crd_array array;
} item;

static const char *write_items(crd_context *ctx, const char *name, const item *items,
                               size_t count) {
  const char *const path = scratch_path(name);
  crd__io_array arrays[8] = { 0 };
  for (size_t i = 0; i < count; i++) {
    const crd_array *const a = &items[i].array;
    size_t cols = 1;
    for (size_t d = 1; d < a->rank; d++) cols *= (size_t)a->dims[d];
    arrays[i] = (crd__io_array){ .name = items[i].name, .shape = a };
    arrays[i].view = crd_array_matrix(a->data, a->dtype, (size_t)a->dims[0], cols);
  }
  WORKS(ctx, crd__io_bundle_write(ctx, path, arrays, count));
  return path;
}

static const unsigned char bytes[24] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                         12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 255 };
static const int64_t labels[4] = { 3, 1, 3, 0 };

static item samples(const char *name, const void *data, crd_dtype dtype, size_t rank,
                    const int64_t *dims) {
  item out = { name, { .data = data, .dtype = dtype, .rank = rank } };
  memcpy(out.array.dims, dims, rank * sizeof *dims);
  return out;
}

static item targets(const char *name, size_t count) {
  return samples(name, labels, CRD_I64, 1, (const int64_t[]){ (int64_t)count });
}

/* The same two images of 3 x 2 x 2 in both layouts. */
static void channels_are_found_first_or_last(void **state) {
  crd_context *const ctx = *state;
  unsigned char last[24];
  float expected[2][12];
  for (size_t n = 0; n < 2; n++)
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < 4; i++) {
        last[(n * 4 + i) * 3 + c] = bytes[(n * 3 + c) * 4 + i];
        expected[n][c * 4 + i] = (float)bytes[(n * 3 + c) * 4 + i] / 255.0F;
      }
  const item both[2][2] = {
    { samples("images", bytes, CRD_U8, 4, (const int64_t[]){ 2, 3, 2, 2 }), targets("labels", 2) },
    { samples("images", last, CRD_U8, 4, (const int64_t[]){ 2, 2, 2, 3 }), targets("labels", 2) },
  };
  for (size_t i = 0; i < 2; i++) {
    const char *const path = write_items(ctx, "layout.npz", both[i], 2);
    crd_dataset *const dataset = opened(ctx, data_of("npz", path, ""));
    check_shape(dataset, 2, 3, (const int64_t[]){ 3, 2, 2 }, 2);
    for (size_t n = 0; n < 2; n++) {
      float again[12]; /* as data that do not fit in memory are read */
      check_row(ctx, dataset, n, expected[n], 12);
      WORKS(ctx, dataset->store->kind->read(ctx, dataset->store, n, again));
      assert_memory_equal(again, expected[n], sizeof again);
    }
    assert_string_equal(class_of(dataset, 0), "3");
    crd_dataset_destroy(dataset);
    fail_each_allocation(open_and_read, data_of("npz", path, ""));
    unlink(path);
  }
}

/* Grey 2 x 2 becomes RGB 4 x 4, RGB becomes grey; opacity is left out; floats cannot change. */
static void images_get_the_wanted_size(void **state) {
  crd_context *const ctx = *state;
  const unsigned char even[] = {
    51, 51, 51, 51, 102, 102, 102, 102, 153, 153, 153, 153, 9, 9, 9, 9
  };
  float numbers[4] = { 0 };
  const crd_dataset_options larger = {
    .size = sizeof larger, .height = 4, .width = 4, .channels = 3
  };
  const crd_dataset_options grey = { .size = sizeof grey, .channels = 1 };
  const crd_dataset_options small = { .size = sizeof small, .height = 1, .width = 1 };
  const struct {
    item images;
    const crd_dataset_options *options;
    int64_t dims[3];
    float expected[3];
  } cases[] = {
    { samples("x", even, CRD_U8, 3, (const int64_t[]){ 2, 2, 2 }), &larger, { 3, 4, 4 }, { 0.2F } },
    { samples("x", even, CRD_U8, 4, (const int64_t[]){ 1, 3, 2, 2 }),
      &grey,
      { 1, 2, 2 },
      { 93 / 255.0F } }, /* 0.299 * 51 + 0.587 * 102 + 0.114 * 153, rounded */
    { samples("x", even, CRD_U8, 4, (const int64_t[]){ 1, 4, 2, 2 }),
      &small,
      { 3, 1, 1 },
      { 0.2F, 0.4F, 0.6F } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = write_items(ctx, "size.npz", &cases[i].images, 1);
    crd_dataset *const dataset = opened_with(ctx, data_of("npz", path, ""), cases[i].options);
    check_shape(dataset, (size_t)cases[i].images.array.dims[0], 3, cases[i].dims, 0);
    check_row(ctx, dataset, 0, cases[i].expected, i == 2 ? 3 : 1);
    crd_dataset_destroy(dataset);
    unlink(path);
  }
  const item images = samples("x", numbers, CRD_F32, 3, (const int64_t[]){ 1, 2, 2 });
  const char *const path = write_items(ctx, "size.npz", &images, 1);
  crd_dataset *dataset;
  FAILS(ctx, CRD_EUSAGE, crd_dataset_open(ctx, data_of("npz", path, ""), &larger, &dataset),
        "size.npz#x: images of f32 cannot be resized");
  unlink(path);
}

static void ranks_decide_the_type(void **state) {
  crd_context *const ctx = *state;
  const float numbers[] = { -1.5F, 300, 2, 3, 4, 5, 6, 7 };
  const double doubles[] = { -1.5, 300, 2, 3, 4, 5, 6, 7 };
  const item cases[] = {
    samples("x", numbers, CRD_F32, 2, (const int64_t[]){ 2, 4 }),
    samples("X", doubles, CRD_F64, 3, (const int64_t[]){ 2, 2, 2 }),
    samples("data", numbers, CRD_F32, 4, (const int64_t[]){ 2, 1, 2, 2 }),
    samples("inputs", numbers, CRD_F32, 4, (const int64_t[]){ 2, 2, 2, 1 }),
    samples("features", numbers, CRD_F32, 4, (const int64_t[]){ 2, 1, 1, 4 }), /* 4 yields to 1 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const path = write_items(ctx, "ranks.npz", &cases[i], 1);
    crd_dataset *const dataset = opened(ctx, data_of("npz", path, ""));
    const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
    assert_int_equal(shape->type, i == 0 ? CRD_SAMPLES_VECTORS : CRD_SAMPLES_IMAGES);
    assert_int_equal(shape->rank, i == 0 ? 1 : 3);
    assert_int_equal(shape->dims[0], i == 0 ? 4 : 1);
    assert_int_equal(shape->classes, 0);
    check_row(ctx, dataset, 0, numbers, 4); /* floats are unchanged */
    check_row(ctx, dataset, 1, numbers + 4, 4);
    crd_dataset_destroy(dataset);
    unlink(path);
  }
}

static void splits_stand_before_or_behind(void **state) {
  crd_context *const ctx = *state;
  static const char *const names[][5] = {
    { "train_images", "train_labels", "val_images", "val_labels", "val" },
    { "x_train", "y_train", "x_test", "y_test", "test" },
    { "X_train", "y_train", "X_valid", "y_valid", "val" },
    { "images_train", "labels_train", "images_dev", "labels_dev", "validation" },
  };
  const int64_t one[] = { 1, 2, 2 }, three[] = { 3, 2, 2 };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const item items[] = {
      samples(names[i][0], bytes, CRD_U8, 3, three),
      targets(names[i][1], 3),
      samples(names[i][2], bytes + 12, CRD_U8, 3, one),
      targets(names[i][3], 1),
      samples("x_mean", bytes, CRD_U8, 2, (const int64_t[]){ 1, 4 }), /* no labels: no split */
    };
    char suffix[40];
    const char *const path = write_items(ctx, "splits.npz", items, 5);
    crd_dataset *dataset = opened(ctx, data_of("npz", path, ""));
    check_shape(dataset, 4, 3, (const int64_t[]){ 1, 2, 2 }, 2);
    crd_dataset_destroy(dataset);
    snprintf(suffix, sizeof suffix, "#%s", names[i][4]);
    dataset = opened(ctx, data_of("npz", path, suffix));
    check_shape(dataset, 1, 3, (const int64_t[]){ 1, 2, 2 }, 1);
    check_row(ctx, dataset, 0,
              (const float[]){ 12 / 255.0F, 13 / 255.0F, 14 / 255.0F, 15 / 255.0F }, 4);
    crd_dataset_destroy(dataset);
    snprintf(suffix, sizeof suffix, "#%s+train", names[i][4]);
    dataset = opened(ctx, data_of("npz", path, suffix));
    assert_int_equal(crd_dataset_describe(dataset)->rows, 4);
    check_row(ctx, dataset, 1, (const float[]){ 0 }, 1);
    crd_dataset_destroy(dataset);
    REFUSED(ctx, CRD_EUSAGE, data_of("npz", path, "#holdout"), "no split 'holdout', found ");
    unlink(path);
  }
}

static void labels_may_be_columns_or_one_hot(void **state) {
  crd_context *const ctx = *state;
  const unsigned char hot[] = { 0, 1, 0, 1, 0, 0 };
  unsigned char cold[] = { 0, 1, 0, 1, 0, 1 };
  const float scores[] = { 0, 0.5F, 0, 1, 0, 0 };
  const item images = samples("images", bytes, CRD_U8, 3, (const int64_t[]){ 2, 2, 2 });
  const struct {
    item labels;
    const char *words; /* of the message; NULL: it works */
    size_t classes;
  } cases[] = {
    { samples("labels", labels, CRD_I64, 2, (const int64_t[]){ 2, 1 }), NULL, 2 },
    { samples("labels", hot, CRD_U8, 2, (const int64_t[]){ 2, 3 }), NULL, 3 },
    { samples("labels", cold, CRD_U8, 2, (const int64_t[]){ 2, 3 }),
      "#labels: row 1: 2 classes are marked, expected exactly one", 0 },
    { samples("labels", scores, CRD_F32, 2, (const int64_t[]){ 2, 3 }),
      "#labels: row 0, class 1: found 0.5, expected 0 or 1 (one-hot)", 0 },
    { samples("labels", scores, CRD_F32, 1, (const int64_t[]){ 2 }),
      "#labels: row 1: found 0.5, expected an integer", 0 },
    { targets("labels", 3), "#labels: 3 labels for 2 samples of", 0 },
    { samples("labels", hot, CRD_U8, 3, (const int64_t[]){ 2, 1, 1 }), "dimensions", 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const item items[] = { images, cases[i].labels };
    const char *const path = write_items(ctx, "labels.npz", items, 2);
    const char *const data = data_of("npz", path, "");
    if (cases[i].words) REFUSED(ctx, CRD_EINPUT, data, cases[i].words);
    else {
      crd_dataset *const dataset = opened(ctx, data);
      assert_int_equal(crd_dataset_describe(dataset)->classes, cases[i].classes);
      assert_string_equal(class_of(dataset, 0), i == 0 ? "3" : "1");
      assert_string_equal(class_of(dataset, 1), i == 0 ? "1" : "0");
      crd_dataset_destroy(dataset);
    }
    unlink(path);
  }
}

/* class_names names the indices; an index beyond them fails. */
static void class_names_are_used(void **state) {
  crd_context *const ctx = *state;
  static const char *const names[] = { "zebra", "ant", "bee", "cow" };
  const crd_array images = samples("", bytes, CRD_U8, 2, (const int64_t[]){ 3, 4 }).array;
  for (int fewer = 0; fewer < 2; fewer++) {
    const size_t cols = fewer ? 3 : 4;
    crd__io_array arrays[2] = { { .name = "x", .columns = names },
                                { .name = "y", .view = crd_array_matrix(labels, CRD_I64, 3, 1) } };
    arrays[0].view = crd_array_matrix(images.data, CRD_U8, 3, cols);
    const char *const path = scratch_path("names.safetensors");
    WORKS(ctx, crd__io_bundle_write(ctx, path, arrays, 2));
    const char *const data = data_of("npz", path, "");
    if (fewer) REFUSED(ctx, CRD_EINPUT, data, "#y: row 0: found class 3, allowed are 0 .. 2");
    else {
      crd_dataset *const dataset = opened(ctx, data);
      assert_int_equal(crd_dataset_describe(dataset)->classes, 4);
      assert_string_equal(class_of(dataset, 0), "cow");
      assert_string_equal(class_of(dataset, 1), "ant");
      crd_dataset_destroy(dataset);
    }
    unlink(path);
  }
}

static void other_files_fail(void **state) {
  crd_context *const ctx = *state;
  const item unknown[] = { samples("weights", bytes, CRD_U8, 2, (const int64_t[]){ 2, 4 }) };
  const item differ[] = { samples("x_train", bytes, CRD_U8, 2, (const int64_t[]){ 2, 4 }),
                          samples("x_test", bytes, CRD_U8, 2, (const int64_t[]){ 2, 3 }) };
  const item types[] = { samples("x_train", bytes, CRD_U8, 2, (const int64_t[]){ 2, 4 }),
                         samples("x_test", bytes, CRD_I8, 2, (const int64_t[]){ 2, 4 }) };
  const char *path = write_items(ctx, "bad.npz", unknown, 1);
  REFUSED(ctx, CRD_EINPUT, data_of("npz", path, ""),
          "no array of samples: found weights (2 x 4 u8); expected names such as images");
  unlink(path);
  path = write_items(ctx, "bad.npz", differ, 2);
  REFUSED(ctx, CRD_EINPUT, data_of("npz", path, ""), "#x_test: samples of 1 x 1 x 3 u8, those of ");
  unlink(path);
  path = write_items(ctx, "bad.npz", types, 2);
  REFUSED(ctx, CRD_EINPUT, data_of("npz", path, ""), "#x_test: samples of 1 x 1 x 4 i8");
  unlink(path);
  path = put_text("bad.npz", "PK\3\4 damaged");
  REFUSED(ctx, CRD_EINPUT, data_of("npz", path, ""), "bad.npz: ");
  unlink(path);
  REFUSED(ctx, CRD_EINPUT, "npz:/no/such.npz", "/no/such.npz: cannot open");
  REFUSED(ctx, CRD_EUSAGE, "npz", "expected npz:PATH");
}

static void pneumonia_mnist_is_read(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("pneumoniamnist_train_val.npz, deflated")) return;
  char path[512];
  snprintf(path, sizeof path, "%.400s/data/pneumoniamnist/pneumoniamnist_train_val.npz",
           shared_folder());
  if (!is_there("dataset-npz", path)) return;
  static const size_t counts[2][2] = { { 1214, 3494 }, { 135, 389 } };
  for (int val = 0; val < 2; val++) {
    crd_dataset *const dataset = opened(ctx, data_of("npz", path, val ? "#val" : "#train"));
    size_t found[2] = { 0 };
    check_shape(dataset, counts[val][0] + counts[val][1], 3, (const int64_t[]){ 1, 28, 28 }, 2);
    for (size_t i = 0; i < crd_dataset_describe(dataset)->rows; i++)
      found[crd_dataset_label(dataset, i)]++;
    assert_int_equal(found[0], counts[val][0]);
    assert_int_equal(found[1], counts[val][1]);
    crd_dataset_destroy(dataset);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(channels_are_found_first_or_last),
    TEST(images_get_the_wanted_size),
    TEST(ranks_decide_the_type),
    TEST(splits_stand_before_or_behind),
    TEST(labels_may_be_columns_or_one_hot),
    TEST(class_names_are_used),
    TEST(other_files_fail),
    TEST(pneumonia_mnist_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

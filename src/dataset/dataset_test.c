/* dataset_test.c -- datasets from arrays and from files without a kind: samples, labels, rows. */
#include "base/memory.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, SIZE = 24 };

static crd_array image_array(const void *data, crd_dtype dtype, const int64_t dims[4]) {
  crd_array array = { .data = data, .dtype = dtype, .rank = 4 };
  memcpy(array.dims, dims, 4 * sizeof *dims);
  return array;
}

static crd_dataset *created(crd_context *ctx, const crd_dataset_arrays *arrays) {
  crd_dataset *dataset;
  if (crd_dataset_create(ctx, arrays, &dataset) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

static crd_dataset *opened(crd_context *ctx, const char *data) {
  crd_dataset *dataset;
  if (crd_dataset_open(ctx, data, NULL, &dataset) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

static void read_row(crd_context *ctx, const crd_dataset *dataset, size_t row, float *out) {
  assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, out), CRD_OK);
}

/* ---- Layouts. */

/* The same images as (n,c,h,w), (n,h,w,c), of several types, strided and byte-swapped. */
static void layouts_give_the_same_images(void **state) {
  crd_context *const ctx = *state;
  enum { C = 3, H = 2, W = 4 };
  static float planes[ROWS][C][H][W];
  static unsigned char last[ROWS][H][W][C];
  static unsigned char swapped[ROWS][2 * H][W][C][2]; /* every second row, big or little endian */
  const uint16_t one = 1;
  const bool little = *(const unsigned char *)&one == 1;
  for (size_t i = 0; i < sizeof planes / sizeof(float); i++) {
    const size_t n = i / SIZE, c = i / (H * W) % C, h = i / W % H, w = i % W;
    planes[n][c][h][w] = (float)(i % 251);
    last[n][h][w][c] = (unsigned char)(i % 251);
    swapped[n][2 * h][w][c][little] = (unsigned char)(i % 251);
  }
  crd_dataset_arrays arrays[3] = {
    { .size = sizeof *arrays,
      .inputs = image_array(planes, CRD_F32, (const int64_t[]){ ROWS, C, H, W }) },
    { .size = sizeof *arrays,
      .inputs = image_array(last, CRD_U8, (const int64_t[]){ ROWS, H, W, C }) },
    { .size = sizeof *arrays,
      .inputs = image_array(swapped, CRD_I16, (const int64_t[]){ ROWS, H, W, C }) },
  };
  const ptrdiff_t strides[] = { sizeof swapped[0], 2 * sizeof swapped[0][0],
                                sizeof swapped[0][0][0], 2 };
  memcpy(arrays[2].inputs.strides, strides, sizeof strides);
  arrays[2].inputs.swapped = 1;
  for (size_t a = 0; a < 3; a++) {
    crd_dataset *const dataset = created(ctx, &arrays[a]);
    const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
    assert_int_equal(shape->type, CRD_SAMPLES_IMAGES);
    assert_int_equal(shape->rank, 3);
    assert_int_equal(shape->dims[0], C);
    assert_int_equal(shape->dims[1], H);
    assert_int_equal(shape->dims[2], W);
    for (size_t row = 0; row < ROWS; row++) {
      float found[SIZE];
      read_row(ctx, dataset, row, found);
      assert_memory_equal(found, planes[row], sizeof found);
    }
    crd_dataset_destroy(dataset);
  }
}

static void shapes_of_inputs(void **state) {
  crd_context *const ctx = *state;
  static const float values[720];
  static const struct {
    size_t rank;
    int64_t dims[6];
    crd_sample_type type;
    size_t sample_rank;
    int64_t sample[4];
  } cases[] = {
    { 1, { 720 }, CRD_SAMPLES_VECTORS, 1, { 1 } },
    { 2, { 72, 10 }, CRD_SAMPLES_VECTORS, 1, { 10 } },
    { 3, { 10, 8, 9 }, CRD_SAMPLES_IMAGES, 3, { 1, 8, 9 } },
    { 4, { 10, 1, 8, 9 }, CRD_SAMPLES_IMAGES, 3, { 1, 8, 9 } },
    { 4, { 10, 8, 9, 1 }, CRD_SAMPLES_IMAGES, 3, { 1, 8, 9 } },
    { 4, { 10, 6, 3, 4 }, CRD_SAMPLES_IMAGES, 3, { 4, 6, 3 } },
    { 4, { 10, 6, 2, 6 }, CRD_SAMPLES_IMAGES, 3, { 6, 2, 6 } },
    { 4, { 10, 4, 6, 3 }, CRD_SAMPLES_IMAGES, 3, { 3, 4, 6 } },
    { 4, { 10, 3, 8, 3 }, CRD_SAMPLES_IMAGES, 3, { 3, 8, 3 } },
    { 5, { 2, 3, 4, 5, 6 }, CRD_SAMPLES_VECTORS, 4, { 3, 4, 5, 6 } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_dataset_arrays arrays = { .size = sizeof arrays,
                                  .inputs = { .data = values, .dtype = CRD_F32 } };
    arrays.inputs.rank = cases[i].rank;
    memcpy(arrays.inputs.dims, cases[i].dims, sizeof cases[i].dims);
    crd_dataset *const dataset = created(ctx, &arrays);
    const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
    assert_int_equal(shape->type, cases[i].type);
    assert_int_equal(shape->rank, cases[i].sample_rank);
    for (size_t k = 0; k < shape->rank; k++) assert_int_equal(shape->dims[k], cases[i].sample[k]);
    assert_int_equal(shape->classes, 0);
    assert_int_equal(crd_dataset_label(dataset, 0), -1);
    assert_true(crd_dataset_weight(dataset, 0) == 1);
    assert_null(crd_dataset_group(dataset, 0));
    crd_dataset_destroy(dataset);
  }
}

/* ---- Columns. */

static const float inputs[ROWS][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 8, 9 } };

static void columns_belong_to_rows(void **state) {
  crd_context *const ctx = *state;
  static const int32_t labels[ROWS] = { 2, 0, -1, 2, 1 };
  static const float weights[ROWS] = { 1, 0, 2.5F, 1, 3 };
  static const int64_t groups[ROWS] = { 7, -3, 7, 9, 9 };
  static const char *const names[] = { "cat", "dog", "mouse", "owl" };
  static const size_t some[] = { 4, 0, 0 };
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, 2),
                                      .labels = crd_array_matrix(labels, CRD_I32, ROWS, 1),
                                      .weights = crd_array_matrix(weights, CRD_F32, ROWS, 1),
                                      .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
                                      .classes = 4,
                                      .class_names = names };
  crd_dataset *const dataset = created(ctx, &arrays), *part;
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  assert_int_equal(shape->classes, 4);
  assert_string_equal(shape->class_names[3], "owl");
  assert_true(shape->has_weights && shape->has_groups);
  for (size_t i = 0; i < ROWS; i++) {
    assert_int_equal(crd_dataset_label(dataset, i), labels[i]);
    assert_true(crd_dataset_weight(dataset, i) == (double)weights[i]);
    assert_int_equal(atoi(crd_dataset_group(dataset, i)), groups[i]);
  }
  assert_int_equal(crd_dataset_take(ctx, dataset, some, 3, &part), CRD_OK);
  crd_dataset_destroy(dataset); /* parts keep what they share */
  for (size_t i = 0; i < 3; i++) {
    float found[2];
    assert_int_equal(crd_dataset_index(part, i), some[i]);
    assert_int_equal(crd_dataset_label(part, i), labels[some[i]]);
    read_row(ctx, part, i, found);
    assert_memory_equal(found, inputs[some[i]], sizeof found);
  }
  assert_int_equal(crd_dataset_take(ctx, part, (const size_t[]){ 3 }, 1, &(crd_dataset *){ 0 }),
                   CRD_EUSAGE);
  crd_dataset_destroy(part);
  crd_dataset_destroy(NULL);
}

static void arrays_must_fit_together(void **state) {
  crd_context *const ctx = *state;
  static const int64_t labels[ROWS] = { 0, 1, 2, -2, 1 };
  static const double halves[ROWS] = { 0, 1, 0.5, 1, 1 }, negative[ROWS] = { 1, 1, -1, 1, 1 };
  static const char *const twins[] = { "a", "b", "a" };
  const crd_array x = crd_array_matrix(inputs, CRD_F32, ROWS, 2);
  const struct {
    crd_dataset_arrays arrays;
    const char *message;
  } cases[] = {
    { { .size = sizeof(crd_dataset_arrays), .inputs = { .rank = 2 } }, "inputs have no rows" },
    { { .size = sizeof(crd_dataset_arrays), .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, 0) },
      "dimension 1 of the inputs is 0" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .labels = crd_array_matrix(labels, CRD_I64, 4, 1) },
      "labels are 4 x 1" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1) },
      "found labels from -2 to 2" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .labels = crd_array_matrix(halves, CRD_F64, ROWS, 1) },
      "labels row 2: found 0.5, expected an integer" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
        .classes = 2 },
      "found labels from -2 to 2, expected classes from 0 to 1" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .weights = crd_array_matrix(negative, CRD_F64, ROWS, 1) },
      "weights row 2: found -1" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = x,
        .groups = crd_array_matrix(halves, CRD_F64, ROWS, 1) },
      "groups row 2: found 0.5" },
    { { .size = sizeof(crd_dataset_arrays),
        .inputs = crd_array_slice(x, 0, 3),
        .labels = crd_array_matrix(labels, CRD_I64, 3, 1),
        .class_names = twins },
      "classes 0 and 2 are both called 'a'" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_dataset *dataset;
    assert_int_equal(crd_dataset_create(ctx, &cases[i].arrays, &dataset), CRD_EINPUT);
    assert_null(dataset);
    if (!strstr(crd_context_message(ctx), cases[i].message))
      fail_msg("case %zu: %s", i, crd_context_message(ctx));
  }
}

/* ---- Files without a kind. */

static void write_text(const char *path, const char *text) {
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void files_without_a_kind(void **state) {
  crd_context *const ctx = *state;
  char path[256], data[300];
  const crd_array x = crd_array_matrix(inputs, CRD_F32, ROWS, 2);
  temporary_path(path, "x.npy");
  assert_int_equal(crd_array_save(ctx, &x, NULL, path), CRD_OK);
  snprintf(data, sizeof data, "%s@1:4", path);
  crd_dataset *const dataset = opened(ctx, data);
  assert_int_equal(crd_dataset_describe(dataset)->rows, 3);
  assert_string_equal(crd_dataset_describe(dataset)->name, data);
  for (size_t i = 0; i < 3; i++) {
    float found[2];
    read_row(ctx, dataset, i, found);
    assert_memory_equal(found, inputs[i + 1], sizeof found);
    assert_int_equal(crd_dataset_index(dataset, i), i + 1);
  }
  crd_dataset_destroy(dataset);
  snprintf(data, sizeof data, "%s@1:9", path);
  assert_int_equal(crd_dataset_open(ctx, data, NULL, &(crd_dataset *){ 0 }), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "rows 1:9 do not exist, found rows 0:5"));
  snprintf(data, sizeof data, "%s~brightness=1", path);
  assert_int_equal(crd_dataset_open(ctx, data, NULL, &(crd_dataset *){ 0 }), CRD_EUSAGE);
  assert_non_null(strstr(crd_context_message(ctx), "the samples are not images"));
  remove(path);
  assert_int_equal(crd_dataset_open(ctx, path, NULL, &(crd_dataset *){ 0 }), CRD_EINPUT);
}

static void tables_without_a_kind(void **state) {
  crd_context *const ctx = *state;
  char path[256];
  static const int64_t labels[] = { 1, 0, 1 };
  temporary_path(path, "x.csv");
  write_text(path, "score_0,score_1,label,group\n0.5,2,1,a\n1,3,0,b\n-1,4,1,a\n");
  crd_dataset *const dataset = opened(ctx, path);
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  assert_int_equal(shape->rows, 3);
  assert_int_equal(shape->dims[0], 2);
  assert_int_equal(shape->classes, 2);
  for (size_t i = 0; i < 3; i++) assert_int_equal(crd_dataset_label(dataset, i), labels[i]);
  assert_string_equal(crd_dataset_group(dataset, 1), "b");
  crd_dataset_destroy(dataset);
  remove(path);
}

/* ---- Reading. */

static void reading_does_not_depend_on_threads(void **state) {
  crd_context *const ctx = *state;
  enum { MANY = 500 };
  crd_dataset *const dataset = opened(ctx, "synthetic:line");
  static size_t rows[MANY];
  static float one[MANY], three[MANY];
  for (size_t i = 0; i < MANY; i++) rows[i] = i * 7919 % 3000;
  crd_context_set_threads(ctx, 1);
  assert_int_equal(crd_dataset_read(ctx, dataset, rows, MANY, one), CRD_OK);
  crd_context_set_threads(ctx, 3);
  assert_int_equal(crd_dataset_read(ctx, dataset, rows, MANY, three), CRD_OK);
  crd_context_set_threads(ctx, 0);
  assert_memory_equal(one, three, sizeof one);
  rows[17] = 3000;
  assert_int_equal(crd_dataset_read(ctx, dataset, rows, MANY, one), CRD_EUSAGE);
  crd_dataset_destroy(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(layouts_give_the_same_images),
    cmocka_unit_test(shapes_of_inputs),
    cmocka_unit_test(columns_belong_to_rows),
    cmocka_unit_test(arrays_must_fit_together),
    cmocka_unit_test(files_without_a_kind),
    cmocka_unit_test(tables_without_a_kind),
    cmocka_unit_test(reading_does_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

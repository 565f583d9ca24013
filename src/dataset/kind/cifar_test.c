/* cifar_test.c -- CIFAR's binary files, and the arrays of CIFAR-10.1 and 10.2. */
#include "dataset/kind/testing.h"

#include "io/write.h"

enum { PLANE = 1024, PIXELS = 3 * PLANE };

static const int64_t dims[] = { 3, 32, 32 };

/* A record whose planes hold `value`, 2 and 3, but for the first pixel of the second line. */
static size_t put_record(unsigned char *out, size_t label_bytes, unsigned char label,
                         unsigned char value) {
  memset(out, 0, label_bytes);
  out[label_bytes - 1] = label;
  memset(out + label_bytes, value, PLANE);
  memset(out + label_bytes + PLANE, 2, PLANE);
  memset(out + label_bytes + PLANE * 2, 3, PLANE);
  out[label_bytes + 32] = 255;
  return label_bytes + PIXELS;
}

static void check_image(crd_context *ctx, const crd_dataset *dataset, size_t row, float value) {
  static float found[PIXELS];
  WORKS(ctx, crd_dataset_read(ctx, dataset, &row, 1, found));
  assert_true(found[0] == value / 255 && found[32] == 1 && found[33] == value / 255);
  assert_true(found[PLANE] == 2 / 255.0F && found[PIXELS - 1] == 3 / 255.0F);
}

static const char *make_cifar10(void) {
  const char *const folder = make_folder(NULL, "cifar10");
  for (unsigned char i = 0; i < 6; i++) {
    unsigned char bytes[2 * (1 + PIXELS)];
    char name[32] = "test_batch.bin";
    if (i < 5) snprintf(name, sizeof name, "data_batch_%d.bin", i + 1);
    size_t length = put_record(bytes, 1, i, (unsigned char)(10 * i));
    length += put_record(bytes + length, 1, 9, 5);
    put_in(folder, name, bytes, length);
  }
  return folder;
}

static void cifar10_has_five_batches_and_a_test(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_cifar10();
  crd_dataset *dataset = opened(ctx, data_of("cifar10", folder, "#train"));
  check_shape(dataset, 10, 3, dims, 10);
  for (size_t i = 0; i < 5; i++) check_image(ctx, dataset, 2 * i, (float)(10 * i));
  assert_string_equal(class_of(dataset, 2), "automobile");
  assert_string_equal(class_of(dataset, 9), "truck");
  crd_dataset_destroy(dataset);
  dataset = opened(ctx, data_of("cifar10", folder, ""));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 12);
  check_image(ctx, dataset, 10, 50);
  crd_dataset_destroy(dataset);
  /* The environment names the folder by default. */
  assert_int_equal(setenv("CREDENCE_CIFAR10", folder, 1), 0);
  dataset = opened(ctx, "cifar10#test");
  check_image(ctx, dataset, 0, 50);
  assert_string_equal(class_of(dataset, 0), "dog");
  crd_dataset_destroy(dataset);
  unsetenv("CREDENCE_CIFAR10");
  REFUSED(ctx, CRD_EUSAGE, "cifar10#test", "expected cifar10:PATH");
  fail_each_allocation(open_and_read, data_of("cifar10", folder, "#test"));
  remove_tree(folder);
}

static void cifar100_takes_the_fine_label(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_folder(NULL, "cifar100"), *const inner = make_folder(
                                                                folder, "cifar-100-binary");
  unsigned char bytes[2 * (2 + PIXELS)];
  size_t length = put_record(bytes, 2, 99, 7);
  length += put_record(bytes + length, 2, 0, 8);
  put_in(inner, "train.bin", bytes, length);
  put_in(inner, "test.bin", bytes, length / 2);
  crd_dataset *dataset = opened(ctx, data_of("cifar100", folder, ""));
  check_shape(dataset, 3, 3, dims, 100);
  check_image(ctx, dataset, 1, 8);
  assert_string_equal(class_of(dataset, 0), "worm");
  assert_string_equal(class_of(dataset, 1), "apple");
  assert_string_equal(crd_dataset_describe(dataset)->class_names[50], "mouse");
  crd_dataset_destroy(dataset);
  bytes[1] = 100;
  put_in(inner, "test.bin", bytes, length / 2);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar100", inner, "#test"),
          "test.bin: row 0: found class 100, allowed are 0 .. 99");
  remove_tree(folder);
}

static void bad_files_fail(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_cifar10();
  unsigned char bytes[2 * (1 + PIXELS)];
  const size_t length = put_record(bytes, 1, 10, 0);
  put_in(folder, "test_batch.bin", bytes, length);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10", folder, "#test"),
          "test_batch.bin: row 0: found class 10, allowed are 0 .. 9");
  put_in(folder, "test_batch.bin", bytes, length - 1);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10", folder, "#test"),
          "test_batch.bin: found 3072 bytes, expected a multiple of 3073");
  put_in(folder, "test_batch.bin", bytes, 0);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10", folder, "#test"),
          "test_batch.bin: the file is empty");
  REFUSED(ctx, CRD_EINPUT, "cifar10:/no/such/folder", "/no/such/folder: no such folder");
  char path[600], other[600];
  snprintf(path, sizeof path, "%s/data_batch_4.bin", folder);
  unlink(path);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10", folder, "#train"), "data_batch_4.bin: cannot open");
  snprintf(path, sizeof path, "%s/data_batch_1.bin", folder);
  snprintf(other, sizeof other, "%s/data_batch_1", folder);
  assert_int_equal(rename(path, other), 0);
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10", folder, "#train"), "found the Python version");
  remove_tree(folder);
}

/* ---- Arrays. */

/* Three images (32, 32, 3) of which the first channel is 10 n, the second 2, the third 3. */
static void fill_images(unsigned char *out) {
  for (size_t n = 0; n < 3; n++)
    for (size_t i = 0; i < PLANE; i++, out += 3) {
      out[0] = i == 32 ? 255 : (unsigned char)(10 * n);
      out[1] = 2;
      out[2] = 3;
    }
}

static void new_images_have_the_classes_of_cifar10(void **state) {
  crd_context *const ctx = *state;
  static unsigned char pixels[3 * PIXELS];
  int64_t labels[3] = { 9, 0, 4 };
  char path[600];
  const crd_array images = { .data = pixels, .dtype = CRD_U8, .rank = 4, .dims = { 3, 32, 32, 3 } };
  const crd_array indices = { .data = labels, .dtype = CRD_I64, .rank = 1, .dims = { 3 } };
  const char *const folder = make_folder(NULL, "cifar10.1");
  fill_images(pixels);
  snprintf(path, sizeof path, "%s/cifar10.1_v6_data.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &images, NULL, path));
  snprintf(path, sizeof path, "%s/cifar10.1_v6_labels.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &indices, NULL, path));
  crd__io_array both[2] = { { .name = "images", .shape = &images },
                            { .name = "labels", .view = crd_array_matrix(labels, CRD_I64, 3, 1) } };
  both[0].view = crd_array_matrix(pixels, CRD_U8, 3, PIXELS);
  snprintf(path, sizeof path, "%s/cifar102_train.npz", folder);
  WORKS(ctx, crd__io_bundle_write(ctx, path, both, 2));
  snprintf(path, sizeof path, "%s/cifar102_test.npz", folder);
  WORKS(ctx, crd__io_bundle_write(ctx, path, both, 2));
  for (int two = 0; two < 2; two++) {
    const char *const data = data_of(two ? "cifar10.2" : "cifar10.1", folder, "");
    crd_dataset *const dataset = opened(ctx, data);
    check_shape(dataset, two ? 6 : 3, 3, dims, 10);
    for (size_t i = 0; i < 3; i++) check_image(ctx, dataset, i, (float)(10 * i));
    assert_string_equal(class_of(dataset, 0), "truck");
    assert_string_equal(class_of(dataset, 2), "deer");
    crd_dataset_destroy(dataset);
    fail_each_allocation(open_and_read, data);
  }
  crd_dataset *const test = opened(ctx, data_of("cifar10.2", folder, "#test"));
  assert_int_equal(crd_dataset_describe(test)->rows, 3);
  crd_dataset_destroy(test);
  labels[1] = -1;
  snprintf(path, sizeof path, "%s/cifar10.1_v6_labels.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &indices, NULL, path));
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10.1", folder, ""), "row 1: found class -1, allowed are");
  snprintf(path, sizeof path, "%s/cifar10.1_v6_data.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &indices, NULL, path));
  REFUSED(ctx, CRD_EINPUT, data_of("cifar10.1", folder, ""),
          "cifar10.1_v6_data.npy: expected images of n x 32 x 32 x 3 bytes");
  REFUSED(ctx, CRD_EUSAGE, data_of("cifar10.1", folder, "#test"), "has none");
  remove_tree(folder);
}

/* ---- The real one. */

static void the_real_cifar10_is_read(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = getenv("CREDENCE_CIFAR10");
  char path[600];
  snprintf(path, sizeof path, "%.500s/test_batch.bin", folder ? folder : "build/cifar10");
  if (!is_there("dataset-cifar", path)) return;
  crd_dataset *const dataset =
      opened(ctx, data_of("cifar10", folder ? folder : "build/cifar10", ""));
  size_t cats = 0;
  check_shape(dataset, 60000, 3, dims, 10);
  for (size_t i = 0; i < 60000; i++) cats += strcmp(class_of(dataset, i), "cat") == 0;
  assert_int_equal(cats, 6000);
  assert_string_equal(class_of(dataset, 0), "frog");
  assert_string_equal(class_of(dataset, 50000), "cat");
  crd_dataset_destroy(dataset);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(the_real_cifar10_is_read), /* before the environment is changed */
    TEST(cifar10_has_five_batches_and_a_test),
    TEST(cifar100_takes_the_fine_label),
    TEST(bad_files_fail),
    TEST(new_images_have_the_classes_of_cifar10),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* idx_test.c -- MNIST's format: all element types, names of files, hostile headers. */
#include "dataset/kind/testing.h"

#include "dataset/kind/idx.h"
#include "io/gzip.h"

/* Two images of 2 x 3 bytes, and their labels. */
static const unsigned char images[] = { 0, 0, 8, 3, 0, 0, 0,   2,   0,  0, 0, 2,   0,  0,
                                        0, 3, 0, 1, 2, 3, 255, 254, 10, 9, 8, 128, 51, 102 };
static const unsigned char labels[] = { 0, 0, 8, 1, 0, 0, 0, 2, 7, 3 };
static const float first[] = { 0.0F, 1 / 255.0F, 2 / 255.0F, 3 / 255.0F, 1.0F, 254 / 255.0F };

static void put_split(const char *folder, const char *images_name, const char *labels_name) {
  put_in(folder, images_name, images, sizeof images);
  put_in(folder, labels_name, labels, sizeof labels);
}

static crd_status append(crd_context *ctx, void *self, const void *bytes, size_t count) {
  (void)ctx;
  return fwrite(bytes, 1, count, self) == count ? CRD_OK : CRD_ESYSTEM;
}

static void put_gzipped(crd_context *ctx, const char *folder, const char *name, const void *bytes,
                        size_t length) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  const crd__io_sink sink = { append, file };
  crd__io_gzip *gzip;
  WORKS(ctx, crd__io_gzip_open(ctx, &sink, &gzip));
  WORKS(ctx, crd__io_gzip_write(ctx, gzip, bytes, length));
  WORKS(ctx, crd__io_gzip_close(ctx, gzip, true));
  fclose(file);
}

static void a_folder_has_two_splits(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("t10k-images-idx3-ubyte.gz")) return;
  const char *const folder = make_folder(NULL, "idx");
  put_split(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  put_gzipped(ctx, folder, "t10k-images-idx3-ubyte.gz", images, sizeof images);
  put_gzipped(ctx, folder, "t10k-labels-idx1-ubyte.gz", labels, sizeof labels);
  const int64_t dims[] = { 1, 2, 3 };
  const struct {
    const char *suffix;
    size_t rows;
  } cases[] = { { "", 4 }, { "#train", 2 }, { "#test", 2 }, { "#test+train", 4 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_dataset *const dataset = opened(ctx, data_of("idx", folder, cases[i].suffix));
    check_shape(dataset, cases[i].rows, 3, dims, 2);
    assert_int_equal(crd_dataset_describe(dataset)->type, CRD_SAMPLES_IMAGES);
    check_row(ctx, dataset, 0, first, 6);
    check_row(ctx, dataset, cases[i].rows - 2, first, 6);
    assert_string_equal(class_of(dataset, 0), "7");
    assert_string_equal(class_of(dataset, cases[i].rows - 1), "3");
    crd_dataset_destroy(dataset);
  }
  fail_each_allocation(open_and_read, data_of("idx", folder, ""));
  REFUSED(ctx, CRD_EUSAGE, data_of("idx", folder, "#val"), "allowed are train test");
  remove_tree(folder);
}

/* Names as in EMNIST and as in copies of MNIST, and one file alone. */
static void other_names_are_found(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_folder(NULL, "idx-names");
  char path[600];
  put_split(folder, "emnist-letters-train-images-idx3-ubyte",
            "emnist-letters-train-labels-idx1-ubyte");
  put_split(folder, "test-images.idx3-ubyte", "test-labels.idx1-ubyte");
  crd_dataset *dataset = opened(ctx, data_of("idx", folder, ""));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 4);
  crd_dataset_destroy(dataset);
  snprintf(path, sizeof path, "%s/test-images.idx3-ubyte", folder);
  dataset = opened(ctx, data_of("idx", path, ""));
  assert_string_equal(class_of(dataset, 0), "7");
  crd_dataset_destroy(dataset);
  REFUSED(ctx, CRD_EUSAGE, data_of("idx", path, "#test"), "one file has no splits");
  /* Two sets in one folder: which one? A name that begins with the split wins over both. */
  put_split(folder, "emnist-digits-train-images-idx3-ubyte",
            "emnist-digits-train-labels-idx1-ubyte");
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"),
          "found emnist-digits-train-images-idx3-ubyte and emnist-letters-train-images");
  put_in(folder, "train-images-idx3-ubyte", images, sizeof images);
  dataset = opened(ctx, data_of("idx", folder, "#train"));
  assert_int_equal(crd_dataset_describe(dataset)->classes, 0); /* nobody else's labels */
  assert_non_null(strstr(crd_dataset_note(dataset, 0), "no labels"));
  crd_dataset_destroy(dataset);
  remove_tree(folder);
}

/* All types, big-endian, as vectors of two: -1 or 255/255, and 2. */
static void all_types_are_read(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    unsigned char type;
    size_t size;
    unsigned char elements[16];
    float expected[2];
  } cases[] = {
    { 0x08, 1, { 255, 51 }, { 1.0F, 0.2F } },
    { 0x09, 1, { 0xff, 2 }, { -1.0F, 2.0F } },
    { 0x0b, 2, { 0xff, 0xff, 1, 2 }, { -1.0F, 258.0F } },
    { 0x0c, 4, { 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 2 }, { -1.0F, 65538.0F } },
    { 0x0d, 4, { 0xbf, 0x80, 0, 0, 0x3f, 0, 0, 0 }, { -1.0F, 0.5F } },
    { 0x0e, 8, { 0xbf, 0xf0, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0 }, { -1.0F, 0.5F } },
  };
  const char *const folder = make_folder(NULL, "idx-types");
  char path[600];
  snprintf(path, sizeof path, "%s/images", folder);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char file[28] = { 0, 0, cases[i].type, 2, 0, 0, 0, 1, 0, 0, 0, 2 };
    memcpy(file + 12, cases[i].elements, 2 * cases[i].size);
    put_in(folder, "images", file, 12 + 2 * cases[i].size);
    crd_dataset *const dataset = opened(ctx, data_of("idx", path, ""));
    check_shape(dataset, 1, 1, (int64_t[]){ 2 }, 0);
    check_row(ctx, dataset, 0, cases[i].expected, 2);
    crd_dataset_destroy(dataset);
  }
  remove_tree(folder);
}

static void hostile_headers_fail(void **state) {
  crd_context *const ctx = *state;
  static const struct {
    size_t length;
    unsigned char bytes[40];
    const char *words;
  } cases[] = {
    { 3, { 0, 0, 8 }, "must begin with two zero bytes" },
    { 8, { 1, 0, 8, 1, 0, 0, 0, 0 }, "must begin with two zero bytes" },
    { 8, { 0, 0, 10, 1, 0, 0, 0, 0 }, "found IDX type 10, allowed are 8, 9, 11, 12, 13 and 14" },
    { 8, { 0, 0, 8, 0, 0, 0, 0, 0 }, "found 0 dimensions, allowed are 1 .. 8" },
    { 8, { 0, 0, 8, 255, 0, 0, 0, 0 }, "found 255 dimensions" },
    { 8, { 0, 0, 8, 3, 0, 0, 0, 2 }, "truncated: found 8 bytes, its header alone has 16" },
    { 9, { 0, 0, 8, 1, 0, 0, 0, 2, 7 }, "truncated: found 1 bytes behind the header" },
    { 11, { 0, 0, 8, 1, 0, 0, 0, 2, 7, 7, 7 }, "too long: found 3 bytes behind the header" },
    { 36,
      { 0,    0,    14,   8,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
      "more than this machine can address" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_array array;
    FAILS(ctx, CRD_EINPUT, crd__dataset_idx_parse(ctx, cases[i].bytes, cases[i].length, &array),
          cases[i].words);
  }
}

/* Files that fail when opened: each message names the file. */
static void files_that_do_not_fit_fail(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_folder(NULL, "idx-bad");
  const unsigned char empty[] = { 0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 3 };
  const unsigned char none[] = { 0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3 };
  const unsigned char vector[] = { 0, 0, 8, 1, 0, 0, 0, 2, 7, 3 };
  const unsigned char four[] = { 0, 0, 8, 4, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0,
                                 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  const unsigned char two[] = { 0, 0, 8, 4, 0, 0, 0, 1, 0, 0, 0, 2,
                                0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4 };
  const struct {
    const unsigned char *bytes;
    size_t length;
    const char *words;
  } cases[] = {
    { empty, sizeof empty, "train-images-idx3-ubyte: an array of shape 4294967295 x 0 x 3 has no" },
    { none, sizeof none, "train-images-idx3-ubyte: an array of shape 0 x 2 x 3 has no samples" },
    { vector, sizeof vector, "train-images-idx3-ubyte: samples of shape 2, allowed are images" },
    { four, sizeof four, "train-images-idx3-ubyte: images of shape 1 x 3 x 1 x 3 could have" },
    { two, sizeof two, "train-images-idx3-ubyte: samples of shape 1 x 2 x 1 x 2, allowed" },
    { images, 20, "train-images-idx3-ubyte: truncated" },
    { images, 0, "train-images-idx3-ubyte: the file is empty" },
  };
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"), "no images of the split train");
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, ""), "no images of the split test");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put_in(folder, "train-images-idx3-ubyte", cases[i].bytes, cases[i].length);
    REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"), cases[i].words);
  }
  put_in(folder, "train-images-idx3-ubyte", images, sizeof images);
  const unsigned char three[] = { 0, 0, 8, 1, 0, 0, 0, 3, 7, 3, 1 };
  const unsigned char wide[] = { 0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 0 };
  const unsigned char half[] = { 0, 0, 13, 1, 0, 0, 0, 2, 0x3f, 0, 0, 0, 0, 0, 0, 0 };
  put_in(folder, "train-labels-idx1-ubyte", three, sizeof three);
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"),
          "train-labels-idx1-ubyte: 3 labels for 2 samples of");
  put_in(folder, "train-labels-idx1-ubyte", wide, sizeof wide);
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"), "0 labels for 2 samples of");
  put_in(folder, "train-labels-idx1-ubyte", half, sizeof half);
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#train"),
          "train-labels-idx1-ubyte: row 0: found 0.5, expected an integer");
  put_in(folder, "train-labels-idx1-ubyte", labels, sizeof labels);
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, "#test"), "no images of the split test");
  crd_dataset *const half_there = opened(ctx, data_of("idx", folder, "")); /* all there is */
  assert_int_equal(crd_dataset_describe(half_there)->rows, 2);
  crd_dataset_destroy(half_there);
  put_in(folder, "t10k-images-idx3-ubyte",
         (const unsigned char[]){ 0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 1, 5 }, 13);
  REFUSED(ctx, CRD_EINPUT, data_of("idx", folder, ""),
          "t10k-images-idx3-ubyte: samples of 1 x 1 x 1 u8, those of");
  REFUSED(ctx, CRD_EINPUT, "idx:/no/such/file", "/no/such/file: cannot open");
  REFUSED(ctx, CRD_EUSAGE, "idx", "expected idx:PATH");
  remove_tree(folder);
}

static void fashion_mnist_is_installed(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("train-images-idx3-ubyte.gz")) return;
  static const size_t counts[2] = { 60000, 10000 };
  if (!is_there("dataset-idx", "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"))
    return;
  for (int test = 0; test < 2; test++) {
    crd_dataset *const dataset = opened(ctx, test ? "fashion-mnist#test" : "fashion-mnist#train");
    size_t bags = 0;
    double sum = 0;
    float pixels[784];
    check_shape(dataset, counts[test], 3, (int64_t[]){ 1, 28, 28 }, 10);
    for (size_t i = 0; i < counts[test]; i++) bags += strcmp(class_of(dataset, i), "Bag") == 0;
    assert_int_equal(bags, counts[test] / 10);
    for (size_t i = 0; i < 1000; i++) {
      WORKS(ctx, crd_dataset_read(ctx, dataset, &i, 1, pixels));
      for (size_t k = 0; k < 784; k++) sum += (double)pixels[k];
    }
    assert_true(near(sum / 784000, 0.286, 0.01)); /* the published mean */
    crd_dataset_destroy(dataset);
  }
}

static void fashion_mnist_takes_a_path(void **state) {
  crd_context *const ctx = *state;
  const char *const folder = make_folder(NULL, "fashion");
  put_split(folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
  crd_dataset *const dataset = opened(ctx, data_of("fashion-mnist", folder, "#test"));
  assert_int_equal(crd_dataset_describe(dataset)->classes, 10);
  assert_string_equal(class_of(dataset, 0), "Sneaker");
  crd_dataset_destroy(dataset);
  const unsigned char high[] = { 0, 0, 8, 1, 0, 0, 0, 2, 7, 10 };
  put_in(folder, "t10k-labels-idx1-ubyte", high, sizeof high);
  REFUSED(ctx, CRD_EINPUT, data_of("fashion-mnist", folder, "#test"),
          "t10k-labels-idx1-ubyte: row 1: found class 10, allowed are 0 .. 9");
  remove_tree(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(a_folder_has_two_splits),    TEST(other_names_are_found),
    TEST(all_types_are_read),         TEST(hostile_headers_fail),
    TEST(files_that_do_not_fit_fail), TEST(fashion_mnist_is_installed),
    TEST(fashion_mnist_takes_a_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

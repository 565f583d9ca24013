/* folder_test.c -- folders of images: their order, labels and splits, and what is wrong in them. */
#include "dataset/kind/image_testing.h"

static void test_labels(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_image(ctx, tree, "b/2.png", 5, 4, 3);
  put_image(ctx, tree, "b/10.jpg", 5, 4, 3);
  put_image(ctx, tree, "a/x.png", 5, 4, 3);
  put_image(ctx, tree, "a/.hidden", 9, 9, 3);
  put_bytes(tree, "README", "text", 4);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", NULL, &data));
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  assert_true(shape->rows == 3 && shape->classes == 2 && shape->type == CRD_SAMPLES_IMAGES);
  assert_true(shape->rank == 3 && shape->dims[0] == 3 && shape->dims[1] == 5 &&
              shape->dims[2] == 4);
  assert_string_equal(shape->class_names[0], "a");
  assert_string_equal(shape->class_names[1], "b");
  static const int64_t labels[] = { 0, 1, 1 };
  for (size_t i = 0; i < 3; i++) assert_int_equal(crd_dataset_label(data, i), labels[i]);
  assert_string_equal(crd_dataset_note(data, 0), "1 file beside the label folders left out");
  crd_dataset_destroy(data);
  char hidden[300];
  snprintf(hidden, sizeof hidden, "%s/a/.hidden", tree);
  unlink(hidden);
  remove_tree(ctx, tree);
}

/* Samples are the file's bytes / 255, channels first. */
static void test_values(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  float values[3 * 5 * 4];
  const size_t rows[] = { 1 };
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_image(ctx, tree, "a/1.png", 5, 4, 3);
  put_image(ctx, tree, "b/22.png", 5, 4, 3);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", NULL, &data));
  WORKS(ctx, crd_dataset_read(ctx, data, rows, 1, values));
  crd__image image = draw_image(ctx, 5, 4, 3, strlen("b/22.png"));
  for (size_t i = 0; i < 60; i++)
    assert_true(values[i] == (float)image.pixels[i % 20 * 3 + i / 20] / 255.0F);
  crd__image_clear(&ctx->alloc, &image);
  crd_dataset_destroy(data);
  remove_tree(ctx, tree);
}

static void put_splits(crd_context *ctx, const char *tree) {
  put_image(ctx, tree, "train/cat/p1_a.png", 6, 6, 1);
  put_image(ctx, tree, "train/cat/p2_a.png", 6, 6, 1);
  put_image(ctx, tree, "train/dog/p1_b.png", 6, 6, 1);
  put_image(ctx, tree, "test/cat/p3_a.png", 6, 6, 1);
  put_image(ctx, tree, "test/dog/p4_a.png", 6, 6, 1);
}

static void test_splits(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_splits(ctx, tree);
  FAILS(ctx, CRD_EUSAGE, open_tree(ctx, "folder", tree, "#val", NULL, &data),
        "there is no split 'val', found 'test', 'train'");
  assert_null(data);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", NULL, &data));
  assert_int_equal(crd_dataset_describe(data)->rows, 5);
  assert_int_equal(crd_dataset_label(data, 1), 1); /* test/dog */
  crd_dataset_destroy(data);
  WORKS(ctx, open_tree(ctx, "folder", tree, "#train", NULL, &data));
  assert_int_equal(crd_dataset_describe(data)->rows, 3);
  assert_int_equal(crd_dataset_label(data, 2), 1);
  crd_dataset_destroy(data);
  WORKS(ctx, open_tree(ctx, "folder", tree, "#train+test", NULL, &data));
  static const int64_t labels[] = { 0, 0, 1, 0, 1 };
  for (size_t i = 0; i < 5; i++) assert_int_equal(crd_dataset_label(data, i), labels[i]);
  crd_dataset_destroy(data);
  put_bytes(tree, "test/dog/x.png", "no image", 8); /* does not matter to the other split */
  WORKS(ctx, open_tree(ctx, "folder", tree, "#train", NULL, &data));
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "#test", NULL, &data),
        "/test/dog/x.png: the content is not an image of a supported format (PNG, JPEG): it begins "
        "with the bytes 6e 6f 20 69 6d 61 67 65 (1 of 3 images cannot be decoded");
  remove_tree(ctx, tree);
}

static void test_groups(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_options first = { .size = sizeof first, .group_pattern = "^(p[0-9]+)_" },
                            whole = { .size = sizeof whole, .group_pattern = "^p[0-9]+" },
                            other = { .size = sizeof other, .group_pattern = "^p[12]" },
                            wrong = { .size = sizeof wrong, .group_pattern = "p[" };
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_splits(ctx, tree);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", &first, &data));
  assert_string_equal(crd_dataset_group(data, 0), "p3");
  crd_dataset_destroy(data);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", &whole, &data));
  assert_string_equal(crd_dataset_group(data, 4), "p1");
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", &other, &data),
        "/test/cat/p3_a.png: its name does not match group_pattern '^p[12]'");
  FAILS(ctx, CRD_EUSAGE, open_tree(ctx, "folder", tree, "", &wrong, &data),
        "group_pattern: 'p[' is not a regular expression");
  put_image(ctx, tree, "test/dog/p1_z.png", 6, 6, 1);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", &first, &data),
        "patient 'p1' is in two splits: 'test' (");
  assert_non_null(strstr(crd_context_message(ctx), "test/dog/p1_z.png) and 'train' ("));
  remove_tree(ctx, tree);
}

/* Folders of labels that differ between splits are named, unless a map joins them. */
static void test_label_folders(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_splits(ctx, tree);
  put_image(ctx, tree, "test/cow/1.png", 6, 6, 1);
  put_image(ctx, tree, "test/bee/1.png", 6, 6, 1);
  put_image(ctx, tree, "train/ant/1.png", 6, 6, 1);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data),
        "the label folders of 'test' and 'train' differ; only 'test' has 'bee', 'cow'; only "
        "'train' has 'ant'");
  remove_tree(ctx, tree);
}

static void test_shapes(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", "/nonexistent/tree", "", NULL, &data),
        "/nonexistent/tree: cannot list: No such file or directory");
  FAILS(ctx, CRD_EUSAGE, crd_dataset_open(ctx, "folder", NULL, &data), "expected folder:PATH");
  make_tree(tree);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data),
        "found no folders with images; expected PATH/label/file or PATH/split/label/file");
  put_image(ctx, tree, "a/1.png", 6, 6, 1);
  put_image(ctx, tree, "b/c/1.png", 6, 6, 1);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data),
        "'b' holds folders, but 'a' holds files");
  put_image(ctx, tree, "a/c/1.png", 6, 6, 1);
  put_image(ctx, tree, "a/c/d/1.png", 6, 6, 1);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data), "a/c/d: is a folder");
  remove_tree(ctx, tree);
}

/* Corrupt images are counted, and skipped on request only. */
static void test_corrupt(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_options skip = { .size = sizeof skip, .skip_corrupt = 1 };
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_image(ctx, tree, "a/2.png", 6, 6, 1);
  put_image(ctx, tree, "b/1.png", 6, 6, 1);
  put_bytes(tree, "a/1.png", "\x89PNG\r\n\x1a\n", 8);
  put_bytes(tree, "b/0.jpg", "", 0);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data),
        "/a/1.png: invalid PNG image: the file is truncated (2 of 4 images cannot be decoded; "
        "skip_corrupt leaves them out)");
  WORKS(ctx, open_tree(ctx, "folder", tree, "", &skip, &data));
  assert_int_equal(crd_dataset_describe(data)->rows, 2);
  assert_string_equal(crd_dataset_note(data, 0),
                      "2 of 4 images cannot be decoded and are left out");
  assert_non_null(strstr(crd_dataset_note(data, 1), "/a/1.png: invalid PNG image"));
  assert_non_null(strstr(crd_dataset_note(data, 2), "/b/0.jpg: the file is empty"));
  assert_null(crd_dataset_note(data, 3));
  crd_dataset_destroy(data);
  put_bytes(tree, "a/2.png", "GIF", 3);
  put_bytes(tree, "b/1.png", "GIF", 3);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", &skip, &data), "/a/1.png: invalid PNG");
  remove_tree(ctx, tree);
}

static void test_sizes(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_options resized = { .size = sizeof resized,
                                        .height = 4,
                                        .width = 8,
                                        .channels = 3 },
                            half = { .size = sizeof half, .height = 4 },
                            odd = { .size = sizeof odd, .channels = 2 };
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_image(ctx, tree, "a/1.png", 6, 6, 1);
  put_image(ctx, tree, "a/2.png", 6, 6, 3);
  WORKS(ctx, open_tree(ctx, "folder", tree, "", NULL, &data));
  assert_int_equal(crd_dataset_describe(data)->dims[0], 1);
  assert_string_equal(crd_dataset_note(data, 0),
                      "1 of 2 images are RGB, and are read as grey as the first one is");
  crd_dataset_destroy(data);
  put_image(ctx, tree, "b/1.png", 6, 7, 1);
  FAILS(ctx, CRD_EINPUT, open_tree(ctx, "folder", tree, "", NULL, &data),
        "/b/1.png: an image of 6 x 7 pixels, but ");
  assert_non_null(
      strstr(crd_context_message(ctx), "/a/1.png has 6 x 6; height resizes all of them"));
  WORKS(ctx, open_tree(ctx, "folder", tree, "", &resized, &data));
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  assert_true(shape->dims[0] == 3 && shape->dims[1] == 4 && shape->dims[2] == 8);
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EUSAGE, open_tree(ctx, "folder", tree, "", &half, &data),
        "height 4 and width 0, expected both or none");
  FAILS(ctx, CRD_EUSAGE, open_tree(ctx, "folder", tree, "", &odd, &data),
        "channels 2, allowed are 1 (grey) and 3 (RGB)");
  remove_tree(ctx, tree);
}

static crd_status open_again(crd_context *ctx, const void *arg) {
  const crd_dataset_options options = { .size = sizeof options,
                                        .skip_corrupt = 1,
                                        .group_pattern = "^p[0-9]+" };
  crd_dataset *data;
  crd_context_set_threads(ctx, 1); /* the test's allocator is for one */
  const crd_status status = open_tree(ctx, "folder", arg, "", &options, &data);
  crd_dataset_destroy(data);
  return status;
}

static void test_memory(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  if (!has_codecs(ctx)) return;
  make_tree(tree);
  put_splits(ctx, tree);
  put_bytes(tree, "test/dog/p5.png", "\x89PNG\r\n\x1a\n", 8);
  fail_each_allocation(open_again, tree);
  remove_tree(ctx, tree);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_labels),        TEST(test_values),
                                      TEST(test_splits),        TEST(test_groups),
                                      TEST(test_label_folders), TEST(test_shapes),
                                      TEST(test_corrupt),       TEST(test_sizes),
                                      TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

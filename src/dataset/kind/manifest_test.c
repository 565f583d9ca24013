/* manifest_test.c -- tables of image files: columns, paths, patients, and what is wrong in them. */
#include "dataset/kind/image_testing.h"

static void put_manifest(const char *tree, const char *text) {
  put_bytes(tree, "m.csv", text, strlen(text));
}

/* Opens the manifest of a tree; `rest` follows the name. */
static crd_status open_it(crd_context *ctx, const char *tree, const char *rest,
                          const crd_dataset_options *options, crd_dataset **out) {
  char more[64];
  snprintf(more, sizeof more, "/m.csv%s", rest);
  return open_tree(ctx, "manifest", tree, more, options, out);
}

/* A tree with images 1.png to 4.png in the folder of the manifest and below it. */
static const char *put_images(crd_context *ctx, char tree[256]) {
  make_tree(tree);
  put_image(ctx, tree, "1.png", 6, 6, 1);
  put_image(ctx, tree, "in/2.png", 6, 6, 1);
  put_image(ctx, tree, "in/3.jpg", 6, 6, 1);
  put_image(ctx, tree, "in/a \"b\".png", 6, 6, 1);
  return tree;
}

static void test_columns(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  put_images(ctx, tree);
  put_manifest(tree, "weight,Label,patient,age,path,split\n"
                     "0.5,virus,p1,3,in/2.png,train\n"
                     "2,normal,p2,4,\"in/a \"\"b\"\".png\",test\n"
                     "1,,p1,5,1.png,train\n"
                     "0,normal,,6,in/3.jpg,test\n");
  WORKS(ctx, open_it(ctx, tree, "", NULL, &data));
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  assert_true(shape->rows == 4 && shape->classes == 2 && shape->has_weights && shape->has_groups);
  static const int64_t labels[] = { 1, 0, -1, 0 };
  static const double weights[] = { 0.5, 2, 1, 0 };
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(crd_dataset_label(data, i), labels[i]);
    assert_true(crd_dataset_weight(data, i) == weights[i]);
  }
  assert_string_equal(shape->class_names[1], "virus");
  assert_string_equal(crd_dataset_group(data, 2), "p1");
  assert_null(crd_dataset_group(data, 3));
  assert_string_equal(crd_dataset_note(data, 0),
                      "columns of the manifest that are not used: 'age'");
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EUSAGE, open_it(ctx, tree, "#val", NULL, &data),
        "there is no split 'val', found 'train', 'test'");
  remove_tree(ctx, tree);
}

/* Semicolons, tabs, another column of labels, a path that is absolute, a column of numbers. */
static void test_forms(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_options other = { .size = sizeof other, .label_column = "grade" },
                            none = { .size = sizeof none, .label_column = "x" };
  char tree[256], text[600];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  put_images(ctx, tree);
  snprintf(text, sizeof text, "file;label;grade\r\n%s/1.png;a;10\r\nin/2.png;b;9\r\n", tree);
  put_manifest(tree, text);
  WORKS(ctx, open_it(ctx, tree, "", &other, &data));
  assert_string_equal(crd_dataset_describe(data)->class_names[0], "9");
  assert_int_equal(crd_dataset_label(data, 0), 1);
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EINPUT, open_it(ctx, tree, "", &none, &data),
        "the header has no column 'x' (label_column), found 'file', 'label', 'grade'");
  put_manifest(tree, "image\tlabel\n1.png\ta\n");
  WORKS(ctx, open_it(ctx, tree, "", NULL, &data));
  assert_false(crd_dataset_describe(data)->has_groups);
  crd_dataset_destroy(data);
  FAILS(ctx, CRD_EUSAGE, open_it(ctx, tree, "#train", NULL, &data), "found no splits at all");
  remove_tree(ctx, tree);
}

static void test_faults(void **state) {
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "", "m.csv: the file holds blank lines only" },
    { "path,label\n", "m.csv: the manifest has a header and no rows" },
    { "a,b\n1,2\n", "m.csv: the header has no column 'path', found 'a', 'b'" },
    { "path,file\n1,2\n", "m.csv: columns 1 and 2 are both path" },
    { "path,label\n1.png,a\n2.png\n", "m.csv: line 3: found 1 columns, expected 2" },
    { "path,label\n,a\n", "m.csv: line 2: the path is empty" },
    { "path,split\n1.png,\n", "m.csv: line 2: the split is empty" },
    { "path,weight\n1.png,-1\n", "m.csv: line 2: weight '-1', expected a number of at least 0" },
    { "path,weight\n1.png,\n", "m.csv: line 2: weight ''" },
    { "path,label\n\"1.png,a\n", "m.csv: line 2, column 1: a quote is opened and not closed" },
    { "path,label\n1.png,a\nin/none.png,b\nx.png,b\n", "m.csv: line 3: " },
    { "path,label\n1.png,a\nin,b\n", "in: is not a regular file" },
    { "path,label\n/dev/zero,a\n1.png,b\n", "/dev/zero: is not a regular file" },
  };
  crd_context *const ctx = *state;
  const crd_dataset_options skip = { .size = sizeof skip, .skip_corrupt = 1 };
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  put_images(ctx, tree);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put_manifest(tree, cases[i].text);
    FAILS(ctx, CRD_EINPUT, open_it(ctx, tree, "", &skip, &data), cases[i].message);
    assert_null(data);
  }
  put_manifest(tree, "path,label\n1.png,a\nin/none.png,b\n");
  FAILS(ctx, CRD_EINPUT, open_it(ctx, tree, "", NULL, &data),
        "in/none.png: cannot open: No such file or directory");
  remove_tree(ctx, tree);
  FAILS(ctx, CRD_EINPUT, crd_dataset_open(ctx, "manifest:/nonexistent.csv", NULL, &data),
        "/nonexistent.csv: cannot open: No such file or directory");
  FAILS(ctx, CRD_EUSAGE, crd_dataset_open(ctx, "manifest", NULL, &data), "expected manifest:FILE");
}

/* Patients by column and by pattern, which wins. */
static void test_groups(void **state) {
  crd_context *const ctx = *state;
  const crd_dataset_options names = { .size = sizeof names, .group_pattern = "^[^.]*" };
  char tree[256];
  crd_dataset *data;
  if (!has_codecs(ctx)) return;
  put_images(ctx, tree);
  put_manifest(tree, "path,group,split\n1.png,ann,train\nin/2.png,bob,test\nin/3.jpg,ann,test\n");
  FAILS(ctx, CRD_EINPUT, open_it(ctx, tree, "", NULL, &data),
        "patient 'ann' is in two splits: 'train' (");
  WORKS(ctx, open_it(ctx, tree, "", &names, &data));
  assert_string_equal(crd_dataset_group(data, 1), "2");
  crd_dataset_destroy(data);
  remove_tree(ctx, tree);
}

static crd_status open_again(crd_context *ctx, const void *arg) {
  crd_dataset *data;
  crd_context_set_threads(ctx, 1); /* the test's allocator is for one */
  const crd_status status = open_it(ctx, arg, "", NULL, &data);
  crd_dataset_destroy(data);
  return status;
}

static void test_memory(void **state) {
  crd_context *const ctx = *state;
  char tree[256];
  if (!has_codecs(ctx)) return;
  put_images(ctx, tree);
  put_manifest(tree, "path,label,group,split,weight,more\n1.png,a,p,train,1,x\nin/2.png,b,,"
                     "test,2,x\n");
  fail_each_allocation(open_again, tree);
  remove_tree(ctx, tree);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_columns), TEST(test_forms), TEST(test_faults),
                                      TEST(test_groups), TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

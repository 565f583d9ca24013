/* text_test.c -- texts in folders and archives: splits, classes, order, what is left out. */
#include "dataset/kind/testing.h"

#include "dataset/dataset.h"

typedef struct {
  const char *path, *text;
} page;

static const char *make_tree(const char *name, const page *pages, size_t count) {
  const char *const root = make_folder(NULL, name);
  for (size_t i = 0; i < count; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", root, pages[i].path);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
      *slash = '\0';
      mkdir(path, 0777);
    }
    put_text_in(root, pages[i].path, pages[i].text);
  }
  return root;
}

/* Appends a member of a tar archive: a header of 512 bytes, then the text, padded. */
static size_t put_member(unsigned char *out, const page *member) {
  const size_t length = strlen(member->text);
  char *const header = (char *)out;
  unsigned sum = 0;
  memset(out, 0, 1024);
  snprintf(header, 100, "%s", member->path);
  snprintf(header + 100, 8, "0000644");
  snprintf(header + 124, 12, "%011o", (unsigned)length);
  memcpy(header + 148, "        0", 9); /* blanks for the sum; a regular file */
  memcpy(header + 257, "ustar\00000", 8);
  for (size_t i = 0; i < 512; i++) sum += out[i];
  snprintf(header + 148, 8, "%06o", sum);
  memcpy(out + 512, member->text, length);
  return length ? 1024 : 512;
}

/* Packs the pages in reverse order, as a tar. */
static const char *make_archive(const char *name, const page *pages, size_t count) {
  static unsigned char bytes[32 << 10];
  size_t length = 0;
  for (size_t i = count; i-- > 0;) length += put_member(bytes + length, &pages[i]);
  memset(bytes + length, 0, 1024);
  return put_file(name, bytes, length + 1024);
}

static void check_text(const crd_dataset *dataset, size_t row, const char *class,
                       const char *text) {
  const crd__dataset_store *const store = dataset->store;
  const crd__dataset_text found = store->kind->text(store, crd_dataset_index(dataset, row));
  assert_string_equal(class_of(dataset, row), class);
  assert_int_equal(found.length, strlen(text));
  assert_memory_equal(found.bytes, text, found.length);
}

static const page news[] = {
  { "news-test/sci.med/9", "t3" },
  { "news-test/alt/20", "" },
  { "news-train/alt/5", "a2" },
  { "news-train/alt/10", "a1 \xff invalid" },
  { "news-train/alt.b/1", "a0" },
  { "news-train/sci.med/1", "a3" },
  { "news-train/README", "not in a class" },
  { "news-train/.hidden/1", "hidden" },
  { "README", "not in a split" },
};
enum { NEWS = sizeof news / sizeof *news };

/* The same samples in the same order from a folder and from its archive. */
static void folders_and_archives_are_alike(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("text.tar.gz")) return;
  const char *const paths[] = { make_tree("text", news, NEWS),
                                make_archive("text.tar", news, NEWS) };
  for (size_t i = 0; i < 2; i++) {
    crd_dataset *dataset = opened(ctx, data_of("text", paths[i], "#train"));
    const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
    assert_int_equal(shape->type, CRD_SAMPLES_TEXTS);
    assert_int_equal(shape->rows, 4);
    assert_int_equal(shape->classes, 3);
    check_text(dataset, 0, "alt.b", "a0");
    check_text(dataset, 1, "alt", "a1 \xff invalid");
    check_text(dataset, 2, "alt", "a2");
    check_text(dataset, 3, "sci.med", "a3");
    assert_string_equal(crd_dataset_note(dataset, 0),
                        "2 files are not used: they are not in SPLIT/CLASS");
    crd_dataset_destroy(dataset);
    dataset = opened(ctx, data_of("text", paths[i], "#test+train"));
    assert_int_equal(crd_dataset_describe(dataset)->rows, 6);
    check_text(dataset, 0, "alt", "");
    check_text(dataset, 1, "sci.med", "t3");
    check_text(dataset, 2, "alt.b", "a0");
    crd_dataset_destroy(dataset);
    dataset = opened(ctx, data_of("text", paths[i], "#train+test"));
    check_text(dataset, 0, "alt.b", "a0");
    check_text(dataset, 5, "sci.med", "t3");
    crd_dataset_destroy(dataset);
    dataset = opened(ctx, data_of("text", paths[i], ""));
    assert_int_equal(crd_dataset_describe(dataset)->rows, 6);
    crd_dataset_destroy(dataset);
    fail_each_allocation(open_and_read, data_of("text", paths[i], "#train"));
    REFUSED(ctx, CRD_EUSAGE, data_of("text", paths[i], "#val"),
            "no split 'val': found the splits news-test, news-train");
    REFUSED(ctx, CRD_EUSAGE, data_of("text", paths[i], "#train+news-train"),
            "splits 'train' and 'news-train' are one folder");
  }
  remove_tree(paths[0]);
  unlink(paths[1]);
}

/* A name, then an ending behind a separator, then any part of a name. */
static void splits_are_found_by_name(void **state) {
  crd_context *const ctx = *state;
  static const page pages[] = {
    { "train/a/1", "exact" },     { "x-train/a/1", "ending" }, { "strain/a/1", "part" },
    { "big_test/a/1", "ending" }, { "testing/a/1", "part" },   { "retest/a/1", "part" },
    { "validation/a/1", "part" }, { "dev1/a/1", "x" },         { "dev2/a/1", "x" },
  };
  const char *const root = make_tree("text-splits", pages, sizeof pages / sizeof *pages);
  static const char *const expected[][2] = { { "#train", "exact" },
                                             { "#test", "ending" },
                                             { "#val", "part" } };
  for (size_t i = 0; i < 3; i++) {
    crd_dataset *const dataset = opened(ctx, data_of("text", root, expected[i][0]));
    assert_int_equal(crd_dataset_describe(dataset)->rows, 1);
    check_text(dataset, 0, "a", expected[i][1]);
    crd_dataset_destroy(dataset);
  }
  REFUSED(ctx, CRD_EUSAGE, data_of("text", root, "#dev"), "split 'dev' could be dev1 or dev2");
  remove_tree(root);
}

static void classes_without_splits(void **state) {
  crd_context *const ctx = *state;
  static const page pages[] = {
    { "10/x", "ten" }, { "9/x", "nine" }, { "b/x", "b" }, { "b/deep/x", "not used" }
  };
  const char *const root = make_tree("text-classes", pages, 4);
  crd_dataset *const dataset = opened(ctx, data_of("text", root, ""));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 3);
  assert_string_equal(crd_dataset_describe(dataset)->class_names[0], "9"); /* by value */
  check_text(dataset, 0, "10", "ten");
  check_text(dataset, 1, "9", "nine");
  assert_string_equal(crd_dataset_note(dataset, 0), "1 files are not used: they are not in CLASS");
  crd_dataset_destroy(dataset);
  REFUSED(ctx, CRD_EUSAGE, data_of("text", root, "#train"),
          "no split 'train': found no splits, but the classes 10, 9, b");
  remove_tree(root);
}

/* An archive's own folder is entered; a lone split is not. */
static void a_folder_around_all_is_entered(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("text.tar.gz")) return;
  static const page around[] = { { "imdb/README", "x" },
                                 { "imdb/train/pos/0", "good" },
                                 { "imdb/test/neg/0", "bad" } };
  static const page lone[] = { { "train/pos/0", "good" }, { "train/neg/0", "bad" } };
  const char *const one = make_archive("around.tar", around, 3), *const two = make_tree("text-lone",
                                                                                        lone, 2);
  crd_dataset *dataset = opened(ctx, data_of("text", one, "#test"));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 1);
  check_text(dataset, 0, "neg", "bad");
  crd_dataset_destroy(dataset);
  dataset = opened(ctx, data_of("text", two, "#train"));
  assert_int_equal(crd_dataset_describe(dataset)->rows, 2);
  check_text(dataset, 0, "neg", "bad");
  crd_dataset_destroy(dataset);
  unlink(one);
  remove_tree(two);
}

static void other_paths_fail(void **state) {
  crd_context *const ctx = *state;
  static const page flat[] = { { "a", "x" }, { "b", "y" } };
  const char *const root = make_tree("text-flat", flat, 2);
  REFUSED(ctx, CRD_EINPUT, data_of("text", root, ""),
          "found 2 files, and none in a folder of its class: expected CLASS/FILE");
  remove_tree(root);
  const char *const file = put_text("text.txt", "no archive");
  if (!lean_refuses("text.tar.gz"))
    REFUSED(ctx, CRD_EINPUT, data_of("text", file, ""), "text.txt: cannot read the archive: ");
  unlink(file);
  REFUSED(ctx, CRD_EINPUT, "text:/no/such/folder", "/no/such/folder: cannot open");
  REFUSED(ctx, CRD_EUSAGE, "text", "expected text:PATH");
}

static void twenty_newsgroups_are_read(void **state) {
  crd_context *const ctx = *state;
  if (lean_refuses("20news-bydate.tar.gz")) return;
  char path[512];
  snprintf(path, sizeof path, "%.400s/data/20news/20news-bydate.tar.xz", shared_folder());
  if (!is_there("dataset-text", path)) return;
  for (int test = 0; test < 2; test++) {
    crd_dataset *const dataset = opened(ctx, data_of("text", path, test ? "#test" : "#train"));
    assert_int_equal(crd_dataset_describe(dataset)->rows, test ? 7532 : 11314);
    assert_int_equal(crd_dataset_describe(dataset)->classes, 20);
    assert_string_equal(class_of(dataset, 0), "alt.atheism");
    crd_dataset_destroy(dataset);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(folders_and_archives_are_alike),
    TEST(splits_are_found_by_name),
    TEST(classes_without_splits),
    TEST(a_folder_around_all_is_entered),
    TEST(other_paths_fail),
    TEST(twenty_newsgroups_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

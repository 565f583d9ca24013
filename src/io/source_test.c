/* source_test.c -- bytes and SHA-256 of the file behind a name. */
#include "io/testing.h"

/* The examples of FIPS 180-4: "", "abc", a million times "a"; also a file read in several pieces.
 */
static void test_digests(void **state) {
  static const struct {
    const char *bytes;
    size_t times;
    const char *sha256;
  } cases[] = {
    { "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
    { "a", 1000000 * 20, "aded0ea9b4d06589b13d00bab483faf479d61ed5de21f1760aa7018a28e330e5" },
  };
  crd_context *ctx = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t length = strlen(cases[i].bytes) * cases[i].times;
    char *const bytes = malloc(length + 1);
    assert_non_null(bytes);
    for (size_t j = 0; j < length; j++) bytes[j] = cases[i].bytes[j % strlen(cases[i].bytes)];
    const char *const path = put_file("source", bytes, length);
    crd_source source;
    WORKS(ctx, crd_source_identify(ctx, path, &source));
    assert_string_equal(source.sha256, cases[i].sha256);
    assert_int_equal(source.bytes, length);
    assert_ptr_equal(source.name, path);
    free(bytes);
    remove(path);
  }
}

/* With a group or a slice, size and hash are still those of the whole file. */
static void test_parts(void **state) {
  crd_context *ctx = *state;
  char part[300];
  crd_source source;
  const char *const path = put_text("source-part", "abc");
  snprintf(part, sizeof part, "%s#val@0:5", path);
  WORKS(ctx, crd_source_identify(ctx, part, &source));
  assert_string_equal(source.name, part);
  assert_memory_equal(source.sha256, "ba7816bf", 8);
  remove(path);
  WORKS(ctx, crd_source_identify(ctx, "-", &source));
  assert_string_equal(source.sha256, "");
  crd_source kept = source;
  assert_int_equal(crd_source_identify(ctx, path, &source), CRD_EINPUT);
  assert_memory_equal(&kept, &source, sizeof kept);
}

/* The files of a list, a pattern and a single name, without group and rows. */
static void test_files(void **state) {
  crd_context *ctx = *state;
  char one[256], two[256], text[700];
  crd_files *files;
  snprintf(two, sizeof two, "%s", put_text("files-2", "b"));
  snprintf(one, sizeof one, "%s", put_text("files-1", "a"));
  snprintf(text, sizeof text, "%s,%s#val@0:5", two, one);
  WORKS(ctx, crd_files_list(ctx, text, &files));
  assert_string_equal(crd_files_at(files, 0), one);
  assert_string_equal(crd_files_at(files, 1), two);
  assert_null(crd_files_at(files, 2));
  crd_files_destroy(files);
  snprintf(text, sizeof text, "%.*s?", (int)strlen(one) - 1, one);
  WORKS(ctx, crd_files_list(ctx, text, &files));
  assert_string_equal(crd_files_at(files, 1), two);
  assert_null(crd_files_at(files, 2));
  crd_files_destroy(files);
  remove(two);
  snprintf(text, sizeof text, "%s,%s", one, two);
  FAILS(ctx, CRD_EINPUT, crd_files_list(ctx, text, &files), two);
  assert_null(files);
  crd_files_destroy(files);
  WORKS(ctx, crd_files_list(ctx, "missing.npz#val", &files));
  assert_string_equal(crd_files_at(files, 0), "missing.npz");
  assert_null(crd_files_at(files, 1));
  crd_files_destroy(files);
  remove(one);
}

static void test_interrupt(void **state) {
  crd_context *ctx = *state;
  crd_source source;
  const char *const path = put_text("source-long", "abc");
  crd_context_interrupt(ctx);
  assert_int_equal(crd_source_identify(ctx, path, &source), CRD_EINTERRUPTED);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_digests),
    TEST(test_parts),
    TEST(test_files),
    TEST(test_interrupt),
  };
  return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}

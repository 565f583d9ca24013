/* npz_test.c -- members read in place, inflated and on demand; damaged or inconsistent archives. */
#include "io/testing.h"

#include "data/array.h"
#include "io/unzip.h"

#include <archive.h>
#include <archive_entry.h>

typedef struct {
  const char *name;
  const void *bytes;
  size_t length;
} member;

/* Makes an archive with libarchive; returns false if libarchive does not support the options. */
static bool make_zip(const char *options, const member *members, size_t count,
                     unsigned char out[8192], size_t *length) {
  struct archive *a = archive_write_new();
  archive_write_set_format_zip(a);
  if (strstr(options, "encryption")) archive_write_set_passphrase(a, "secret");
  const bool able = archive_write_set_options(a, options) == ARCHIVE_OK;
  assert_int_equal(archive_write_open_memory(a, out, 8192, length), ARCHIVE_OK);
  for (size_t i = 0; i < count; i++) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, members[i].name);
    archive_entry_set_size(entry, (la_int64_t)members[i].length);
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
    archive_write_data(a, members[i].bytes, members[i].length);
    archive_entry_free(entry);
  }
  assert_int_equal(archive_write_close(a), ARCHIVE_OK);
  archive_write_free(a);
  return able;
}

/* Makes a matrix of 300 x 3, with the values 0 .. 899. */
static unsigned char matrix[4096];
static size_t make_matrix(void) {
  float data[900];
  for (int i = 0; i < 900; i++) data[i] = (float)i;
  return put_npy(matrix, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 3), }", data,
                 sizeof data);
}

/* Replaces every occurrence of a little-endian 32-bit integer. */
static unsigned patch(unsigned char *bytes, size_t length, uint32_t from, uint32_t to) {
  unsigned count = 0;
  for (size_t i = 0; i + 4 <= length; i++) {
    uint32_t here = 0;
    for (int b = 3; b >= 0; b--) here = here << 8 | bytes[i + (size_t)b];
    if (here != from) continue;
    for (int b = 0; b < 4; b++) bytes[i + (size_t)b] = (unsigned char)(to >> 8 * b & 0xff);
    count++;
  }
  return count;
}

static void check_matrix(crd_context *ctx, const char *options, bool in_place) {
  const size_t size = make_matrix();
  const member members[] = { { "logits.npy", matrix, size },
                             { "readme.txt", "hello", 5 },
                             { "dir/y.npy", "junk", 4 } };
  unsigned char zip[8192];
  size_t length;
  crd__io_bundle *bundle;
  crd_array view;
  assert_true(make_zip(options, members, 3, zip, &length));
  WORKS(ctx, crd__io_bundle_open_memory(ctx, "x.npz", zip, length, NULL, &bundle));
  assert_int_equal(bundle->count, 2);
  assert_string_equal(bundle->entries[1].name, "dir/y");
  assert_false(bundle->entries[0].loaded);
  WORKS(ctx, crd__io_bundle_matrix(ctx, bundle, 0, &view));
  assert_int_equal(bundle->entries[0].owned == NULL, in_place);
  for (size_t i = 0; i < 300; i++)
    for (size_t j = 0; j < 3; j++)
      assert_true(crd__data_array_number(&view, i, j) == (double)(i * 3 + j));
  FAILS(ctx, CRD_EINPUT, crd__io_bundle_matrix(ctx, bundle, 1, &view),
        "x.npz: dir/y: not an npy array");
  assert_null(bundle->entries[1].owned);
  crd__io_bundle_destroy(bundle);
}

static void test_stored(void **state) { check_matrix(*state, "zip:compression=store", true); }
static void test_deflated(void **state) { check_matrix(*state, "zip:compression=deflate", false); }

static void refuse(crd_context *ctx, const unsigned char *zip, size_t length, const char *words) {
  crd__io_bundle *bundle;
  crd_array view;
  crd_status status = crd__io_bundle_open_memory(ctx, "x.npz", zip, length, NULL, &bundle);
  if (status == CRD_OK) status = crd__io_bundle_matrix(ctx, bundle, 0, &view);
  FAILS(ctx, CRD_EINPUT, status, words);
  crd__io_bundle_destroy(bundle);
}

static void test_lies(void **state) {
  static const struct {
    const char *options;
    int64_t size; /* the size declared instead of the true one; negative: the true size plus this */
    const char *words;
  } cases[] = {
    { "zip:compression=deflate", 1 << 30, "would expand to 1073741824 bytes in an archive" },
    { "zip:compression=deflate", 100 << 20, "allowed are 1032 times as many" },
    { "zip:compression=deflate", 300, "x.npz: logits: " },
    { "zip:compression=deflate", -1, "x.npz: logits: " },
    { "zip:compression=store", -1, "x.npz: logits: " },
    { "zip:compression=store", 300, "x.npz: " },
  };
  const size_t size = make_matrix();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char zip[8192];
    size_t length;
    assert_true(
        make_zip(cases[i].options, &(member){ "logits.npy", matrix, size }, 1, zip, &length));
    const int64_t to = cases[i].size < 0 ? (int64_t)size - cases[i].size : cases[i].size;
    assert_true(patch(zip, length, (uint32_t)size, (uint32_t)to) > 0);
    refuse(*state, zip, length, cases[i].words);
  }
}

/* The archive is valid, but the array in it is truncated. */
static void test_short_array(void **state) {
  static const char *const options[] = { "zip:compression=deflate", "zip:compression=store" };
  const size_t size = make_matrix() - 4;
  for (size_t i = 0; i < 2; i++) {
    unsigned char zip[8192];
    size_t length;
    assert_true(make_zip(options[i], &(member){ "logits.npy", matrix, size }, 1, zip, &length));
    refuse(*state, zip, length, "x.npz: logits: declares 300 x 3 f32 = 3600 bytes, found 3596");
  }
}

static void test_damage(void **state) {
  static const char *const options[] = { "zip:compression=deflate", "zip:compression=store" };
  const size_t size = make_matrix();
  for (size_t i = 0; i < 2; i++) {
    unsigned char zip[8192];
    size_t length;
    assert_true(make_zip(options[i], &(member){ "logits.npy", matrix, size }, 1, zip, &length));
    zip[length / 2] ^= 0x55;
    refuse(*state, zip, length, "x.npz: logits: cannot read the zip archive: ");
    zip[length / 2] ^= 0x55;
    refuse(*state, zip, length / 2, "x.npz: cannot read the zip archive");
  }
}

/* Header and directory agree on a size, but the member is larger; a reader that stops at that size
 * would not notice. */
static void test_hidden_data(void **state) {
  enum { SAID = 1 << 18, TRUE_SIZE = 3 << 18 };
  static unsigned char file[TRUE_SIZE];
  const char dict[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (262064,)}          ";
  unsigned char zip[8192];
  size_t length;
  put_npy(file, 1, dict, "", 0);
  assert_int_equal(10 + strlen(dict) + 262064, SAID);
  const member whole = { "a.npy", file, TRUE_SIZE };
  assert_true(make_zip("zip:compression=deflate", &whole, 1, zip, &length));
  assert_true(patch(zip, length, TRUE_SIZE, SAID) > 0);
  refuse(*state, zip, length, "x.npz: a: more data than the archive declares");
}

static void test_members(void **state) {
  const size_t size = make_matrix();
  const member twins[] = { { "a.npy", matrix, size }, { "a.npy", matrix, size } };
  unsigned char zip[8192];
  size_t length;
  make_zip("zip:compression=deflate", twins, 2, zip, &length);
  refuse(*state, zip, length, "x.npz: there are two arrays named a");
  make_zip("zip:compression=store", &(member){ "a.txt", "hi", 2 }, 1, zip, &length);
  refuse(*state, zip, length, "x.npz: the archive holds no .npy arrays");
  make_zip("zip:compression=store", &(member){ "a.npy", "", 0 }, 1, zip, &length);
  refuse(*state, zip, length, "x.npz: a: is empty, expected an npy array");
  if (make_zip("zip:encryption=zipcrypt", twins, 1, zip, &length))
    refuse(*state, zip, length, "x.npz: a: is encrypted");
  else cannot_test("encrypted", "libarchive cannot encrypt here");
}

static crd_status load_first(crd_context *ctx, const void *arg) {
  const member *zip = arg;
  crd__io_bundle *bundle;
  crd_array view;
  CRD_TRY(crd__io_bundle_open_memory(ctx, zip->name, zip->bytes, zip->length, NULL, &bundle));
  const crd_status status = crd__io_bundle_matrix(ctx, bundle, 0, &view);
  crd__io_bundle_destroy(bundle);
  return status;
}

static void test_allocations(void **state) {
  const size_t size = make_matrix();
  unsigned char zip[8192];
  size_t length;
  (void)state;
  make_zip("zip:compression=deflate", &(member){ "logits.npy", matrix, size }, 1, zip, &length);
  fail_each_allocation(load_first, &(member){ "x.npz", zip, length });
}

/* The magic numbers of a member, of an empty archive, and of an empty zip64 archive. */
static void test_recognised(void **state) {
  static const struct {
    const char *bytes;
    bool zip;
  } starts[] = { { "PK\3\4", true },  { "PK\5\6", true },  { "PK\6\6", true },
                 { "PK\6\7", false }, { "PK\1\2", false }, { "pk\3\4", false } };
  (void)state;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    for (size_t length = 0; length <= 4; length++)
      assert_int_equal(crd__io_unzip_recognise((const unsigned char *)starts[i].bytes, length),
                       starts[i].zip && length == 4);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_recognised),  TEST(test_stored),
                                      TEST(test_deflated),    TEST(test_lies),
                                      TEST(test_short_array), TEST(test_damage),
                                      TEST(test_members),     TEST(test_hidden_data),
                                      TEST(test_allocations) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

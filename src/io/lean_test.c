/*
 * lean_test.c -- files in a lean build, without libarchive: stored members of zip archives are read
 * (NumPy's, PyTorch's, zip64, with comments), compressed files fail with EABSENT, damaged archives
 * with EINPUT. The program's own objects precede those of the library: this runs in every build.
 */
#include "io/testing.h"

#include "data/array.h"
#include "io/archive.h"
#include "io/gzip.h"
#include "io/zip.h"

enum { ZIP_MAX = 4096 };

/* ---- Archives of one member, byte by byte. */

typedef struct {
  unsigned char bytes[ZIP_MAX];
  size_t length;
} text;

typedef struct {
  bool wide; /* zip64: sizes and offsets in an extra field */
  unsigned method, flags;
  uint32_t crc_change; /* of the checksum */
  const char *comment;
} variant;

static void put(text *t, unsigned count, uint64_t value) {
  for (unsigned i = 0; i < count; i++) t->bytes[t->length++] = (unsigned char)(value >> 8 * i);
}

static void add(text *t, const void *bytes, size_t count) {
  memcpy(t->bytes + t->length, bytes, count);
  t->length += count;
}

static void put_head(text *t, const variant *v, uint32_t crc, size_t size) {
  put(t, 2, 45);
  put(t, 2, v->flags);
  put(t, 2, v->method);
  put(t, 4, 0);
  put(t, 4, crc);
  put(t, 4, v->wide ? UINT32_MAX : size);
  put(t, 4, v->wide ? UINT32_MAX : size);
  put(t, 2, strlen("scores.npy"));
}

static void put_end(text *t, const variant *v, size_t start) {
  const size_t bytes = t->length - start, at = t->length;
  if (v->wide) {
    add(t, "PK\6\6", 4);
    put(t, 8, 44);
    put(t, 4, 45 | 45 << 16);
    put(t, 8, 0);
    put(t, 8, 1);
    put(t, 8, 1);
    put(t, 8, bytes);
    put(t, 8, start);
    add(t, "PK\6\7", 4);
    put(t, 4, 0);
    put(t, 8, at);
    put(t, 4, 1);
  }
  add(t, "PK\5\6", 4);
  put(t, 4, 0);
  put(t, 2, 1);
  put(t, 2, 1);
  put(t, 4, v->wide ? UINT32_MAX : bytes);
  put(t, 4, v->wide ? UINT32_MAX : start);
  put(t, 2, v->comment ? strlen(v->comment) : 0);
  if (v->comment) add(t, v->comment, strlen(v->comment));
}

/* A matrix of 4 x 3 with the values 0 .. 11. */
static void make_zip(const variant *v, text *t) {
  unsigned char npy[256];
  float data[12];
  for (int i = 0; i < 12; i++) data[i] = (float)i;
  const size_t size = put_npy(npy, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }",
                              data, sizeof data);
  const uint32_t crc = crd__io_crc32(0, npy, size) + v->crc_change;
  t->length = 0;
  add(t, "PK\3\4", 4);
  put_head(t, v, crc, size);
  put(t, 2, 4);
  add(t, "scores.npy", 10);
  put(t, 4, 0x4443); /* an extra field of no bytes */
  add(t, npy, size);
  const size_t start = t->length;
  add(t, "PK\1\2", 4);
  put(t, 2, 45);
  put_head(t, v, crc, size);
  put(t, 2, v->wide ? 32 : 0);
  put(t, 2, 0);
  put(t, 8, 0);
  put(t, 4, v->wide ? UINT32_MAX : 0);
  add(t, "scores.npy", 10);
  if (v->wide) {
    put(t, 4, 0x4443);
    put(t, 4, 1 | 24 << 16);
    put(t, 8, size);
    put(t, 8, size);
    put(t, 8, 0);
  }
  put_end(t, v, start);
}

static crd_status read_matrix(crd_context *ctx, const text *t, crd__io_bundle **bundle,
                              crd_array *view) {
  CRD_TRY(crd__io_bundle_open_memory(ctx, "x.npz", t->bytes, t->length, NULL, bundle));
  return crd__io_bundle_matrix(ctx, *bundle, 0, view);
}

/* ---- Tests. */

static void stored_members_are_read(void **state) {
  static const variant variants[] = {
    { .wide = false },
    { .wide = true },
    { .comment = "a comment with PK\5\6 inside and more than an end record behind it" },
    { .wide = true, .comment = "x" }
  };
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    text t;
    crd__io_bundle *bundle = NULL;
    crd_array view;
    make_zip(&variants[i], &t);
    WORKS(*state, read_matrix(*state, &t, &bundle, &view));
    assert_string_equal(bundle->entries[0].name, "scores");
    assert_null(bundle->entries[0].owned); /* in place */
    for (size_t k = 0; k < 12; k++)
      assert_true(crd__data_array_number(&view, k / 3, k % 3) == (double)k);
    crd__io_bundle_destroy(bundle);
  }
}

static void files_of_others_are_read(void **state) {
  static const char *const files[] = { "examples/wideresnet-16-4-cifar-10.npz",
                                       "tests/cli/data/images.npz", "tests/torch/dict.pt",
                                       "tests/torch/rows.pt" };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    crd__io_bundle *bundle;
    snprintf(path, sizeof path, CREDENCE_SOURCE "/%s", files[i]);
    WORKS(*state, crd__io_bundle_open(*state, path, NULL, &bundle));
    for (size_t k = 0; k < bundle->count; k++) {
      crd_array view;
      if (crd__io_bundle_peek(*state, bundle, k) != CRD_OK)
        fail_msg("%s", crd_context_message(*state));
      (void)crd__io_bundle_matrix(*state, bundle, k, &view);
      assert_true(bundle->entries[k].loaded);
    }
    crd__io_bundle_destroy(bundle);
  }
}

static void refuses(crd_context *ctx, const variant *v, crd_status code, const char *words) {
  text t;
  crd__io_bundle *bundle = NULL;
  crd_array view;
  make_zip(v, &t);
  FAILS(ctx, code, read_matrix(ctx, &t, &bundle, &view), words);
  crd__io_bundle_destroy(bundle);
}

static void compressed_files_are_absent(void **state) {
  static const unsigned char gzip[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0 };
  crd__io_bundle *bundle;
  crd__io_archive archive;
  crd__io_gzip *out;
  const crd__io_sink sink = { NULL, NULL };
  refuses(*state, &(variant){ .method = 8 }, CRD_EABSENT,
          "x.npz: scores: is compressed, and this is a lean build, without libarchive");
  FAILS(*state, CRD_EABSENT,
        crd__io_bundle_open_memory(*state, "x.csv.gz", gzip, sizeof gzip, NULL, &bundle),
        "x.csv.gz: gzip needs the library libarchive, which a lean build leaves out");
  FAILS(*state, CRD_EABSENT, crd__io_gzip_open(*state, &sink, &out), "gzip needs the library");
  FAILS(*state, CRD_EABSENT, crd__io_archive_read(*state, gzip, sizeof gzip, &archive),
        "archives need the library libarchive, which a lean build leaves out");
}

static void damaged_archives_are_refused(void **state) {
  refuses(*state, &(variant){ .flags = 1 }, CRD_EINPUT, "is encrypted, which is not supported");
  refuses(*state, &(variant){ .crc_change = 1 }, CRD_EINPUT,
          "cannot read the zip archive: the checksum of a member does not match");
}

/* Every byte changed, every truncation: an error or the same numbers, never a crash. */
static void no_byte_is_trusted(void **state) {
  static const unsigned char changes[] = { 1, 0x80, 0xff };
  text good, t;
  for (int wide = 0; wide < 2; wide++) {
    make_zip(&(variant){ .wide = wide }, &good);
    for (size_t i = 0; i < (sizeof changes + 1) * good.length; i++) {
      const size_t at = i % good.length, change = i / good.length;
      crd__io_bundle *bundle = NULL;
      crd_array view;
      t = good;
      if (change < sizeof changes) t.bytes[at] ^= changes[change];
      else t.length = at;
      const crd_status status = read_matrix(*state, &t, &bundle, &view);
      if (status != CRD_OK && status != CRD_EINPUT && status != CRD_EABSENT)
        fail_msg("byte %zu: %s", at, crd_context_message(*state));
      if (change == sizeof changes) assert_int_not_equal(status, CRD_OK);
      crd__io_bundle_destroy(bundle);
    }
  }
}

static crd_status open_zip(crd_context *ctx, const void *arg) {
  crd__io_bundle *bundle = NULL;
  crd_array view;
  const crd_status status = read_matrix(ctx, arg, &bundle, &view);
  crd__io_bundle_destroy(bundle);
  return status;
}

static void every_allocation_may_fail(void **state) {
  text t;
  (void)state;
  make_zip(&(variant){ .wide = true }, &t);
  fail_each_allocation(open_zip, &t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(stored_members_are_read),     TEST(files_of_others_are_read),
    TEST(compressed_files_are_absent), TEST(damaged_archives_are_refused),
    TEST(no_byte_is_trusted),          cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

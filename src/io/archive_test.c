/* archive_test.c -- archives of many files: tar and zip, compressed; bombs and damage. */
#include "io/testing.h"

#include "io/archive.h"
#include "io/content.h"
#include "io/gzip.h"

#include <archive.h>
#include <archive_entry.h>

enum { ROOM = 1 << 20 };

typedef struct {
  const char *name, *text;
} member;

static const member members[] = { { "./a/1", "one" }, { "a/empty", "" }, { "b/2", "two\nlines" } };
enum { MEMBERS = sizeof members / sizeof *members };

static void put_member(struct archive *archive, const char *name, const char *text, size_t length,
                       unsigned type) {
  struct archive_entry *const entry = archive_entry_new();
  archive_entry_set_pathname(entry, name);
  archive_entry_set_filetype(entry, type);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_size(entry, type == AE_IFREG ? (la_int64_t)length : 0);
  if (type == AE_IFLNK) archive_entry_set_symlink(entry, "a/1");
  assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
  if (type == AE_IFREG && length)
    assert_int_equal(archive_write_data(archive, text, length), (la_ssize_t)length);
  archive_entry_free(entry);
}

static void put_hard_link(struct archive *archive) {
  struct archive_entry *const entry = archive_entry_new();
  archive_entry_set_pathname(entry, "again");
  archive_entry_set_hardlink(entry, "a/1");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
  archive_entry_free(entry);
}

/* Packs the members, with a folder and links, which are not files. */
static size_t pack(void *out, int (*format)(struct archive *), int (*filter)(struct archive *)) {
  size_t used = 0;
  struct archive *const archive = archive_write_new();
  assert_int_equal(format(archive), ARCHIVE_OK);
  assert_int_equal(filter(archive), ARCHIVE_OK);
  archive_write_set_bytes_in_last_block(archive, 1);
  assert_int_equal(archive_write_open_memory(archive, out, ROOM, &used), ARCHIVE_OK);
  put_member(archive, "a", NULL, 0, AE_IFDIR);
  for (size_t i = 0; i < MEMBERS; i++)
    put_member(archive, members[i].name, members[i].text, strlen(members[i].text), AE_IFREG);
  put_member(archive, "link", NULL, 0, AE_IFLNK);
  if (format != archive_write_set_format_zip) put_hard_link(archive);
  assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
  archive_write_free(archive);
  return used;
}

static void check_members(const crd__io_archive *archive) {
  assert_int_equal(archive->count, MEMBERS);
  for (size_t i = 0; i < MEMBERS; i++) {
    const crd__io_member *const found = &archive->members[i];
    assert_string_equal(found->name, members[i].name + (i == 0 ? 2 : 0));
    assert_int_equal(found->length, strlen(members[i].text));
    assert_memory_equal(archive->bytes + found->offset, members[i].text, found->length);
  }
}

static void all_formats_are_read(void **state) {
  crd_context *const ctx = *state;
  static unsigned char bytes[ROOM];
  static const struct {
    int (*format)(struct archive *);
    int (*filter)(struct archive *);
  } cases[] = {
    { archive_write_set_format_ustar, archive_write_add_filter_none },
    { archive_write_set_format_pax, archive_write_add_filter_gzip },
    { archive_write_set_format_gnutar, archive_write_add_filter_xz },
    { archive_write_set_format_ustar, archive_write_add_filter_bzip2 },
    { archive_write_set_format_ustar, archive_write_add_filter_zstd },
    { archive_write_set_format_zip, archive_write_add_filter_none },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__io_archive archive;
    const size_t length = pack(bytes, cases[i].format, cases[i].filter);
    WORKS(ctx, crd__io_archive_read(ctx, bytes, length, &archive));
    check_members(&archive);
    crd__io_archive_clear(&ctx->alloc, &archive);
  }
}

static crd_status read_it(crd_context *ctx, const void *arg) {
  static unsigned char bytes[ROOM];
  crd__io_archive archive;
  (void)arg;
  const size_t length = pack(bytes, archive_write_set_format_ustar, archive_write_add_filter_gzip);
  const crd_status status = crd__io_archive_read(ctx, bytes, length, &archive);
  crd__io_archive_clear(&ctx->alloc, &archive);
  return status;
}

static void no_allocation_leaks(void **state) {
  (void)state;
  fail_each_allocation(read_it, NULL);
}

/* A truncated archive fails, or has fewer members: never other ones. */
static void truncated_archives_fail(void **state) {
  crd_context *const ctx = *state;
  static unsigned char bytes[ROOM];
  crd__io_archive archive;
  const size_t length = pack(bytes, archive_write_set_format_ustar, archive_write_add_filter_xz);
  for (size_t cut = 1; cut < length; cut++) {
    FAILS(ctx, CRD_EINPUT, crd__io_archive_read(ctx, bytes, cut, &archive),
          "cannot read the archive: ");
    crd__io_archive_clear(&ctx->alloc, &archive);
  }
  FAILS(ctx, CRD_EINPUT, crd__io_archive_read(ctx, "just some text\n", 15, &archive),
        "cannot read the archive: ");
  crd__io_archive_clear(&ctx->alloc, &archive);
}

/* Packs one member of zero bytes. */
static size_t pack_zeros(void *out, size_t size) {
  size_t used = 0;
  char *const zeros = calloc(size, 1);
  struct archive *const archive = archive_write_new();
  assert_int_equal(archive_write_set_format_ustar(archive), ARCHIVE_OK);
  assert_int_equal(archive_write_add_filter_xz(archive), ARCHIVE_OK);
  assert_int_equal(archive_write_set_options(archive, "xz:compression-level=0"), ARCHIVE_OK);
  assert_int_equal(archive_write_open_memory(archive, out, ROOM, &used), ARCHIVE_OK);
  put_member(archive, "a/0", zeros, size, AE_IFREG);
  assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
  archive_write_free(archive);
  free(zeros);
  return used;
}

static void bombs_fail(void **state) {
  crd_context *const ctx = *state;
  static unsigned char bytes[ROOM];
  crd__io_archive archive;
  const size_t length = pack_zeros(bytes, (size_t)CRD__BOMB_BYTES);
  FAILS(ctx, CRD_EINPUT, crd__io_archive_read(ctx, bytes, length, &archive), "a/0: an archive of ");
  assert_non_null(strstr(crd_context_message(ctx), "allowed are 200 times as many"));
  crd__io_archive_clear(&ctx->alloc, &archive);
}

static void a_file_is_opened_gzipped_or_not(void **state) {
  crd_context *const ctx = *state;
  crd__io_content content;
  const char *path = put_text("plain.txt", "hello");
  WORKS(ctx, crd__io_content_open(ctx, path, &content));
  assert_int_equal(content.length, 5);
  assert_memory_equal(content.bytes, "hello", 5);
  crd__io_content_close(&ctx->alloc, &content);
  assert_null(content.bytes);
  unlink(path);
  static unsigned char bytes[ROOM];
  const size_t length = pack(bytes, archive_write_set_format_ustar, archive_write_add_filter_gzip);
  path = put_file("gzipped", bytes, length);
  WORKS(ctx, crd__io_content_open(ctx, path, &content));
  assert_memory_equal(content.bytes + 257, "ustar", 5);
  crd__io_content_close(&ctx->alloc, &content);
  unlink(path);
  path = put_file("gzipped", bytes, length - 1);
  FAILS(ctx, CRD_EINPUT, crd__io_content_open(ctx, path, &content), "gzipped: cannot decompress");
  crd__io_content_close(&ctx->alloc, &content);
  path = put_text("empty", "");
  FAILS(ctx, CRD_EINPUT, crd__io_content_open(ctx, path, &content), "empty: the file is empty");
  crd__io_content_close(&ctx->alloc, &content);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(all_formats_are_read),
    TEST(no_allocation_leaks),
    TEST(truncated_archives_fail),
    TEST(bombs_fail),
    TEST(a_file_is_opened_gzipped_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* folder_test.c -- listed folders: order, what is left out, failures. */
#include "support.h"

#include "base/folder.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const made[] = { "b", "a.b", "a", "B", ".hidden", "10", "9" };
enum { MADE = sizeof made / sizeof *made };

static void make(const char *folder) {
  char path[512];
  assert_int_equal(mkdir(folder, 0777), 0);
  for (size_t i = 0; i < MADE; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, made[i]);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    fclose(file);
  }
  snprintf(path, sizeof path, "%s/z", folder);
  assert_int_equal(mkdir(path, 0777), 0);
  snprintf(path, sizeof path, "%s/pipe", folder);
  assert_int_equal(mkfifo(path, 0666), 0);
  snprintf(path, sizeof path, "%s/broken", folder);
  assert_int_equal(symlink("nowhere", path), 0);
  snprintf(path, sizeof path, "%s/link", folder);
  assert_int_equal(symlink("z", path), 0);
}

static void unmake(const char *folder) {
  static const char *const others[] = { "pipe", "broken", "link" };
  char path[512];
  for (size_t i = 0; i < MADE + 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, i < MADE ? made[i] : others[i - MADE]);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/z", folder);
  rmdir(path);
  assert_int_equal(rmdir(folder), 0);
}

static void entries_are_sorted_by_bytes(void **state) {
  static const char *const expected[] = { "10", "9", "B", "a", "a.b", "b", "link", "z" };
  crd_context *const ctx = *state;
  char path[256];
  crd__folder folder;
  make(temporary_path(path, "folder"));
  assert_int_equal(crd__folder_list(ctx, path, &folder), CRD_OK);
  assert_int_equal(folder.count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < folder.count; i++) {
    assert_string_equal(folder.entries[i].name, expected[i]);
    assert_int_equal(folder.entries[i].is_folder, i >= 6); /* through the link, too */
  }
  crd__folder_clear(&ctx->alloc, &folder);
  unmake(path);
}

static void a_missing_folder_fails(void **state) {
  crd_context *const ctx = *state;
  crd__folder folder;
  const size_t before = open_descriptors();
  assert_int_equal(crd__folder_list(ctx, "/no/such/folder", &folder), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "/no/such/folder: cannot list: "));
  assert_int_equal(folder.count, 0);
  crd__folder_clear(&ctx->alloc, &folder);
  assert_int_equal(open_descriptors(), before);
}

static void no_allocation_leaks(void **state) {
  char path[256];
  (void)state;
  make(temporary_path(path, "folder-fault"));
  const size_t before = open_descriptors();
  for (long n = 0;; n++) {
    test_allocator memory = { .fail_at = n };
    const crd_allocator failing = failing_allocator(&memory);
    crd_context *ctx;
    crd__folder folder = { 0 };
    crd_status status = crd_context_create(&failing, &ctx);
    if (status == CRD_OK) {
      status = crd__folder_list(ctx, path, &folder);
      crd__folder_clear(&ctx->alloc, &folder);
    }
    crd_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
    assert_int_equal(open_descriptors(), before);
    if (status == CRD_OK) break;
    assert_int_equal(status, CRD_ENOMEM);
  }
  unmake(path);
}

static void names_are_joined(void **state) {
  crd_context *const ctx = *state;
  static const char *const cases[][3] = { { "a", "b", "a/b" }, { "a/", "b", "a/b" } };
  for (size_t i = 0; i < 2; i++) {
    char *joined;
    assert_int_equal(crd__folder_join(ctx, cases[i][0], cases[i][1], &joined), CRD_OK);
    assert_string_equal(joined, cases[i][2]);
    crd__free(&ctx->alloc, joined);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_are_sorted_by_bytes),
    cmocka_unit_test(a_missing_folder_fails),
    cmocka_unit_test(no_allocation_leaks),
    cmocka_unit_test(names_are_joined),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

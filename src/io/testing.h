/* testing.h -- helpers of this room's tests: small files, expected error messages. */
#ifndef CRD_IO_TESTING_H
#define CRD_IO_TESTING_H

#include "support.h"

#include "base/context.h"
#include "io/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int make_context(void **state) {
  return crd_context_create(NULL, (crd_context **)state) == CRD_OK ? 0 : -1;
}

static inline int drop_context(void **state) {
  crd_context_destroy(*state);
  return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_context, drop_context)

/* The call fails with this code, and its error message contains these words. */
#define FAILS(ctx, code, call, words)                                                              \
  do {                                                                                             \
    const crd_status fails_status = (call);                                                        \
    if (fails_status != (code) || !strstr(crd_context_message(ctx), words))                        \
      fail_msg("status %d, message: %s\nexpected in it: %s", (int)fails_status,                    \
               crd_context_message(ctx), words);                                                   \
  } while (0)

/* The call succeeds; if not, say why. */
#define WORKS(ctx, call)                                                                           \
  do {                                                                                             \
    if ((call) != CRD_OK) fail_msg("%s", crd_context_message(ctx));                                \
  } while (0)

/* Returns a path that is unique to this process; the last 64 results stay valid. */
static inline const char *scratch_path(const char *name) {
  static char paths[64][256];
  static unsigned next;
  char *path = paths[next++ % 64];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof paths[0], "%s/credence-io-%ld-%s", folder ? folder : "/tmp", (long)getpid(),
           name);
  return path;
}

static inline const char *put_file(const char *name, const void *bytes, size_t length) {
  const char *path = scratch_path(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
  return path;
}

static inline const char *put_text(const char *name, const char *text) {
  return put_file(name, text, strlen(text));
}

/* Writes an npy file to memory: the dict as given, then the data. Returns its length. */
static inline size_t put_npy(unsigned char *out, unsigned version, const char *dict,
                             const void *data, size_t bytes) {
  const size_t length = strlen(dict), start = version == 1 ? 10 : 12;
  const unsigned char head[12] = { 0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   (unsigned char)version,
                                   0,
                                   (unsigned char)(length & 0xff),
                                   (unsigned char)(length >> 8) };
  memcpy(out, head, sizeof head);
  memcpy(out + start, dict, length);
  if (bytes) memcpy(out + start + length, data, bytes);
  return start + length + bytes;
}

/* Makes every allocation fail once: the call must fail with ENOMEM and leak nothing. */
static inline void fail_each_allocation(crd_status (*work)(crd_context *ctx, const void *arg),
                                        const void *arg) {
  for (long n = 0;; n++) {
    test_allocator memory = { .fail_at = n };
    const crd_allocator failing = failing_allocator(&memory);
    crd_context *ctx;
    crd_status status = crd_context_create(&failing, &ctx);
    if (status == CRD_OK) status = work(ctx, arg);
    crd_context_destroy(ctx);
    assert_int_equal(memory.live, 0);
    if (status == CRD_OK) {
      assert_true(n > 5); /* it did allocate through the context */
      break;
    }
    assert_int_equal(status, CRD_ENOMEM);
  }
}

#endif

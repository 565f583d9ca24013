/* gzip_test.c -- limits of decompression. */
#include "io/testing.h"

#include "base/random.h"
#include "io/gzip.h"

enum { MEGABYTE = 1 << 20, LIMIT = CRD__BOMB_BYTES / MEGABYTE, ROOM = 16 << 20 };

typedef struct {
  unsigned char *bytes;
  size_t length;
} packed;

static crd_status append(crd_context *ctx, void *self, const void *bytes, size_t count) {
  packed *const out = self;
  (void)ctx;
  assert_true(out->length + count <= ROOM);
  memcpy(out->bytes + out->length, bytes, count);
  out->length += count;
  return CRD_OK;
}

/* Makes a gzip file of several members of 1 MB each: some random bytes, then zeros. */
static packed pack(crd_context *ctx, size_t chance, size_t members) {
  static unsigned char content[MEGABYTE];
  packed out = { .bytes = malloc(ROOM) };
  const crd__io_sink sink = { append, &out };
  crd__io_gzip *gzip;
  memset(content, 0, sizeof content);
  for (size_t i = 0; i < chance; i++) content[i] = (unsigned char)crd__random_bits(1, 1, i);
  WORKS(ctx, crd__io_gzip_open(ctx, &sink, &gzip));
  WORKS(ctx, crd__io_gzip_write(ctx, gzip, content, sizeof content));
  WORKS(ctx, crd__io_gzip_close(ctx, gzip, true));
  const size_t one = out.length;
  assert_true(one * members <= ROOM);
  for (size_t i = 1; i < members; i++) memcpy(out.bytes + i * one, out.bytes, one);
  out.length = one * members;
  return out;
}

/* A compression ratio of 1000 fails one member beyond the limit; a ratio of 100 does not. */
static void bombs_are_refused(void **state) {
  static const struct {
    size_t chance, members;
    bool refused;
  } cases[] = { { 0, LIMIT, false }, { 0, LIMIT + 1, true }, { 9000, LIMIT + 1, false } };
  crd_context *const ctx = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const packed file = pack(ctx, cases[i].chance, cases[i].members);
    void *content = NULL;
    size_t length = 0;
    const crd_status status = crd__io_gzip_inflate(ctx, file.bytes, file.length, &content, &length);
    if (cases[i].refused) {
      assert_int_equal(status, CRD_EINPUT);
      assert_non_null(strstr(crd_context_message(ctx), "allowed are 200 times as many"));
    } else {
      WORKS(ctx, status);
      assert_int_equal(length, cases[i].members * MEGABYTE);
    }
    free(content);
    free(file.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(bombs_are_refused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

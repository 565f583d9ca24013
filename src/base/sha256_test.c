/* sha256_test.c -- the examples of FIPS 180-4 and NIST, and any division into parts. Built twice,
 * for nettle and for sha256_lean.c. */
#include "support.h"

#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

static void digest(const char *text, size_t count, size_t part, char out[65]) {
  unsigned char sum[CRD__SHA256_SIZE];
  crd__sha256 hash;
  crd__sha256_begin(&hash);
  for (size_t at = 0; at < count; at += part)
    crd__sha256_add(&hash, text + at, count - at < part ? count - at : part);
  crd__sha256_end(&hash, sum);
  for (size_t i = 0; i < sizeof sum; i++) snprintf(out + 2 * i, 3, "%02x", sum[i]);
}

static void published_examples(void **state) {
  static const struct {
    const char *text, *sum;
  } examples[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmno"
      "pqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
  };
  char found[65];
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
    digest(examples[i].text, strlen(examples[i].text), SIZE_MAX, found);
    assert_string_equal(found, examples[i].sum);
  }
}

/* A million times "a", and every length around a block, in parts of every size. */
static void parts_change_nothing(void **state) {
  static char text[1000000];
  char found[65], whole[65];
  (void)state;
  memset(text, 'a', sizeof text);
  digest(text, sizeof text, 999, found);
  assert_string_equal(found, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (size_t count = 50; count < 140; count++) {
    digest(text, count, SIZE_MAX, whole);
    for (size_t part = 1; part < 70; part++) {
      digest(text, count, part, found);
      assert_string_equal(found, whole);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(published_examples),
                                      cmocka_unit_test(parts_change_nothing) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

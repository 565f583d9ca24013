/* tokens_test.c -- words of texts, and the most frequent ones. */
#include "base/memory.h"
#include "dataset/tokens.h"
#include "support.h"

#include <string.h>

static crd__dataset_text text_of(const char *text) {
  return (crd__dataset_text){ text, strlen(text) };
}

static void texts_have_words(void **state) {
  (void)state;
  static const struct {
    const char *text, *words; /* each followed by a space */
  } cases[] = {
    { "", "" },
    { " ,.-\n", "" },
    { "Hello, World!", "hello world " },
    { "x=3.14", "x 3 14 " },
    { "don't 'quote' rock'n'roll dogs'", "dont quote rocknroll dogs " },
    { "don\xE2\x80\x99t", "dont " },
    { "''a''b''", "a b " },
    { "caf\xC3\xA9 \xC3\x84rger", "caf\xC3\xA9 \xC3\x84rger " },
    { "a\xE2\x80\x94"
      "b\xC2\xA0"
      "c\xC2\xAB"
      "d",
      "a b c d " },
    { "\xE2\x80\x9Cquoted\xE2\x80\x9D", "quoted " },
    { "\xE2\x82\xAC"
      "5",
      "\xE2\x82\xAC"
      "5 " },
    { "5\xC2\xB5m", "5\xC2\xB5m " },
    { "broken \xE2\x80", "broken \xE2\x80 " },
    { "user@host.org", "user host org " },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__dataset_words words = crd__dataset_words_of(text_of(cases[i].text));
    char found[200] = "";
    while (crd__dataset_words_next(&words)) strcat(strcat(found, words.word), " ");
    assert_string_equal(found, cases[i].words);
    assert_false(crd__dataset_words_next(&words));
  }
}

static void long_words_are_cut(void **state) {
  (void)state;
  char text[500];
  memset(text, 'x', sizeof text);
  memcpy(text + 400, " end", 4);
  crd__dataset_words words = crd__dataset_words_of((crd__dataset_text){ text, 404 });
  assert_true(crd__dataset_words_next(&words));
  assert_int_equal(strlen(words.word), CRD__WORD_BYTES);
  assert_true(crd__dataset_words_next(&words));
  assert_string_equal(words.word, "end");
}

/* Nothing beyond the length is read: the sanitizer sees to that. */
static void texts_end_where_they_end(void **state) {
  (void)state;
  static const char bytes[] = { 'a', 'b', (char)0xE2 };
  crd__dataset_words words = crd__dataset_words_of((crd__dataset_text){ bytes, sizeof bytes });
  assert_true(crd__dataset_words_next(&words));
  assert_string_equal(words.word, "ab\xE2");
  assert_false(crd__dataset_words_next(&words));
}

static void frequent_words_come_first(void **state) {
  crd_context *const ctx = *state;
  crd__dataset_counts counts = { 0 };
  char **best;
  size_t count;
  static const char *const expected[] = { "the", "b", "d", "a" };
  static const char *const texts[] = { "the d b", "The b, the a D", "c" };
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(crd__dataset_counts_add(ctx, &counts, text_of(texts[i])), CRD_OK);
  assert_int_equal(crd__dataset_counts_best(ctx, &counts, 4, &best, &count), CRD_OK);
  assert_int_equal(count, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(best[i], expected[i]);
  crd__free(&ctx->alloc, best);
  assert_int_equal(crd__dataset_counts_best(ctx, &counts, 100, &best, &count), CRD_OK);
  assert_int_equal(count, 5);
  crd__free(&ctx->alloc, best);
  crd__dataset_counts_clear(&ctx->alloc, &counts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(texts_have_words),
    cmocka_unit_test(long_words_are_cut),
    cmocka_unit_test(texts_end_where_they_end),
    cmocka_unit_test(frequent_words_come_first),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

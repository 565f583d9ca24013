/* pred_test.c -- FILE[#group][@from:to], and names that look like it. */
#include "io/testing.h"

#include "io/pred.h"

static void test_grammar(void **state) {
  static const struct {
    const char *text, *file, *group, *rows;
  } cases[] = {
    { "a.npz", "a.npz", NULL, "" },
    { "a.npz#val", "a.npz", "val", "" },
    { "a.npz@0:5000", "a.npz", NULL, "0:5000" },
    { "a.npz#val@7:", "a.npz", "val", "7:" },
    { "a.npz#val@:9", "a.npz", "val", ":9" },
    { "a#b#c", "a#b", "c", "" },
    { "-#x@1:2", "-", "x", "1:2" },
    { "a@1:2@3:4", "a@1:2", NULL, "3:4" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_context *ctx = *state;
    crd__io_specifier pred;
    char rows[64] = "", from[24] = "", to[24] = "";
    WORKS(ctx, crd__io_specifier_parse(ctx, cases[i].text, &pred));
    assert_string_equal(pred.file, cases[i].file);
    assert_string_equal(pred.group ? pred.group : "-none-",
                        cases[i].group ? cases[i].group : "-none-");
    if (pred.has_from) snprintf(from, sizeof from, "%d", (int)pred.from);
    if (pred.has_to) snprintf(to, sizeof to, "%d", (int)pred.to);
    if (pred.has_from || pred.has_to) snprintf(rows, sizeof rows, "%s:%s", from, to);
    assert_string_equal(rows, cases[i].rows);
    crd__io_specifier_clear(&ctx->alloc, &pred);
  }
}

static void test_malformed(void **state) {
  static const struct {
    const char *text, *words;
  } cases[] = {
    { "a.npz@5", "a.npz@5: no such file, and found '5' after '@', expected rows from:to" },
    { "a.npz@:", "found ':' after '@'" },
    { "a.npz@-1:3", "found '-1:3'" },
    { "a.npz@1:3x", "found '1:3x'" },
    { "a.npz@0:99999999999999999999", "expected rows from:to" },
    { "a.npz@1:2#val", "found '1:2#val'" },
    { "a.npz#", "found no group after '#'" },
    { "#val", "found no file name" },
    { "@1:2", "found no file name" },
    { "", "found no file name" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_context *ctx = *state;
    crd__io_specifier pred;
    FAILS(ctx, CRD_EUSAGE, crd__io_specifier_parse(ctx, cases[i].text, &pred), cases[i].words);
    crd__io_specifier_clear(&ctx->alloc, &pred);
  }
}

/* A file of that literal name wins. */
static void test_literal(void **state) {
  static const struct {
    const char *file, *tail, *group;
  } cases[] = {
    { "a#b@1:2", "", NULL },
    { "a#b", "@1:2", NULL },
    { "a@b", "#c", "c" },
    { "a@b", "#c@1:2", "c" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd_context *ctx = *state;
    crd__io_specifier pred;
    char text[512];
    const char *path = put_text(cases[i].file, "x");
    snprintf(text, sizeof text, "%s%s", path, cases[i].tail);
    WORKS(ctx, crd__io_specifier_parse(ctx, text, &pred));
    assert_string_equal(pred.file, path);
    assert_string_equal(pred.group ? pred.group : "", cases[i].group ? cases[i].group : "");
    assert_int_equal(pred.has_from, strstr(cases[i].tail, "@") != NULL);
    crd__io_specifier_clear(&ctx->alloc, &pred);
    unlink(path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_grammar), TEST(test_malformed),
                                      TEST(test_literal) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

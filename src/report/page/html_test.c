/* html_test.c -- numbers, cells and tables in HTML. */
#include "report/page/html.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define THIN "\xe2\x80\xaf"

static crd__text text;

static void expect(const char *expected) {
  assert_false(text.failed);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

static void counts_are_grouped(void **state) {
  (void)state;
  crd__page_html_count(&text, 0);
  expect("0");
  crd__page_html_count(&text, 9999);
  expect("9999");
  crd__page_html_count(&text, 10000);
  expect("10" THIN "000");
  crd__page_html_count(&text, 12005007);
  expect("12" THIN "005" THIN "007");
  crd__page_html_counted(&text, 1, "row");
  expect("1 row");
  crd__page_html_counted(&text, 2, "row");
  expect("2 rows");
}

static void numbers_are_rounded(void **state) {
  (void)state;
  crd__page_html_value(&text, 0.053749);
  expect("0.0537");
  crd__page_html_value(&text, 1.25e-7);
  expect("1.250e-07");
  crd__page_html_value(&text, (double)NAN);
  expect("n/a");
  crd__page_html_percent(&text, 0.9488);
  expect("94.9" THIN "%");
  crd__page_html_interval(&text, 0.25, 0.5);
  expect("0.2500 \xe2\x80\x93 0.5000");
  crd__page_html_verdict(&text, "ECE <0.1> -> 0.05 -> 0.01");
  expect("ECE &lt;0.1&gt; \xe2\x86\x92 0.05 \xe2\x86\x92 0.01");
  crd__page_html_interval(&text, -6e-5, 0.0003);
  expect("-0.0001 to 0.0003");
  crd__page_html_interval(&text, 1e-5, 2e-5);
  expect("1.000e-05 \xe2\x80\x93 2.000e-05");
}

static void nothing_gets_through(void **state) {
  (void)state;
  crd__page_html_element(&text, "p", "kind", "</p><script>\"'&\x01\xff\xe4\xb8\xad");
  expect("<p class=\"kind\">&lt;/p&gt;&lt;script&gt;&quot;&#39;&amp;\xe4\xb8\xad</p>\n");
  crd__page_html_row(&text, "<b>");
  expect("<tr><th scope=\"row\">&lt;b&gt;</th>");
  crd__page_html_words_cell(&text, NULL);
  expect("<td></td>");
}

/* Rounded for people, in full for programs. */
static void cells_hold_both(void **state) {
  (void)state;
  crd__page_html_number_cell(&text, 0.1 + 0.2, NULL);
  expect("<td class=\"number\" data-value=\"0.30000000000000004\">0.3000</td>");
  crd__page_html_number_cell(&text, (double)NAN, "no \"right\" rows");
  expect("<td class=\"number none\"><span title=\"no &quot;right&quot; rows\">n/a</span></td>");
  crd__page_html_count_cell(&text, 20000);
  expect("<td class=\"number\" data-value=\"20000\">20" THIN "000</td>");
  crd__page_html_interval_cell(&text, (double)NAN, (double)NAN);
  expect("<td class=\"number interval\"></td>");
}

static void tables_name_their_columns(void **state) {
  (void)state;
  static const crd__page_column columns[] = { { "a<b", NULL, true }, { "c", "long \"c\"", false } };
  crd__page_html_table(&text, "A & B", columns, 2);
  crd__page_html_table_end(&text);
  expect("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"A &amp; B\">\n"
         "<table class=\"sortable\">\n<caption>A &amp; B</caption>\n<thead>\n"
         "<tr><th scope=\"col\">a&lt;b</th>"
         "<th scope=\"col\" class=\"number\" title=\"long &quot;c&quot;\">c</th></tr>\n"
         "</thead>\n<tbody>\n</tbody>\n</table>\n</div>\n");
}

static crd_context *ctx;

static int set_up(void **state) {
  (void)state;
  if (crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  crd__text_init(&text, &ctx->alloc);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  crd_context_destroy(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(counts_are_grouped),        cmocka_unit_test(numbers_are_rounded),
    cmocka_unit_test(nothing_gets_through),      cmocka_unit_test(cells_hold_both),
    cmocka_unit_test(tables_name_their_columns),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

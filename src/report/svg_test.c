/* svg_test.c -- escaped text, shapes, and title and description of an SVG figure. */
#include "report/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static crd__text fresh(void **state) {
  crd_context *const ctx = *state;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  return text;
}

static void expect(crd__text *text, const char *expected) {
  assert_false(text->failed);
  assert_string_equal(text->bytes ? text->bytes : "", expected);
  crd__text_clear(text);
}

static void numbers_are_short(void **state) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { 12, "12" },
    { 0.5, "0.5" },
    { -3.25, "-3.25" },
    { 0.05, "0.05" },
    { -0.001, "0" },
    { 1.0 / 3, "0.33" },
    { 99.999, "100" },
    { 1234.5, "1234.5" },
    { 1e300, "10000000" },
    { (double)-INFINITY, "-10000000" },
    { (double)NAN, "0" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__text text = fresh(state);
    crd__report_svg_add_number(&text, cases[i].value);
    expect(&text, cases[i].text);
  }
}

/* Input cannot end an attribute or begin an element, and bytes that XML forbids are dropped. */
static void words_are_harmless(void **state) {
  static const struct {
    const char *words, *text;
    size_t length;
  } cases[] = {
    { "a.npz", "a.npz", 5 },
    { "<script>alert(\"1\")</script>", "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;", 27 },
    { "a & 'b'", "a &amp; &#39;b&#39;", 7 },
    { "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 3 },
    { "a\x01\n\t\x1b[0m\x7f\xc2\x85z", "a[0mz", 5 },
    { "\xff\xc3\xed\xa0\x80\xef\xbf\xbe\xef\xbf\xbf!", "!", 1 },
    { "", "", 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    crd__text text = fresh(state);
    crd__report_svg_add_words(&text, cases[i].words, SIZE_MAX);
    expect(&text, cases[i].text);
    assert_int_equal(crd__report_svg_length(cases[i].words), cases[i].length);
  }
}

static void long_words_are_cut(void **state) {
  crd__text text = fresh(state);
  crd__report_svg_add_words(&text, "\xc3\xa4<\x01 bcd", 4);
  expect(&text, "\xc3\xa4&lt; \xe2\x80\xa6");
  crd__report_svg_add_words(&text, "abcd", 4);
  expect(&text, "abcd");
}

static void marks_are_written(void **state) {
  crd__text text = fresh(state);
  crd__report_svg_group(&text, "a \"b\"");
  crd__report_svg_rect_deep(&text, "bar", (crd__report_box){ 1, 2.5, 3, -4 }, 0.25);
  crd__report_svg_line(&text, "axis", 0, 1, 2, 3);
  crd__report_svg_circle(&text, "dot", 1, 2, 3);
  crd__report_svg_polyline(&text, "axis", (const double[]){ 0, 1, 2, 3.5 }, 2);
  crd__report_svg_text(&text, "text", (crd__report_svg_place){ 1, 2, CRD__SVG_END, 0 }, "<");
  crd__report_svg_text_up(&text, "text", 1, 2, "up");
  crd__report_svg_group_end(&text);
  expect(&text,
         "<g aria-label=\"a &quot;b&quot;\"><title>a &quot;b&quot;</title>\n"
         "<rect class=\"bar\" x=\"1\" y=\"2.5\" width=\"3\" height=\"0\" fill-opacity=\"0.25\"/>\n"
         "<line class=\"axis\" x1=\"0\" y1=\"1\" x2=\"2\" y2=\"3\"/>\n"
         "<circle class=\"dot\" cx=\"1\" cy=\"2\" r=\"3\"/>\n"
         "<polyline class=\"axis\" points=\"0,1 2,3.5\"/>\n"
         "<text class=\"text\" x=\"1\" y=\"2\" text-anchor=\"end\">&lt;</text>\n"
         "<text class=\"text\" text-anchor=\"middle\" transform=\"translate(1,2) "
         "rotate(-90)\">up</text>\n"
         "</g>\n");
}

/* Screen readers get a title and a description; the style has dark mode and stripes. */
static void page_speaks(void **state) {
  static const crd__report_svg_page page = { 100, 50, "f", "a < b", "it \"shows\"" };
  crd__text text = fresh(state);
  crd__report_svg_open(&text, &page);
  crd__report_svg_rect_striped(&text, &page, "over", (crd__report_box){ 0, 0, 1, 1 });
  crd__report_svg_close(&text);
  static const char *const parts[] = {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"crd\" viewBox=\"0 0 100 50\"",
    " role=\"img\" aria-labelledby=\"f-title f-desc\">\n",
    "<title id=\"f-title\">a &lt; b</title>\n",
    "<desc id=\"f-desc\">it &quot;shows&quot;</desc>\n",
    "@media (prefers-color-scheme:dark){",
    "<pattern id=\"f-over\"",
    " fill=\"url(#f-over)\"/>\n</svg>\n",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text.bytes, parts[i])) fail_msg("no %s in\n%s", parts[i], text.bytes);
  crd__text_clear(&text);
}

static int set_up(void **state) {
  return crd_context_create(NULL, (crd_context **)state) == CRD_OK ? 0 : 1;
}
static int tear_down(void **state) {
  crd_context_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_are_short),  cmocka_unit_test(words_are_harmless),
    cmocka_unit_test(long_words_are_cut), cmocka_unit_test(marks_are_written),
    cmocka_unit_test(page_speaks),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

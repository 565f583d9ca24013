/* repeats_test.c -- the table of a series on the page. */
#include "report/page/page.h"
#include "report/series_sample_test.h"

#include <string.h>

static void rows_tell_all(void **state) {
  static const char *const parts[] = {
    "title=\"share of rows that are right\">accuracy</th>",
    "<tr><th scope=\"row\">identity</th><td class=\"number best\" data-value=\"0.75\">"
    "<strong>0.7500</strong><span> \xc2\xb1 0.0100</span></td>",
    "a_&lt;t&gt;<span class=\"failure\">did not converge in 1 of 2 runs</span></th>",
    "<td class=\"number best\" data-value=\"0.03125\"><strong>0.0312</strong>"
    "<span> \xc2\xb1 0.0012</span><span class=\"p better\">better, p 0.0312</span></td>",
    "<td class=\"number\" data-value=\"0.5\"><span>0.5000</span><span> \xc2\xb1 0.0200</span>"
    "<span class=\"p worse\">worse, p &lt; 0.0001</span></td>",
    "<span class=\"p \">p 0.2500</span>",
    "lost<span class=\"failure\">failed in 1 of 2 runs: no &lt;features&gt;</span></th>"
    "<td class=\"number\" data-value=\"0.8\"><span>0.8000</span></td>",
    "over 2 runs (random?splits &amp; more), each fitted on 60 rows",
    "corrected for 3 methods (Holm).",
  };
  crd_context *ctx = NULL;
  crd__text text;
  const crd_page_part part = { .series = &series };
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd__page page = { .part = &part, .id = "run1", .level = 2, .out = &text };
  assert_true(crd__page_section_repeats.has(&part));
  assert_false(crd__page_section_repeats.has(&(crd_page_part){ 0 }));
  assert_int_equal(crd__page_section_repeats.write(ctx, &page), CRD_OK);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text.bytes, parts[i])) fail_msg("no %s in %s", parts[i], text.bytes);
  crd__text_clear(&text);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(rows_tell_all) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

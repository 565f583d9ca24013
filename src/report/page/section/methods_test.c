/* methods_test.c -- the table of methods on the page. */
#include "report/page/page.h"
#include "report/sample_test.h"

#include <string.h>

/* accuracy and ECE of three methods; one failed. */
static const crd_metric_value before[] = {
  { .metric = &sample_metrics[0], .value = 0.75, WITHOUT_INTERVAL },
  { .metric = &sample_metrics[1], .value = 0.1, WITHOUT_INTERVAL },
};
static const crd_metric_value after[] = {
  { .metric = &sample_metrics[0], .value = 0.5, .low = 0.25, .high = 0.625 },
  { .metric = &sample_metrics[1], .value = 0.05, .low = 0.0, .high = 0.25 },
};
static const crd_difference differences[] = {
  { .metric = &sample_metrics[0], .value = -0.25, .p = 0.01 },
  { .metric = &sample_metrics[1], .value = -0.05, .p = 1e-7 },
};
static const crd_comparison against = { .count = 2, .items = differences };
static const crd_result results[] = { { .value_count = 2, .values = before },
                                      { .value_count = 2, .values = after } };
static const crd_candidate candidates[] = {
  { .name = "identity", .result = &results[0], .seconds = 0.5 },
  { .name = "<t>", .result = &results[1], .against_identity = &against, .seconds = 0.25 },
  { .name = "lost", .failure = "no <features>", .seconds = (double)NAN },
};
static const crd_contest contest = {
  .resamples = 200, .count = 3, .candidates = candidates, .chosen = &candidates[1], .verdict = ""
};

static void rows_tell_all(void **state) {
  static const char *const parts[] = {
    "title=\"share of rows that are right\">accuracy</th>",
    /* The best of each column, and significant differences. */
    "<td class=\"number best\" data-value=\"0.75\"><strong>0.7500</strong></td>",
    "<td class=\"number best\" data-value=\"0.05\"><strong>0.0500</strong>"
    "<span class=\"interval\">0.0000 \xe2\x80\x93 0.2500</span>"
    "<span class=\"p better\">better, p &lt; 0.0001</span></td>",
    "<td class=\"number\" data-value=\"0.5\"><span>0.5000</span>"
    "<span class=\"interval\">0.2500 \xe2\x80\x93 0.6250</span>"
    "<span class=\"p worse\">worse, p 0.0100</span></td>",
    "<tr class=\"chosen\"><th scope=\"row\">&lt;t&gt; <span class=\"tag\">chosen</span></th>",
    "<span class=\"failure\">failed: no &lt;features&gt;</span></th>",
    "</th><td class=\"number none\">n/a</td><td class=\"number none\">n/a</td>",
    "<td class=\"number\" data-value=\"0.25\">0.250</td></tr>",
    "corrected for 2 methods (Holm)",
  };
  crd_context *ctx = NULL;
  crd__text text;
  const crd_page_part part = { .contest = &contest };
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd__page page = { .part = &part, .id = "run1", .level = 2, .out = &text };
  assert_int_equal(crd__page_section_methods.write(ctx, &page), CRD_OK);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text.bytes, parts[i])) fail_msg("no %s in %s", parts[i], text.bytes);
  crd__text_clear(&text);
  crd_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(rows_tell_all) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

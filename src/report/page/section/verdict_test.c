/* verdict_test.c -- the verdict at the top of the page. */
#include "report/page/page.h"
#include "report/sample_test.h"

#include <string.h>

#define THIN "\xe2\x80\xaf"

/* Writes the head of a run; the caller clears the text. */
static crd__text head_of(const crd_page_part *part) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd__page page = { .part = part,
                           .number = 1,
                           .path = "dir/a <b>",
                           .title = "a <b>",
                           .id = "run1",
                           .level = 2,
                           .out = &text };
  assert_int_equal(crd__page_section_verdict.write(ctx, &page), CRD_OK);
  assert_false(text.failed);
  return text;
}

static void expect_words(const crd_result *result, const char *words) {
  crd__text text = head_of(&(crd_page_part){ .result = result });
  const char *const lead = strstr(text.bytes, "<p class=\"lead\">");
  assert_non_null(lead);
  const size_t length = (size_t)(strstr(lead, "</p>") - lead);
  char found[512] = "";
  assert_true(length < sizeof found);
  memcpy(found, lead + strlen("<p class=\"lead\">"), length - strlen("<p class=\"lead\">"));
  assert_string_equal(found, words);
  crd__text_clear(&text);
}

/* sample: 4 rows, 0.25 * 0.5 + 0.5 * 0.625 + 0.25 * 1 = 68.75 % mean confidence, 75 % accuracy. */
static void results_have_a_verdict(void **state) {
  (void)state;
  expect_words(&sample, "On 4 rows accuracy is 75.0" THIN "% and mean confidence 68.8" THIN
                        "%: underconfident by 6.2 points, which chance can explain. ECE 0.1000.");
  crd_result r = sample;
  r.values = sample_intervals;
  r.value_count = 3;
  expect_words(&r,
               "On 4 rows accuracy is 75.0" THIN "% and mean confidence 68.8" THIN
               "%: underconfident by 6.2 points, which chance can explain. ECE 0.1000 (95" THIN
               "%: 0.0000 \xe2\x80\x93 0.2500); a calibrated model would show 0.2715 by chance.");
}

static void sides_are_named(void **state) {
  (void)state;
  crd_reliability_bin bin = { .low = 0.5, .high = 1, .rows = 1, .weight = 1, .confidence = 0.8 };
  crd_result r = { .rows = 1, .classes = 2, .bin_count = 1, .bins = &bin };
  bin.accuracy = 0.79;
  expect_words(&r, "On 1 row accuracy is 79.0" THIN "% and mean confidence 80.0" THIN
                   "%: overconfident by 1.0 point, which chance can explain.");
  bin.accuracy = 0.8;
  expect_words(&r, "On 1 row accuracy is 80.0" THIN "% and mean confidence 80.0" THIN
                   "%: neither overconfident nor underconfident on average.");
  r.binary = CRD_BINARY_POS;
  bin.accuracy = 0.5;
  expect_words(&r, "On 1 row the frequency of class 1 is 50.0" THIN
                   "% and its mean probability 80.0" THIN
                   "%: too high by 30.0 points, which chance can explain.");
  bin.accuracy = 1;
  expect_words(&r, "On 1 row the frequency of class 1 is 100.0" THIN
                   "% and its mean probability 80.0" THIN
                   "%: too low by 20.0 points, which chance can explain.");
  r.rows = bin.rows = 1000;
  expect_words(&r, "On 1000 rows the frequency of class 1 is 100.0" THIN
                   "% and its mean probability 80.0" THIN "%: too low by 20.0 points.");
}

/* Without bins there is only the number of rows. */
static void results_without_bins_are_short(void **state) {
  (void)state;
  expect_words(&sample_with_intervals,
               "4 rows. ECE 0.1000 (95" THIN
               "%: 0.0000 \xe2\x80\x93 0.2500); a calibrated model would show 0.0625 by chance.");
  expect_words(&(crd_result){ .rows = 3 }, "3 rows.");
}

/* A contest's verdict, and its metrics before and after. */
static void contests_show_their_verdict(void **state) {
  (void)state;
  crd_result after = sample;
  crd_metric_value values[4];
  memcpy(values, sample_values, sizeof values);
  values[1].value = 0.05;
  after.values = values;
  const crd_candidate candidates[] = { { .name = "identity", .result = &sample },
                                       { .name = "temperature", .result = &after } };
  crd_contest contest = { .test_rows = 4,
                          .calibrate_rows = 12000,
                          .count = 2,
                          .candidates = candidates,
                          .chosen = &candidates[1],
                          .verdict = "Choose <this>: ECE 0.1 -> 0.05." };
  crd__text text = head_of(&(crd_page_part){ .contest = &contest });
  static const char *const parts[] = {
    "<h1>a &lt;b&gt;</h1>",
    ("4 rows, 3 classes, logits; 1 method fitted on 12" THIN "000 other rows</p>"),
    "<p class=\"read path\">dir/a &lt;b&gt;</p>",
    "<div class=\"headline open\">\n<p class=\"meaning\">4 cases are too few",
    "<p class=\"action\"><strong>What to do:</strong> Use temperature scaling: ",
    "<p class=\"certainty\"><strong>How sure:</strong> Measured on 4 cases",
    "<dd class=\"cue\">\xe2\x86\x93 lower is better</dd>",
    "<p class=\"lead\">Choose &lt;this&gt;: ECE 0.1 \xe2\x86\x92 0.05.</p>",
    "<span class=\"before\">0.1000</span> <span class=\"arrow\">\xe2\x86\x92</span> 0.0500</dd>",
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(text.bytes, parts[i])) fail_msg("no %s in %s", parts[i], text.bytes);
  crd__text_clear(&text);
  contest.folds = 5;
  contest.chosen = candidates;
  text = head_of(&(crd_page_part){ .contest = &contest });
  assert_non_null(strstr(text.bytes, "1 method, cross-validated in 5 folds"));
  assert_null(strstr(text.bytes, "class=\"before\""));
  crd__text_clear(&text);
}

/* A tile names its interval, and a finding that concerns its value. */
static void tiles_have_intervals_and_caveats(void **state) {
  (void)state;
  static const crd_finding_info copies = { .name = "duplicated-rows" };
  const crd_finding finding = {
    .info = &copies, .severity = CRD_WARNING, .found = "", .advice = ""
  };
  const crd_diagnosis diagnosis = { .finding_count = 1, .findings = &finding };
  crd__text text =
      head_of(&(crd_page_part){ .result = &sample_with_intervals, .diagnosis = &diagnosis });
  static const char tile[] =
      "<div><dt>ECE</dt><dd>0.1000</dd><dd class=\"interval\">95" THIN
      "% interval <span>0.0000 to 0.2500</span></dd><dd class=\"cue\">\xe2\x86\x93 lower "
      "is better</dd>\n<dd class=\"caveat\">interval too narrow: rows occur "
      "more than once</dd>\n</div>";
  if (!strstr(text.bytes, tile)) fail_msg("no %s in %s", tile, text.bytes);
  crd__text_clear(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(results_have_a_verdict),
    cmocka_unit_test(sides_are_named),
    cmocka_unit_test(results_without_bins_are_short),
    cmocka_unit_test(contests_show_their_verdict),
    cmocka_unit_test(tiles_have_intervals_and_caveats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

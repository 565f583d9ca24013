/* balance_test.c -- calibration and refinement in words. */
#include "report/balance.h"
#include "report/contest_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"

/* A change of one metric; `p` NaN: untested. */
static crd_difference change(const char *metric, double value, double p) {
  return (crd_difference){ .metric = crd_metric_find(metric),
                           .value = value,
                           .low = value - 0.01,
                           .high = value + 0.01,
                           .p = p };
}

static void expect(crd_difference first, crd_difference second, const char *sentence,
                   const char *brief) {
  const crd_difference items[] = { first, second };
  const crd_comparison c = { .count = 2, .items = items };
  crd_context *ctx = NULL;
  crd__text text, words;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  crd__text_init(&words, &ctx->alloc);
  assert_int_equal(crd__report_balance_add(&text, &c), sentence != NULL);
  assert_int_equal(crd__report_balance_brief(&words, &c), sentence != NULL);
  if (sentence) {
    assert_string_equal(text.bytes, sentence);
    assert_string_equal(words.bytes, brief);
  }
  crd__text_clear(&text);
  crd__text_clear(&words);
  crd_context_destroy(ctx);
}

static void both_are_named(void **state) {
  (void)state;
  expect(change("ece", -0.05, 0.001), change("auroc", -0.02, 0.01),
         "calibration is better (ece -0.0500, -0.0600 to -0.0400), refinement is worse (auroc "
         "-0.0200, -0.0300 to -0.0100)",
         "calibration better, refinement worse");
  expect(change("ece", 0.05, 0.001), change("auroc", 0.02, 0.2),
         "calibration is worse (ece +0.0500, 0.0400 to 0.0600), refinement does not change beyond "
         "chance (auroc +0.0200, 0.0100 to 0.0300)",
         "calibration worse, refinement not clearly changed");
  expect(change("aece", 0.05, (double)NAN), change("aurc", -0.02, 0.04),
         "calibration changes (aece +0.0500, 0.0400 to 0.0600), refinement is better (aurc "
         "-0.0200, -0.0300 to -0.0100)",
         "calibration untested, refinement better");
}

static void one_alone_is_not_enough(void **state) {
  (void)state;
  expect(change("ece", -0.05, 0.001), change("accuracy", -0.02, 0.01), NULL, NULL);
  expect(change("nll", -0.05, 0.001), change("auroc", -0.02, 0.01), NULL, NULL);
  expect(change("ece", -0.05, 0.001), change("auroc", (double)NAN, (double)NAN), NULL, NULL);
}

static void marks_follow_the_direction(void **state) {
  (void)state;
  const crd_difference less = change("ece", -0.05, 0.001), lower = change("auroc", -0.05, 0.001);
  const crd_difference chance = change("ece", -0.05, 0.05), size = change("entropy", 1, 0.001);
  assert_int_equal(crd__report_change_mark(&less), '+');
  assert_int_equal(crd__report_change_mark(&lower), '-');
  assert_int_equal(crd__report_change_mark(&chance), ' ');
  assert_int_equal(crd__report_change_mark(&size), ' ');
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_are_named),
    cmocka_unit_test(one_alone_is_not_enough),
    cmocka_unit_test(marks_follow_the_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

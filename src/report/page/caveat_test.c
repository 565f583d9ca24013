/* caveat_test.c -- findings beside the values that they concern. */
#include "report/page/caveat.h"
#include "report/sample_test.h"

#include <string.h>

static void expect(const crd_finding *finding, const char *metric, const crd_metric_value *value,
                   const char *words) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  crd__text_add(&text, "");
  const crd_diagnosis d = { .finding_count = 1, .findings = finding };
  const double floor = value ? value->noise_floor : (double)NAN;
  assert_int_equal(crd__page_caveat_add(&text, finding ? &d : NULL, metric, value, floor),
                   *words != 0);
  assert_string_equal(text.bytes, words);
  crd__text_clear(&text);
}

static crd_finding find(const char *name, crd_severity severity) {
  const crd_finding f = { .info = crd_finding_find(name), .severity = severity };
  assert_non_null(f.info);
  return f;
}

static void findings_stand_beside_their_metrics(void **state) {
  (void)state;
  crd_finding f = find("saturated", CRD_WARNING);
  expect(&f, "auroc", NULL, "confidences of exactly 1 are tied");
  expect(&f, "aurc", NULL, "confidences of exactly 1 are tied");
  expect(&f, "ece", NULL, "");
  expect(&f, "auro", NULL, "");
  f = find("saturated", CRD_NOTE);
  expect(&f, "auroc", NULL, "");
  f = find("duplicated-rows", CRD_WARNING);
  expect(&f, "nll", NULL, "interval too narrow: rows occur more than once");
  f = find("labels", CRD_PROBLEM);
  expect(&f, "ece", NULL, "not valid: labels are out of range, or count from 1");
  f = find("exact-zeros", CRD_WARNING);
  expect(&f, "nll", NULL, "decided by probabilities of exactly 0");
  f = find("confidence", CRD_WARNING);
  expect(&f, "ece", NULL, "");
}

static void chance_is_named(void **state) {
  (void)state;
  crd_metric_value v = { .value = 0.02, .low = 0.005, .high = 0.03, .noise_floor = 0.0125 };
  expect(NULL, "ece", &v, "mostly chance: a calibrated model shows about 0.0125");
  v.low = 0.013;
  expect(NULL, "ece", &v, "partly chance: a calibrated model shows about 0.0125");
  v.value = 0.025;
  expect(NULL, "ece", &v, "");
  v.noise_floor = (double)NAN;
  expect(NULL, "ece", &v, "");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(findings_stand_beside_their_metrics),
                                      cmocka_unit_test(chance_is_named) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

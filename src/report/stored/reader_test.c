/* reader_test.c -- error messages for files that are not stored results, or were changed. */
#include "report/stored/sample_test.h"

#include <stdio.h>
#include <stdlib.h>

static void expect_refusal(const char *bytes, size_t length, const char *message) {
  crd_stored *stored = (crd_stored *)&ctx;
  assert_int_equal(crd__report_stored_read(ctx, bytes, length, &stored), CRD_EINPUT);
  assert_null(stored);
  if (!strstr(crd_context_message(ctx), message))
    fail_msg("'%s' lacks '%s'", crd_context_message(ctx), message);
}

static void others_are_named(void **state) {
  (void)state;
  static const struct {
    const char *bytes, *message;
  } cases[] = {
    { "", "found an unknown kind of file, allowed is JSON written by crd_report_write or" },
    { "[]", "found an unknown kind of file" },
    { "3", "found an unknown kind of file" },
    { " \n{}", "found an unknown kind of file" },
    { "{\"credence\": \"calibrator\"}", "found JSON of the kind 'calibrator', allowed is" },
    { "{\"name\": \"a\", \"findings\": []}", "found a diagnosis" },
    { "{\"n\": NaN, \"metrics\": {}}", "line 1 is not JSON" },
    { "{\"n\": 1, \"n\": 1}", "duplicate object key" },
    { "{\"name\": \"a\\u0000b\"}", "not JSON" },
    { "{\"n\": 1e999}", "real number overflow" },
    { "{\"metrics\": {}} x", "not JSON" },
    { "{\"metrics\": {}}", "name: found nothing, allowed is text, or null" },
    { "{\"methods\": {}}", "calibrate: found nothing" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_refusal(cases[i].bytes, strlen(cases[i].bytes), cases[i].message);
}

static void brackets_are_survived(void **state) {
  (void)state;
  const size_t length = (size_t)100 << 20;
  char *const bytes = malloc(length);
  assert_non_null(bytes);
  memset(bytes, '[', length);
  expect_refusal(bytes, length, "found an unknown kind");
  memcpy(bytes, "{\"metrics\":", 11);
  expect_refusal(bytes, length, "maximum parsing depth");
  free(bytes);
}

/* The text with its n-th `from` replaced. */
static char *replace(const char *text, const char *from, const char *to, size_t nth) {
  const char *at = strstr(text, from);
  while (at && nth--) at = strstr(at + 1, from);
  if (!at) fail_msg("no '%s'", from);
  const size_t size = strlen(text) + strlen(to) + 1;
  char *const out = calloc(1, size);
  assert_non_null(out);
  snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return out;
}

typedef struct {
  const char *from, *to, *message;
  size_t nth;
} change;

static void expect_changes(const crd_page_part *p, const change *changes, size_t count) {
  crd__text text = write_part(p);
  for (size_t i = 0; i < count; i++) {
    char *const changed = replace(text.bytes, changes[i].from, changes[i].to, changes[i].nth);
    expect_refusal(changed, strlen(changed), changes[i].message);
    free(changed);
  }
  crd__text_clear(&text);
}

static const change changes_of_results[] = {
  { "\"n\": 4", "\"n\": -4", "n: found -4, allowed is an integer", 0 },
  { "\"n\": 4", "\"n\": 4.5", "n: found 4.5, allowed is an integer", 0 },
  { "\"n\": 4", "\"n\": 9007199254740993", "n: found 9007199254740993", 0 },
  { "\"n\": 4", "\"m\": 4", "m: version 0.1.0 has no such key", 0 },
  { "\"n\": 4", "\"name n\": 4", "name n: version 0.1.0 has no such key", 0 },
  { "\"n\": 4", "\"\\u001bx\": 4", "?x: version 0.1.0 has no such key", 0 },
  { "\"n\": 4", "\"n\": \"\\u001b[31m\"", "n: found '?[31m', allowed is an integer", 0 },
  { "\"classes\": 3", "\"classes\": \"3\"", "classes: found '3', allowed is an integer from 0, or",
    0 },
  { "\"classes\": 3", "\"classes\": 2", "binary: found nothing, allowed is pos or top", 0 },
  { "\"logits\"", "\"logit\"",
    "input: found 'logit', allowed is logits, probabilities, confidence or", 0 },
  { "\"bins\": 4", "\"bins\": 5", "reliability: found 4 bins, allowed are as many as", 0 },
  { "\"weighted\": true", "\"weighted\": 1", "weighted: found 1, allowed is true or false", 0 },
  { "\"level\": 0.95", "\"level\": 0.9", "level: found 0.9, allowed is 0.95", 0 },
  { "\"interval\": \"corrected\"", "\"interval\": 3",
    "interval: found 3, allowed is corrected or percentile", 0 },
  { "\"ece\"", "\"ecE\"", "metrics.ecE: version 0.1.0 has no such metric", 0 },
  { "\"value\": 0.1", "\"value\": null", "metrics: ece: a value or a reason", 0 },
  { "\"value\": 0.1", "\"value\": true", "metrics.ece.value: found true, allowed is a number", 0 },
  { "\"low\": 0,", "\"low\": [],", "metrics.ece.low: found an array of 0, allowed is a number", 0 },
  { "\"p\": 3.125e-05", "\"q\": 1", "metrics.ece.q: version", 0 },
  { "\"nll\"", "\"mce\"", "paired.difference.mce: found here, allowed is 'nll'", 1 },
  { "\"test\": \"McNemar\"", "\"test\": 7", "paired.difference.ece.test: found 7", 0 },
  { "\"group\": -3", "\"group\": null", "groups[0].group: found null, allowed is text or", 0 },
  { "\"nll\"", "\"mce\"", "groups[0].metrics.mce: found here", 2 },
  { "\"metrics\": null", "\"metrics\": {}", "groups[1].metrics: found 0 metrics, allowed", 0 },
  { "\"metrics\": null", "\"metrics\": 0", "groups[1].metrics: found 0, allowed is an object", 0 },
  { "\"target_risk\": 0.02", "\"target_risk\": 2",
    "operating_points[0].target_risk: found 2, allowed is a number from 0 to 1", 0 },
  { "\"target_coverage\": 1", "\"target\": 1", "operating_points[1].target: version", 0 },
  { "\"reason\": \"none\"", "\"errors\": 0", "duplicate object key", 0 },
  { ", \"reason\": \"none\"", "", "operating_points[1]: a threshold or a reason is missing", 0 },
  { "\"undecided\"", "\"kept\"",
    "operating_points[0].promise: found 'kept', allowed is holds, broken or undecided", 0 },
  { "\"ppv\": {\"value\": 1", "\"ppv\": {\"value\": 3",
    "operating_points[0].ppv.value: found 3, allowed is a number from 0 to 1", 0 },
  { "\"kind\": \"bootstrap\"", "\"kind\": \"hope\"",
    "guarantee.kind: found 'hope', allowed is held-out or bootstrap", 0 },
  { "\"measured_rows\": 4", "\"measured_rows\": -4", "guarantee.measured_rows: found -4", 0 },
  { "\"peer\": \"", "\"peer\": \"x", "compat: version 0.1.0 has no peer 'x", 0 },
  { "\"metric\": \"ece\"", "\"metric\": \"x\"", "compat.values[1]: version 0.1.0 has no metric 'x'",
    1 },
  { "\"high\": 0.25, \"rows\"", "\"high\": 1.25, \"rows\"",
    "reliability[0].high: found 1.25, allowed is a number from 0 to 1", 0 },
  { "{\"low\": 0.25", "{\"low\": 0.2", "reliability[1]: its range overlaps the previous bin", 0 },
  { "\"confidence\": 0.5,", "\"confidence\": null,", "reliability[1]: its confidence or accuracy",
    0 },
  { "\"weight\": 0.25", "\"weight\": null", "reliability[1].weight: found null, allowed is a", 0 },
  { "\"one\\n", "7, \"", "warnings[0]: found 7, allowed is text", 0 },
  { "[0,299]", "[0,300]", "profile.bins.index[1]: found 300, allowed are ascending indices below",
    0 },
  { "[0,299]", "[0,0]", "profile.bins.index[1]: found 0, allowed are ascending indices below", 0 },
  { "[0,299]", "[0]", "profile.bins.rows: found 2 items, allowed are as many as in 'index', 1", 0 },
  { "[0,299]", "{}", "profile.bins.index: found an object, allowed is an array", 0 },
  { "[0,299]", "[0,-1]", "profile.bins.index[1]: found -1, allowed is an integer from 0, below",
    0 },
  { "\"roc\": {\"x\": [0,", "\"roc\": {\"x\": [\"0\",", "profile.roc.x[0]: found '0', allowed is",
    0 },
  { "\"precision_right\"", "\"precision_left\"", "profile.precision_left: version", 0 },
  { "\"bandwidth\": ", "\"bandwidth\": {}, \"x\": ", "profile.smooth.x: version", 0 },
  { "\"temperature\": 0.5", "\"temperature\": 0", "profile.temperatures[0]: temperatures must", 0 },
  { "\"temperature\": 0.5", "\"temperature\": 1", "profile.temperatures[1]: temperatures must", 0 },
  { "[0,299]", "[299,0]", "profile.temperatures[0].bins.index[1]: found 0", 1 },
  { "\"number\": 2", "\"number\": 3", "profile.classes[0]: found class 3, allowed are 0 .. 2", 0 },
  { "\"severity\": \"note\"", "\"severity\": \"bad\"", "diagnosis.findings[0]: found the severity",
    0 },
  { "\"findings\": [", "\"findings\": [3, ", "diagnosis.findings[0]: found 3, allowed is an object",
    0 },
  { "{\"name\": \"", "{\"name\": \"x", "diagnosis.findings[0]: version 0.1.0 has no finding", 0 },
  { "\"verdict\": \"v\"", "\"verdict\": null", "diagnosis.verdict: found null, allowed is text",
    0 },
  { "\"9007199254740993\"", "\"90071992547409930000\"", "provenance.seed: found '900", 0 },
  { "\"9007199254740993\"", "\"\"", "provenance.seed: found '', allowed is an integer", 0 },
  { "\"9007199254740993\"", "-1", "provenance.seed: found -1, allowed is an integer", 0 },
  { "00ff\"", "00fg\"", "provenance.sources[0].sha256: found '0000", 0 },
  { "00ff\"", "00f\"", "provenance.sources[0].sha256: found '0000", 0 },
};

static void changes_are_found(void **state) {
  (void)state;
  expect_changes(&part, changes_of_results, sizeof changes_of_results / sizeof *changes_of_results);
}

static const change changes_of_contests[] = {
  { "\"folds\": 2", "\"folds\": 4294967296", "folds: found 4294967296, allowed is an integer", 0 },
  { "\"name\": \"identity\"", "\"name\": \"identit\"", "methods[0]: version 0.1.0 has no method",
    0 },
  { "\"name\": \"platt(", "\"name\": \"plat(", "methods[1]: version 0.1.0 has no method 'plat(",
    0 },
  { "\"name\": \"identity\"", "\"name\": \"identity\", \"failure\": \"x\"",
    "methods[0].metrics: version", 0 },
  { ",\n      \"failure\": \"no\\n\"", "",
    "methods[1].metrics: found nothing, allowed is an object", 0 },
  { "\"failure\": \"no\\n\"", "\"failure\": \"no\", \"warnings\": []", "methods[1].warnings: ver",
    0 },
  { "\"method\": \"temperature\"", "\"method\": \"x\"", "verdict: 'x' is not one of the methods",
    0 },
  { "\"method\": \"temperature\"", "\"method\": \"platt(scope=top-1)\"",
    "verdict: 'platt(scope=top-1)' failed", 0 },
  { "\"best\": \"temperature\"", "\"best\": \"x\"", "verdict: 'x' is not one of the methods", 0 },
  { "\"score\": \"nll\"", "\"score\": 1", "verdict.score: found 1, allowed is text", 0 },
  { "\"rejected\": [", "\"rejected\": [{}, ", "verdict.rejected[0].method: found nothing", 0 },
  { "\"method\": \"identity\"", "\"method\": \"y\"", "verdict.rejected[1]: 'y' is not one", 0 },
  { "\"reason\": \"failed\"", "\"reason\": 0", "verdict.rejected[0].reason: found 0", 0 },
  { "\"reason\": \"failed\"", "\"why\": \"failed\"", "verdict.rejected[0].why: version", 0 },
  { "\"t\": 1.5", "\"t\": \"1.5\"", "methods[2].parameters.t: found '1.5', allowed is a list", 0 },
  { "[1.5, -0.0]", "[1.5, {}]", "methods[2].parameters.list[1]: found an object", 0 },
  { "[[1.5, -0.0]", "[[1.5, {}]", "methods[2].parameters.lists[0][1]: found an object", 0 },
  { "[[1.5, -0.0]", "[[1.5], 2", "methods[2].parameters.lists[1]: found 2, allowed is a list", 0 },
  { "[\"a\", \"b_c\"]", "[\"a\", \"b\\\"c\"]", "certificate.bounds_hit: 'b\"c' is not a valid name",
    0 },
  { "\"iterations\": 3", "\"iterations\": null", "certificate.iterations: found null", 0 },
  { "\"gradient_norm\"", "\"gradient\"", "methods[1].certificate.gradient: version", 0 },
  { "\"certificate\"", "\"certificates\"", "methods[1].certificates: version", 0 },
};

static void changes_of_contests_are_found(void **state) {
  (void)state;
  const crd_page_part p = { .contest = &contest };
  expect_changes(&p, changes_of_contests, sizeof changes_of_contests / sizeof *changes_of_contests);
  static const char none[] = "\"methods\": []";
  crd__text text = write_part(&p);
  char *const start = strstr(text.bytes, "\"methods\": ["), *const end =
                                                                strstr(text.bytes, "\n  ],");
  char *const changed = calloc(1, text.length + sizeof none);
  assert_true(start && end && changed);
  snprintf(changed, text.length + sizeof none, "%.*s%s%s", (int)(start - text.bytes), text.bytes,
           none, end + 4);
  expect_refusal(changed, strlen(changed),
                 "methods: the first method, which the others are compared");
  free(changed);
  crd__text_clear(&text);
}

/* A file truncated anywhere is an error. */
static void cuts_are_found(void **state) {
  (void)state;
  crd__text text = write_part(&part);
  for (size_t length = 0; length < text.length - 1; length += 1 + length / 64)
    expect_refusal(text.bytes, length, "");
  crd__text_clear(&text);
}

/* The message names the file, then the place. */
static void files_are_named(void **state) {
  (void)state;
  crd_stored *stored = (crd_stored *)&ctx;
  assert_int_equal(crd_stored_load(ctx, "/no/such.json", &stored), CRD_EINPUT);
  assert_null(stored);
  assert_non_null(strstr(crd_context_message(ctx), "/no/such.json: "));
  const char *const readme = CREDENCE_SOURCE "/CMakePresets.json";
  assert_int_equal(crd_stored_load(ctx, readme, &stored), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(ctx), "CMakePresets.json: found an unknown kind"));
  assert_int_equal(crd_stored_load_memory(ctx, "these bytes", "{}", 2, &stored), CRD_EINPUT);
  assert_null(stored);
  assert_non_null(strstr(crd_context_message(ctx), "these bytes: found an unknown kind"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(others_are_named),  cmocka_unit_test(brackets_are_survived),
    cmocka_unit_test(changes_are_found), cmocka_unit_test(changes_of_contests_are_found),
    cmocka_unit_test(cuts_are_found),    cmocka_unit_test(files_are_named),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

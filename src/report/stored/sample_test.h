/* sample_test.h -- a hand-made result and contest with all optional members. */
#ifndef CRD_REPORT_STORED_SAMPLE_TEST_H
#define CRD_REPORT_STORED_SAMPLE_TEST_H

#include "credence/operating.h"
#include "report/sample_test.h"
#include "report/stored/stored.h"

#include <string.h>

static crd_context *ctx;

/* ---- A result with all optional members. */

static crd_metric_value values[2];
static crd_difference differences[2];
static const crd_comparison paired = { .name = "other", .count = 2, .items = differences };
static crd_result parts_of_groups[2];
static const crd_group groups[] = {
  { .number = -3, .rows = 2, .result = &parts_of_groups[0] },
  { .number = INT64_MAX, .rows = 1 },
  { .name = "n\xc3\xb6rth", .number = 2, .rows = 1, .result = &parts_of_groups[1] },
};
static const crd_group_table group_table = { .count = 3, .items = groups };

static const crd_fine_bin fine[] = {
  { .index = 0, .rows = 1, .weight = 1, .confidence = 0.1, .correct = 0 },
  { .index = 299, .rows = 3, .weight = 3, .confidence = 1 / 3.0, .correct = -0.0 },
};
static const crd_fine_bin heavy[] = {
  { .index = 7, .rows = 2, .weight = 0.5, .confidence = 1e-300, .correct = 5e-324 },
};
static const crd_point points[] = { { 0, 0 }, { 1e22, 1.7976931348623157e308 }, { 1, NO } };
static const crd_bins_point by_bins[] = { { 1, 0.5, NO, 0.25, 0.125 }, { 15, 0.5, 0.1, NO, NO } };
static const crd_smooth_point smooth[] = { { 0.5, 0.25, NO, NO, 1 } };
static const crd_temperature_point temperatures[] = {
  { 0.5, 1, 2, 3, 0.25, { CRD_FINE_BINS, 2, fine } },
  { 1, 1, 2, NO, 0.25, { CRD_FINE_BINS, 1, heavy } },
};
static const crd_class_profile classes[] = {
  { 2, "cat", 3, 0.75, 0.5, 0.25, { CRD_FINE_CLASS_BINS, 1, heavy } },
  { 0, NULL, 0, 0, 0, 0, { CRD_FINE_CLASS_BINS, 0, NULL } },
};
static const crd_profile profile = {
  .parts = CRD_PROFILE_ALL,
  .bins = { CRD_FINE_BINS, 2, fine },
  .roc = { 3, points },
  .density_wrong = { 1, points },
  .by_bins_count = 2,
  .by_bins = by_bins,
  .smooth_count = 1,
  .smooth = smooth,
  .smooth_bandwidth = 0.0625,
  .temperature_count = 2,
  .temperatures = temperatures,
  .class_count = 2,
  .classes = classes,
  .groups = &group_table,
};

static const crd_source sources[] = {
  { "a\tb", UINT64_MAX, "00000000000000000000000000000000000000000000000000000000000000ff" }
};
static const crd_provenance provenance = { .command = "credence 'x'",
                                           .build = "gcc",
                                           .seed = (UINT64_C(1) << 53) + 1,
                                           .source_count = 1,
                                           .sources = sources };
static const char *const notes[] = { "one\n\"two\" \\", "\xff\xe2\x82" };

static crd_convention convention = { .metric = "ece", .call = "f(x)", .why = "so" };
static crd_compat_value compat_values[] = {
  { .convention = &convention, .value = (double)NAN, .reason = "r", .ours = 0.5 },
  { .convention = &convention, .value = 0.1, .ours = (double)NAN, .ours_reason = "o" },
};
static crd_compat_table compat = { .bins = 15, .note = "n", .count = 2, .values = compat_values };

static const crd_operating_point operating_points[] = {
  { .target = { CRD_TARGET_RISK, 0.02 },
    .threshold = 0.875,
    .rows = 4,
    .accepted = 3,
    .coverage = { 0.75, 0.25, 1, 3, 4 },
    .risk = { 0, 0, 0.5, 0, 3 },
    .sensitivity = { 1, 0.5, 1, 2, 2 },
    .specificity = { 1, 0.25, 1, 1, 1 },
    .ppv = { 1, 0.5, 1, 2, 2 },
    .npv = { NO, NO, NO, 0, 0 },
    .promised = 0.02,
    .promise = CRD_PROMISE_UNDECIDED },
  { .target = { CRD_TARGET_COVERAGE, 1 },
    .threshold = NO,
    .reason = "none",
    .rows = 4,
    .coverage = { 0, NO, NO, 0, 4 },
    .risk = { NO, NO, NO, 0, 0 },
    .promised = NO },
};
static const crd_operating_table operating = { .guarantee = CRD_GUARANTEE_BOOTSTRAP,
                                               .text = "\"so\"",
                                               .interval = "bootstrap",
                                               .chosen_rows = 4,
                                               .measured_rows = 4,
                                               .binary = 1,
                                               .count = 2,
                                               .items = operating_points };

static crd_result result = {
  .name = "dir/\xff.csv",
  .rows = 4,
  .classes = 3,
  .input = CRD_INPUT_LOGITS,
  .weighted = 1,
  .resamples = 7,
  .value_count = 2,
  .values = values,
  .bin_count = 4,
  .bins = sample_bins,
  .note_count = 2,
  .notes = notes,
  .paired = &paired,
  .groups = &group_table,
  .compat = &compat,
  .operating = &operating,
  .profile = &profile,
};

static crd_finding finding = { .severity = CRD_NOTE, .found = "f", .advice = "", .remedy = "r" };
static const crd_diagnosis diagnosis = {
  .rows = 3, .input = CRD_INPUT_PAIRS, .verdict = "v", .finding_count = 1, .findings = &finding
};

static crd_page_part part = { .result = &result,
                              .diagnosis = &diagnosis,
                              .provenance = &provenance };

/* ---- A contest of three methods; one failed. */

static const size_t starts[] = { 0, 2, 2, 3 };
static const double learnt_values[] = { 1.5, -0.0, 2 };
static const crd_learnt learnt[] = { { "t", 1, starts + 2, learnt_values },
                                     { "list", 1, starts, learnt_values },
                                     { "lists", 3, starts, learnt_values } };
static const size_t one[] = { 0, 1 };
static crd_learnt all_learnt[3];
static const crd_certificate certificate = { .converged = 1,
                                             .objective = (double)NAN,
                                             .gradient_norm = 1e-9,
                                             .iterations = 3,
                                             .bounds = "a,b_c",
                                             .rows_clipped = 2,
                                             .note = "so \"it\" is" };
static crd_result plain, calibrated;
static crd_candidate candidates[4];
static const crd_rejection rejections[] = { { &candidates[1], "failed" },
                                            { &candidates[0], "is \"worse\"" } };
static crd_contest contest = { .calibrate_name = "a",
                               .test_name = "b",
                               .test_rows = 5,
                               .calibrate_rows = 6,
                               .folds = 2,
                               .resamples = 9,
                               .count = 4,
                               .candidates = candidates,
                               .verdict = "take it",
                               .score = "nll",
                               .rejected_count = 2,
                               .rejected = rejections };

static inline int set_up(void **state) {
  (void)state;
  assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  const crd_metric_info *const ece = crd_metric_find("ece"), *const nll = crd_metric_find("nll");
  values[0] = (crd_metric_value){ ece, 0.1, NULL, 0, 0.25, 0.0625, 3.125e-5, "wilson" };
  values[1] = (crd_metric_value){ nll, (double)INFINITY, NULL, 1, (double)INFINITY, NO, NO, NULL };
  differences[0] = (crd_difference){ ece, -0.0, -1, 1, 0.5, "McNemar", NO, "needs more", "tango" };
  differences[1] = (crd_difference){ nll, NO, NO, NO, NO, NULL, NO, NULL, NULL };
  for (int i = 0; i < 2; i++)
    parts_of_groups[i] = (crd_result){ .value_count = 2, .values = values };
  compat.peer = convention.peer = crd_peer_at(0);
  finding.info = crd_finding_at(1);
  memcpy(all_learnt, learnt, sizeof learnt);
  all_learnt[0].start = one;
  plain = calibrated = result;
  plain.groups = calibrated.groups = NULL;
  candidates[0] = (crd_candidate){ .name = "identity",
                                   .method = crd_method_find("identity"),
                                   .result = &plain };
  candidates[1] = (crd_candidate){ .name = "platt(scope=top-1)",
                                   .method = crd_method_find("platt"),
                                   .failure = "no\n",
                                   .seconds = 0.5,
                                   .certificate = &certificate };
  candidates[2] = (crd_candidate){ .name = "temperature",
                                   .method = crd_method_find("temperature"),
                                   .certificate = &certificate,
                                   .learnt_count = 3,
                                   .learnt = all_learnt,
                                   .result = &calibrated,
                                   .against_identity = &paired,
                                   .against_temperature = &paired };
  candidates[3] = (crd_candidate){ .name = "clamping(gamma=1)", .failure = "not today" };
  contest.chosen = contest.best = &candidates[2];
  return 0;
}

static inline int tear_down(void **state) {
  (void)state;
  crd_context_destroy(ctx);
  return 0;
}

/* ---- Write, read, write again. */

static inline crd__text write_part(const crd_page_part *p) {
  const crd_report_options options = { .size = sizeof options,
                                       .diagnosis = p->diagnosis,
                                       .provenance = p->provenance };
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  if (p->result) crd__report_form_json.write(p->result, &options, &text);
  else crd__report_form_json.contest(p->contest, &options, &text);
  assert_false(text.failed);
  return text;
}

#endif

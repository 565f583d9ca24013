/* sample_test.h -- a hand-made result, shared by the tests of the forms. */
#ifndef CRD_REPORT_SAMPLE_TEST_H
#define CRD_REPORT_SAMPLE_TEST_H

#include "report/form.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const crd_metric_info sample_metrics[] = {
  { .name = "accuracy",
    .summary = "share of rows that are right",
    .high = 1,
    .direction = CRD_HIGHER_IS_BETTER },
  { .name = "ece",
    .summary = "expected calibration error: the mean distance between confidence and accuracy",
    .high = 1,
    .direction = CRD_LOWER_IS_BETTER },
  { .name = "a_b", .summary = "a 100 % made-up | number", .direction = CRD_NEITHER_IS_BETTER },
  { .name = "auroc", .summary = "never shown", .high = 1, .direction = CRD_HIGHER_IS_BETTER },
};

#define WITHOUT_INTERVAL                                                                           \
  .low = (double)NAN, .high = (double)NAN, .noise_floor = (double)NAN, .p = (double)NAN

static const crd_metric_value sample_values[] = {
  { .metric = &sample_metrics[0], .value = 0.75, WITHOUT_INTERVAL },
  { .metric = &sample_metrics[1], .value = 0.1, WITHOUT_INTERVAL },
  { .metric = &sample_metrics[2], .value = -1.25e-7, WITHOUT_INTERVAL },
  { .metric = &sample_metrics[3],
    .value = (double)NAN,
    .reason = "all rows are \"right\", so there is nothing to tell apart",
    WITHOUT_INTERVAL },
};

/* Some of the metrics with intervals; the last is undefined. */
static const crd_metric_value sample_intervals[] = {
  { .metric = &sample_metrics[0],
    .value = 0.75,
    .low = 0.5,
    .high = 1,
    .noise_floor = (double)NAN,
    .p = (double)NAN },
  { .metric = &sample_metrics[1],
    .value = 0.1,
    .low = 0,
    .high = 0.25,
    .noise_floor = 0.0625,
    .p = 3.125e-5 },
  { .metric = &sample_metrics[3],
    .value = (double)NAN,
    .reason = "all rows are \"right\", so there is nothing to tell apart",
    WITHOUT_INTERVAL },
};

#define NO ((double)NAN)
static const crd_reliability_bin sample_bins[] = {
  { 0, 0.25, 0, 0, NO, NO, NO, NO, NO, NO },
  { 0.25, 0.5, 1, 0.25, 0.5, 0, 0, 0.75, 0, 1 },
  { 0.5, 0.75, 2, 0.5, 0.625, 1, 0.375, 1, 0, 1 },
  { 0.75, 1, 1, 0.25, 1, 1, 0.25, 1, 1, 1 },
};

static const char *const sample_notes[] = { "the scores look like \xc3\xa4 logits\n" };

static const crd_result sample = {
  .name = "dir/a_b.csv",
  .rows = 4,
  .classes = 3,
  .input = CRD_INPUT_LOGITS,
  .value_count = 4,
  .values = sample_values,
  .bin_count = 4,
  .bins = sample_bins,
  .note_count = 1,
  .notes = sample_notes,
};

static const crd_result sample_with_intervals = {
  .name = "a.csv",
  .rows = 4,
  .classes = 3,
  .input = CRD_INPUT_LOGITS,
  .resamples = 1000,
  .value_count = 3,
  .values = sample_intervals,
};

/* Writes a result; the caller clears the text. */
static inline crd__text sample_draw(const crd__report_form *form, const crd_result *result,
                                    crd_report_options options) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  form->write(result, &options, &text);
  assert_false(text.failed);
  return text;
}

static inline void sample_expect(const crd__report_form *form, const crd_result *result,
                                 crd_report_options options, const char *expected) {
  crd__text text = sample_draw(form, result, options);
  assert_string_equal(text.bytes, expected);
  crd__text_clear(&text);
}

#endif

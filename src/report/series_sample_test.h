/* series_sample_test.h -- a hand-made series, shared by the tests of the forms and the page. */
#ifndef CRD_REPORT_SERIES_SAMPLE_TEST_H
#define CRD_REPORT_SERIES_SAMPLE_TEST_H

#include "report/sample_test.h"

#define OF(mean, std, ...)                                                                         \
  {                                                                                                \
    2, mean, std, (const double[]) { __VA_ARGS__ }                                                 \
  }

static const crd_series_value series_identity[] = { OF(0.75, 0.01, 0.74, 0.76),
                                                    OF(0.125, 0.0125, 0.1125, 0.1375) };
static const crd_series_value series_t[] = { OF(0.75, 0.01, 0.74, 0.76),
                                             OF(0.03125, 0.00125, 0.03, 0.0325) };
static const crd_series_value series_bad[] = { OF(0.5, 0.02, 0.48, 0.52),
                                               OF(0.25, 0.0625, 0.1875, 0.3125) };
/* The mean of one run, better than all others, is not comparable. */
static const crd_series_value series_lost[] = {
  { 1, 0.8, (double)NAN, (const double[]){ 0.8, (double)NAN } },
  { 1, 0.01, (double)NAN, (const double[]){ 0.01, (double)NAN } },
};

static const crd_series_difference series_t_from[] = { { 2, 0, 0, 1 },
                                                       { 2, -0.09375, 0.01125, 0.03125 } };
static const crd_series_difference series_bad_from[] = { { 2, -0.25, 0.01, 3e-5 },
                                                         { 2, 0.125, 0.05, 0.25 } };
static const crd_series_difference series_lost_from[] = { { 1, 0.06, NO, NO },
                                                          { 1, -0.1, NO, NO } };

static const crd_series_candidate series_candidates[] = {
  { .name = "identity", .seconds = OF(0, 0, 0, 0), .values = series_identity },
  { .name = "a_<t>",
    .chosen = 2,
    .unconverged = 1,
    .seconds = OF(0.5, 0.125, 0.375, 0.625),
    .temperature = OF(2, 0.25, 1.75, 2.25),
    .values = series_t,
    .against_identity = series_t_from },
  { .name = "bad",
    .seconds = OF(1.5, 0.25, 1.25, 1.75),
    .values = series_bad,
    .against_identity = series_bad_from },
  { .name = "lost",
    .failures = 1,
    .failure = "no <features>",
    .seconds = { 1, 2, (double)NAN, (const double[]){ 2, (double)NAN } },
    .values = series_lost,
    .against_identity = series_lost_from },
};

static const crd_metric_info *const series_metrics[] = { &sample_metrics[0], &sample_metrics[1] };

static const crd_series_summary series = {
  .kind = CRD_SERIES_SPLITS,
  .caption = "random\nsplits & more",
  .calibrate_name = "a.npz",
  .test_name = "a.npz",
  .runs = 2,
  .calibrate_rows_min = 60,
  .calibrate_rows_max = 60,
  .test_rows_min = 39,
  .test_rows_max = 41,
  .metric_count = 2,
  .metrics = series_metrics,
  .count = 4,
  .candidates = series_candidates,
  .note_count = 1,
  .notes = sample_notes,
};

#endif

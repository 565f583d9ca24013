/* smooth_test.c -- the smooth curve by its definition, and its band from the same draws. */
#include "evaluate/profile/kinds_test.h"
#include "metric/resample.h"

static void the_smooth_curve_is_smeces(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    said rows[ROWS_MAX];
    kind k;
    open_kind(ctx, n, &k);
    const size_t count = sorted_rows(&k, n, rows);
    const double low = rows[0].confidence, high = rows[count - 1].confidence;
    crd_profile *const p =
        profile_of(ctx, k.predictions, (crd_profile_options){ .parts = CRD_PROFILE_SMOOTH });
    crd_result *const r = result_of(ctx, k.predictions, "smece", 0);
    assert_true(p->smooth_bandwidth == fmax(value_of(r, "smece"), 1e-3));
    assert_int_equal(p->smooth_count, low < high ? 101 : 1);
    for (size_t i = 0; i < p->smooth_count; i++) {
      const crd_smooth_point *const at = &p->smooth[i];
      double density;
      const double accuracy = smooth_at(rows, count, at->confidence, p->smooth_bandwidth, &density);
      assert_true(near(at->confidence, low + (high - low) * (double)i / 100, 1e-15));
      assert_true(near(at->density, density, 1e-11));
      if (density > 1e-9) assert_true(near(at->accuracy, accuracy, 1e-9));
      assert_true(at->accuracy >= 0 && at->accuracy <= 1);
      assert_true(isnan(at->low) && isnan(at->high));
    }
    crd_result_destroy(r);
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

/* Far from all rows the nearest ones speak. */
static void gaps_are_bridged(void **state) {
  enum { N = 2000 };
  static double confidence[N];
  static unsigned char correct[N];
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  for (size_t i = 0; i < N; i++) {
    confidence[i] = i % 2 ? 0.9 : 0.1;
    correct[i] = i % 2 ? i % 20 != 1 : i % 20 == 0; /* calibrated to the last digit */
  }
  const crd_predictions_parts parts = { .scores = crd_view_make(confidence, CRD_F64, N, 1),
                                        .correct = crd_view_make(correct, CRD_U8, N, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  crd_profile *const p = profile_of(
      ctx, predictions, (crd_profile_options){ .parts = CRD_PROFILE_SMOOTH, .resamples = 40 });
  assert_true(p->smooth_bandwidth == 1e-3);
  for (size_t i = 0; i < p->smooth_count; i++) {
    const crd_smooth_point *const at = &p->smooth[i];
    if (i != 50) assert_true(near(at->accuracy, i < 50 ? 0.1 : 0.9, 1e-12));
    assert_true(at->low <= at->accuracy && at->accuracy <= at->high);
    if (i > 5 && i < 95) assert_true(at->density == 0);
  }
  crd_profile_destroy(p);
  crd_predictions_destroy(predictions);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share) {
  const double at = share * (double)(count - 1);
  const size_t i = (size_t)at;
  return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

/* The draws of a resample, from seed and row number alone. */
static void draw_rows(const kind *k, size_t index, size_t sample, said *out) {
  double weight[ROWS_MAX], drawn[CRD__RESAMPLES_AT_ONCE * ROWS_MAX];
  for (size_t i = 0; i < k->data.rows; i++) weight[i] = weight_of(k, i);
  const crd__rows rows = { .count = k->data.rows, .weight = weight };
  crd__resample_weights(0, 0, sample, &rows, drawn);
  for (size_t i = 0; i < k->data.rows; i++) {
    out[i] = row_of(k, index, i, 1);
    out[i].weight = drawn[(sample - 1) % CRD__RESAMPLES_AT_ONCE * k->data.rows + i];
  }
}

static void the_band_is_of_resamples(void **state) {
  enum { RESAMPLES = 11 };
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    static said rows[RESAMPLES][ROWS_MAX];
    kind k;
    open_kind(ctx, n, &k);
    crd_profile *const p =
        profile_of(ctx, k.predictions,
                   (crd_profile_options){ .parts = CRD_PROFILE_SMOOTH, .resamples = RESAMPLES });
    for (size_t s = 0; s < RESAMPLES; s++) draw_rows(&k, n, s + 1, rows[s]);
    for (size_t i = 0; i < p->smooth_count; i += 20) {
      const crd_smooth_point *const at = &p->smooth[i];
      double values[RESAMPLES], density, least = 1;
      size_t count = 0;
      for (size_t s = 0; s < RESAMPLES; s++) {
        values[count] =
            smooth_at(rows[s], k.data.rows, at->confidence, p->smooth_bandwidth, &density);
        least = fmin(least, density);
        count += isnan(values[count]) ? 0 : 1;
      }
      if (least < 1e-6 && count > RESAMPLES / 2) continue; /* rounding decides who is near */
      qsort(values, count, sizeof *values, ascending);
      assert_true(near(at->low, quantile(values, count, 0.025), 1e-9));
      assert_true(near(at->high, quantile(values, count, 0.975), 1e-9));
    }
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_smooth_curve_is_smeces),
    cmocka_unit_test(gaps_are_bridged),
    cmocka_unit_test(the_band_is_of_resamples),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

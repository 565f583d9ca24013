/*
 * shift_test.c -- a ResNet-20 on the CIFAR-10 test images and on their JPEG-compressed copies:
 * values and intervals that were computed independently (numpy, scikit-learn, 400 multinomial
 * resamples).
 *
 * The files are looked for at CREDENCE_SHARED and skipped where absent.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both values, and the bootstrap intervals of the difference for paired and for independent rows.
 */
static const struct {
  const char *metric;
  double original, shifted, paired[2], independent[2];
} golden[] = {
  { "accuracy", 0.9173, 0.8103, { -0.1140, -0.0998 }, { -0.11585, -0.09925 } },
  { "ece", 0.05317212420666133, 0.12452975133486452, { 0.06484, 0.07775 }, { 0.06442, 0.07970 } },
  { "brier", 0.1344146272554744, 0.3065074856330795, { 0.16083, 0.18259 }, { 0.15819, 0.18669 } },
  { "nll", 0.3726612158277472, 0.87879628582746, { 0.46555, 0.54461 }, { 0.45733, 0.55890 } },
  { "auroc",
    0.9223410906647196,
    0.8621126741229859,
    { -0.06930, -0.05117 },
    { -0.06880, -0.05028 } },
};
enum { COUNT = sizeof golden / sizeof *golden };

static crd_predictions *open(crd_context *ctx, const char *name) {
  char path[512], labels[512];
  crd_predictions *p = NULL;
  snprintf(path, sizeof path, "%s/data/cifar10_resnet/%s.npy", shared_folder(), name);
  snprintf(labels, sizeof labels, "%s/data/cifar10_resnet/test_labels.npy", shared_folder());
  if (!is_there("golden-shift", path) || !is_there("golden-shift", labels)) return NULL;
  if (crd_predictions_open(
          ctx, path, &(crd_open_options){ .size = sizeof(crd_open_options), .labels = labels },
          &p) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* Two bootstraps of some hundred resamples agree within a fifth of the interval's width. */
static void expect_interval(const crd_difference *d, const double *expected) {
  const double slack = 0.2 * (expected[1] - expected[0]);
  if (fabs(d->low - expected[0]) > slack || fabs(d->high - expected[1]) > slack)
    fail_msg("%s: %g to %g, expected %g to %g", d->metric->name, d->low, d->high, expected[0],
             expected[1]);
}

static void a_real_shift(void **state) {
  crd_context *const ctx = *state;
  const crd_evaluate_options options = {
    .size = sizeof options, .metrics = "accuracy,ece,brier,nll,auroc", .resamples = 400, .paired = 1
  };
  crd_predictions *const original = open(ctx, "resnet20_test_logits");
  crd_predictions *const shifted = original ? open(ctx, "resnet20_test_jpegshift_logits") : NULL;
  crd_evidence *evidence = NULL;
  const crd_shift_set set = { "jpeg", shifted };
  if (shifted) assert_int_equal(crd_evidence_gather(ctx, original, &options, 0, &evidence), CRD_OK);
  for (crd_shift_rows rows = CRD_SHIFT_AUTO; shifted && rows <= CRD_SHIFT_INDEPENDENT; rows += 2) {
    const crd_shift_table *table = NULL;
    assert_int_equal(crd_evaluate_shift(ctx, original, evidence, &set, 1, rows, &table), CRD_OK);
    const crd_shift *const s = &table->items[0];
    assert_int_equal(s->rows, rows == CRD_SHIFT_AUTO ? CRD_SHIFT_PAIRED : rows);
    for (size_t i = 0; i < COUNT; i++) {
      const crd_difference *const d = &s->difference->items[i];
      assert_string_equal(d->metric->name, golden[i].metric);
      assert_true(near(value_of(s->result, golden[i].metric), golden[i].shifted, 1e-9));
      assert_true(near(d->value, golden[i].shifted - golden[i].original, 1e-9));
      expect_interval(d, rows == CRD_SHIFT_AUTO ? golden[i].paired : golden[i].independent);
    }
    crd_shift_table_destroy(table);
  }
  crd_evidence_destroy(evidence);
  crd_predictions_destroy(original);
  crd_predictions_destroy(shifted);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_real_shift) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

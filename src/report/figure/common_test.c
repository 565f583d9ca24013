/* common_test.c -- the words and means of figures, of the predicted class and of class 1. */
#include "report/figure.h"
#include "report/sample_test.h"

#include <string.h>

static const crd_metric_info infos[] = { { .name = "accuracy" }, { .name = "confidence" } };

/* 100 rows: class 1 occurs in 30, its mean probability is 0.2; 90 predictions are correct. */
static const crd_reliability_bin bins[] = {
  { .low = 0, .high = 0.5, .rows = 80, .weight = 0.8, .confidence = 0.1, .accuracy = 0.25 },
  { .low = 0.5, .high = 1, .rows = 20, .weight = 0.2, .confidence = 0.6, .accuracy = 0.5 },
};
static const crd_metric_value values[] = {
  { .metric = &infos[0], .value = 0.9, WITHOUT_INTERVAL },
  { .metric = &infos[1], .value = 0.2, WITHOUT_INTERVAL },
};
static const crd_result of_class_1 = { .rows = 100,
                                       .classes = 2,
                                       .binary = CRD_BINARY_POS,
                                       .bin_count = 2,
                                       .bins = bins,
                                       .value_count = 2,
                                       .values = values };

/* Returns whether a figure's SVG contains the words. */
static bool shows(const crd_result *result, const char *figure, const char *words) {
  static crd_context *ctx;
  crd__text text;
  if (!ctx) assert_int_equal(crd_context_create(NULL, &ctx), CRD_OK);
  crd__text_init(&text, &ctx->alloc);
  const crd_figure_data data = { .size = sizeof data, .result = result };
  assert_int_equal(crd__report_figure_draw(ctx, figure, &data, NULL, &text), CRD_OK);
  const bool found = strstr(text.bytes, words);
  crd__text_clear(&text);
  return found;
}

static void class_1_has_its_own_words(void **state) {
  (void)state;
  static const char *const figures[] = { "reliability", "confidence" };
  crd_result predicted = of_class_1;
  predicted.binary = CRD_BINARY_TOP;
  for (size_t i = 0; i < 2; i++) {
    assert_true(shows(&of_class_1, figures[i], ">probability of class 1</text>"));
    assert_true(shows(&of_class_1, figures[i], ">frequency of class 1</text>"));
    assert_true(shows(&of_class_1, figures[i], ">mean probability</text>"));
    assert_false(shows(&of_class_1, figures[i], "accuracy</text>"));
    assert_true(shows(&predicted, figures[i], ">accuracy</text>"));
    assert_false(shows(&predicted, figures[i], "class 1"));
  }
}

/* The share of correct predictions is not the frequency of class 1. */
static void class_1_has_its_frequency(void **state) {
  (void)state;
  assert_true(fabs(crd__report_figure_accuracy(&of_class_1) - 0.3) < 1e-15);
  assert_true(shows(&of_class_1, "reliability", ">0.3000</text>"));
  assert_false(shows(&of_class_1, "reliability", ">0.9000</text>"));
  crd_result predicted = of_class_1;
  predicted.binary = CRD_BINARY_TOP;
  assert_true(crd__report_figure_accuracy(&predicted) == 0.9);
  predicted.value_count = 0;
  assert_true(isnan(crd__report_figure_accuracy(&predicted)));
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(class_1_has_its_own_words),
                                      cmocka_unit_test(class_1_has_its_frequency) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

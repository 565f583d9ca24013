/* chart_parts_test.c -- panels of two results on the same scale. */
#include "report/chart.h"
#include "report/sample_test.h"

static crd__report_panel panel_of(double low, double high, double left, double right) {
  crd__report_panel panel = { .across = { .low = left, .high = right },
                              .up = { .low = low, .high = high } };
  crd__report_panel_straight(&panel, CRD__PEN_IDEAL, (crd_point){ 1, low }, (crd_point){ 1, high },
                             NULL);
  return panel;
}

/* Both panels have the same axes, and a line from edge to edge reaches the new edges. */
static void joined_panels_have_the_same_axes(void **state) {
  (void)state;
  crd__report_panel a = panel_of(0, 0.2, 1, 10), b = panel_of(-1, 0.1, 2, 20);
  const crd__report_panel before = a;
  crd__report_panel_join(&a, &b);
  crd__report_panel_join(&b, &before);
  const crd__report_panel *const both[] = { &a, &b };
  for (size_t i = 0; i < 2; i++) {
    assert_true(both[i]->up.low == -1 && both[i]->up.high == 0.2);
    assert_true(both[i]->across.low == 1 && both[i]->across.high == 20);
    assert_true(both[i]->series[0].ends[0].y == -1 && both[i]->series[0].ends[1].y == 0.2);
  }
}

/* An end within the panel stays. */
static void other_ends_stay(void **state) {
  (void)state;
  crd__report_panel a = panel_of(0, 0.2, 1, 10), b = panel_of(0, 0.5, 1, 10);
  a.series[0].ends[0].y = 0.1;
  crd__report_panel_join(&a, &b);
  assert_true(a.series[0].ends[0].y == 0.1 && a.series[0].ends[1].y == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(joined_panels_have_the_same_axes),
                                      cmocka_unit_test(other_ends_stay) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

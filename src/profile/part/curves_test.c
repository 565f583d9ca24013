/* curves_test.c -- curves against every threshold that rows have, and their areas. */
#include "profile/kinds_test.h"

/* Area of a step function: each value holds from the previous point to its own. */
static double steps(const crd_curve *c) {
  double area = 0;
  for (size_t i = 1; i < c->count; i++)
    area += (c->points[i].x - c->points[i - 1].x) * c->points[i].y;
  return area;
}

static double distance(crd_point p, crd_point a, crd_point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  double along = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
  along = fmin(fmax(along, 0), 1);
  return hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

static double distance_to(const crd_curve *c, crd_point p) {
  double nearest = distance(p, c->points[0], c->points[0]);
  for (size_t i = 1; i < c->count; i++)
    nearest = fmin(nearest, distance(p, c->points[i - 1], c->points[i]));
  return nearest;
}

/* The weights of incorrect and correct rows at or above, or at or below, a threshold. */
static crd_point taken(const prediction *rows, size_t count, double threshold, bool high) {
  crd_point weights = { 0, 0 }; /* wrong, right */
  for (size_t i = 0; i < count; i++)
    if (high ? rows[i].confidence >= threshold : rows[i].confidence <= threshold)
      *(rows[i].correct ? &weights.y : &weights.x) += rows[i].weight;
  return weights;
}

/* 900 rows make steps of about 1 / 300: thinning may be off by as much. */
static const double thinned = 1.0 / 256;

/* Every threshold lies on the curves, within the tolerance of thinning. */
static void check_thresholds(const crd_profile *p, const prediction *rows, size_t count) {
  const crd_point all = taken(rows, count, 0, true);
  double last = -1;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].confidence == last) continue;
    last = rows[i].confidence;
    const crd_point up = taken(rows, count, last, true), down = taken(rows, count, last, false);
    const double seen = up.x + up.y, total = all.x + all.y;
    if (all.x > 0 && all.y > 0)
      assert_true(distance_to(&p->roc, (crd_point){ up.x / all.x, up.y / all.y }) <= thinned);
    assert_true(distance_to(&p->risk_coverage, (crd_point){ seen / total, up.x / seen }) <=
                thinned);
    if (all.y > 0 && up.y > taken(rows, count, nextafter(last, 2), true).y)
      assert_true(distance_to(&p->precision_right, (crd_point){ up.y / all.y, up.y / seen }) <=
                  thinned);
    if (all.x > 0 && down.x > taken(rows, count, nextafter(last, -1), false).x)
      assert_true(distance_to(&p->precision_wrong,
                              (crd_point){ down.x / all.x, down.x / (down.x + down.y) }) <=
                  thinned);
  }
}

/* Areas equal the metrics, to all digits if all points were kept. */
static void check_areas(const crd_profile *p, const crd_result *r, const prediction *rows,
                        size_t count) {
  size_t runs = 1;
  for (size_t i = 1; i < count; i++) runs += rows[i].confidence > rows[i - 1].confidence;
  const struct {
    const crd_curve *curve;
    const char *metric;
  } curves[] = { { &p->roc, "auroc" },
                 { &p->precision_right, "aupr-success" },
                 { &p->precision_wrong, "aupr-error" } };
  for (size_t i = 0; i < 3; i++) {
    const double value = value_of(r, curves[i].metric);
    assert_true(isnan(value) == (curves[i].curve->count == 0));
    if (!isnan(value))
      assert_true(
          near(trapezoids(curves[i].curve), value, 2 * runs + 2 <= 200 ? 1e-13 : 2 * thinned));
  }
  const double aurc = value_of(r, "aurc"), best = aurc - value_of(r, "e-aurc");
  if (count < 200) assert_true(near(steps(&p->risk_coverage), aurc, 1e-13));
  else assert_true(near(trapezoids(&p->risk_coverage), aurc, 2 * thinned));
  assert_true(near(trapezoids(&p->risk_coverage_best), best, 1e-3));
}

static void check_shape(const crd_curve *c, bool rising) {
  assert_true(c->count <= 200);
  for (size_t i = 0; i < c->count; i++) {
    assert_true(c->points[i].x >= 0 && c->points[i].x <= 1 + 1e-15);
    assert_true(c->points[i].y >= 0 && c->points[i].y <= 1 + 1e-15);
    if (i > 0) assert_true(c->points[i].x >= c->points[i - 1].x);
    if (i > 0 && rising) assert_true(c->points[i].y >= c->points[i - 1].y);
  }
  if (c->count) assert_true(c->points[0].x == 0 && near(c->points[c->count - 1].x, 1, 1e-15));
}

static void curves_are_those_of_the_metrics(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    prediction rows[ROWS_MAX];
    kind k;
    open_kind(ctx, n, &k);
    const size_t count = sorted_rows(&k, n, rows);
    const crd_profile *const p = profile_of(
        ctx, k.predictions,
        (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_CURVES });
    const crd_result *const r =
        result_of(ctx, k.predictions, "auroc,aupr-success,aupr-error,aurc,e-aurc", 0);
    check_shape(&p->roc, true);
    check_shape(&p->precision_right, false);
    check_shape(&p->precision_wrong, false);
    check_shape(&p->risk_coverage, false);
    check_shape(&p->risk_coverage_best, true);
    check_thresholds(p, rows, count);
    check_areas(p, r, rows, count);
    crd_result_destroy(r);
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(curves_are_those_of_the_metrics),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

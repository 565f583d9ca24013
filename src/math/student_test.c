/* student_test.c -- Student's t distribution: values of mpmath, closed forms, monotonicity. */
#include "math/student.h"
#include "support.h"

#include <math.h>

/* mpmath 1.3, betainc(f / 2, 1 / 2, 0, f / (f + t^2), regularized=True) with 40 digits. */
static void values_are_known(void **state) {
  static const struct {
    double t, freedom, p;
  } table[] = {
    { 0.5, 1, 0.70483276469913345 },      { 2.0, 1, 0.29516723530086655 },
    { 1e8, 1, 6.3661977236758132e-9 },    { 1e-9, 5, 0.99999999924078662 },
    { 0.1, 9, 0.9225364479566812 },       { 2.2621571628540993, 9, 0.04999999999543217 },
    { -5.5, 9, 0.00038018598868167495 },  { 40, 9, 1.8982998449339826e-11 },
    { 1.3, 4, 0.26345159647122414 },      { 30, 99, 1.7008499117282179e-51 },
    { 0.01, 999, 0.99202328392849481 },   { 1.962, 999, 0.050039801796698817 },
    { 20, 999, 4.1673844930429977e-75 },  { 0.001, 2, 0.99929289339559008 },
    { 2.2, 4.5, 0.085115319023666554 },   { -1.37, 7.25, 0.21160483272381568 },
    { 12, 1.0625, 0.045910565972919542 }, { 0.3, 6.875, 0.77304442816613894 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const double p = crd__math_student_p(table[i].t, table[i].freedom);
    if (!(fabs(p / table[i].p - 1) < 2e-12))
      fail_msg("t %g with %g degrees of freedom: %.17g, expected %.17g", table[i].t,
               table[i].freedom, p, table[i].p);
  }
}

/* One degree of freedom is Cauchy's distribution; two have a closed form as well. */
static void closed_forms_agree(void **state) {
  (void)state;
  for (int i = 1; i < 400; i++) {
    const double t = i / 16.0;
    assert_true(near(crd__math_student_p(t, 1), 1 - 2 / acos(-1) * atan(t), 1e-14));
    assert_true(near(crd__math_student_p(t, 2), 1 - t / sqrt(2 + t * t), 1e-14));
  }
}

/* Also where one side of the formula takes over from the other, and at the ends. */
static void p_falls(void **state) {
  (void)state;
  for (unsigned freedom = 1; freedom < 1000; freedom = 2 * freedom + 1) {
    assert_true(crd__math_student_p(0, freedom) == 1);
    assert_true(crd__math_student_p(1e-200, freedom) == 1);
    assert_true(crd__math_student_p(INFINITY, freedom) == 0);
    assert_true(isnan(crd__math_student_p((double)NAN, freedom)));
    for (int i = 0; i < 2000; i++) {
      const double here = crd__math_student_p(i / 256.0, freedom),
                   next = crd__math_student_p((i + 1) / 256.0, freedom);
      if (!(here > next && here <= 1 && next > 0))
        fail_msg("p goes from %.17g to %.17g at %g", here, next, i / 256.0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_known),
    cmocka_unit_test(closed_forms_agree),
    cmocka_unit_test(p_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * losses_test.c -- gradients of every loss in the table: against finite differences of the value,
 * and against known sums. A loss is tested as soon as it is listed.
 *
 * Derivatives are central differences with steps h and h/2, both halved until they agree. Two that
 * agree are closer to the derivative than to each other, at a smooth point (error h^2) and at a
 * kink (they tend to the mean of both sides, which sign(0) = 0 gives). With the rounding of the
 * value, that is the whole tolerance. Where they never agree the value jumps; this is detected from
 * values alone, so that no wrong gradient hides there, and few elements may be skipped for it.
 */
#include "conform/losses.h"

#include <float.h>

enum { ENTRIES = 24, HALVINGS = 12 };

typedef struct {
  double derivative, error;
  bool agree;
} difference;

static double value_at(crd_context *ctx, const crd_loss *loss, batch *b, size_t cell, double step) {
  const double kept = b->z[cell];
  b->z[cell] = kept + step;
  const double value = evaluate(ctx, loss, b, NULL).value;
  b->z[cell] = kept;
  return value;
}

static double slope(crd_context *ctx, const crd_loss *loss, batch *b, size_t cell, double step) {
  return (value_at(ctx, loss, b, cell, step) - value_at(ctx, loss, b, cell, -step)) / (2 * step);
}

/* `scale`: of the value, for its rounding. */
static difference differentiate(crd_context *ctx, const crd_loss *loss, batch *b, size_t cell,
                                double scale) {
  const double wanted = 1e-6 / (double)b->rows;
  double h = b->kind->scores == SATURATED ? 0.25 : 1e-3;
  double wide = slope(ctx, loss, b, cell, h);
  difference d = { 0 };
  for (size_t i = 0; i < HALVINGS && !d.agree; i++, h /= 2) {
    const double narrow = slope(ctx, loss, b, cell, h / 2);
    const double rounding = 16 * DBL_EPSILON * scale / h;
    d = (difference){ .derivative = narrow + (narrow - wide) / 3,
                      .error = fabs(narrow - wide) + rounding,
                      .agree = fabs(narrow - wide) <= wanted + rounding };
    wide = narrow;
  }
  return d;
}

/*
 * Cases where the gradient is by definition not the derivative of the value:
 * - detach=yes treats a weight as a constant (focal, inverse-focal);
 * - avuc with no row that is correct and certain or incorrect and uncertain: the value is the
 * logarithm of a quotient by an epsilon, the gradient is 0;
 * - equal logits: any class could be the predicted one.
 */
static bool avuc_has_group(const char *expression, const batch *b) {
  const char *const at = strstr(expression, "threshold=");
  const double threshold = at ? atof(at + 10) : 1;
  for (size_t i = 0; i < b->rows; i++) {
    const double *const z = b->z + i * b->classes;
    const size_t best = argmax(z, b->classes);
    double mass = 0, mean = 0;
    if (b->label[i] == IGNORED || b->weight[i] == 0) continue;
    for (size_t k = 0; k < b->classes; k++) mass += exp(z[k] - z[best]);
    for (size_t k = 0; k < b->classes; k++) mean += exp(z[k] - z[best]) / mass * (z[k] - z[best]);
    const bool sure = log(mass) - mean <= threshold, right = b->label[i] == (int64_t)best;
    /* (1 - c) tanh H of an incorrect row is nearly 0 if the row is saturated. */
    if (right == sure && (right || b->kind->scores != SATURATED)) return true;
  }
  return false;
}

static bool has_derivative(const char *expression, const batch *b) {
  if (strstr(expression, "detach=yes") || b->kind->scores == EQUAL) return false;
  return !strstr(expression, "avuc") || avuc_has_group(expression, b);
}

typedef struct {
  size_t compared, steps;
} tally;

static void compare(crd_context *ctx, const char *expression, const crd_loss *loss, batch *b,
                    const double *gradient, double value, tally *t) {
  const size_t cells = b->rows * b->classes, stride = cells / ENTRIES + 1;
  const double scale = 1 + fabs(value);
  for (size_t cell = 0; cell < cells; cell += stride) {
    const difference d = differentiate(ctx, loss, b, cell, scale);
    t->compared++;
    t->steps += !d.agree;
    if (d.agree && !(fabs(d.derivative - gradient[cell]) <= d.error))
      fail_msg("%s, %s: row %zu, class %zu: gradient %.17g, differences %.17g within %g",
               expression, b->kind->name, cell / b->classes, cell % b->classes, gradient[cell],
               d.derivative, d.error);
  }
}

/* Adding a constant to all logits of a row changes nothing, so gradients of a row sum to 0; except
 * for lp-norm, which penalises the logits themselves (methods, 1.8). */
static void check_sums(const char *expression, const batch *b, const double *gradient) {
  const double unit = fmax(largest(gradient, b->rows * b->classes), 1 / (double)b->rows);
  for (size_t i = 0; !strstr(expression, "lp-norm") && i < b->rows; i++) {
    double sum = 0;
    for (size_t k = 0; k < b->classes; k++) sum += gradient[i * b->classes + k];
    if (!(fabs(sum) <= (double)(8 * b->classes) * DBL_EPSILON * unit))
      fail_msg("%s, %s: the gradient of row %zu adds up to %g", expression, b->kind->name, i, sum);
  }
}

static void check_finite(const char *expression, const batch *b, const double *gradient,
                         const crd_loss_value *v) {
  double squares = 0;
  if (!isfinite(v->value)) fail_msg("%s, %s: the value is %g", expression, b->kind->name, v->value);
  for (size_t i = 0; i < b->rows * b->classes; i++) {
    if (!isfinite(gradient[i]))
      fail_msg("%s, %s: row %zu: %g", expression, b->kind->name, i / b->classes, gradient[i]);
    squares += gradient[i] * gradient[i];
  }
  assert_true(near(v->gradient_norm, sqrt(squares), 1e-13));
  for (size_t i = 0; i < b->rows; i++) {
    const bool counts = b->weight[i] > 0 && (b->label[i] != IGNORED || b->kind->labels == SHARES);
    if (!counts) assert_true(largest(gradient + i * b->classes, b->classes) == 0);
  }
}

static void check(crd_context *ctx, const char *expression, batch *b, tally *t) {
  double gradient[CELLS_MAX];
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  const crd_loss_value v = evaluate(ctx, loss, b, gradient);
  check_finite(expression, b, gradient, &v);
  check_sums(expression, b, gradient);
  if (has_derivative(expression, b)) compare(ctx, expression, loss, b, gradient, v.value, t);
  crd_loss_destroy(loss);
}

/* Few elements may be at a jump. */
static void check_tally(const char *name, tally t) {
  if (t.steps * 50 > t.compared)
    fail_msg("%s: %zu of %zu derivatives are undetermined", name, t.steps, t.compared);
}

static void every_loss_on_every_batch(void **state) {
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    tally t = { 0 };
    for (size_t k = 0; k < BATCH_KINDS; k++) {
      batch b;
      make_batch(&batch_kinds[k], 7 + k, &b);
      if (fits(info, &b)) check(*state, info->name, &b, &t);
    }
    check_tally(info->name, t);
  }
}

/* The first kinds of batch: one of each sort. */
static void every_setting(void **state) {
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    tally t = { 0 };
    for (size_t k = 0; k < 5; k++) {
      batch b;
      make_batch(&batch_kinds[k], 70 + k, &b);
      const variants all = variants_of(info, b.classes);
      for (size_t v = 1; fits(info, &b) && v < all.count; v++) check(*state, all.texts[v], &b, &t);
    }
    check_tally(info->name, t);
  }
}

/* The ends of each setting's range: gradients are finite and sum as above. Combinations that fail
 * with other settings have their test beside the loss. */
static void every_end_of_a_setting(void **state) {
  static const crd_loss_options options = { .size = sizeof options, .allow_negative = 1 };
  for (size_t i = 0; i < crd_loss_count(); i++)
    for (size_t k = 0; k < BATCH_KINDS * 2 * crd_loss_at(i)->setting_count; k++) {
      const crd_loss_info *const info = crd_loss_at(i);
      const crd_setting_info *const setting = &info->settings[k / 2 / BATCH_KINDS];
      char expression[EXPRESSION_SIZE];
      double gradient[CELLS_MAX];
      crd_loss *loss = NULL;
      batch b;
      make_batch(&batch_kinds[k / 2 % BATCH_KINDS], 300 + k, &b);
      snprintf(expression, sizeof expression, "%s(%s=%g)", info->name, setting->name,
               k % 2 ? setting->high : setting->low);
      if (setting->words || !fits(info, &b) ||
          crd_loss_create(*state, expression, &options, &loss) != CRD_OK)
        continue;
      const crd_loss_value v = evaluate(*state, loss, &b, gradient);
      check_finite(expression, &b, gradient, &v);
      check_sums(expression, &b, gradient);
      crd_loss_destroy(loss);
    }
}

static void every_loss_added_to_another(void **state) {
  for (size_t i = 0; i < crd_loss_count(); i++) {
    const crd_loss_info *const info = crd_loss_at(i);
    tally t = { 0 };
    for (size_t k = 0; k < 3; k++)
      for (uint64_t seed = 100; seed < 102; seed++) {
        char sum[EXPRESSION_SIZE];
        batch b;
        make_batch(&batch_kinds[k], seed, &b);
        snprintf(sum, sizeof sum, "ce + 0.5*%s", info->name);
        if (fits(info, &b)) check(*state, sum, &b, &t);
      }
    check_tally(info->name, t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_loss_on_every_batch),
    cmocka_unit_test(every_setting),
    cmocka_unit_test(every_end_of_a_setting),
    cmocka_unit_test(every_loss_added_to_another),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/*
 * loss_frame_test.c -- properties that every loss in the table shares: order of rows, weights,
 * ignored rows, reductions, element types, sums of terms.
 */
#include "conform/losses.h"

/* |a - b| <= tolerance * max(1, |b|), with everything named. */
static void expect(const char *what, const char *expression, const batch *b, double found,
                   double wanted, double tolerance) {
  if (!near(found, wanted, tolerance))
    fail_msg("%s, %s: %s: %.17g, expected %.17g", expression, b->kind->name, what, found, wanted);
}

static void expect_all(const char *what, const char *expression, const batch *b,
                       const double *found, const double *wanted) {
  /* Gradients of saturated rows may consist of tiny probabilities, rounded. */
  const double unit = fmax(largest(wanted, b->rows * b->classes), 1e-100);
  for (size_t i = 0; i < b->rows * b->classes; i++)
    if (!(fabs(found[i] - wanted[i]) <= 1e-12 * unit))
      fail_msg("%s, %s: %s: row %zu: %.17g, expected %.17g", expression, b->kind->name, what,
               i / b->classes, found[i], wanted[i]);
}

/* For each loss, with each setting, on each batch. */
typedef void (*checker)(crd_context *ctx, const crd_loss_info *info, const char *expression,
                        const batch *b);

static void each(crd_context *ctx, checker check) {
  for (size_t i = 0; i < crd_loss_count(); i++)
    for (size_t k = 0; k < BATCH_KINDS; k++) {
      const crd_loss_info *const info = crd_loss_at(i);
      batch b;
      make_batch(&batch_kinds[k], 200 + k, &b);
      const variants all = variants_of(info, b.classes);
      for (size_t v = 0; fits(info, &b) && v < all.count; v++) check(ctx, info, all.texts[v], &b);
    }
}

/* Row i of `out` is row from[i] of `b`. */
static void pick_rows(const batch *b, const size_t *from, size_t rows, batch *out) {
  *out = *b;
  out->rows = rows;
  for (size_t i = 0; i < rows; i++) {
    const size_t bytes = b->classes * sizeof *b->z;
    memcpy(out->z + i * b->classes, b->z + from[i] * b->classes, bytes);
    memcpy(out->shares + i * b->classes, b->shares + from[i] * b->classes, bytes);
    out->label[i] = b->label[from[i]];
    out->weight[i] = b->weight[from[i]];
    out->history[i] = b->history[from[i]];
  }
}

/* ---- Row order. A loss with a history compares neighbours, the last row with the first: it keeps
 * its value only if they remain neighbours, so its rows are rotated, not shuffled. */

static void check_order(crd_context *ctx, const crd_loss_info *info, const char *expression,
                        const batch *b) {
  double first[CELLS_MAX], second[CELLS_MAX], wanted[CELLS_MAX];
  size_t from[ROWS_MAX];
  batch other;
  const size_t step = info->history || b->rows % 3 == 0 ? 1 : 3; /* coprime to the rows */
  for (size_t i = 0; i < b->rows; i++) from[i] = (i * step + 1) % b->rows;
  pick_rows(b, from, b->rows, &other);
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  const double value = evaluate(ctx, loss, b, first).value;
  expect("another order", expression, b, evaluate(ctx, loss, &other, second).value, value, 1e-13);
  for (size_t i = 0; i < b->rows; i++)
    memcpy(wanted + i * b->classes, first + from[i] * b->classes, b->classes * sizeof *first);
  expect_all("another order", expression, b, second, wanted);
  crd_loss_destroy(loss);
}

static void order_of_rows(void **state) { each(*state, check_order); }

/* ---- Weights and reductions. */

static double total_weight(const batch *b) {
  double total = 0;
  for (size_t i = 0; i < b->rows; i++)
    if (b->label[i] != IGNORED || b->kind->labels == SHARES) total += b->weight[i];
  return total;
}

static void check_sum(crd_context *ctx, const crd_loss_info *info, const char *expression,
                      const batch *b) {
  double first[CELLS_MAX], second[CELLS_MAX];
  const double total = total_weight(b);
  crd_loss *const mean = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  crd_loss *const sum = make_loss(ctx, expression, b->classes, CRD_REDUCTION_SUM);
  const crd_loss_value m = evaluate(ctx, mean, b, first), s = evaluate(ctx, sum, b, second);
  (void)info;
  expect("a sum", expression, b, s.value, total * m.value, 1e-14);
  expect("the term of a sum", expression, b, s.terms[0], total * m.terms[0], 1e-14);
  for (size_t i = 0; i < b->rows * b->classes; i++) first[i] *= total;
  expect_all("a sum", expression, b, second, first);
  crd_loss_destroy(mean);
  crd_loss_destroy(sum);
}

static void sums_are_totals_of_means(void **state) { each(*state, check_sum); }

static void check_doubled(crd_context *ctx, const crd_loss_info *info, const char *expression,
                          const batch *b) {
  double first[CELLS_MAX], second[CELLS_MAX];
  batch other = *b;
  (void)info;
  if (!b->kind->weighted) return;
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  for (size_t i = 0; i < b->rows; i++) other.weight[i] *= 2;
  expect("weights doubled", expression, b, evaluate(ctx, loss, &other, second).value,
         evaluate(ctx, loss, b, first).value, 1e-14);
  expect_all("weights doubled", expression, b, second, first);
  crd_loss_destroy(loss);
}

static void only_shares_of_weights_count(void **state) { each(*state, check_doubled); }

/* Rows of weight 0 and ignored rows can be removed without changing the loss. */
static void check_left_out(crd_context *ctx, const crd_loss_info *info, const char *expression,
                           const batch *b) {
  double first[CELLS_MAX], second[CELLS_MAX], wanted[CELLS_MAX];
  size_t from[ROWS_MAX], rows = 0;
  batch other;
  (void)info;
  if (!b->kind->weighted) return;
  for (size_t i = 0; i < b->rows; i++)
    if (b->weight[i] > 0 && (b->label[i] != IGNORED || b->kind->labels == SHARES)) from[rows++] = i;
  assert_true(rows > 0 && rows < b->rows);
  pick_rows(b, from, rows, &other);
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  expect("rows left out", expression, b, evaluate(ctx, loss, &other, second).value,
         evaluate(ctx, loss, b, first).value, 1e-13);
  for (size_t i = 0; i < rows; i++)
    memcpy(wanted + i * b->classes, first + from[i] * b->classes, b->classes * sizeof *first);
  expect_all("rows left out", expression, &other, second, wanted);
  crd_loss_destroy(loss);
}

static void rows_that_do_not_count(void **state) { each(*state, check_left_out); }

static void check_nothing(crd_context *ctx, const crd_loss_info *info, const char *expression,
                          const batch *b) {
  double gradient[CELLS_MAX] = { 1 };
  batch other = *b;
  (void)info;
  if (!b->kind->weighted) return;
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_SUM);
  memset(other.weight, 0, sizeof other.weight);
  const crd_loss_value v = evaluate(ctx, loss, &other, gradient);
  assert_true(v.value == 0 && v.gradient_norm == 0 && v.terms[0] == 0 && v.term_count == 1);
  assert_true(largest(gradient, b->rows * b->classes) == 0);
  crd_loss_destroy(loss);
}

static void nothing_counts_for_nothing(void **state) { each(*state, check_nothing); }

/* ---- float32: computed in float64, rounded at the end. */

static void check_single(crd_context *ctx, const crd_loss_info *info, const char *expression,
                         const batch *b) {
  double wanted[CELLS_MAX];
  float single[CELLS_MAX], found[CELLS_MAX];
  batch other = *b;
  crd_loss_value v;
  (void)info;
  for (size_t i = 0; i < b->rows * b->classes; i++) other.z[i] = single[i] = (float)b->z[i];
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  const double value = evaluate(ctx, loss, &other, wanted).value;
  const crd_array logits = crd_array_matrix(single, CRD_F32, b->rows, b->classes);
  const crd_targets targets = batch_targets(b);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &logits, &targets, &v, found), CRD_OK);
  assert_true(same_bits(v.value, value));
  for (size_t i = 0; i < b->rows * b->classes; i++)
    if (found[i] != (float)wanted[i])
      fail_msg("%s, %s: %.9g, expected %.9g", expression, b->kind->name, (double)found[i],
               wanted[i]);
  crd_loss_destroy(loss);
}

static void single_precision_is_rounded_double(void **state) { each(*state, check_single); }

/* ---- Values without gradients; a value is the sum of its terms. */

static void check_value(crd_context *ctx, const crd_loss_info *info, const char *expression,
                        const batch *b) {
  double gradient[CELLS_MAX];
  char sum[2 * EXPRESSION_SIZE];
  crd_loss *const loss = make_loss(ctx, expression, b->classes, CRD_REDUCTION_MEAN);
  const crd_loss_value with = evaluate(ctx, loss, b, gradient);
  const crd_loss_value without = evaluate(ctx, loss, b, NULL);
  (void)info;
  assert_true(same_bits(with.value, without.value) && isnan(without.gradient_norm));
  snprintf(sum, sizeof sum, "%s + 3*(ce + 0.5*%s)", expression, expression);
  crd_loss *const sums = make_loss(ctx, sum, b->classes, CRD_REDUCTION_MEAN);
  const crd_loss_value v = evaluate(ctx, sums, b, gradient);
  assert_int_equal(v.term_count, 3);
  assert_true(v.terms[0] == with.value && v.terms[2] == with.value); /* -0 == 0 */
  expect("a sum", sum, b, v.value, 2.5 * with.value + 3 * v.terms[1], 1e-14);
  crd_loss_destroy(loss);
  crd_loss_destroy(sums);
}

static void values_are_sums_of_terms(void **state) { each(*state, check_value); }

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_of_rows),
    cmocka_unit_test(sums_are_totals_of_means),
    cmocka_unit_test(only_shares_of_weights_count),
    cmocka_unit_test(rows_that_do_not_count),
    cmocka_unit_test(nothing_counts_for_nothing),
    cmocka_unit_test(single_precision_is_rounded_double),
    cmocka_unit_test(values_are_sums_of_terms),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

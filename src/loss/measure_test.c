/* measure_test.c -- soft targets: one-hot ones, and mixtures. */
#include "losses.h"

#include <math.h>

enum { ROWS = 60, CLASSES = 6 };

static const double counts[CLASSES] = { 3, 1, 4, 1, 5, 9 };
static const crd_loss_options options = { .size = sizeof options,
                                          .classes = CLASSES,
                                          .class_counts = counts };

static double largest_of(const double *row) {
  double largest = 0;
  for (size_t k = 0; k < CLASSES; k++) largest = fmax(largest, fabs(row[k]));
  return largest;
}

static void expect_rows(const char *name, const double *found, const double *wanted, size_t rows,
                        double tolerance) {
  for (size_t i = 0; i < rows * CLASSES; i++)
    if (!(fabs(found[i] - wanted[i]) <= tolerance * largest_of(wanted + i / CLASSES * CLASSES)))
      fail_msg("%s: row %zu, class %zu: %.17g, expected %.17g", name, i / CLASSES, i % CLASSES,
               found[i], wanted[i]);
}

/* Every loss that takes labels and soft targets, also where p rounds to 1. */
static void one_class_is_its_label(void **state) {
  static const struct {
    double spread, accuracy;
  } kinds[] = { { 1, .7 }, { 20, .7 }, { 40, 1 }, { 1e4, .7 } };
  double a[ROWS * CLASSES], b[ROWS * CLASSES];
  for (size_t s = 0; s < sizeof kinds / sizeof *kinds; s++) {
    test_data data = make_data((test_recipe){ .rows = ROWS,
                                              .classes = CLASSES,
                                              .seed = 11,
                                              .spread = kinds[s].spread,
                                              .accuracy = kinds[s].accuracy,
                                              .weighted = true });
    double shares[ROWS * CLASSES] = { 0 };
    for (size_t i = 0; i < ROWS; i++) shares[i * CLASSES + (size_t)data.labels[i]] = 1;
    small_batch batch = { ROWS, CLASSES, data.scores, data.labels, NULL, data.weights };
    for (size_t l = 0; l < crd_loss_count(); l++) {
      const crd_loss_info *const info = crd_loss_at(l);
      if (!info->soft_targets || info->history) continue;
      batch.shares = NULL;
      const double wanted = loss_of(*state, info->name, &options, batch, a);
      batch.shares = shares;
      const double found = loss_of(*state, info->name, &options, batch, b);
      if (!(fabs(found - wanted) <= 1e-14 * fabs(wanted)))
        fail_msg("%s: %.17g, of the label %.17g", info->name, found, wanted);
      expect_rows(info->name, b, a, ROWS, 1e-14);
    }
    free_data(&data);
  }
}

/* l(t) = sum t_k l(k), row by row. */
static void shares_mix_labels(void **state) {
  static const char *const linear[] = { "ce",
                                        "label-smoothing",
                                        "focal(gamma=0.5)",
                                        "focal(gamma=2,detach=yes)",
                                        "focal-sd",
                                        "inverse-focal",
                                        "inverse-focal(gamma=9,detach=yes)",
                                        "dual-focal" };
  static const double t[CLASSES] = { .25, 0, .5, .125, 0, .125 };
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 12, 4, .7, 0, false, false });
  for (size_t l = 0; l < sizeof linear / sizeof *linear; l++)
    for (size_t i = 0; i < ROWS; i++) {
      double found[CLASSES], part[CLASSES], sum[CLASSES] = { 0 }, value = 0;
      int64_t label = 0;
      small_batch row = { 1, CLASSES, data.scores + i * CLASSES, &label, t, NULL };
      const double mixed = loss_of(*state, linear[l], NULL, row, found);
      row.shares = NULL;
      for (; label < CLASSES; label++) {
        value += t[label] * loss_of(*state, linear[l], NULL, row, part);
        for (size_t k = 0; k < CLASSES; k++) sum[k] += t[label] * part[k];
      }
      assert_true(fabs(mixed - value) <= 1e-14 * value);
      expect_rows(linear[l], found, sum, 1, 1e-13);
    }
  free_data(&data);
}

/* Soft targets in float32 sum to nearly 1: the rest must not add a gradient. */
static void shares_are_made_to_add_up(void **state) {
  static const double z[3] = { .3, -1, 2 }, third[3] = { .33333, .33333, .33333 };
  static const char *const all[] = { "ce", "focal", "label-smoothing", "brier" };
  for (size_t l = 0; l < sizeof all / sizeof *all; l++) {
    double g[3];
    loss_of(*state, all[l], NULL, (small_batch){ 1, 3, z, NULL, third, NULL }, g);
    assert_true(fabs(g[0] + g[1] + g[2]) < 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_class_is_its_label),
    cmocka_unit_test(shares_mix_labels),
    cmocka_unit_test(shares_are_made_to_add_up),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

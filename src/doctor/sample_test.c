/*
 * sample_test.c -- the quick diagnosis has no findings on valid predictions, however few,
 * imbalanced or overconfident; it finds shuffled labels, labels that count from 1 and percentages,
 * wherever they are in the file; and it drops findings of the sample that all rows do not confirm.
 */
#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 20000, CLASSES_MAX = 10 };

/* Logits with labels drawn from their softmax, then changed. */
typedef struct {
  size_t rows, classes;
  double spread; /* of the logits */
  double bias;   /* of class 0: one class has most labels */
  double factor; /* multiplies all logits after labels are drawn: above 1 is overconfident */
  uint64_t seed;
} recipe;

static double scores[ROWS_MAX * CLASSES_MAX];
static int64_t labels[ROWS_MAX];

static void softmax(const double *z, double *p, size_t count) {
  double mass = 0;
  for (size_t k = 0; k < count; k++) mass += p[k] = exp(z[k]);
  for (size_t k = 0; k < count; k++) p[k] /= mass;
}

static void brew(recipe r) {
  for (size_t i = 0; i < r.rows; i++) {
    double *const z = scores + i * r.classes, p[CLASSES_MAX];
    double draw = crd__random_uniform(r.seed, 2, i);
    for (size_t k = 0; k < r.classes; k++)
      z[k] = r.spread * (crd__random_uniform(r.seed, 1, i * r.classes + k) - 0.5);
    z[0] += r.bias;
    softmax(z, p, r.classes);
    size_t label = 0;
    while (label + 1 < r.classes && (draw -= p[label]) > 0) label++;
    labels[i] = (int64_t)label;
    for (size_t k = 0; k < r.classes; k++) z[k] *= r.factor;
  }
}

static void shuffle(const recipe *r) {
  for (size_t i = r->rows; i-- > 1;) {
    const size_t j = (size_t)(crd__random_uniform(r->seed, 3, i) * (double)(i + 1));
    const int64_t other = labels[j];
    labels[j] = labels[i];
    labels[i] = other;
  }
}

static const crd_diagnosis *glance(crd_context *ctx, const recipe *r) {
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(scores, CRD_F64, r->rows, r->classes),
    .labels = crd_array_matrix(labels, CRD_I64, r->rows, 1),
    .input = CRD_INPUT_AUTO,
    .trusted = 1,
  };
  crd_predictions *p = NULL;
  const crd_diagnosis *diagnosis = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK ||
      crd_diagnose_quickly(ctx, p, &diagnosis) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return diagnosis;
}

/* Expects this finding and no other; NULL: none. */
static bool tells(crd_context *ctx, const recipe *r, const char *finding) {
  const crd_diagnosis *const d = glance(ctx, r);
  const bool right = finding
                         ? d->finding_count == 1 && strcmp(d->findings[0].info->name, finding) == 0
                         : d->finding_count == 0;
  assert_int_equal(d->rows, r->rows);
  crd_diagnosis_destroy(d);
  return right;
}

static const size_t row_counts[] = { 20, 50, 70, 300, 2000 };
static const size_t class_counts[] = { 2, 3, 10 };
static const double spreads[] = { 4, 12 }, biases[] = { 0, 4 }, factors[] = { 0.5, 1, 3 };
enum { SEEDS = 20 };

/* Every combination, with each of its seeds. */
static recipe combination(size_t index) {
  recipe r = { .seed = index % SEEDS };
  index /= SEEDS;
  r.rows = row_counts[index % 5], index /= 5;
  r.classes = class_counts[index % 3], index /= 3;
  r.spread = spreads[index % 2], index /= 2;
  r.bias = biases[index % 2], index /= 2;
  r.factor = factors[index];
  return r;
}
enum { COMBINATIONS = SEEDS * 5 * 3 * 2 * 2 * 3 };

static void health_is_quiet(void **state) {
  for (size_t i = 0; i < COMBINATIONS; i++) {
    const recipe r = combination(i);
    brew(r);
    if (!tells(*state, &r, NULL))
      fail_msg("a false alarm: %zu rows of %zu classes, spread %g, bias %g, factor %g, seed %d",
               r.rows, r.classes, r.spread, r.bias, r.factor, (int)r.seed);
  }
}

/* With enough rows, nearly all are found. */
static void disorder_is_seen(void **state) {
  size_t files = 0, seen = 0;
  for (size_t i = 0; i < COMBINATIONS; i++) {
    const recipe r = combination(i);
    if (r.rows < 300 || r.bias > 0) continue;
    brew(r);
    shuffle(&r);
    files++;
    seen += tells(*state, &r, "unrelated-labels");
  }
  assert_true((double)seen > 0.98 * (double)files);
}

static void labels_from_one_are_seen(void **state) {
  const recipe r = { .rows = 9000, .classes = 10, .spread = 9, .factor = 1, .seed = 1 };
  for (int most = 10; most >= 8; most--) { /* also where some of the last classes have no rows */
    brew(r);
    for (size_t i = 0; i < r.rows; i++) {
      while (labels[i] >= most) labels[i] -= 3;
      labels[i]++;
    }
    assert_true(tells(*state, &r, "labels"));
  }
}

static void percentages_are_seen(void **state) {
  const recipe r = { .rows = 9000, .classes = 10, .spread = 9, .factor = 1, .seed = 2 };
  brew(r);
  for (size_t i = 0; i < r.rows; i++) softmax(scores + i * 10, scores + i * 10, 10);
  for (size_t i = 0; i < r.rows * 10; i++) scores[i] *= 100;
  assert_true(tells(*state, &r, "input-kind"));
}

/* The sample has all classes, whether they alternate or come in blocks. */
static void periods_and_blocks_are_met(void **state) {
  const recipe r = { .rows = ROWS_MAX, .classes = 10, .spread = 2, .factor = 1, .seed = 3 };
  for (int sorted = 0; sorted < 2; sorted++)
    for (int wrong = 0; wrong < 2; wrong++) {
      brew(r);
      for (size_t i = 0; i < r.rows; i++) {
        labels[i] = (int64_t)(sorted ? i * 10 / r.rows : i % 10);
        scores[i * 10 + (size_t)(labels[i] + wrong) % 10] += 4;
      }
      assert_true(tells(*state, &r, wrong ? "unrelated-labels" : NULL));
    }
}

/* A weak model: 2000 rows may not distinguish it from chance, all rows do. */
static void a_suspicion_is_looked_into(void **state) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    const recipe r = { .rows = ROWS_MAX, .classes = 2, .spread = 0.25, .factor = 20, .seed = seed };
    brew(r);
    assert_true(tells(*state, &r, NULL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(health_is_quiet),
    cmocka_unit_test(disorder_is_seen),
    cmocka_unit_test(labels_from_one_are_seen),
    cmocka_unit_test(percentages_are_seen),
    cmocka_unit_test(periods_and_blocks_are_met),
    cmocka_unit_test(a_suspicion_is_looked_into),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

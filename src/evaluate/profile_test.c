/* profile_test.c -- every part of a profile against plain loops over the rows. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static crd_profile *profile_of(crd_context *ctx, const crd_predictions *p,
                               crd_profile_options options) {
  crd_profile *profile = NULL;
  if (crd_profile_make(ctx, p, &options, &profile) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return profile;
}

static crd_result *result_of(crd_context *ctx, const crd_predictions *p, const char *metrics,
                             unsigned bins) {
  const crd_evaluate_options options = { .metrics = metrics, .bins = bins };
  crd_result *result = NULL;
  if (crd_evaluate(ctx, p, &options, &result) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return result;
}

/* ---- Many kinds of predictions, each to be looked at by every test. */

enum { KINDS = 12, ROWS_MAX = 900 };

typedef struct {
  test_data data;
  double confidence[ROWS_MAX];
  unsigned char correct[ROWS_MAX];
  int64_t groups[ROWS_MAX];
  crd_predictions *predictions;
} kind;

typedef struct {
  const char *name;
  test_recipe recipe;
  crd_input input;
  crd_binary binary;
  size_t absent; /* a class that no row has; 0: none */
} kind_row;

static const kind_row kinds[KINDS] = {
  { "logits", { 900, 4, 1, 2, .6, 0, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "weighted", { 800, 4, 2, 2, .6, 0, true }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "ties", { 700, 3, 3, 1.5, .5, 9, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "weighted ties", { 700, 3, 4, 1.5, .5, 13, true }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "probabilities", { 600, 5, 5, 2, .7, 0, false }, CRD_INPUT_PROBABILITIES, CRD_BINARY_TOP, 0 },
  { "two classes", { 500, 2, 6, 2, .7, 0, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "binary pos", { 500, 2, 7, 2, .7, 0, true }, CRD_INPUT_LOGITS, CRD_BINARY_POS, 0 },
  { "twelve classes", { 400, 12, 8, 2, .5, 0, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 7 },
  { "sixty classes", { 300, 60, 9, 3, .4, 0, true }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "pairs", { 600, 2, 10, 1, .7, 40, true }, CRD_INPUT_PAIRS, CRD_BINARY_TOP, 0 },
  { "all right", { 90, 3, 11, 2, 1, 0, false }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
  { "all wrong", { 90, 3, 12, 2, 0, 0, true }, CRD_INPUT_LOGITS, CRD_BINARY_TOP, 0 },
};

/* softmax(z / T), in place. */
static void soften(double *row, size_t classes, double temperature) {
  double top = row[0], mass = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, row[k]);
  for (size_t k = 0; k < classes; k++) mass += row[k] = exp((row[k] - top) / temperature);
  for (size_t k = 0; k < classes; k++) row[k] /= mass;
}

static void open_kind(crd_context *ctx, size_t index, kind *out) {
  const kind_row *const r = &kinds[index];
  test_data *const d = &out->data;
  *d = make_data(r->recipe);
  for (size_t i = 0; i < d->rows; i++) {
    double *const row = d->scores + i * d->classes;
    if (r->absent && d->labels[i] == (int64_t)r->absent) d->labels[i] = 0;
    if (r->input != CRD_INPUT_LOGITS) soften(row, d->classes, 1);
    out->confidence[i] = fmax(row[0], row[1]);
    out->correct[i] = d->labels[i] == (row[1] > row[0]);
    out->groups[i] = (int64_t)(i * i % 7);
  }
  const bool pairs = r->input == CRD_INPUT_PAIRS;
  crd_predictions_parts parts = {
    .scores = pairs ? crd_view_make(out->confidence, CRD_F64, d->rows, 1)
                    : crd_view_make(d->scores, CRD_F64, d->rows, d->classes),
    .groups = crd_view_make(out->groups, CRD_I64, d->rows, 1),
    .input = r->input,
    .binary = r->binary,
    .name = r->name,
  };
  if (pairs) parts.correct = crd_view_make(out->correct, CRD_U8, d->rows, 1);
  else parts.labels = crd_view_make(d->labels, CRD_I64, d->rows, 1);
  if (d->weights) parts.weights = crd_view_make(d->weights, CRD_F64, d->rows, 1);
  if (crd_predictions_create(ctx, &parts, &out->predictions) != CRD_OK)
    fail_msg("%s: %s", r->name, crd_context_message(ctx));
}

static void close_kind(kind *k) {
  crd_predictions_destroy(k->predictions);
  free_data(&k->data);
}

static double weight_of(const kind *k, size_t row) {
  return k->data.weights ? k->data.weights[row] : 1;
}

static double total_weight(const kind *k) {
  double total = 0;
  for (size_t i = 0; i < k->data.rows; i++) total += weight_of(k, i);
  return total;
}

/* ---- Bins. */

static crd_fine_bin coarse_bin(const crd_fine_bins *fine, unsigned bins, unsigned index) {
  crd_fine_bin sum = { .index = index };
  for (size_t i = 0; i < fine->count; i++) {
    const crd_fine_bin *const bin = &fine->items[i];
    if (bin->index / (fine->bins / bins) != index) continue;
    sum.rows += bin->rows;
    sum.weight += bin->weight;
    sum.confidence += bin->confidence;
    sum.correct += bin->correct;
  }
  return sum;
}

static double coarse_ece(const crd_fine_bins *fine, unsigned bins) {
  double gaps = 0, weight = 0;
  for (unsigned m = 0; m < bins; m++) {
    const crd_fine_bin bin = coarse_bin(fine, bins, m);
    gaps += fabs(bin.confidence - bin.correct);
    weight += bin.weight;
  }
  return gaps / weight;
}

/* Fine bins add up to the diagram of any number of bins that divides theirs. */
static void fine_bins_add_up(void **state) {
  static const unsigned grids[] = { 1, 2, 3, 10, 15, 20, 25, 30, 50, 60, 75, 100, 150, 300 };
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    kind k;
    open_kind(ctx, n, &k);
    const double total = total_weight(&k);
    crd_profile *const p =
        profile_of(ctx, k.predictions, (crd_profile_options){ .parts = CRD_PROFILE_BINS });
    assert_int_equal(p->bins.bins, 300);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
      crd_result *const r = result_of(ctx, k.predictions, "ece", grids[g]);
      assert_true(near(coarse_ece(&p->bins, grids[g]), value_of(r, "ece"), 1e-15));
      for (unsigned m = 0; m < grids[g]; m++) {
        const crd_fine_bin bin = coarse_bin(&p->bins, grids[g], m);
        const double share = bin.weight / total;
        assert_int_equal(bin.rows, r->bins[m].rows);
        assert_true(near(share, r->bins[m].weight, 1e-15));
        if (isnan(r->bins[m].confidence)) continue;
        assert_true(near(bin.confidence / bin.weight, r->bins[m].confidence, 1e-15));
        assert_true(near(bin.correct / bin.weight, r->bins[m].accuracy, 1e-15));
      }
      crd_result_destroy(r);
    }
    for (size_t i = 0; i < p->bins.count; i++) {
      assert_true(p->bins.items[i].rows > 0 && p->bins.items[i].index < 300);
      if (i > 0) assert_true(p->bins.items[i].index > p->bins.items[i - 1].index);
    }
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

/* ---- Classes. */

/* Bins of one class by plain loops; edges as the header says. */
static void count_class(const kind *k, bool logits, size_t class, unsigned bins,
                        crd_fine_bin *out) {
  const size_t classes = k->data.classes;
  double row[60];
  memset(out, 0, bins * sizeof *out);
  for (size_t i = 0; i < k->data.rows; i++) {
    unsigned m = 0;
    memcpy(row, k->data.scores + i * classes, classes * sizeof *row);
    if (logits) soften(row, classes, 1);
    while (m + 1 < bins && row[class] > (double)(m + 1) / bins) m++;
    out[m].rows++;
    out[m].weight += weight_of(k, i);
    out[m].confidence += weight_of(k, i) * row[class];
    out[m].correct += k->data.labels[i] == (int64_t) class ? weight_of(k, i) : 0;
  }
}

static void check_class(const kind *k, bool logits, const crd_class_profile *c, unsigned bins) {
  crd_fine_bin fine[60], coarse[60];
  size_t at = 0, rows = 0;
  double gaps = 0, probability = 0, frequency = 0;
  const double total = total_weight(k);
  count_class(k, logits, c->number, 60, fine);
  count_class(k, logits, c->number, bins, coarse);
  for (unsigned m = 0; m < bins; m++) gaps += fabs(coarse[m].confidence - coarse[m].correct);
  for (size_t i = 0; i < k->data.rows; i++) rows += k->data.labels[i] == (int64_t)c->number;
  assert_int_equal(c->rows, rows);
  assert_true(near(c->error, gaps / total, 1e-13));
  assert_int_equal(c->bins.bins, 60);
  for (unsigned m = 0; m < 60; m++) {
    probability += fine[m].confidence / total;
    frequency += fine[m].correct / total;
    if (fine[m].rows == 0) continue;
    const crd_fine_bin *const bin = &c->bins.items[at++];
    assert_int_equal(bin->index, m);
    assert_int_equal(bin->rows, fine[m].rows);
    assert_true(bin->weight == fine[m].weight && bin->correct == fine[m].correct);
    assert_true(near(bin->confidence, fine[m].confidence, 1e-13));
  }
  assert_int_equal(at, c->bins.count);
  assert_true(near(c->probability, probability, 1e-13) && near(c->frequency, frequency, 1e-13));
}

static void classes_are_counted(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    kind k;
    open_kind(ctx, n, &k);
    const size_t classes = crd_predictions_classes(k.predictions);
    const unsigned bins = n % 2 ? 15 : 7;
    crd_profile *const p = profile_of(
        ctx, k.predictions, (crd_profile_options){ .parts = CRD_PROFILE_CLASSES, .bins = bins });
    crd_result *const r = result_of(ctx, k.predictions, "sce", bins);
    double sum = 0;
    assert_int_equal(p->class_count, classes > 50 ? 20 : classes);
    for (size_t i = 0; i < p->class_count; i++) {
      const crd_class_profile *const c = &p->classes[i];
      check_class(&k, kinds[n].input == CRD_INPUT_LOGITS, c, bins);
      sum += c->error / (double)classes;
      assert_null(c->name);
      if (i == 0) continue;
      assert_true(c[-1].error > c->error || (c[-1].error == c->error && c[-1].number < c->number));
    }
    if (classes && classes <= 50) assert_true(near(sum, value_of(r, "sce"), 1e-14));
    crd_result_destroy(r);
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

/* Classes of the same error stand in the order of their numbers. */
static void equal_errors_keep_their_order(void **state) {
  static const double p[] = { 0.25, 0.25, 0.25, 0.25 };
  static const int64_t labels[] = { 3 };
  const crd_predictions_parts parts = { .scores = crd_view_make(p, CRD_F64, 1, 4),
                                        .labels = crd_view_make(labels, CRD_I64, 1, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  crd_profile *const profile =
      profile_of(ctx, predictions, (crd_profile_options){ .parts = CRD_PROFILE_CLASSES });
  assert_int_equal(profile->classes[0].number, 3);
  for (size_t i = 1; i < 4; i++) assert_int_equal(profile->classes[i].number, i - 1);
  crd_profile_destroy(profile);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fine_bins_add_up),
    cmocka_unit_test(classes_are_counted),
    cmocka_unit_test(equal_errors_keep_their_order),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/* classes_test.c -- the bins of each class by plain loops. */
#include "profile/kinds_test.h"

/* Bins of one class by plain loops, with the edges of the header. */
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
    const crd_profile *const p = profile_of(
        ctx, k.predictions,
        (crd_profile_options){
            .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_CLASSES, .bins = bins });
    const crd_result *const r = result_of(ctx, k.predictions, "sce", bins);
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

/* Classes with equal errors are ordered by index. */
static void equal_errors_keep_their_order(void **state) {
  static const double p[] = { 0.25, 0.25, 0.25, 0.25 };
  static const int64_t labels[] = { 3 };
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(p, CRD_F64, 1, 4),
                                        .labels = crd_array_matrix(labels, CRD_I64, 1, 1),
                                        .input = CRD_INPUT_PROBABILITIES };
  crd_context *const ctx = *state;
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const profile = profile_of(
      ctx, predictions,
      (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_CLASSES });
  assert_int_equal(profile->classes[0].number, 3);
  for (size_t i = 1; i < 4; i++) assert_int_equal(profile->classes[i].number, i - 1);
  crd_profile_destroy(profile);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(classes_are_counted),
    cmocka_unit_test(equal_errors_keep_their_order),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

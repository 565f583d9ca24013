/*
 * edges_test.c -- every method on degenerate and separable data: calibrators must still give
 * probabilities, never NaN. Covers each entry of the table of methods automatically.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 12, CLASSES = 3, FEATURES = 2 };

/* A generator of data: score of row i and class k, label, weight, feature j of row i. */
typedef struct {
  const char *name;
  size_t rows;
  double (*score)(size_t i, size_t k);
  int64_t (*label)(size_t i);
  double (*weight)(size_t i); /* NULL: none */
  crd_input input;
  double (*feature)(size_t i, size_t j);
} hard_case;

static double spread(size_t i, size_t k) { return (double)((i * 7 + k * 5) % 11) / 3; }
static double level(size_t i, size_t k) { return (void)i, (void)k, 0; }
static double same(size_t i, size_t k) { return (void)i, (double)k; }
static double pairwise(size_t i, size_t k) { return spread(i % 2, k); }
static double huge(size_t i, size_t k) { return (i + k) % 3 == 0 ? 1e4 : -1e4; }
static double sure(size_t i, size_t k) { return (i + k) % 3 == 0; } /* 0 and 1 */
static double best(size_t i, size_t k) { return k == i % 3 ? 2 + (double)i / 7 : (double)k / 9; }

static int64_t any(size_t i) { return (int64_t)(i * 5 % 7 % 3); }
static int64_t two(size_t i) { return (int64_t)(i % 2); }
static int64_t one(size_t i) { return (void)i, 1; }
static int64_t right(size_t i) { return (int64_t)(i % 3); }
static int64_t wrong(size_t i) { return (int64_t)((i + 1) % 3); }
static int64_t first(size_t i) { return (int64_t)((3 - i % 3) % 3); }
static double light(size_t i) { return i < 2 ? 1 : 0; }
static double mixed(size_t i, size_t j) { return (double)(i * (3 - j) % 7) - 2; }
static double extreme(size_t i, size_t j) {
  return i % 3 == 0 ? 1e308 : (i + j) % 3 == 1 ? -5e-324 : 0;
}

static const hard_case cases[] = {
  { "a class is absent", ROWS, spread, two, NULL, CRD_INPUT_LOGITS, mixed },
  { "one class only", ROWS, spread, one, NULL, CRD_INPUT_LOGITS, mixed },
  { "all rows are right", ROWS, best, right, NULL, CRD_INPUT_LOGITS, mixed },
  { "all rows are wrong", ROWS, best, wrong, NULL, CRD_INPUT_LOGITS, mixed },
  { "two rows", 2, spread, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "all logits are 0", ROWS, level, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "all rows are the same", ROWS, same, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "two different rows", ROWS, pairwise, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "huge logits", ROWS, huge, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "huge logits, all right", ROWS, huge, first, NULL, CRD_INPUT_LOGITS, mixed },
  { "zeros and ones", ROWS, sure, any, NULL, CRD_INPUT_PROBABILITIES, mixed },
  { "zeros and ones, all right", ROWS, sure, first, NULL, CRD_INPUT_PROBABILITIES, mixed },
  { "all weight on two rows", ROWS, spread, any, light, CRD_INPUT_LOGITS, mixed },
  { "features of zeros", ROWS, spread, any, NULL, CRD_INPUT_LOGITS, level },
  { "huge and tiny features", ROWS, spread, any, NULL, CRD_INPUT_LOGITS, extreme },
  { "all rows and features are the same", ROWS, level, any, NULL, CRD_INPUT_LOGITS, level },
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct {
  double scores[ROWS * CLASSES], confidence[ROWS], weights[ROWS], features[ROWS * FEATURES];
  int64_t labels[ROWS];
  unsigned char correct[ROWS];
} numbers;

/* Makes predictions of classes, or pairs from the score of class 1. */
static crd_predictions *make(crd_context *ctx, const hard_case *h, bool pairs, numbers *n) {
  crd_predictions *p = NULL;
  for (size_t i = 0; i < h->rows; i++) {
    for (size_t k = 0; k < CLASSES; k++) n->scores[i * CLASSES + k] = h->score(i, k);
    n->labels[i] = h->label(i);
    n->weights[i] = h->weight ? h->weight(i) : 1;
    n->confidence[i] = fmin(1, fmax(0, h->score(i, 1) / 3));
    n->correct[i] = n->labels[i] == 1;
    for (size_t j = 0; j < FEATURES; j++) n->features[i * FEATURES + j] = h->feature(i, j);
  }
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(n->scores, CRD_F64, h->rows, CLASSES),
                                  .labels = crd_array_matrix(n->labels, CRD_I64, h->rows, 1),
                                  .input = h->input };
  if (pairs) {
    parts = (crd_predictions_parts){ .size = sizeof(crd_predictions_parts),
                                     .scores = crd_array_matrix(n->confidence, CRD_F64, h->rows, 1),
                                     .correct = crd_array_matrix(n->correct, CRD_U8, h->rows, 1),
                                     .input = CRD_INPUT_PAIRS };
  }
  parts.weights = crd_array_matrix(n->weights, CRD_F64, h->rows, 1);
  parts.features = crd_array_matrix(n->features, CRD_F64, h->rows, FEATURES);
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static void check_numbers(const char *what, const double *out, size_t rows, size_t classes) {
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
      const double p = out[i * classes + k];
      if (!(p >= 0 && p <= 1)) fail_msg("%s: row %zu, class %zu is %g", what, i, k, p);
      sum += p;
    }
    if (classes > 1 && !near(sum, 1, 1e-12)) fail_msg("%s: row %zu sums to %g", what, i, sum);
  }
}

/* Settings that imitate another library fail where that library fails. */
static bool is_refusal(const char *settings, crd_status status) {
  return strncmp(settings, "compat=", 7) == 0 && (status == CRD_ENUMERIC || status == CRD_EINPUT);
}

static void check(crd_context *ctx, const char *method, const char *settings, const hard_case *h,
                  bool pairs) {
  char what[200];
  double out[ROWS * CLASSES];
  numbers mine, others;
  crd_predictions *const p = make(ctx, h, pairs, &mine);
  crd_predictions *const other =
      make(ctx, &cases[0], pairs, &others); /* rows not seen in the fit */
  crd_calibrator *c = NULL;
  snprintf(what, sizeof what, "%s %s on '%s'%s", method, settings, h->name, pairs ? " pairs" : "");
  const crd_status fitted = crd_calibrator_fit(ctx, method, settings, p, &c);
  if (is_refusal(settings, fitted)) {
    crd_predictions_destroy(other);
    crd_predictions_destroy(p);
    return;
  }
  if (fitted != CRD_OK) fail_msg("%s: %s", what, crd_context_message(ctx));
  if (crd_calibrator_apply(ctx, c, p, 0, h->rows, out, NULL, NULL) != CRD_OK)
    fail_msg("%s: %s", what, crd_context_message(ctx));
  check_numbers(what, out, h->rows, pairs ? 1 : CLASSES);
  if (h->input == cases[0].input) {
    if (crd_calibrator_apply(ctx, c, other, 0, ROWS, out, NULL, NULL) != CRD_OK)
      fail_msg("%s: %s", what, crd_context_message(ctx));
    check_numbers(what, out, ROWS, pairs ? 1 : CLASSES);
  }
  const crd_certificate *const certificate = crd_calibrator_certificate(c);
  if (!certificate->converged && !*certificate->note)
    fail_msg("%s: not converged, and no note why", what);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(other);
  crd_predictions_destroy(p);
}

/* Every choice of every setting, one setting at a time. */
static void check_settings(crd_context *ctx, const crd_method_info *info, const hard_case *h,
                           bool pairs) {
  char settings[100];
  check(ctx, info->name, "", h, pairs);
  for (size_t s = 0; s < info->setting_count; s++) {
    const char *words = info->settings[s].words;
    while (words && *words) {
      const size_t length = strcspn(words, " ");
      snprintf(settings, sizeof settings, "%s=%.*s", info->settings[s].name, (int)length, words);
      check(ctx, info->name, settings, h, pairs);
      words += length + strspn(words + length, " ");
    }
  }
}

static void hard_data_have_answers(void **state) {
  for (size_t m = 0; m < crd_method_count(); m++)
    for (size_t i = 0; i < CASES; i++) {
      check_settings(*state, crd_method_at(m), &cases[i], false);
      check_settings(*state, crd_method_at(m), &cases[i], true);
    }
}

static double heavy(size_t i) { return i == 5 ? 1 : 0; }

static const hard_case lone[] = {
  { "one row", 1, spread, any, NULL, CRD_INPUT_LOGITS, mixed },
  { "all weight on one row", ROWS, spread, any, heavy, CRD_INPUT_LOGITS, mixed },
};

/* Methods that learn nothing from rows; all others fail, with a message. */
static bool takes_one_row(const char *method) {
  return strcmp(method, "identity") == 0 || strcmp(method, "temperature-fixed") == 0;
}

static void one_row_teaches_nothing(void **state) {
  for (size_t m = 0; m < crd_method_count(); m++)
    for (size_t i = 0; i < 2 * sizeof lone / sizeof *lone; i++) {
      const char *const method = crd_method_at(m)->name;
      numbers n;
      crd_predictions *const p = make(*state, &lone[i / 2], i % 2, &n);
      crd_calibrator *c = NULL;
      const crd_status status = crd_calibrator_fit(*state, method, "", p, &c);
      if (status != (takes_one_row(method) ? CRD_OK : CRD_EINPUT))
        fail_msg("%s on '%s': %s", method, lone[i / 2].name, crd_status_text(status));
      if (status != CRD_OK) assert_non_null(strstr(crd_context_message(*state), "2"));
      crd_calibrator_destroy(c);
      crd_predictions_destroy(p);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(hard_data_have_answers),
                                      cmocka_unit_test(one_row_teaches_nothing) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

/*
 * certificates_test.c -- certificates of fits are true: objective and largest derivative are
 * recomputed by plain loops (ref/objective.c). A method that reports a derivative and has no
 * reference there fails.
 */
#include "ref/objective.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { ROWS = 300 };

/* `hopeless`: some methods have no optimum on these data, and need not report a derivative. */
static const struct {
  test_recipe recipe;
  bool hopeless;
} kinds[] = {
  { { ROWS, 3, 1, 2, .7, 0, false, false }, false },   /* three classes */
  { { ROWS, 4, 2, 2, .6, 75, true, false }, false },   /* weights, some 0, and ties */
  { { ROWS, 2, 3, 2, .7, 0, false, false }, false },   /* two classes */
  { { ROWS, 5, 5, .5, .95, 0, false, false }, false }, /* underconfident */
  { { ROWS, 3, 6, 3, .36, 0, false, false },
    false }, /* hardly better than chance: parameters reach their bounds */
  { { ROWS, 3, 7, 3, .05, 0, false, false }, false }, /* worse than chance */
  { { ROWS, 4, 8, 1, 1, 0, false, false }, true },    /* all correct: solvers stop early */
};

/* Settings that change the objective; NULL: the method's defaults. */
static const struct {
  const char *method, *settings;
} variants[] = {
  { "temperature", "compat=gpleiss50" },
  { "temperature", "compat=neural-clamping" },
  { "vector", "compat=neural-clamping" },
  { "matrix", "compat=neural-clamping" },
  { "matrix-odir", "lambda=1,compat=neural-clamping" },
  { "dirichlet-odir", "lambda=100,compat=neural-clamping-sum" },
  { "temperature-focal", "gamma=3" },
  { "ensemble-temperature", "loss=mse" },
  { "matrix-odir", "lambda=0.5" },
  { "matrix-odir", "lambda=0.01,mu=2,odir=sum" },
  { "dirichlet-odir", "lambda=3" },
  { "structured-vector", "lambda=0.01" },
  { "structured-matrix", "lambda=20" },
  { "platt", "scope=top-1" },
  { "platt", "targets=plain" },
  { "scaling-binning", "targets=plain" },
  { "beta", "variant=am" },
  { "beta", "variant=ab" },
  { "beta", "scope=top-1" },
  { "intra-order-preserving", "form=order-invariant" },
  { "intra-order-preserving", "ridge=0,knots=3" },
};

static void check(const ref_task *task, const char *settings, bool hopeless) {
  const char *const method = crd_calibrator_method(task->calibrator)->name;
  const crd_certificate *const claim = crd_calibrator_certificate(task->calibrator);
  if (isnan(claim->gradient_norm) && (hopeless || !ref_has_objective(method))) return;
  if (!ref_has_objective(method)) fail_msg("%s: no reference for its certificate", method);
  const long double objective = ref_objective(task), slope = ref_slope(task);
  if (!(fabsl(claim->objective - objective) <= 1e-12L))
    fail_msg("%s(%s): objective %.17g, by plain loops %.17Lg", method, settings ? settings : "",
             claim->objective, objective);
  if (!(fabsl(claim->gradient_norm - slope) <= 2e-12L))
    fail_msg("%s(%s): derivative %.17g, by differences %.17Lg", method, settings ? settings : "",
             claim->gradient_norm, slope);
  const bool other = settings && strstr(settings, "compat=");
  if (claim->converged && !claim->separable && !*claim->bounds &&
      !(slope <= (other ? 1e-5L : 1e-8L)))
    fail_msg("%s(%s) reports convergence at a derivative of %Lg", method, settings ? settings : "",
             slope);
}

static void fit_and_check(crd_context *ctx, const char *method, const char *settings,
                          const test_data *data, bool hopeless) {
  crd_predictions *const p = data_predictions(ctx, data, 0, ROWS);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, p, &c) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  const ref_task task = { .rows = ROWS,
                          .classes = data->classes,
                          .logits = data->scores,
                          .labels = data->labels,
                          .weights = data->weights,
                          .calibrator = c };
  check(&task, settings, hopeless);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static void claims_are_true(void **state) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_data data = make_data(kinds[k].recipe);
    for (size_t m = 0; m < crd_method_count(); m++)
      fit_and_check(*state, crd_method_at(m)->name, NULL, &data, kinds[k].hopeless);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
      fit_and_check(*state, variants[v].method, variants[v].settings, &data, kinds[k].hopeless);
    free_data(&data);
  }
}

/* A confidence is the probability of class 1 of two. */
static void claims_on_pairs_are_true(void **state) {
  double confidence[ROWS], logits[2 * ROWS];
  unsigned char correct[ROWS];
  int64_t labels[ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    confidence[i] = (double)(i * 7919 % 997 + 1) / 999;
    labels[i] = correct[i] = i * 31 % 100 < 100 * confidence[i] * confidence[i];
    logits[2 * i] = log1p(-confidence[i]);
    logits[2 * i + 1] = log(confidence[i]);
  }
  const test_pairs pairs = { .rows = ROWS, .confidence = confidence, .correct = correct };
  for (size_t m = 0; m < crd_method_count(); m++) {
    if (crd_method_at(m)->needs_features) continue; /* the rows above have features */
    crd_calibrator *const c = fit_pairs(*state, crd_method_at(m)->name, NULL, pairs);
    const ref_task task = {
      .rows = ROWS, .classes = 2, .logits = logits, .labels = labels, .calibrator = c
    };
    check(&task, "pairs", false);
    crd_calibrator_destroy(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(claims_are_true),
    cmocka_unit_test(claims_on_pairs_are_true),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

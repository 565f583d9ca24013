/*
 * rounded_test.c -- real softmax outputs, stored with few decimals or in float16, must calibrate
 * nearly as well as their logits: within 0.02 of the ECE (0.035 with three decimals) for methods
 * that read logarithms of all classes; methods that calibrate class by class must not be worse than
 * no calibration, unless they are worse on the logits too.
 *
 * The bundled file is checked everywhere; those of other networks are looked for at CREDENCE_SHARED
 * and skipped where absent.
 */
#include "support.h"

#include "data/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  size_t rows, classes;
  double *p; /* softmax in float64 */
  int64_t *labels;
} dump;

static bool open_dump(crd_context *ctx, const char *path, const char *labels, dump *out) {
  crd_predictions *predictions = NULL;
  crd__data_row_reader *reader = NULL;
  const crd_open_options how = { .size = sizeof how, .labels = labels };
  if (crd_predictions_open(ctx, path, &how, &predictions) != CRD_OK) return false;
  out->rows = crd_predictions_rows(predictions);
  out->classes = crd_predictions_classes(predictions);
  out->p = calloc(out->rows * out->classes, sizeof *out->p);
  out->labels = calloc(out->rows, sizeof *out->labels);
  assert_int_equal(crd__data_row_reader_create(ctx, predictions, CRD__NEED_PROBABILITIES, &reader),
                   CRD_OK);
  const size_t step = crd__data_row_reader_capacity(reader);
  for (size_t first = 0; first < out->rows; first += step) {
    const size_t count = out->rows - first < step ? out->rows - first : step;
    crd__data_rows block;
    assert_int_equal(crd__data_row_reader_read(ctx, reader, first, count, &block), CRD_OK);
    memcpy(out->p + first * out->classes, block.probabilities,
           count * out->classes * sizeof *out->p);
    for (size_t i = 0; i < count; i++) out->labels[first + i] = (int64_t)block.label[i];
  }
  crd__data_row_reader_destroy(reader);
  crd_predictions_destroy(predictions);
  return true;
}

/* ---- Roundings. */

typedef double rounding(double p);
static double to_logit(double p) { return log(fmax(p, 1e-300)); }
static double to_three(double p) { return rint(p * 1e3) / 1e3; }
static double to_four(double p) { return rint(p * 1e4) / 1e4; }
static double to_six(double p) { return rint(p * 1e6) / 1e6; }
static double to_half(double p) {
  const double unit = exp2(fmax(p > 0 ? ilogb(p) : -14, -14) - 10);
  return rint(p / unit) * unit;
}

static const struct {
  const char *name;
  rounding *round;
  double slack;
} forms[] = { { "logits", to_logit, 0 },
              { "three decimals", to_three, .035 },
              { "four decimals", to_four, .02 },
              { "six decimals", to_six, .02 },
              { "half precision", to_half, .02 } };
enum { FORMS = sizeof forms / sizeof *forms };

/* Even rows calibrate, odd rows test. */
static crd_predictions *half_of(crd_context *ctx, const dump *d, const double *scores, bool test,
                                crd_input input) {
  const ptrdiff_t row = (ptrdiff_t)(d->classes * sizeof *scores);
  crd_array rows =
      crd_array_matrix(scores + (test ? d->classes : 0), CRD_F64, d->rows / 2, d->classes);
  crd_array labels = crd_array_matrix(d->labels + test, CRD_I64, d->rows / 2, 1);
  rows.strides[0] = 2 * row;
  labels.strides[0] = 2 * (ptrdiff_t)sizeof *d->labels;
  const crd_predictions_parts parts = {
    .size = sizeof parts, .scores = rows, .labels = labels, .input = input
  };
  crd_predictions *p = NULL;
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

static double ece_of(crd_context *ctx, const crd_predictions *p) {
  const crd_result *result = NULL;
  assert_int_equal(crd_evaluate(ctx, p,
                                &(crd_evaluate_options){ .size = sizeof(crd_evaluate_options),
                                                         .metrics = "ece" },
                                &result),
                   CRD_OK);
  const double ece = value_of(result, "ece");
  crd_result_destroy(result);
  return ece;
}

static double calibrated_ece(crd_context *ctx, const char *method, const crd_predictions *calibrate,
                             const crd_predictions *test) {
  crd_calibrator *c = NULL;
  crd_predictions *out = NULL;
  if (crd_calibrator_fit(ctx, method, NULL, calibrate, &c) != CRD_OK ||
      crd_calibrator_calibrate(ctx, c, test, &out) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  const double ece = ece_of(ctx, out);
  crd_predictions_destroy(out);
  crd_calibrator_destroy(c);
  return ece;
}

/* ---- Methods. */

static const struct {
  const char *name;
  bool whole;  /* reads the logarithms of all classes */
  size_t most; /* classes, beyond which it takes too long here */
} methods[] = {
  { "temperature", true, 1000 }, { "vector", true, 20 },      { "dirichlet-odir", true, 20 },
  { "platt", false, 1000 },      { "beta", false, 20 },       { "isotonic", false, 1000 },
  { "histogram", false, 1000 },  { "venn-abers", false, 20 },
};
enum { METHODS = sizeof methods / sizeof *methods };

static void check_form(crd_context *ctx, const char *name, const dump *d, size_t form,
                       double *expected) {
  const crd_input input = form ? CRD_INPUT_PROBABILITIES : CRD_INPUT_LOGITS;
  double *const scores = calloc(d->rows * d->classes, sizeof *scores);
  for (size_t i = 0; i < d->rows * d->classes; i++) scores[i] = forms[form].round(d->p[i]);
  crd_predictions *const calibrate = half_of(ctx, d, scores, false, input);
  crd_predictions *const test = half_of(ctx, d, scores, true, input);
  const double before = ece_of(ctx, test);
  for (size_t m = 0; m < METHODS; m++) {
    if (d->classes > methods[m].most) continue;
    const double ece = calibrated_ece(ctx, methods[m].name, calibrate, test);
    if (form == 0) expected[m] = ece;
    const double limit =
        methods[m].whole ? expected[m] + forms[form].slack : fmax(before, expected[m]);
    if (!(ece <= limit + 1e-12))
      fail_msg("%s, %s, %s: ECE %.4f, allowed %.4f (logits: %.4f)", name, forms[form].name,
               methods[m].name, ece, limit, expected[m]);
  }
  crd_predictions_destroy(calibrate);
  crd_predictions_destroy(test);
  free(scores);
}

static void check_dump(crd_context *ctx, const char *name, dump *d) {
  double expected[METHODS];
  for (size_t form = 0; form < FORMS; form++) check_form(ctx, name, d, form, expected);
  free(d->p);
  free(d->labels);
}

static void bundled_file(void **state) {
  dump d;
  assert_true(
      open_dump(*state, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz", NULL, &d));
  check_dump(*state, "wideresnet-16-4-cifar-10", &d);
}

static void other_networks(void **state) {
  static const struct {
    const char *path, *labels;
  } files[] = {
    { "cifar_logits/cifar10_vgg19_bn.npz", NULL },
    { "cifar_logits/cifar100_resnet20.npz", NULL },
    { "cifar10_resnet/resnet20_test_logits.npy", "cifar10_resnet/test_labels.npy" },
    { "cifar10_resnet/resnet8_mlperftiny_test_logits.npy", "cifar10_resnet/test_labels.npy" },
    { "netcal/lenet-5-cifar-10.npz", NULL },
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512], labels[512];
    dump d;
    snprintf(path, sizeof path, "%s/data/%s", shared_folder(), files[i].path);
    snprintf(labels, sizeof labels, "%s/data/%s", shared_folder(),
             files[i].labels ? files[i].labels : "");
    if (!is_there(files[i].path, path)) continue;
    const bool open = open_dump(*state, path, files[i].labels ? labels : NULL, &d);
    assert_true(open);
    if (open) check_dump(*state, files[i].path, &d); /* the analyser does not know asserts */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bundled_file),
    cmocka_unit_test(other_networks),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}

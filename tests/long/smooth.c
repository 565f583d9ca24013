/*
 * smooth.c -- the smooth reliability curve against known true curves:
 *   smooth ROWS REPETITIONS RESAMPLES
 *
 * Confidences come from four distributions (a network's, with mass at 1; spread; low; uniform),
 * correctness from six true curves. The profile's curve is compared with the one it replaced:
 * kernel regression with a reflected Gaussian of the width that smece finds (Blasiok, Nakkiran
 * 2023). Errors are means of |curve - truth| over 101 confidences from the lowest to the highest;
 * `band` is how often the 95 % band contains the truth there. Prints the table of
 * docs/statistics.md.
 */
#include "math/smooth.h"
#include "base/random.h"
#include "credence/credence.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHAPES = 4, TRUTHS = 6 };

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double log_odds(double c) { return fmin(fmax(log(c / (1 - c)), -16), 16); }

static double normal(uint64_t seed, uint64_t index) { /* Box-Muller */
  const double u = 1 - crd__random_uniform(seed, 10, index);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * crd__random_uniform(seed, 11, index));
}

/* ---- Distributions of confidences, and true curves. */

/* A quarter is exactly 1, as in float32; the log-odds of the others spread up to 20. */
static double network(uint64_t seed, uint64_t i) {
  if (crd__random_uniform(seed, 12, i) < 0.25) return 1;
  return sigmoid(-0.5 - 6 * log(1 - crd__random_uniform(seed, 13, i)));
}
static double spread(uint64_t seed, uint64_t i) { return sigmoid(1 + 1.3 * normal(seed, i)); }
static double low(uint64_t seed, uint64_t i) { return sigmoid(-1.5 + normal(seed, i)); }
static double uniform(uint64_t seed, uint64_t i) {
  return 0.2 + 0.8 * crd__random_uniform(seed, 12, i);
}

static const struct {
  const char *name;
  double (*draw)(uint64_t seed, uint64_t index);
} shapes[SHAPES] = {
  { "network, mass at 1", network }, { "spread", spread }, { "low", low }, { "uniform", uniform }
};

static double calibrated(double c) { return c; }
static double overconfident(double c) { return sigmoid(log_odds(c) / 2); }
static double underconfident(double c) { return sigmoid(1.7 * log_odds(c)); }
static double shifted(double c) { return sigmoid(log_odds(c) - 1); }
static double saturated(double c) { return 0.1 + 0.8 * c; }
static double bent(double c) { return 0.02 + 0.97 * (c < 0.6 ? c / 2 : 0.3 + 1.5 * (c - 0.6)); }

static double (*const truths[TRUTHS])(double) = { calibrated, overconfident, underconfident,
                                                  shifted,    saturated,     bent };

/* ---- The two curves. */

typedef struct {
  double before, now, held;
} score;

static double kernel_regression(const double *confidence, const unsigned char *correct, size_t rows,
                                double t, double width) {
  double nearest = 1, right = 0, all = 0;
  for (size_t i = 0; i < rows; i++) nearest = fmin(nearest, fabs(t - confidence[i]));
  const double ease = nearest * nearest / (2 * width * width);
  for (size_t i = 0; i < rows; i++) {
    const double mass = crd__math_reflected_gaussian(t, confidence[i], width, ease);
    all += mass;
    right += correct[i] ? mass : 0;
  }
  return right / all;
}

static void demand(crd_context *ctx, crd_status status) {
  if (status == CRD_OK) return;
  fprintf(stderr, "%s\n", crd_context_message(ctx));
  exit(1);
}

static void compare(crd_context *ctx, const double *confidence, const unsigned char *correct,
                    size_t rows, unsigned resamples, double (*truth)(double), score *out) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, rows, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, rows, 1),
                                        .input = CRD_INPUT_PAIRS };
  const crd_profile_options options = { .size = sizeof options,
                                        .parts = CRD_PROFILE_SMOOTH,
                                        .resamples = resamples };
  const crd_evaluate_options metrics = { .size = sizeof metrics, .metrics = "smece" };
  crd_predictions *predictions = NULL;
  const crd_profile *profile = NULL;
  const crd_result *result = NULL;
  demand(ctx, crd_predictions_create(ctx, &parts, &predictions));
  demand(ctx, crd_profile_make(ctx, predictions, &options, &profile));
  demand(ctx, crd_evaluate(ctx, predictions, &metrics, &result));
  const double width = fmax(result->values[0].value, 1e-3), count = (double)profile->smooth_count;
  for (size_t i = 0; i < profile->smooth_count; i++) {
    const crd_smooth_point *const at = &profile->smooth[i];
    const double right = truth(at->confidence);
    out->now += fabs(at->accuracy - right) / count;
    out->before +=
        fabs(kernel_regression(confidence, correct, rows, at->confidence, width) - right) / count;
    out->held += (at->low <= right && right <= at->high + 1e-4) / count;
  }
  crd_result_destroy(result);
  crd_profile_destroy(profile);
  crd_predictions_destroy(predictions);
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  if (argc != 4 || crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  const size_t rows = (size_t)atol(argv[1]);
  const unsigned repetitions = (unsigned)atoi(argv[2]), resamples = (unsigned)atoi(argv[3]);
  double *const confidence = malloc(rows * sizeof *confidence);
  unsigned char *const correct = malloc(rows);
  const bool enough = confidence && correct;
  if (enough)
    puts("| confidences | rows | mean error before | mean error now | band holds the truth |\n"
         "|---|--:|--:|--:|--:|");
  for (size_t s = 0; enough && s < SHAPES; s++) {
    score sum = { 0 };
    for (size_t t = 0; t < TRUTHS; t++)
      for (unsigned r = 0; r < repetitions; r++) {
        const uint64_t seed = 1 + r + 1000 * (t + TRUTHS * s);
        for (size_t i = 0; i < rows; i++) {
          confidence[i] = shapes[s].draw(seed, i);
          correct[i] = crd__random_uniform(seed, 20, i) < truths[t](confidence[i]);
        }
        compare(ctx, confidence, correct, rows, resamples, truths[t], &sum);
      }
    const double runs = TRUTHS * (double)repetitions;
    printf("| %s | %zu | %.4f | %.4f | %.1f %% |\n", shapes[s].name, rows, sum.before / runs,
           sum.now / runs, 100 * sum.held / runs);
    fflush(stdout);
  }
  free(confidence);
  free(correct);
  crd_context_destroy(ctx);
  return enough ? 0 : 1;
}

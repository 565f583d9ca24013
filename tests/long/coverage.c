/*
 * coverage.c -- how often a 95 % interval holds the truth:
 *   coverage ROWS REPETITIONS RESAMPLES [DEVIATION]
 *
 * Data sets are drawn from a model whose truth is known: four classes, logits normal with standard
 * deviation 1.5 (or DEVIATION: the larger, the higher the accuracy), labels drawn from the softmax
 * of the logits divided by 1.5, so that the model is too sure of itself. The truth is the value on
 * four million rows. Prints the table of docs/statistics.md.
 */
#include "base/random.h"
#include "credence/credence.h"
#include "metric/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 4, METRICS = 9, KINDS = 2 };
static const char *const wanted = "accuracy,confidence,ece,aece,brier,nll,auroc,fpr95,aurc";
static double deviation = 1.5;

static double normal(uint64_t seed, uint64_t index) { /* Box-Muller */
  const double u = 1 - crd__random_uniform(seed, 10, index);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * crd__random_uniform(seed, 11, index));
}

static void draw(uint64_t seed, size_t rows, float *scores, int32_t *labels) {
  for (size_t i = 0; i < rows; i++) {
    float *const z = scores + i * CLASSES;
    double p[CLASSES], sum = 0;
    for (size_t k = 0; k < CLASSES; k++) {
      z[k] = (float)(deviation * normal(seed, i * CLASSES + k));
      sum += p[k] = exp((double)z[k] / 1.5);
    }
    double left = sum * crd__random_uniform(seed, 12, i);
    labels[i] = 0;
    while (labels[i] + 1 < CLASSES && left >= p[labels[i]]) left -= p[labels[i]++];
  }
}

/* Results with either kind of interval, from the same resamples. */
static void measure(crd_context *ctx, uint64_t seed, size_t rows, unsigned resamples,
                    crd_result *out[KINDS]) {
  float *const scores = malloc(rows * CLASSES * sizeof *scores);
  int32_t *const labels = malloc(rows * sizeof *labels);
  crd_predictions *predictions = NULL;
  crd_evidence *evidence = NULL;
  draw(seed, rows, scores, labels);
  crd_context_set_seed(ctx, seed);
  const crd_predictions_parts parts = { .scores = crd_view_make(scores, CRD_F32, rows, CLASSES),
                                        .labels = crd_view_make(labels, CRD_I32, rows, 1),
                                        .input = CRD_INPUT_LOGITS };
  const crd_evaluate_options options = { .metrics = wanted, .resamples = resamples };
  crd_status status = crd_predictions_create(ctx, &parts, &predictions);
  if (status == CRD_OK) status = crd_evidence_create(ctx, &options, &evidence);
  if (status == CRD_OK) status = crd_evidence_add(ctx, evidence, predictions, 0);
  for (int kind = 0; kind < KINDS && status == CRD_OK; kind++) {
    evidence->interval = (crd_interval)kind;
    status = crd_evidence_judge(ctx, evidence, &out[kind]);
  }
  if (status != CRD_OK) {
    fprintf(stderr, "%s\n", crd_context_message(ctx));
    exit(1);
  }
  crd_evidence_destroy(evidence);
  crd_predictions_destroy(predictions);
  free(scores);
  free(labels);
}

typedef struct {
  double held, below, width, bias; /* share that holds the truth; that lies below it; means */
  const char *interval;            /* of a kind of its own */
} record;

static void count(const crd_result *truth, const crd_result *result, record *found) {
  for (size_t m = 0; m < METRICS; m++) {
    const double right = truth->values[m].value;
    const crd_metric_value *const v = &result->values[m];
    found[m].held += v->low <= right && right <= v->high;
    found[m].below += v->high < right;
    found[m].width += v->high - v->low;
    found[m].bias += v->value - right;
    found[m].interval = v->interval;
  }
}

static void repeat(crd_context *ctx, const crd_result *truth, size_t rows, unsigned repetitions,
                   unsigned resamples) {
  static const char *const words[] = { "corrected", "percentile" };
  record found[KINDS][METRICS];
  memset(found, 0, sizeof found);
  for (unsigned r = 0; r < repetitions; r++) {
    crd_result *results[KINDS];
    measure(ctx, 1000 + r, rows, resamples, results);
    for (int kind = 0; kind < KINDS; kind++) {
      count(truth, results[kind], found[kind]);
      crd_result_destroy(results[kind]);
    }
  }
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t m = 0; m < METRICS; m++) {
      const record *const f = &found[kind][m];
      printf("| %s | %zu | %s | %.5f | %+.5f | %.5f | %.1f %% | %.1f %% |\n",
             truth->values[m].metric->name, rows, f->interval ? f->interval : words[kind],
             truth->values[m].value, f->bias / repetitions, f->width / repetitions,
             100 * f->held / repetitions, 100 * f->below / repetitions);
    }
  fflush(stdout);
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  if (argc < 4 || argc > 5 || crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  if (argc == 5) deviation = atof(argv[4]);
  crd_result *truth[KINDS];
  measure(ctx, 1, 4000000, 0, truth);
  puts("| metric | rows | interval | truth | mean error of the estimate | mean width | holds the "
       "truth | "
       "lies below it |\n|---|--:|---|--:|--:|--:|--:|--:|");
  repeat(ctx, truth[0], (size_t)atol(argv[1]), (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]));
  for (int kind = 0; kind < KINDS; kind++) crd_result_destroy(truth[kind]);
  crd_context_destroy(ctx);
  return 0;
}

/*
 * coverage.c -- how often a 95 % interval contains the true value:
 *   coverage ROWS REPETITIONS RESAMPLES [DEVIATION [PATIENTS]]
 *
 * Data sets are drawn from a known distribution: four classes, logits normal with standard
 * deviation 1.5 (or DEVIATION: the larger, the higher the accuracy), labels drawn from the softmax
 * of the logits divided by 1.5, so that the model is overconfident. The true value is that of four
 * million rows. Prints the tables of docs/statistics.md.
 *
 * With PATIENTS, rows come from this many patients, 0.5 to 1.5 times the mean number from each, and
 * rows of a patient are correlated: half of the logits' variance is the patient's, and so is the
 * temperature by which they are divided, 1.5 exp(N(0, 0.7^2)). Each data set is then measured
 * twice, with a bootstrap of rows and with one of patients.
 */
#include "base/random.h"
#include "credence/credence.h"
#include "metric/evidence.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 4, METRICS = 9, KINDS = 2, UNITS = 2, TRUTH = 4000000 };

/* How a data set is drawn, and the bootstrap's unit. */
typedef struct {
  size_t rows, patients; /* 0 patients: rows are independent */
  bool clustered;
} design;
static const char *const wanted = "accuracy,confidence,ece,aece,brier,nll,auroc,fpr95,aurc";
static double deviation = 1.5;

static double normal(uint64_t seed, uint64_t index) { /* Box-Muller */
  const double u = 1 - crd__random_uniform(seed, 10, index);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * crd__random_uniform(seed, 11, index));
}

/* Assigns rows to patients, 0.5 to 1.5 times the mean number to each. */
static void share_out(uint64_t seed, design d, int32_t *patient) {
  const double mean = (double)d.rows / (double)d.patients;
  double end = 0;
  for (size_t i = 0, p = 0; i < d.rows; i++) {
    if ((double)i >= end) end += mean * (0.5 + crd__random_uniform(seed, 13, p++));
    patient[i] = (int32_t)p;
  }
}

static double logit(uint64_t seed, design d, const int32_t *patient, size_t row, size_t k) {
  const double own = normal(seed, row * CLASSES + k);
  if (d.patients == 0) return deviation * own;
  const uint64_t shared = (UINT64_C(1) << 40) + (uint64_t)patient[row] * CLASSES + k;
  return deviation * sqrt(0.5) * (own + normal(seed, shared));
}

static double temperature(uint64_t seed, design d, const int32_t *patient, size_t row) {
  if (d.patients == 0) return 1.5;
  return 1.5 * exp(0.7 * normal(seed, (UINT64_C(1) << 41) + (uint64_t)patient[row]));
}

static void draw(uint64_t seed, design d, const int32_t *patient, float *scores, int32_t *labels) {
  for (size_t i = 0; i < d.rows; i++) {
    float *const z = scores + i * CLASSES;
    const double divisor = temperature(seed, d, patient, i);
    double p[CLASSES], sum = 0;
    for (size_t k = 0; k < CLASSES; k++) {
      z[k] = (float)logit(seed, d, patient, i, k);
      sum += p[k] = exp((double)z[k] / divisor);
    }
    double left = sum * crd__random_uniform(seed, 12, i);
    labels[i] = 0;
    while (labels[i] + 1 < CLASSES && left >= p[labels[i]]) left -= p[labels[i]++];
  }
}

/* Measures with both kinds of interval, from the same resamples. */
static void measure(crd_context *ctx, uint64_t seed, design d, unsigned resamples,
                    const crd_result *out[KINDS]) {
  const size_t rows = d.rows;
  float *const scores = malloc(rows * CLASSES * sizeof *scores);
  int32_t *const labels = malloc(rows * sizeof *labels);
  int32_t *const patient = calloc(rows, sizeof *patient);
  crd_predictions *predictions = NULL;
  crd_evidence *evidence = NULL;
  if (d.patients) share_out(seed, d, patient);
  draw(seed, d, patient, scores, labels);
  crd_context_set_seed(ctx, seed);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F32, rows, CLASSES),
                                        .labels = crd_array_matrix(labels, CRD_I32, rows, 1),
                                        .input = CRD_INPUT_LOGITS,
                                        .groups = crd_array_matrix(patient, CRD_I32, rows, 1),
                                        .cluster = d.clustered ? "groups" : "none" };
  const crd_evaluate_options options = { .size = sizeof options,
                                         .metrics = wanted,
                                         .resamples = resamples };
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
  free(patient);
}

typedef struct {
  double held, below, width, bias; /* fraction that contains the truth; that is below it; means */
  const char *interval;            /* name of its own kind, if any */
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

static void repeat(crd_context *ctx, const crd_result *truth, design d, unsigned repetitions,
                   unsigned resamples) {
  static const char *const words[] = { "corrected", "percentile" };
  const char *const units[] = { d.patients ? "rows" : "", d.patients ? "patients" : "" };
  record found[KINDS][METRICS];
  memset(found, 0, sizeof found);
  for (unsigned r = 0; r < repetitions; r++) {
    const crd_result *results[KINDS];
    measure(ctx, 1000 + r, d, resamples, results);
    for (int kind = 0; kind < KINDS; kind++) {
      count(truth, results[kind], found[kind]);
      crd_result_destroy(results[kind]);
    }
  }
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t m = 0; m < METRICS; m++) {
      const record *const f = &found[kind][m];
      printf("| %s | %zu | %s%s%s | %.5f | %+.5f | %.5f | %.1f %% | %.1f %% |\n",
             truth->values[m].metric->name, d.patients ? d.patients : d.rows,
             f->interval ? f->interval : words[kind], d.patients ? ", bootstrap of " : "",
             units[d.clustered], truth->values[m].value, f->bias / repetitions,
             f->width / repetitions, 100 * f->held / repetitions, 100 * f->below / repetitions);
    }
  fflush(stdout);
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  if (argc < 4 || argc > 6 || crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  if (argc > 4) deviation = atof(argv[4]);
  const size_t rows = (size_t)atol(argv[1]), patients = argc > 5 ? (size_t)atol(argv[5]) : 0;
  const crd_result *truth[KINDS];
  measure(ctx, 1, (design){ TRUTH, patients * (TRUTH / rows), false }, 0, truth);
  printf("| metric | %s | interval | truth | mean error of the estimate | mean width | holds the "
         "truth | "
         "lies below it |\n|---|--:|---|--:|--:|--:|--:|--:|\n",
         patients ? "patients" : "rows");
  for (int unit = 0; unit < (patients ? UNITS : 1); unit++)
    repeat(ctx, truth[0], (design){ rows, patients, unit == 1 }, (unsigned)atoi(argv[2]),
           (unsigned)atoi(argv[3]));
  for (int kind = 0; kind < KINDS; kind++) crd_result_destroy(truth[kind]);
  crd_context_destroy(ctx);
  return 0;
}

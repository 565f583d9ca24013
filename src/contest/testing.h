/* testing.h -- predictions that are miscalibrated in a known way, for tests of contests. */
#ifndef CRD_CONTEST_TESTING_H
#define CRD_CONTEST_TESTING_H

#include "support.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

enum { CLASSES = 4 };

/* Logits z with labels drawn from softmax(z) are calibrated; then z is distorted in a known way. */
typedef struct {
  size_t rows;
  uint64_t seed;
  double scale;  /* all logits are multiplied by this afterwards */
  double offset; /* added to class 0 afterwards */
  double power;  /* > 0: logits are raised to it afterwards, keeping their signs */
} recipe;

typedef struct {
  double *scores;
  int64_t *labels;
  crd_predictions *predictions;
} sample;

static double uniform(uint64_t seed, uint64_t i) {
  return ((double)(crd__random_bits(seed, 7, i) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t seed, uint64_t i) {
  return sqrt(-2 * log(uniform(seed, 2 * i))) * cos(6.283185307179586 * uniform(seed, 2 * i + 1));
}

static int64_t draw_label(const double *z, double u) {
  double mass = 0, sum = 0;
  for (size_t k = 0; k < CLASSES; k++) mass += exp(z[k]);
  for (size_t k = 0; k + 1 < CLASSES; k++) {
    sum += exp(z[k]) / mass;
    if (u < sum) return (int64_t)k;
  }
  return CLASSES - 1;
}

static sample make(crd_context *ctx, recipe r) {
  sample s = { .scores = calloc(r.rows * CLASSES, sizeof *s.scores),
               .labels = calloc(r.rows, sizeof *s.labels) };
  for (size_t i = 0; i < r.rows; i++) {
    double *const z = s.scores + i * CLASSES;
    for (size_t k = 0; k < CLASSES; k++) z[k] = 2 * normal(r.seed, i * CLASSES + k);
    s.labels[i] = draw_label(z, uniform(r.seed + 1, i));
    for (size_t k = 0; k < CLASSES; k++)
      z[k] = r.scale * (r.power > 0 ? copysign(pow(fabs(z[k]), r.power), z[k]) : z[k]);
    z[0] += r.offset;
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores =
                                            crd_array_matrix(s.scores, CRD_F64, r.rows, CLASSES),
                                        .labels = crd_array_matrix(s.labels, CRD_I64, r.rows, 1),
                                        .input = CRD_INPUT_LOGITS };
  if (crd_predictions_create(ctx, &parts, &s.predictions) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return s;
}

static void drop(sample *s) {
  crd_predictions_destroy(s->predictions);
  free(s->scores);
  free(s->labels);
}

#endif

/* testing.h -- confidences and whether they are right, as predictions. */
#ifndef CRD_SELECTIVE_TESTING_H
#define CRD_SELECTIVE_TESTING_H

#include "base/random.h"
#include "selective/sample.h"
#include "support.h"

#include <math.h>

enum { TEST_ROWS = 4000 };

typedef struct {
  size_t rows;
  double confidence[TEST_ROWS];
  unsigned char correct[TEST_ROWS];
  double weights[TEST_ROWS];
  int64_t patient[TEST_ROWS];
  bool weighted, clustered;
} test_rows;

static crd_predictions *open_rows(crd_context *ctx, const test_rows *t) {
  const crd_group_column patient = { .name = "patient",
                                     .ids = crd_array_matrix(t->patient, CRD_I64, t->rows, 1) };
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(t->confidence, CRD_F64, t->rows, 1),
                                  .correct = crd_array_matrix(t->correct, CRD_U8, t->rows, 1),
                                  .input = CRD_INPUT_PAIRS,
                                  .name = "rows" };
  crd_predictions *p = NULL;
  if (t->weighted) parts.weights = crd_array_matrix(t->weights, CRD_F64, t->rows, 1);
  if (t->clustered) {
    parts.group_columns = &patient;
    parts.group_column_count = 1;
  }
  if (crd_predictions_create(ctx, &parts, &p) != CRD_OK) fail_msg("%s", crd_context_message(ctx));
  return p;
}

/* Rows whose confidence is uniform and which are wrong with the probability a (1 - confidence), so
 * that the risk above a threshold t is a (1 - t) / 2; confidences are multiples of `grain`. */
static void draw_rows(test_rows *t, size_t rows, double a, double grain, uint64_t seed) {
  t->rows = rows;
  for (size_t i = 0; i < rows; i++) {
    const double c = crd__random_uniform(seed, 1, i);
    t->correct[i] = crd__random_uniform(seed, 2, i) >= a * (1 - c);
    t->confidence[i] = grain > 0 ? ceil(c / grain) * grain : c;
    t->weights[i] = (double)(crd__random_bits(seed, 3, i) % 4);
    t->patient[i] = (int64_t)(i / 10);
  }
}

static const crd_operating_table *find_points(crd_context *ctx, const test_rows *t,
                                              const crd_target *targets, size_t count,
                                              crd_guarantee guarantee) {
  const crd_operating_options options = { .size = sizeof options,
                                          .targets = targets,
                                          .target_count = count,
                                          .guarantee = guarantee,
                                          .resamples = 200 };
  const crd_operating_table *out = NULL;
  crd_predictions *const p = open_rows(ctx, t);
  if (crd_operating_find(ctx, p, &options, &out) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return out;
}

#endif

/* operating_test.c -- allocations fail while operating points are found, applied and written. */
#include "fault/sweep.h"

#include <stdio.h>

enum { ROWS = 60 };

/* The predictions and the guarantee of a sweep. */
typedef struct {
  crd_predictions_parts parts;
  crd_guarantee guarantee;
} subject;

static crd_status find(crd_context *ctx, const subject *s, const crd_predictions *p) {
  static const crd_target targets[] = { { CRD_TARGET_RISK, 0.3 },
                                        { CRD_TARGET_COVERAGE, 0.5 },
                                        { CRD_TARGET_RISK, 0.001 } };
  const crd_operating_options options = { .size = sizeof options,
                                          .targets = targets,
                                          .target_count = 3,
                                          .guarantee = s->guarantee,
                                          .resamples = 8 };
  const crd_operating_table *table = (crd_operating_table *)ctx, *other = NULL;
  char path[256];
  crd_status status = crd_operating_find(ctx, p, &options, &table);
  assert_true((status == CRD_OK) == (table != NULL));
  if (status != CRD_OK) return status;
  status = crd_operating_apply(ctx, table, p, 8, &other);
  assert_true((status == CRD_OK) == (other != NULL));
  temporary_path(path, "operating.npz");
  if (status == CRD_OK) status = crd_operating_save(ctx, table, p, path);
  remove(path);
  crd_operating_destroy(other);
  crd_operating_destroy(table);
  return status;
}

static crd_status open_and_find(crd_context *ctx, const void *what) {
  const subject *const s = what;
  crd_predictions *p = NULL;
  crd_status status = crd_predictions_create(ctx, &s->parts, &p);
  if (status == CRD_OK) status = find(ctx, s, p);
  crd_predictions_destroy(p);
  return status;
}

static void points_are_found(void **state) {
  static double scores[2 * ROWS];
  static int64_t labels[ROWS], patients[ROWS];
  const crd_group_column patient = { .name = "patient",
                                     .ids = crd_array_matrix(patients, CRD_I64, ROWS, 1) };
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    scores[2 * i] = 0.01 * (double)i;
    labels[i] = i % 7 == 0;
    patients[i] = (int64_t)(i / 5);
  }
  for (size_t i = 0; i < 4; i++) {
    subject s = { .parts = { .size = sizeof s.parts,
                             .scores = crd_array_matrix(scores, CRD_F64, ROWS, 2),
                             .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                             .input = CRD_INPUT_LOGITS },
                  .guarantee = i % 2 ? CRD_GUARANTEE_BOOTSTRAP : CRD_GUARANTEE_HELD_OUT };
    if (i >= 2) {
      s.parts.group_columns = &patient;
      s.parts.group_column_count = 1;
    }
    sweep(open_and_find, &s, "operating points");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(points_are_found) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* trust_test.c -- TrustScores are fitted, calibrated, written and opened while every allocation
 * fails once. */
#include "fault/sweep.h"

#include "credence/refine.h"

static crd_status score(crd_context *ctx, const void *settings) {
  const crd_trust_rows rows = { .size = sizeof rows,
                                .features = data_features(&data),
                                .labels = crd_array_matrix(data.labels, CRD_I64, data.rows, 1) };
  crd_trust *trust = NULL, *opened = NULL;
  crd_calibrator *isotonic = NULL;
  crd_predictions *p = NULL;
  char path[256];
  temporary_path(path, "fault-trust.npz");
  crd_status status = crd_trust_fit(ctx, &rows, settings, &trust);
  assert_true((status == CRD_OK) == (trust != NULL));
  if (status == CRD_OK) status = create(ctx, &p);
  if (status == CRD_OK) {
    status = crd_trust_calibrate(ctx, trust, p, &isotonic);
    assert_true((status == CRD_OK) == (isotonic != NULL));
  }
  if (status == CRD_OK) {
    status = crd_trust_apply_to(ctx, trust, isotonic, p, path);
    assert_true((status == CRD_OK) == (access(path, F_OK) == 0));
  }
  unlink(path);
  if (status == CRD_OK) {
    status = crd_trust_open(ctx, folder_file, settings, &opened);
    assert_true((status == CRD_OK) == (opened != NULL));
  }
  crd_trust_destroy(opened);
  crd_predictions_destroy(p);
  crd_calibrator_destroy(isotonic);
  crd_trust_destroy(trust);
  return status;
}

static void scores_survive(void **state) {
  (void)state;
  FILE *const file = fopen(folder_file, "w");
  for (size_t i = 0; i < 6; i++)
    fprintf(file, "{\"features\": [%zu, 2], \"label\": %zu}\n", i, i % 2);
  fclose(file);
  sweep(score, NULL, "trust");
  sweep(score, "alpha=0.3", "filtered trust");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(scores_survive) };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

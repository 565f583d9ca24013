/* calibrate.c -- load logits, fit a temperature, apply it, print the first rows.
 *
 *   cc calibrate.c $(pkg-config --cflags --libs credence) -o calibrate
 *   ./calibrate validation.npz test.npz
 */
#include <credence/credence.h>

#include <stdio.h>
#include <stdlib.h>

/* Prints the calibrated probabilities of the first rows, at most three. */
static crd_status print_rows(crd_context *ctx, const crd_calibrator *calibrator,
                             const crd_predictions *fresh) {
  const size_t all = crd_predictions_rows(fresh), rows = all < 3 ? all : 3;
  const size_t classes = crd_predictions_classes(fresh);
  if (classes == 0) return crd_context_fail(ctx, CRD_EUSAGE, "expected scores of all classes");
  double *const p = calloc(rows * classes, sizeof *p);
  if (!p) return crd_context_fail(ctx, CRD_ENOMEM, "no memory for probabilities");
  const crd_status status = crd_calibrator_apply(ctx, calibrator, fresh, 0, rows, p, NULL, NULL);
  for (size_t i = 0; status == CRD_OK && i < rows; i++)
    for (size_t k = 0; k < classes; k++)
      printf("%.6f%c", p[i * classes + k], k + 1 < classes ? ' ' : '\n');
  free(p);
  return status;
}

static crd_status calibrate(crd_context *ctx, const char *fit, const char *use) {
  crd_predictions *known = NULL, *fresh = NULL;
  crd_calibrator *calibrator = NULL;
  crd_status status = crd_predictions_open(ctx, fit, NULL, &known);
  if (status == CRD_OK) status = crd_predictions_open(ctx, use, NULL, &fresh);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, "temperature", NULL, known, &calibrator);
  if (status == CRD_OK) printf("T = %.6f\n", crd_calibrator_learnt(calibrator, 0)->values[0]);
  if (status == CRD_OK) status = print_rows(ctx, calibrator, fresh);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(fresh);
  crd_predictions_destroy(known);
  return status;
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  if (argc != 3 || crd_context_create(NULL, &ctx) != CRD_OK) return 2;
  const crd_status status = calibrate(ctx, argv[1], argv[2]);
  if (status != CRD_OK) fprintf(stderr, "%s\n", crd_context_message(ctx));
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}

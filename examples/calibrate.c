/* calibrate.c -- load logits, fit a temperature, apply it, print the first rows.
 *
 *   cc calibrate.c $(pkg-config --cflags --libs credence) -o calibrate
 *   ./calibrate validation.npz test.npz
 */
#include <credence/credence.h>

#include <stdio.h>

static crd_status calibrate(crd_context *ctx, const char *fit, const char *use) {
  crd_predictions *known = NULL, *fresh = NULL;
  crd_calibrator *calibrator = NULL;
  double p[3 * 1000];
  crd_status status = crd_predictions_open(ctx, fit, NULL, &known);
  if (status == CRD_OK) status = crd_predictions_open(ctx, use, NULL, &fresh);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, "temperature", NULL, known, &calibrator);
  if (status == CRD_OK) status = crd_calibrator_apply(ctx, calibrator, fresh, 0, 3, p, NULL, NULL);
  if (status == CRD_OK) printf("T = %.6f\n", crd_calibrator_learnt(calibrator, 0)->values[0]);
  for (size_t i = 0; status == CRD_OK && i < 3; i++)
    printf("%.6f %.6f\n", p[i * crd_predictions_classes(fresh)],
           p[i * crd_predictions_classes(fresh) + 1]);
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

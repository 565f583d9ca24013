/* losses.c -- helpers for tests of losses. */
#include "losses.h"

#include <string.h>

double loss_of(crd_context *ctx, const char *expression, const crd_loss_options *options,
               small_batch b, double *gradient) {
  const crd_array logits = crd_array_matrix(b.logits, CRD_F64, b.rows, b.classes);
  crd_targets targets = { .size = sizeof targets,
                          .labels = b.shares
                                        ? crd_array_matrix(b.shares, CRD_F64, b.rows, b.classes)
                                        : crd_array_matrix(b.labels, CRD_I64, b.rows, 1) };
  crd_loss *loss = NULL;
  crd_loss_value value = { 0 };
  if (b.weights) targets.weights = crd_array_matrix(b.weights, CRD_F64, b.rows, 1);
  if (crd_loss_create(ctx, expression, options, &loss) != CRD_OK ||
      crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient) != CRD_OK)
    fail_msg("%s: %s", expression, crd_context_message(ctx));
  crd_loss_destroy(loss);
  return value.value;
}

void expect_refused(crd_context *ctx, const char *expression, const crd_loss_options *options,
                    const char *part) {
  crd_loss *loss = NULL;
  assert_int_equal(crd_loss_create(ctx, expression, options, &loss), CRD_EUSAGE);
  assert_null(loss);
  if (!strstr(crd_context_message(ctx), part))
    fail_msg("%s: '%s' does not contain '%s'", expression, crd_context_message(ctx), part);
}

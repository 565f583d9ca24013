/* loss.c -- a training loss for any trainer: value and gradient of a batch of logits.
 *
 *   cc loss.c $(pkg-config --cflags --libs credence) -o loss
 *
 * Backpropagation continues from `gradient`, the gradient with respect to the logits.
 */
#include <credence/credence.h>

#include <stdio.h>

static const float logits[2][3] = { { 2.0f, 0.5f, -1.0f }, { 0.3f, 1.9f, 0.2f } };
static const int64_t labels[2] = { 0, 2 };

/* The loss is created once and serves every batch, from many threads at once. */
static crd_status step(crd_context *ctx, const crd_loss *loss) {
  const crd_array batch = crd_array_matrix(logits, CRD_F32, 2, 3);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(labels, CRD_I64, 2, 1) };
  crd_loss_value value;
  float gradient[2][3];
  const crd_status status = crd_loss_evaluate(ctx, loss, &batch, &targets, &value, gradient);
  if (status != CRD_OK) return status;
  printf("value %.6f = %.6f + 10 * %.6f\n", value.value, value.terms[0], value.terms[1]);
  for (size_t i = 0; i < 2; i++)
    printf("%9.6f %9.6f %9.6f\n", (double)gradient[i][0], (double)gradient[i][1],
           (double)gradient[i][2]);
  return CRD_OK;
}

int main(void) {
  crd_context *ctx = NULL;
  crd_loss *loss = NULL;
  crd_status status = crd_context_create(NULL, &ctx);
  if (status == CRD_OK) status = crd_loss_create(ctx, "ce + 10*dca", NULL, &loss);
  if (status == CRD_OK) status = step(ctx, loss);
  if (status != CRD_OK) fprintf(stderr, "%s\n", ctx ? crd_context_message(ctx) : "no memory");
  crd_loss_destroy(loss);
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}

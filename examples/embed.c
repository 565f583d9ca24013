/* embed.c -- evaluate predictions in memory: a complete program.
 *
 *   cc embed.c $(pkg-config --cflags --libs credence) -o embed
 */
#include <credence/credence.h>

#include <stdio.h>

static const float logits[6][3] = { { 2.0f, 0.1f, -1.0f }, { 0.3f, 1.9f, 0.2f },
                                    { 0.9f, 1.0f, 0.8f },  { -1.0f, 0.0f, 3.0f },
                                    { 1.5f, 1.4f, 0.0f },  { 0.0f, 2.5f, 0.5f } };
static const int32_t labels[6] = { 0, 1, 2, 2, 0, 1 };

static crd_status judge(crd_context *ctx) {
  crd_predictions_parts parts = { .size = sizeof parts,
                                  .scores = crd_array_matrix(logits, CRD_F32, 6, 3),
                                  .labels = crd_array_matrix(labels, CRD_I32, 6, 1),
                                  .input = CRD_INPUT_LOGITS };
  crd_evaluate_options options = { .size = sizeof options, .metrics = "accuracy,confidence,ece" };
  crd_predictions *predictions = NULL;
  const crd_result *result = NULL;
  crd_status status = crd_predictions_create(ctx, &parts, &predictions);
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &options, &result);
  for (size_t i = 0; result && i < result->value_count; i++)
    printf("%-10s %.6f\n", result->values[i].metric->name, result->values[i].value);
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status;
}

int main(void) {
  crd_context *ctx = NULL;
  crd_status status = crd_context_create(NULL, &ctx);
  if (status == CRD_OK) status = judge(ctx);
  if (status != CRD_OK) fprintf(stderr, "%s\n", ctx ? crd_context_message(ctx) : "no memory");
  crd_context_destroy(ctx);
  return crd_status_exit_code(status);
}

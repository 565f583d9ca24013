/*
 * loss.c -- any bytes as the expression of a loss: a valid one is rebuilt from its terms, parsed
 * again, and evaluates to numbers.
 */
#include "fuzz.h"

#include "loss/loss.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4, CLASSES = 3 };

static void evaluate(crd_context *ctx, const crd_loss *loss) {
  static const double z[ROWS * CLASSES] = { 1, 0, -1, 5, 5, 0, 1e4, -1e4, 0, 0.5, 0.25, 2 };
  static const double history[ROWS] = { 0, 1, 2, 2 };
  static const int64_t labels[ROWS] = { 0, 2, 0, 1 };
  double gradient[ROWS * CLASSES];
  crd_loss_value value;
  const crd_array logits = crd_array_matrix(z, CRD_F64, ROWS, CLASSES);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                .history = crd_array_matrix(history, CRD_F64, ROWS, 1),
                                .epochs = 3 };
  const crd_status status = crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient);
  HOLDS(status == CRD_OK ||
        crd_context_message(ctx)[0]); /* for instance a list for another number of classes */
  for (size_t i = 0; status == CRD_OK && i < value.term_count; i++) HOLDS(!isnan(value.terms[i]));
  for (size_t i = 0; status == CRD_OK && i < ROWS * CLASSES; i++) HOLDS(!isnan(gradient[i]));
}

/* Each term alone, as written in the expression. */
static void check_terms(crd_context *ctx, const crd_loss *loss, const crd_loss_options *options) {
  HOLDS(crd_loss_term_count(loss) > 0 && crd_loss_term_count(loss) <= CRD_LOSS_TERMS_MAX);
  for (size_t i = 0; i < crd_loss_term_count(loss); i++) {
    crd_loss *again = NULL;
    HOLDS(isfinite(loss->parts[i].factor));
    HOLDS(crd_loss_create(ctx, crd_loss_term(loss, i), options, &again) == CRD_OK);
    HOLDS(crd_loss_term_count(again) == 1);
    HOLDS(strcmp(crd_loss_term(again, 0), crd_loss_term(loss, i)) == 0);
    crd_loss_destroy(again);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const double counts[CLASSES] = { 10, 20, 30 };
  crd_context *ctx;
  crd_loss *loss = NULL;
  char *const expression = calloc(length + 1, 1);
  HOLDS(expression && crd_context_create(NULL, &ctx) == CRD_OK);
  if (length) memcpy(expression, bytes, length);
  crd_context_set_threads(ctx, 1);
  for (int negative = 0; negative < 2; negative++) {
    const crd_loss_options options = {
      .size = sizeof options, .allow_negative = negative, .classes = CLASSES, .class_counts = counts
    };
    const crd_status status = crd_loss_create(ctx, expression, &options, &loss);
    HOLDS((status == CRD_OK) == (loss != NULL));
    HOLDS(status == CRD_OK || (status == CRD_EUSAGE && crd_context_message(ctx)[0]));
    HOLDS(negative || !loss || !crd_loss_note(loss, 0));
    if (loss) check_terms(ctx, loss, &options);
    if (loss) evaluate(ctx, loss);
    crd_loss_destroy(loss);
  }
  crd_context_destroy(ctx);
  free(expression);
  return 0;
}

/* losses.h -- helpers for tests of losses: value and gradient of a small batch, given as arrays. */
#ifndef CRD_TESTS_LOSSES_H
#define CRD_TESTS_LOSSES_H

#include "support.h"

typedef struct {
  size_t rows, classes;
  const double *logits;
  const int64_t *labels;
  const double *shares;  /* rows x classes, instead of labels; NULL: labels */
  const double *weights; /* NULL: all 1 */
} small_batch;

/* Returns the loss; fails the test if the library fails. `gradient` may be NULL. */
double loss_of(crd_context *ctx, const char *expression, const crd_loss_options *options,
               small_batch batch, double *gradient);

/* Fails the test unless creating the loss fails with a message that contains `part`. */
void expect_refused(crd_context *ctx, const char *expression, const crd_loss_options *options,
                    const char *part);

#endif

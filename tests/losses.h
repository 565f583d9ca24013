/* losses.h -- for tests of losses: value and gradient of a small batch, given as arrays. */
#ifndef CRD_TESTS_LOSSES_H
#define CRD_TESTS_LOSSES_H

#include "support.h"

typedef struct {
  size_t rows, classes;
  const double *logits;
  const int64_t *labels;
  const double *shares;  /* rows x classes, in place of labels; NULL: labels */
  const double *weights; /* NULL: all 1 */
} small_batch;

/* The value; fails the test when the library refuses. `gradient` may be NULL. */
double loss_of(crd_context *ctx, const char *expression, const crd_loss_options *options,
               small_batch batch, double *gradient);

/* Creation fails, and says this. */
void expect_refused(crd_context *ctx, const char *expression, const crd_loss_options *options,
                    const char *part);

#endif

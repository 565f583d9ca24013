/* logistic.h -- logistic regression with few features, to full precision. */
#ifndef CRD_CALIBRATOR_LOGISTIC_H
#define CRD_CALIBRATOR_LOGISTIC_H

#include "base/context.h"
#include "credence/calibrator.h"

enum { CRD__FEATURES_MAX = 3 };

/* The objective sum_i w_i [t_i log(1 + exp(-u_i)) + (1 - t_i) log(1 + exp(u_i))] / n with
 * u_i = x_i . theta. */
typedef struct {
  size_t rows, features;
  const double *x;       /* rows x features */
  const double *targets; /* in [0, 1] */
  const double *weights;
} crd__calibrator_logistic;

/* Minimises from `theta` on; sets the certificate's objective, gradient, iterations, converged. */
crd_status crd__calibrator_logistic_fit(crd_context *ctx, const crd__calibrator_logistic *problem,
                                        double *theta, crd_certificate *certificate);

#endif

/* temperature.h -- the best temperature for given logits, and the quality of predictions. */
#ifndef CRD_CLAMP_TEMPERATURE_H
#define CRD_CLAMP_TEMPERATURE_H

#include "clamp/pass.h"

/* Makes the focal loss, or the cross-entropy for gamma 0; losses of rows are summed. */
crd_status crd__clamp_make_loss(crd_context *ctx, double gamma, crd_loss **out);
/* Fits the temperature to the logits of the last evaluation, by the method `temperature` (gamma 0)
 * or `temperature-focal`. */
crd_status crd__clamp_temperature(crd_context *ctx, const crd__clamp_pass *pass, double gamma,
                                  double *temperature);
/* Computes the mean loss of these logits at a temperature. */
crd_status crd__clamp_loss(crd_context *ctx, const crd__clamp_pass *pass, double temperature,
                           double *value);
/* Evaluates these logits at a temperature. */
crd_status crd__clamp_quality(crd_context *ctx, const crd__clamp_pass *pass, double temperature,
                              crd_clamp_quality *out);
/* Sets the negative log-likelihood of each row. */
void crd__clamp_row_nll(const crd__clamp_pass *pass, double temperature, double *out);
/* Returns the residual of Lemma 3.1: the mean of z_y - q.z, q = softmax(z / T). */
double crd__clamp_residual(const crd__clamp_pass *pass, double temperature);

#endif

/*
 * compat.h -- reproduces the fits of other implementations, which stop before the optimum or
 * minimise another objective.
 *
 * A method supports it by a setting `compat` whose words are the names of the entries that list the
 * method; the frame then calls the entry's fit instead of the method's own.
 */
#ifndef CRD_CALIBRATOR_COMPAT_H
#define CRD_CALIBRATOR_COMPAT_H

#include "calibrator/method.h"

typedef struct crd__calibrator_compat crd__calibrator_compat;
struct crd__calibrator_compat {
  crd_fit_convention info;
  crd_status (*fit)(crd_context *ctx, const crd__calibrator_compat *self,
                    const crd__calibrator_method *method, const crd__calibrator_fit_data *data,
                    crd__calibrator_fitted *out);
  const char *implies; /* other settings, "name=value,..."; NULL: none */
  unsigned steps;      /* limit on iterations, where that determines the result */
  const char *clips;   /* methods for which it clips probabilities itself; NULL: none */
  bool sum;            /* gradient descent on the sum over the rows, not the mean */
};

typedef struct {
  size_t count;
  const crd__calibrator_compat *rows;
} crd__calibrator_compats;

#define COMPAT(name) extern const crd__calibrator_compats crd__calibrator_compat_##name;
#include "calibrator/compat/list.h"
#undef COMPAT

/* Returns the entry that the settings choose; NULL: the method's own fit. */
const crd__calibrator_compat *crd__calibrator_compat_chosen(const crd_method_info *method,
                                                            const double *settings);
/* Returns whether it clips probabilities itself, so that no floor is fitted. */
bool crd__calibrator_compat_clips(const crd__calibrator_compat *self,
                                  const crd_method_info *method);
/* EUSAGE, naming the methods it supports, if the entry `name` does not support this method. */
crd_status crd__calibrator_compat_check(crd_context *ctx, const crd_method_info *method,
                                        const char *name, size_t length);

/* Returns whether the largest derivative is so small that these packages would stop there. */
bool crd__calibrator_compat_is_optimal(double derivative);
/* Computes the mean negative log-likelihood of softmax(b z) and its derivative with respect to b;
 * b may be negative. */
crd_status crd__calibrator_compat_evaluate(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           double b, double *value, double *slope);
/* Finishes a fit that ended at this temperature: learns it, with a certificate that compares it
 * with the optimum. ENUMERIC if it is not positive and finite. */
crd_status crd__calibrator_compat_temperature(crd_context *ctx, const crd__calibrator_compat *self,
                                              const crd__calibrator_fit_data *data,
                                              double temperature, unsigned iterations,
                                              crd__calibrator_fitted *out);

#endif

/*
 * compat.h -- fits as others would have done them: what they return where it is not the optimum of
 * what they minimise, or minimises something else.
 *
 * A method takes part by a setting `compat` with the names of the rows that name it; the frame then
 * calls the row's fit instead of the method's own.
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
  unsigned steps;      /* how many it takes, where that decides */
  const char *clips;   /* methods for which it clips probabilities by itself; NULL: none */
  bool sum;            /* it steps down the sum over the rows, not the mean */
};

typedef struct {
  size_t count;
  const crd__calibrator_compat *rows;
} crd__calibrator_compats;

#define COMPAT(name) extern const crd__calibrator_compats crd__calibrator_compat_##name;
#include "calibrator/compat/list.h"
#undef COMPAT

/* What the settings ask for; NULL: the method's own fit. */
const crd__calibrator_compat *crd__calibrator_compat_chosen(const crd_method_info *method,
                                                            const double *settings);
/* Are probabilities clipped there, so that no floor is to be fitted? */
bool crd__calibrator_compat_clips(const crd__calibrator_compat *self,
                                  const crd_method_info *method);
/* EUSAGE, with the methods that have it, where `name` is for others; else OK. */
crd_status crd__calibrator_compat_check(crd_context *ctx, const crd_method_info *method,
                                        const char *name, size_t length);

/* The mean negative log-likelihood at softmax(b z) and its derivative by b, for b below 0 too. */
crd_status crd__calibrator_compat_look(crd_context *ctx, const crd__calibrator_fit_data *data,
                                       double b, double *value, double *slope);
/* A fit that ended at this temperature: learnt, with a certificate that compares it with the
 * optimum. ENUMERIC where it is no temperature. */
crd_status crd__calibrator_compat_temperature(crd_context *ctx, const crd__calibrator_compat *self,
                                              const crd__calibrator_fit_data *data,
                                              double temperature, unsigned iterations,
                                              crd__calibrator_fitted *out);

#endif

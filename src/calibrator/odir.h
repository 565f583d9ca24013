/* odir.h -- off-diagonal and intercept regularisation (ODIR), for matrix-odir and dirichlet-odir,
 * which differ in their input. */
#ifndef CRD_CALIBRATOR_ODIR_H
#define CRD_CALIBRATOR_ODIR_H

#include "calibrator/affine.h"

enum { CRD__ODIR_LAMBDA, CRD__ODIR_MU, CRD__ODIR_CONVENTION, CRD__ODIR_COMPAT, CRD__ODIR_SETTINGS };
enum { CRD__ODIR_MEAN, CRD__ODIR_SUM }; /* values of the setting `odir` */
extern const crd_setting_info crd__calibrator_odir_settings[CRD__ODIR_SETTINGS];
extern const crd__calibrator_learns crd__calibrator_odir_learns[];
crd_status crd__calibrator_odir_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                    crd__calibrator_fitted *out);
/* Applies one model, or the average of several; the latter clip logits below `floor`. */
void crd__calibrator_odir_apply(const crd__calibrator_model *model, double floor,
                                const double *logits, size_t rows, double *out);
crd_status crd__calibrator_odir_describe(crd_context *ctx, const crd__calibrator_model *model,
                                         crd__calibrator_map *out);

/* ---- Choosing lambda by cross-validation, also for compat/. */

typedef struct {
  const double *values; /* in descending order */
  size_t count;
  size_t patience; /* stop after this many consecutive values worse than the best */
} crd__calibrator_odir_grid;

typedef struct {
  crd__calibrator_affine *a;
  size_t folds;
  unsigned *fold; /* of each row */
  double *weights;
  double *thetas; /* of each fold, as warm starts from one lambda to the next */
  double *gradient;
} crd__calibrator_odir_folds;

/* Assigns the folds. Must be cleared, also after failure, which restores the weights of `a`. */
crd_status crd__calibrator_odir_folds_create(crd_context *ctx, crd__calibrator_affine *a,
                                             crd__calibrator_odir_folds *v);
void crd__calibrator_odir_folds_clear(crd_context *ctx, crd__calibrator_odir_folds *v);
/* Sets the weights of `a` to the rows of a fold (`held`), or to all others. */
void crd__calibrator_odir_weigh(crd__calibrator_odir_folds *v, size_t fold, bool held);
/* Sets the penalties of `a` for a lambda, according to the settings. */
void crd__calibrator_odir_punish(crd__calibrator_affine *a, double lambda);
double crd__calibrator_odir_mu(const crd__calibrator_fit_data *data, double lambda);
/* Sets *lambda to the value of the grid with the smallest held-out loss. */
crd_status crd__calibrator_odir_choose(crd_context *ctx, crd__calibrator_odir_folds *v,
                                       const crd__calibrator_odir_grid *grid, double *lambda);
/* Prepends the chosen lambda to the certificate's note. */
void crd__calibrator_odir_note(crd__calibrator_fitted *out, double lambda,
                               const crd__calibrator_odir_grid *grid);

#endif

/* odir.h -- a matrix with a penalty off its diagonal and on its offsets (ODIR), for the methods
 * that differ in what they read. */
#ifndef CRD_CALIBRATOR_ODIR_H
#define CRD_CALIBRATOR_ODIR_H

#include "calibrator/affine.h"

enum { CRD__ODIR_LAMBDA, CRD__ODIR_MU, CRD__ODIR_CONVENTION, CRD__ODIR_COMPAT, CRD__ODIR_SETTINGS };
enum { CRD__ODIR_MEAN, CRD__ODIR_SUM }; /* the convention's words */
extern const crd_setting_info crd__calibrator_odir_settings[CRD__ODIR_SETTINGS];
extern const crd__calibrator_learns crd__calibrator_odir_learns[];
crd_status crd__calibrator_odir_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                    crd__calibrator_fitted *out);
/* One model, or the average of several; these read no logit below `floor`. */
void crd__calibrator_odir_apply(const crd__calibrator_model *model, double floor,
                                const double *logits, size_t rows, double *out);
crd_status crd__calibrator_odir_describe(crd_context *ctx, const crd__calibrator_model *model,
                                         crd__calibrator_map *out);

/* ---- Choosing lambda by cross-validation, for fits that do it in their own ways. */

typedef struct {
  const double *values; /* from the strongest down */
  size_t count;
  size_t patience; /* after so many in a row that were worse than the best, no more is tried */
} crd__calibrator_odir_grid;

typedef struct {
  crd__calibrator_affine *a;
  size_t folds;
  unsigned *fold; /* of each row */
  double *weights;
  double *thetas; /* of each fold, from one lambda to the next */
  double *gradient;
} crd__calibrator_odir_folds;

/* To be cleared, also after a failure; that gives `a` its own weights again. */
crd_status crd__calibrator_odir_folds_create(crd_context *ctx, crd__calibrator_affine *a,
                                             crd__calibrator_odir_folds *v);
void crd__calibrator_odir_folds_clear(crd_context *ctx, crd__calibrator_odir_folds *v);
/* The rows of a fold, or all others. */
void crd__calibrator_odir_weigh(crd__calibrator_odir_folds *v, size_t fold, bool held);
/* The penalties of a lambda, by the settings. */
void crd__calibrator_odir_punish(crd__calibrator_affine *a, double lambda);
double crd__calibrator_odir_mu(const crd__calibrator_fit_data *data, double lambda);
/* The best of the grid for rows that are held out. */
crd_status crd__calibrator_odir_choose(crd_context *ctx, crd__calibrator_odir_folds *v,
                                       const crd__calibrator_odir_grid *grid, double *lambda);
/* What was chosen, before what else there is to say. */
void crd__calibrator_odir_note(crd__calibrator_fitted *out, double lambda,
                               const crd__calibrator_odir_grid *grid);

#endif

/* odir.h -- a matrix with a penalty off its diagonal and on its offsets (ODIR), for the methods
 * that differ in what they read. */
#ifndef CRD_CALIBRATOR_ODIR_H
#define CRD_CALIBRATOR_ODIR_H

#include "calibrator/affine.h"

enum { CRD__ODIR_SETTINGS = 3 };
extern const crd_setting_info crd__odir_settings[CRD__ODIR_SETTINGS];
extern const crd__learns crd__odir_learns[];
crd_status crd__odir_fit(crd_context *ctx, const crd__fit_data *data, crd__fit *out);

#endif

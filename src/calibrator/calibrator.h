/* calibrator.h -- the struct behind crd_calibrator, and functions over it. */
#ifndef CRD_CALIBRATOR_CALIBRATOR_H
#define CRD_CALIBRATOR_CALIBRATOR_H

#include "base/text.h"
#include "calibrator/method.h"

enum { CRD__SETTING_TEXT_SIZE = 48, CRD__CALIBRATOR_VERSION = 1, CRD__CHECKSUM_SIZE = 24 };

struct crd_calibrator {
  crd_allocator alloc;
  const crd__calibrator_method *method;
  double *settings;
  char (*setting_texts)[CRD__SETTING_TEXT_SIZE];
  size_t classes;  /* 0: pairs of confidence and correctness */
  crd_input input; /* kind of the predictions it was fitted on */
  size_t rows;     /* number of these */
  size_t width;    /* columns of the features it reads; 0: none */
  crd__calibrator_fitted fit;
  char *bounds, *note; /* texts of the certificate, owned */
};

/* Creates a calibrator with settings and no learnt parameters. EUSAGE if a setting is invalid. */
crd_status crd__calibrator_create(crd_context *ctx, const crd__calibrator_method *method,
                                  const char *settings, crd_calibrator **out);
/* Fits like crd_calibrator_fit, with a given floor; NULL: the floor is fitted if needed. */
crd_status crd__calibrator_fit(crd_context *ctx, const char *method, const char *settings,
                               const crd__data_floor *floor, const crd_predictions *predictions,
                               crd_calibrator **out);
/* Marks an implausible fitted temperature as suspicious, and adds a likely reason to the note
 * (suspect.c). */
crd_status crd__calibrator_certificate_suspect(crd_context *ctx, crd_calibrator *calibrator,
                                               const crd__calibrator_fit_data *data,
                                               const crd__data_clipping *met);
/* Copies the certificate's texts into the calibrator. ENOMEM. */
crd_status crd__calibrator_certificate_own(crd_context *ctx, crd_calibrator *calibrator);
/* Returns the number of parameters for its classes; arrays whose length depends on the data, such
 * as the points of a curve, count as one. SIZE_MAX if it overflows. */
size_t crd__calibrator_parameters(const crd_calibrator *calibrator);
/* Finds a method by name. EUSAGE with the nearest name if there is none. */
crd_status crd__calibrator_method_named(crd_context *ctx, const char *name,
                                        const crd__calibrator_method **out);

static inline crd__calibrator_model crd__calibrator_model_of(const crd_calibrator *c) {
  return (crd__calibrator_model){ .learnt = &c->fit.learnt,
                                  .settings = c->settings,
                                  .classes = c->classes ? c->classes : 2,
                                  .width = c->width,
                                  .top = crd_calibrator_is_top(c) };
}

/* Returns the floor that the calibrator learnt, or the standard one (data/floor.h). */
crd__data_floor crd__calibrator_floor(const crd_calibrator *calibrator);
/* Returns whether there are exact zeros, so that a floor must be fitted. */
bool crd__calibrator_floor_is_needed(const crd__data_clipping *met);
/* Fits the floor by likelihood to the labels and weights of `given`; overwrites `logits`, rows x
 * classes (floor.c). */
crd_status crd__calibrator_floor_fit(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__calibrator_fit_data *given, double *logits,
                                     const crd__data_clipping *met, crd__data_floor *out);

/* EINPUT if a method needs features and they are missing, or have another number of columns than
 * expected (0: any number). */
crd_status crd__calibrator_features_fit(crd_context *ctx, const crd_method_info *method,
                                        size_t expected, const crd_predictions *predictions);
/* Reads rows of features (features.c): count x columns, each row normalised to length 1, or zero.
 * EINPUT names a value that is not finite. */
crd_status crd__calibrator_features_read(crd_context *ctx, const crd_predictions *predictions,
                                         size_t from, size_t count, double *out);

/* EINPUT unless the learnt parameters have the shapes that the method declares. */
crd_status crd__calibrator_learnt_check(crd_context *ctx, const crd_calibrator *calibrator);
/* Writes the calibrator as JSON, without the checksum's line and the closing brace (save.c). */
void crd__calibrator_write(const crd_calibrator *calibrator, crd__text *out);
/* Computes the checksum of that text. */
void crd__calibrator_checksum(const crd__text *text, char out[static CRD__CHECKSUM_SIZE]);

/* Write one parameter ("name": value), and the certificate ({...}). */
void crd__calibrator_learnt_write(const crd_learnt *item, crd__text *out);
void crd__calibrator_certificate_write(const crd_certificate *certificate, crd__text *out);

/* Parses the bytes of a file. `forged`: ignore the checksum, for tests of the other checks. EINPUT.
 */
crd_status crd__calibrator_read(crd_context *ctx, const char *bytes, size_t length, bool forged,
                                crd_calibrator **out);

/* EINPUT unless the predictions are of the kind it was fitted on (apply.c). */
crd_status crd__calibrator_fits(crd_context *ctx, const crd_calibrator *calibrator,
                                const crd_predictions *predictions);
/* Applies like crd_calibrator_apply, reporting progress as `stage`; NULL: none. */
crd_status crd__calibrator_apply_predictions(crd_context *ctx, const crd_calibrator *calibrator,
                                             const crd_predictions *predictions, size_t from,
                                             size_t count, const char *stage, double *probabilities,
                                             double *confidence, size_t *predicted);
/* Calibrates rows of logits, with features if the method needs them; does not allocate. */
void crd__calibrator_apply_rows(const crd_calibrator *calibrator, const double *logits,
                                const double *features, size_t rows, double *out);
/* Returns the index of the largest element, the lowest on ties. */
size_t crd__calibrator_argmax(const double *row, size_t classes);
/* Raises row[top] by one unit in the last place if rounding made another class the argmax. */
void crd__calibrator_keep_on_top(double *row, size_t classes, size_t top);

#endif

/* calibrator.h -- inside of a fitted calibrator. */
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
  size_t classes;  /* 0: pairs */
  crd_input input; /* what it was fitted on */
  size_t rows;     /* how many */
  size_t width;    /* columns of the features it reads; 0: none */
  crd__calibrator_fitted fit;
  char *bounds, *note; /* the certificate's, owned */
};

/* A calibrator with settings and nothing learnt; to be destroyed. */
crd_status crd__calibrator_create(crd_context *ctx, const crd__calibrator_method *method,
                                  const char *settings, crd_calibrator **out);
/* crd_calibrator_fit with a floor; NULL: fitted where it is needed. */
crd_status crd__calibrator_fit(crd_context *ctx, const char *method, const char *settings,
                               const crd__data_floor *floor, const crd_predictions *predictions,
                               crd_calibrator **out);
/* Marks a fitted temperature that can hardly be right, and adds to the note what may be the reason
 * (suspect.c). */
crd_status crd__calibrator_certificate_suspect(crd_context *ctx, crd_calibrator *calibrator,
                                               const crd__calibrator_fit_data *data,
                                               const crd__data_clipping *met);
/* The certificate's texts become the calibrator's own. */
crd_status crd__calibrator_certificate_own(crd_context *ctx, crd_calibrator *calibrator);
/* How many numbers it learns for its classes; of arrays as long as the data make them, such as the
 * points of a curve, one. SIZE_MAX: more than can be counted. */
size_t crd__calibrator_parameters(const crd_calibrator *calibrator);
/* EUSAGE with the nearest name when there is none. */
crd_status crd__calibrator_method_named(crd_context *ctx, const char *name,
                                        const crd__calibrator_method **out);

static inline crd__calibrator_model crd__calibrator_model_of(const crd_calibrator *c) {
  return (crd__calibrator_model){ .learnt = &c->fit.learnt,
                                  .settings = c->settings,
                                  .classes = c->classes ? c->classes : 2,
                                  .width = c->width,
                                  .top = crd_calibrator_is_top(c) };
}

/* What a calibrator reads zeros as: what it learnt, or the standard (floor.h). */
crd__data_floor crd__calibrator_floor(const crd_calibrator *calibrator);
/* Are there exact zeros, so that a floor is to be fitted? */
bool crd__calibrator_floor_is_needed(const crd__data_clipping *met);
/* By the labels and weights of `data`; `logits`, rows x classes, are overwritten (floor.c). */
crd_status crd__calibrator_floor_fit(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__calibrator_fit_data *data, double *logits,
                                     const crd__data_clipping *met, crd__data_floor *out);

/* EINPUT where a method needs features and there are none, or not as many columns as expected (0:
 * any number). */
crd_status crd__calibrator_features_fit(crd_context *ctx, const crd_method_info *method,
                                        size_t expected, const crd_predictions *predictions);
/* Rows of features (features.c): count x their columns, each row of length 1, or of zeros. EINPUT
 * names what is not finite. */
crd_status crd__calibrator_features_read(crd_context *ctx, const crd_predictions *predictions,
                                         size_t from, size_t count, double *out);

/* EINPUT unless what was learnt has the shape that the method's row says. */
crd_status crd__calibrator_learnt_check(crd_context *ctx, const crd_calibrator *calibrator);
/* All of it as JSON, without the checksum's line and the closing brace (save.c). */
void crd__calibrator_write(const crd_calibrator *calibrator, crd__text *out);
/* Of that text, as the file has it. */
void crd__calibrator_checksum(const crd__text *text, char out[static CRD__CHECKSUM_SIZE]);

/* Parts of it: "name": value, and {...}. */
void crd__calibrator_learnt_write(const crd_learnt *learnt, crd__text *out);
void crd__calibrator_certificate_write(const crd_certificate *certificate, crd__text *out);

/* From the bytes of a file. A forged one may go without its checksum, to see what else protects. */
crd_status crd__calibrator_read(crd_context *ctx, const char *bytes, size_t length, bool forged,
                                crd_calibrator **out);

/* EINPUT unless the predictions are of the kind it was fitted on (apply.c). */
crd_status crd__calibrator_fits(crd_context *ctx, const crd_calibrator *calibrator,
                                const crd_predictions *predictions);
/* crd_calibrator_apply, with progress under `stage`; NULL: without. */
crd_status crd__calibrator_apply_predictions(crd_context *ctx, const crd_calibrator *calibrator,
                                             const crd_predictions *predictions, size_t from,
                                             size_t count, const char *stage, double *probabilities,
                                             double *confidence, size_t *predicted);
/* What a calibrator makes of rows of logits, and of features, whose width is 0 unless it needs
 * them; needs no memory of its own. */
void crd__calibrator_apply_rows(const crd_calibrator *calibrator, const double *logits,
                                const double *features, size_t rows, double *out);
/* The index of the largest, the lowest on ties. */
size_t crd__calibrator_argmax(const double *row, size_t classes);
/* Rounding must not put another class above the predicted one, nor beside it. */
void crd__calibrator_keep_on_top(double *row, size_t classes, size_t top);

#endif

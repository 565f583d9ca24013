/* credence/calibrator.h -- making confidences honest after training: fit, apply, save, load. */
#ifndef CREDENCE_CALIBRATOR_H
#define CREDENCE_CALIBRATOR_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* This table also drives the program, its help, the man page and the tests. */
typedef struct {
  const char *name;      /* as on the command line: "temperature" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: what it can mend, and what it costs */
  const char *reference; /* the paper */
  int keeps_argmax;      /* non-zero: the predicted class is always the one it was */
  int needs_features;    /* non-zero: it reads the predictions' features, and needs them */
  size_t standard;       /* in the default set of a comparison up to so many classes; 0: never */
  size_t setting_count;
  const crd_setting_info *settings;
} crd_method_info;

CRD_API size_t crd_method_count(void);
/** NULL past the end. */
CRD_API const crd_method_info *crd_method_at(size_t index);
/** NULL when there is none of that name. */
CRD_API const crd_method_info *crd_method_find(const char *name);

/** What a fit can show for itself. */
typedef struct {
  int converged;         /* non-zero: what was looked for has been found */
  double objective;      /* what was minimised, per row; NaN: nothing was */
  double gradient_norm;  /* its largest derivative, at the end; NaN: none was taken */
  unsigned iterations;   /* steps of the solver */
  int separable;         /* non-zero: the data have no finite optimum, a bound is the answer */
  const char *bounds;    /* settings or quantities that ended at a bound, comma-separated; "" */
  size_t rows_clipped;   /* rows with a probability of 0 or 1, read as the smallest or largest */
  size_t values_floored; /* values below the floor, where there is one (crd_fit_options) */
  int suspicious;        /* non-zero: a temperature outside [0.05, 20]; the note has reasons */
  size_t argmax_changes; /* rows of the fitted data whose predicted class is another now */
  const char *note;      /* in words, when there is something to say; "" */
} crd_certificate;

/* A fit as somebody else does it: the word of a method's setting `compat`. */
typedef struct {
  const char *name;    /* the word: "gpleiss50" */
  const char *package; /* what was compared, or the paper */
  const char *methods; /* that have the word, separated by spaces */
  const char *call;    /* how it is asked for there, or what is done there */
  const char *why;     /* why it ends elsewhere */
} crd_fit_convention;

CRD_API size_t crd_fit_convention_count(void);
/** NULL past the end. */
CRD_API const crd_fit_convention *crd_fit_convention_at(size_t index);

/** A learnt array: `parts` rows of their own lengths; part p is values[start[p]] .. */
typedef struct {
  const char *name;
  size_t parts;
  const size_t *start; /* parts + 1 */
  const double *values;
} crd_learnt;

/**
 * A fitted calibrator.
 *
 *   life      fit or load -> apply* -> destroy
 *   owns      what it learnt; keeps no pointer to the predictions
 *   threads   apply: many at once; destroy: one
 */
typedef struct crd_calibrator crd_calibrator;

/**
 * Fit a method on predictions that nothing else was fitted on. `settings` is "name=value" pairs
 * separated by commas; NULL or "" for none.
 */
CRD_API CRD_CHECK crd_status crd_calibrator_fit(crd_context *ctx, const char *method,
                                                const char *settings,
                                                const crd_predictions *predictions,
                                                crd_calibrator **out);
/** How to fit; all zero is the default. */
typedef struct {
  /* What probabilities below it are read as, up to 1/(2 classes). 0: where the calibration rows
   * have values of exactly 0 (or confidences of exactly 1), which have no logarithm, it is fitted
   * by likelihood, between their smallest positive value and a millionth of it. It is learnt as
   * `floor` (of two numbers, the first is that of class 0) and used again by apply and exports.
   * `identity` has none, and logits need none: they are refused together with one. */
  double floor;
} crd_fit_options;
/** The same with options; NULL for none. */
CRD_API CRD_CHECK crd_status crd_calibrator_fit_with(crd_context *ctx, const char *method,
                                                     const char *settings,
                                                     const crd_fit_options *options,
                                                     const crd_predictions *predictions,
                                                     crd_calibrator **out);
/** Release it. NULL is allowed. */
CRD_API void crd_calibrator_destroy(crd_calibrator *calibrator);

CRD_API const crd_method_info *crd_calibrator_method(const crd_calibrator *calibrator);
/** Classes of the rows it takes; 0 for confidence + correct pairs. */
CRD_API size_t crd_calibrator_classes(const crd_calibrator *calibrator);
CRD_API const crd_certificate *crd_calibrator_certificate(const crd_calibrator *calibrator);
/** What it learnt, in the method's order; NULL past the end. */
CRD_API const crd_learnt *crd_calibrator_learnt(const crd_calibrator *calibrator, size_t index);
/** The value of a setting as text, in the method's order; valid as long as the calibrator. */
CRD_API const char *crd_calibrator_setting(const crd_calibrator *calibrator, size_t index);
/**
 * Non-zero: it speaks of the predicted class alone. Then the predicted class stays what it was,
 * whatever the probabilities of the others become.
 */
CRD_API int crd_calibrator_is_top(const crd_calibrator *calibrator);

/**
 * Calibrate rows from .. from+count-1 of predictions of the kind it was fitted on.
 * `probabilities` takes count x classes numbers (count, for pairs: confidences); `confidence` that
 * of the predicted class and `predicted` that class. Either may be NULL.
 */
CRD_API CRD_CHECK crd_status crd_calibrator_apply(crd_context *ctx,
                                                  const crd_calibrator *calibrator,
                                                  const crd_predictions *predictions, size_t from,
                                                  size_t count, double *probabilities,
                                                  double *confidence, size_t *predicted);
/** The same for all rows, as predictions in memory, with labels, weights, groups and names. */
CRD_API CRD_CHECK crd_status crd_calibrator_calibrate(crd_context *ctx,
                                                      const crd_calibrator *calibrator,
                                                      const crd_predictions *predictions,
                                                      crd_predictions **out);
/**
 * The same into a file, block by block: memory does not grow with the rows. The name's extension
 * chooses the format; .npy takes the probabilities alone. The file has probabilities (CRD_F64 or
 * CRD_F32; for pairs confidence), and labels, weights and groups as far as the predictions do; with
 * scope=top-1 also confidence and pred_label. It appears whole or not at all.
 */
CRD_API CRD_CHECK crd_status crd_calibrator_apply_to(crd_context *ctx,
                                                     const crd_calibrator *calibrator,
                                                     const crd_predictions *predictions,
                                                     crd_dtype dtype, const char *path);

/** Write it as JSON; the same calibrator gives the same bytes. */
CRD_API CRD_CHECK crd_status crd_calibrator_save(crd_context *ctx, const crd_calibrator *calibrator,
                                                 crd_output *output);
/** Read what save wrote; EINPUT where the file was cut, changed, or is of another version. */
CRD_API CRD_CHECK crd_status crd_calibrator_load(crd_context *ctx, const char *path,
                                                 crd_calibrator **out);

/* ---- Exports: a calibrator as a program of its own. */

typedef struct {
  const char *name;      /* as on the command line: "c" */
  const char *summary;   /* one line, for lists */
  const char *extension; /* of files of this kind */
} crd_export_info;

CRD_API size_t crd_export_count(void);
/** NULL past the end. */
CRD_API const crd_export_info *crd_export_at(size_t index);

/**
 * Write it in one of these formats: a file that needs no credence, and computes what apply does
 * from scores of the kind that it was fitted on. EUSAGE where the method allows no such file.
 */
CRD_API CRD_CHECK crd_status crd_calibrator_export(crd_context *ctx,
                                                   const crd_calibrator *calibrator,
                                                   const char *format, crd_output *output);
/**
 * Write a copy of an ONNX classifier whose graph also calibrates: after its outputs it has
 * `probabilities` and `predicted` (with a prefix where the model has such a name already). `value`
 * names the scores in its graph, an output or not; NULL: the only output. All else of the model is
 * copied as it is; weights in other files stay there, so that it must be written beside them.
 * EUSAGE where calibrator and model do not fit together, EINPUT where the file is no such model.
 */
CRD_API CRD_CHECK crd_status crd_calibrator_export_into(crd_context *ctx,
                                                        const crd_calibrator *calibrator,
                                                        const char *model_path, const char *value,
                                                        crd_output *output);

#ifdef __cplusplus
}
#endif
#endif

/* credence/calibrator.h -- post-hoc calibration: fit, apply, save, load, export. */
#ifndef CREDENCE_CALIBRATOR_H
#define CREDENCE_CALIBRATOR_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A calibration method. The table of methods also generates help, man page and completions. */
typedef struct {
  const char *name;      /* as on the command line: "temperature" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: which miscalibration it corrects, at which cost */
  const char *reference; /* the paper */
  int keeps_argmax;      /* non-zero: it never changes the predicted class */
  int needs_features;    /* non-zero: it needs the predictions' features */
  size_t standard;       /* in the default set of a contest up to this many classes; 0: never */
  size_t setting_count;
  const crd_setting_info *settings;
} crd_method_info;

/** Returns the number of methods. */
CRD_API size_t crd_method_count(void);
/** Returns the method at an index, or NULL past the end. */
CRD_API const crd_method_info *crd_method_at(size_t index);
/** Returns the method of this name, or NULL. */
CRD_API const crd_method_info *crd_method_find(const char *name);

/** Evidence that a fit succeeded. */
typedef struct {
  int converged;        /* non-zero: the optimum was found */
  double objective;     /* the minimised function, per row; NaN: none */
  double gradient_norm; /* largest absolute derivative at the end; NaN: none was computed */
  unsigned iterations;  /* of the solver */
  int separable;        /* non-zero: no finite optimum exists, the solution is at a bound */
  const char *bounds;   /* settings or quantities that ended at a bound, comma-separated, or "" */
  size_t rows_clipped;  /* rows with a probability of 0 or 1, clipped to the nearest finite logit */
  size_t values_floored; /* values raised to the floor, if there is one (crd_fit_options) */
  int suspicious;        /* non-zero: a temperature outside [0.05, 20]; see the note */
  size_t argmax_changes; /* calibration rows whose predicted class changed */
  const char *note;      /* a sentence for the user, or "" */
} crd_certificate;

/* A fit as another package or paper does it: a value of a method's setting `compat`. */
typedef struct {
  const char *name;    /* the value: "gpleiss50" */
  const char *package; /* the package that was compared, or the paper */
  const char *methods; /* methods that allow it, separated by spaces */
  const char *call;    /* the call there, or a description of it */
  const char *why;     /* why its result differs */
} crd_fit_convention;

/** Returns the number of conventions. */
CRD_API size_t crd_fit_convention_count(void);
/** Returns the convention at an index, or NULL past the end. */
CRD_API const crd_fit_convention *crd_fit_convention_at(size_t index);
/** Returns the convention of a name, or NULL. */
CRD_API const crd_fit_convention *crd_fit_convention_find(const char *name);

/** A learnt array in parts of varying length; part p is values start[p] .. start[p + 1] - 1. */
typedef struct {
  const char *name;
  size_t parts;
  const size_t *start; /* parts + 1 offsets */
  const double *values;
} crd_learnt;

/**
 * A fitted calibrator.
 *
 *   life      fit or load -> apply* -> destroy
 *   owns      the learnt arrays; keeps no pointer to the predictions
 *   threads   apply: many at once; destroy: one
 */
typedef struct crd_calibrator crd_calibrator;

/**
 * Fits a method on predictions that were not used to train the classifier or fit anything else.
 * `settings` is "name=value" pairs separated by commas; NULL or "": defaults. CRD_EUSAGE for an
 * unknown method or setting; CRD_EINPUT for invalid or too few rows, or missing features.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_fit(crd_context *ctx, const char *method,
                                                    const char *settings,
                                                    const crd_predictions *predictions,
                                                    crd_calibrator **out);
/** How to fit; all zero is the default. */
typedef struct {
  size_t size; /* sizeof(crd_fit_options) */
  /* Probabilities below it are raised to it; at most 1/(2 classes). 0: if calibration rows have
   * probabilities of exactly 0 (or confidences of exactly 1), which have no logarithm, the floor is
   * fitted by maximum likelihood, between a millionth of their smallest positive value and that
   * value. It is saved as the learnt array `floor` (if two values, class 0 first), and apply and
   * exports use it. CRD_EUSAGE with logits and with `identity`, which have no floor. */
  double floor;
} crd_fit_options;
/** Fits like crd_calibrator_fit, with options; NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_calibrator_fit_with(crd_context *ctx, const char *method,
                                                         const char *settings,
                                                         const crd_fit_options *options,
                                                         const crd_predictions *predictions,
                                                         crd_calibrator **out);
/** Destroys a calibrator; NULL is allowed. */
CRD_API void crd_calibrator_destroy(crd_calibrator *calibrator);

/** Returns the method that was fitted. */
CRD_API const crd_method_info *crd_calibrator_method(const crd_calibrator *calibrator);
/** Returns the number of classes of the rows it calibrates; 0 for confidence pairs. */
CRD_API size_t crd_calibrator_classes(const crd_calibrator *calibrator);
/** Returns the certificate of the fit; borrowed until destroy. */
CRD_API const crd_certificate *crd_calibrator_certificate(const crd_calibrator *calibrator);
/** Returns a learnt array, in the method's order, or NULL past the end; borrowed until destroy. */
CRD_API const crd_learnt *crd_calibrator_learnt(const crd_calibrator *calibrator, size_t index);
/** Returns the value of a setting as text, in the method's order; borrowed until destroy. */
CRD_API const char *crd_calibrator_setting(const crd_calibrator *calibrator, size_t index);
/**
 * Returns non-zero if only the confidence of the predicted class is calibrated. The predicted class
 * then never changes, whatever the probabilities of the other classes become.
 */
CRD_API int crd_calibrator_is_top(const crd_calibrator *calibrator);

/**
 * Calibrates rows from .. from+count-1 of predictions with the kind of scores and the classes of
 * the fit. Sets `probabilities` to count x classes values (count confidences for pairs),
 * `confidence` and `predicted` to confidence and index of the predicted class; each may be NULL.
 * CRD_EINPUT for an invalid row, and for another kind or number of classes; CRD_EUSAGE for rows
 * that do not exist.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_apply(
    crd_context *ctx, const crd_calibrator *calibrator, const crd_predictions *predictions,
    size_t from, size_t count, double *probabilities, double *confidence, size_t *predicted);
/** Calibrates all rows into new predictions in memory, with labels, weights, groups and names. */
CRD_API CRD_NODISCARD crd_status crd_calibrator_calibrate(crd_context *ctx,
                                                          const crd_calibrator *calibrator,
                                                          const crd_predictions *predictions,
                                                          crd_predictions **out);
/**
 * Calibrates all rows into a file, block by block, in constant memory. The extension chooses the
 * format; .npy has only the probabilities. The file has probabilities (CRD_F64 or CRD_F32; for
 * pairs confidence), and the labels, weights and groups of the predictions; with scope=top-1 also
 * confidence and pred_label. Written atomically. CRD_EUSAGE for another dtype or format.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_apply_to(crd_context *ctx,
                                                         const crd_calibrator *calibrator,
                                                         const crd_predictions *predictions,
                                                         crd_dtype dtype, const char *path);

/** Writes a calibrator as JSON; equal calibrators give equal bytes. */
CRD_API CRD_NODISCARD crd_status crd_calibrator_save(crd_context *ctx,
                                                     const crd_calibrator *calibrator,
                                                     crd_output *output);
/** Reads a saved calibrator; CRD_EINPUT if it is truncated, altered or of another version. */
CRD_API CRD_NODISCARD crd_status crd_calibrator_load(crd_context *ctx, const char *path,
                                                     crd_calibrator **out);
/** Reads a saved calibrator from memory; `name` stands for the path in error messages. */
CRD_API CRD_NODISCARD crd_status crd_calibrator_load_memory(crd_context *ctx, const char *name,
                                                            const void *bytes, size_t length,
                                                            crd_calibrator **out);

/* ---- Exports: a calibrator as source code or model that needs no Credence. */

/* A format of exports. */
typedef struct {
  const char *name;      /* as on the command line: "c" */
  const char *summary;   /* one line, for lists */
  const char *extension; /* of its files */
} crd_export_info;

/** Returns the number of export formats. */
CRD_API size_t crd_export_count(void);
/** Returns the format at an index, or NULL past the end. */
CRD_API const crd_export_info *crd_export_at(size_t index);
/** Returns the format of a name, or NULL. */
CRD_API const crd_export_info *crd_export_find(const char *name);

/**
 * Writes the calibrator in one of these formats, as a self-contained file that computes the same as
 * apply from scores of the kind it was fitted on. CRD_EUSAGE for an unknown format, and for a
 * method that cannot be written in it.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_export(crd_context *ctx,
                                                       const crd_calibrator *calibrator,
                                                       const char *format, crd_output *output);
/* Variants of an export. All zero: the default. */
typedef struct {
  size_t size; /* sizeof(crd_export_options) */
  /* Prefix of the function's name (c: NAME_calibrate, default credence_calibrate; numpy: default
   * calibrate): a letter, then letters, digits and '_'. NULL: the default. */
  const char *name;
  /* c: the function reads, computes and returns float32, and has no double. */
  int float32;
} crd_export_options;

/**
 * Writes the calibrator as above, with options (NULL: the default), and into `header` the
 * declaration of its function for C and C++ (NULL: none). CRD_EUSAGE also for options that the
 * format does not have, and for parameters that float32 cannot represent.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_export_with(crd_context *ctx,
                                                            const crd_calibrator *calibrator,
                                                            const char *format,
                                                            const crd_export_options *options,
                                                            crd_output *output, crd_output *header);
/**
 * Writes a copy of an ONNX classifier with the calibrator appended to its graph: it has two more
 * outputs, `probabilities` and `predicted` (with a prefix if the model has such names). `value` is
 * the name of the scores in its graph, an output or not; NULL: the only output. The rest of the
 * model is copied unchanged; weights in other files stay there, so it must be written to the same
 * folder. CRD_EUSAGE if calibrator and model do not fit together, CRD_EINPUT if the file is not a
 * valid model.
 */
CRD_API CRD_NODISCARD crd_status crd_calibrator_export_into(crd_context *ctx,
                                                            const crd_calibrator *calibrator,
                                                            const char *model_path,
                                                            const char *value, crd_output *output);

#ifdef __cplusplus
}
#endif
#endif

/* credence/loss.h -- training losses with gradients with respect to the logits; mixup. */
#ifndef CREDENCE_LOSS_H
#define CREDENCE_LOSS_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loss. The table of losses also generates help and reference page. */
typedef struct {
  const char *name;      /* as in an expression: "label-smoothing" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: its effect on confidence, and its cost */
  const char *reference; /* the paper */
  int auxiliary;         /* non-zero: a term to add to a loss, not a loss to train with alone */
  int soft_targets;      /* non-zero: also accepts soft targets (a distribution over classes) */
  int history;           /* non-zero: needs how often each row was predicted correctly so far */
  const char *grid;      /* values that papers tried: "epsilon .01 .03 .05 .07 .09"; "": none */
  size_t setting_count;
  const crd_setting_info *settings;
} crd_loss_info;

/** Returns the number of losses. */
CRD_API size_t crd_loss_count(void);
/** Returns the loss at an index, or NULL past the end. */
CRD_API const crd_loss_info *crd_loss_at(size_t index);
/** Returns the loss of this name, or NULL. */
CRD_API const crd_loss_info *crd_loss_find(const char *name);

/* MEAN: weighted mean over the rows. SUM: the mean times the sum of weights, for batch terms too.
 */
typedef enum { CRD_REDUCTION_MEAN, CRD_REDUCTION_SUM } crd_reduction;

/** All zero is the default. */
typedef struct {
  size_t size; /* sizeof(crd_loss_options) */
  crd_reduction reduction;
  int allow_negative;         /* non-zero: allow negative factors and settings, with a note */
  size_t classes;             /* length of class_counts */
  const double *class_counts; /* training rows of each class, for class weights; NULL: none */
} crd_loss_options;

/**
 * A weighted sum of losses, "ce + 10*dca" or "focal(gamma=3) + 0.1*entropy", compiled for
 * evaluation.
 *
 *   life      create -> evaluate* -> destroy
 *   owns      its terms, and scratch buffers that grow with the largest batch seen
 *   threads   evaluate: many at once; destroy: one
 */
typedef struct crd_loss crd_loss;

/** Parses an expression. CRD_EUSAGE names the error and its position. `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_loss_create(crd_context *ctx, const char *expression,
                                                 const crd_loss_options *options, crd_loss **out);
/** Destroys a loss; NULL is allowed. */
CRD_API void crd_loss_destroy(crd_loss *loss);

enum { CRD_LOSS_TERMS_MAX = 16 };
/** Returns the number of terms. */
CRD_API size_t crd_loss_term_count(const crd_loss *loss);
/** Returns the text of a term without its factor, "focal(gamma=3)", or NULL past the end. */
CRD_API const char *crd_loss_term(const crd_loss *loss, size_t index);
/** Returns a note for the user (a negative factor), or NULL past the end. */
CRD_API const char *crd_loss_note(const crd_loss *loss, size_t index);

/** The targets of a batch. */
typedef struct {
  size_t size;       /* sizeof(crd_targets) */
  crd_array labels;  /* (n,1) class indices, or (n,k) soft targets whose rows sum to 1 */
  crd_array weights; /* (n,1), not negative; data NULL: all 1 */
  int has_ignored;   /* non-zero: skip rows whose label is `ignored` */
  int64_t ignored;
  crd_array history;  /* (n,1) earlier epochs that predicted the row correctly; data NULL: none */
  double history_low; /* the minimum of history over the training data */
  double epochs;      /* number of epochs that history counts */
} crd_targets;

typedef struct {
  double value;
  double gradient_norm; /* Euclidean norm; NaN without a gradient */
  size_t term_count;
  double terms[CRD_LOSS_TERMS_MAX]; /* each term without its factor */
  size_t floored;                   /* rows with a probability of 0 (crd_loss_predictions) */
} crd_loss_value;

/**
 * Computes the loss of a batch, and its gradient with respect to the logits unless `gradient` is
 * NULL: rows x classes, C-contiguous, of the logits' type, CRD_F32 or CRD_F64. CRD_EINPUT names the
 * first invalid row; CRD_EUSAGE for shapes and types. Allocates only if a batch is larger than all
 * before.
 */
CRD_API CRD_NODISCARD crd_status crd_loss_evaluate(crd_context *ctx, const crd_loss *loss,
                                                   const crd_array *logits,
                                                   const crd_targets *targets,
                                                   crd_loss_value *value, void *gradient);

/* ---- Predictions as one batch. */

/** All zero is the default. */
typedef struct {
  size_t size;            /* sizeof(crd_loss_reading) */
  const int64_t *ignored; /* skip rows with this label; NULL: none */
  const char *gradient;   /* a file to write it to: .npy, .npz, .safetensors, .csv; NULL: none */
  int float32;            /* non-zero: write float32, not float64 */
} crd_loss_reading;

/**
 * Computes the loss of all rows as one batch. Logits are used unchanged, probabilities as their
 * logarithms, with 0 replaced by 1e-300 and counted in value->floored. `how` NULL: defaults.
 * CRD_EINPUT for confidence pairs and invalid rows.
 */
CRD_API CRD_NODISCARD crd_status crd_loss_predictions(crd_context *ctx, const crd_loss *loss,
                                                      const crd_predictions *predictions,
                                                      const crd_loss_reading *how,
                                                      crd_loss_value *value);
/** Sets counts[k] to the number of rows with label k, for crd_loss_options; `ignored` as above. */
CRD_API CRD_NODISCARD crd_status crd_predictions_class_counts(crd_context *ctx,
                                                              const crd_predictions *predictions,
                                                              const int64_t *ignored,
                                                              double *counts);

/*
 * Mixup: train on x~ = lambda x + (1 - lambda) x', and on the same mixture of the two targets. Call
 * crd_mixup_draw once per batch, then mix rows and targets with the functions below or your own.
 */

/* DIFFERENT_CLASS: each row with a row of another class, or with itself if there is none. */
typedef enum { CRD_PAIRS_ANY, CRD_PAIRS_DIFFERENT_CLASS } crd_mixup_pairs;

typedef struct {
  size_t size;  /* sizeof(crd_mixup_options) */
  double alpha; /* lambda ~ Beta(alpha, alpha); alpha <= 0: lambda = 1. Papers: 0.1 to 0.4 */
  crd_mixup_pairs pairs; /* ANY: a random permutation */
  uint64_t step;         /* index of the batch; with the context's seed it determines the draw */
} crd_mixup_options;

/** Draws one lambda for the batch, and the index of each row's partner: partner[labels->rows].
 * CRD_EUSAGE for bad options, CRD_EINPUT for an invalid label. */
CRD_API CRD_NODISCARD crd_status crd_mixup_draw(crd_context *ctx, const crd_mixup_options *options,
                                                const crd_array *labels, double *lambda,
                                                size_t *partner);
/** Mixes rows (features or soft targets) with their partners: CRD_F32 or CRD_F64, C-contiguous;
 * `out` likewise. CRD_EUSAGE for another type or layout, lambda or partner out of range. */
CRD_API CRD_NODISCARD crd_status crd_mixup_rows(crd_context *ctx, const crd_array *rows,
                                                double lambda, const size_t *partner, void *out);
/** Mixes class indices, (n,1), into soft targets: rows x classes, C-contiguous, for
 * crd_targets.labels. CRD_EINPUT for an invalid label. */
CRD_API CRD_NODISCARD crd_status crd_mixup_labels(crd_context *ctx, const crd_array *labels,
                                                  size_t classes, double lambda,
                                                  const size_t *partner, double *out);

#ifdef __cplusplus
}
#endif
#endif

/* credence/loss.h -- losses to train with: value, and gradient with respect to the logits; mixup.
 */
#ifndef CREDENCE_LOSS_H
#define CREDENCE_LOSS_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* This table also drives the program, its help and the tests. */
typedef struct {
  const char *name;      /* as in an expression: "label-smoothing" */
  const char *summary;   /* one line, for lists */
  const char *meaning;   /* a sentence or two: what it does to confidence, and what it costs */
  const char *reference; /* the paper */
  int auxiliary;         /* non-zero: a term to be added to a loss, not to be trained with alone */
  int soft_targets;      /* non-zero: also for targets that are shares of several classes */
  int history;           /* non-zero: needs how often each row was right so far */
  const char *grid;      /* values that papers tried: "epsilon .01 .03 .05 .07 .09"; "": none */
  size_t setting_count;
  const crd_setting_info *settings;
} crd_loss_info;

CRD_API size_t crd_loss_count(void);
/** NULL past the end. */
CRD_API const crd_loss_info *crd_loss_at(size_t index);
/** NULL when there is none of that name. */
CRD_API const crd_loss_info *crd_loss_find(const char *name);

/* MEAN: over the rows' weights. SUM: that many times as much, terms of the whole batch too. */
typedef enum { CRD_REDUCTION_MEAN, CRD_REDUCTION_SUM } crd_reduction;

/** All zero is the default. */
typedef struct {
  crd_reduction reduction;
  int allow_negative;         /* non-zero: factors and settings may be below 0; noted aloud */
  size_t classes;             /* of class_counts ... */
  const double *class_counts; /* ... how often each occurs in training, for weights made of that */
} crd_loss_options;

/**
 * A weighted sum of losses, "ce + 10*dca" or "focal(gamma=3) + 0.1*entropy", ready to be evaluated.
 *
 *   life      create -> evaluate* -> destroy
 *   owns      its terms, and scratch memory that grows with the largest batch seen
 *   threads   evaluate: many at once; destroy: one
 */
typedef struct crd_loss crd_loss;

/** EUSAGE names what is wrong with the expression, and where. */
CRD_API CRD_CHECK crd_status crd_loss_create(crd_context *ctx, const char *expression,
                                             const crd_loss_options *options, crd_loss **out);
/** Release it. NULL is allowed. */
CRD_API void crd_loss_destroy(crd_loss *loss);

enum { CRD_LOSS_TERMS_MAX = 16 };
CRD_API size_t crd_loss_term_count(const crd_loss *loss);
/** As it stands in the expression, without its factor: "focal(gamma=3)". */
CRD_API const char *crd_loss_term(const crd_loss *loss, size_t index);
/** Things a user should know (a factor below 0); NULL past the end. */
CRD_API const char *crd_loss_note(const crd_loss *loss, size_t index);

/** What should have come out. */
typedef struct {
  crd_view labels;  /* (n,1) class numbers, or (n,k) shares of classes that add up to 1 */
  crd_view weights; /* (n,1), not negative; data NULL: all 1 */
  int has_ignored;  /* non-zero: rows with the label `ignored` count as if they were not there */
  int64_t ignored;
  crd_view history;   /* (n,1) how often each row was right in earlier epochs; data NULL: none */
  double history_low; /* the lowest such number of all rows of the training data */
  double epochs;      /* that were counted */
} crd_targets;

typedef struct {
  double value;
  double gradient_norm; /* the root of the sum of squares; NaN without a gradient */
  size_t term_count;
  double terms[CRD_LOSS_TERMS_MAX]; /* each without its factor */
  size_t floored;                   /* rows of predictions with a probability of 0 */
} crd_loss_value;

/**
 * Value, and gradient where it is not NULL: rows x classes in C order, of the logits' type, which
 * must be CRD_F32 or CRD_F64. EINPUT names the first bad row. Allocates only when a batch is larger
 * than those before.
 */
CRD_API CRD_CHECK crd_status crd_loss_evaluate(crd_context *ctx, const crd_loss *loss,
                                               const crd_view *logits, const crd_targets *targets,
                                               crd_loss_value *value, void *gradient);

/* ---- Predictions as one batch. */

/** All zero is the default. */
typedef struct {
  const int64_t *ignored; /* rows with this label count as if they were not there; NULL: none */
  const char *gradient;   /* a file for it: .npy, .npz, .safetensors, .csv; NULL: nowhere */
  int single;             /* non-zero: in single precision there */
} crd_loss_reading;

/** Of logits as they are, of probabilities as their logarithms, 0 being read as 1e-300 and counted.
 * `how` may be NULL. */
CRD_API CRD_CHECK crd_status crd_loss_predictions(crd_context *ctx, const crd_loss *loss,
                                                  const crd_predictions *predictions,
                                                  const crd_loss_reading *how,
                                                  crd_loss_value *value);
/** How often each class is the label, for crd_loss_options; `ignored` may be NULL. */
CRD_API CRD_CHECK crd_status crd_predictions_class_counts(crd_context *ctx,
                                                          const crd_predictions *predictions,
                                                          const int64_t *ignored, double *counts);

/*
 * Mixup: train on x~ = lambda x + (1 - lambda) x', and on the same mixture of the two targets. Draw
 * once a batch, then mix rows and targets, or do so yourself with lambda and partners.
 */

/* DIFFERENT_CLASS: each row with some row of another class, or with itself where there is none. */
typedef enum { CRD_PAIRS_ANY, CRD_PAIRS_DIFFERENT_CLASS } crd_mixup_pairs;

typedef struct {
  double alpha;          /* lambda is Beta(alpha, alpha); up to 0: it is 1. Papers: 0.1 to 0.4 */
  crd_mixup_pairs pairs; /* ANY: the partners are a permutation */
  uint64_t step;         /* number of the batch: with the context's seed all that chance needs */
} crd_mixup_options;

/** lambda, one for the batch, and the number of each row's partner: partner[labels->rows]. */
CRD_API CRD_CHECK crd_status crd_mixup_draw(crd_context *ctx, const crd_mixup_options *options,
                                            const crd_view *labels, double *lambda,
                                            size_t *partner);
/** Rows (features, or shares of classes), CRD_F32 or CRD_F64 in C order; `out` likewise. */
CRD_API CRD_CHECK crd_status crd_mixup_rows(crd_context *ctx, const crd_view *rows, double lambda,
                                            const size_t *partner, void *out);
/** Class numbers, (n,1), into shares: rows x classes in C order, for crd_targets.labels. */
CRD_API CRD_CHECK crd_status crd_mixup_labels(crd_context *ctx, const crd_view *labels,
                                              size_t classes, double lambda, const size_t *partner,
                                              double *out);

#ifdef __cplusplus
}
#endif
#endif

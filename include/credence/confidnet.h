/*
 * credence/confidnet.h -- ConfidNet: a network that learns how far a frozen classifier is to be
 * trusted.
 *
 * These functions are in libcredence-nn. The true class probability (TCP) of a sample is the
 * probability p_y that the classifier gives to its true class. It is above 1/2 only if the
 * prediction is correct, and below 1/K only if it is wrong. A head of fully connected layers on
 * features of the classifier learns to predict it; its output is the confidence:
 *
 *   confidence = sigmoid(head(features)),   loss = mean of w (confidence - p_y)^2
 *
 * Corbiere, Thome, Bar-Hen, Cord, Perez: Addressing failure prediction by learning model confidence
 * (NeurIPS 2019).
 */
#ifndef CREDENCE_CONFIDNET_H
#define CREDENCE_CONFIDNET_H

#include "credence/edit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the number of settings of crd_confidnet_options.settings; 0 without networks. */
CRD_API size_t crd_confidnet_setting_count(void);
/** Returns the setting at an index, or NULL past the end. */
CRD_API const crd_setting_info *crd_confidnet_setting_at(size_t index);
/** Returns the setting of a name, or NULL. */
CRD_API const crd_setting_info *crd_confidnet_setting_find(const char *name);

/** How a head is trained; all zero is the default. */
typedef struct {
  size_t size;                  /* sizeof(crd_confidnet_options) */
  const char *settings;         /* "epochs=100,weighting=2"; NULL: defaults */
  const char *tensor;           /* its values are the features; NULL: crd_confidnet_tensor */
  const crd_feed_options *feed; /* how samples are read; `output` names the logits; NULL: as in
                                   crd_dataset_predict_to */
} crd_confidnet_options;

/** Checks the settings alone. CRD_EUSAGE. */
CRD_API CRD_NODISCARD crd_status crd_confidnet_check(crd_context *ctx,
                                                     const crd_confidnet_options *options);

/** Returns the name of the penultimate features: the input of the last Gemm or MatMul before the
 * logits (NULL: of the first output); borrowed from the model. NULL: it has none. */
CRD_API const char *crd_confidnet_tensor(const crd_model *model, const char *logits);

/* Quality of confidences on the validation data; NaN: undefined, as without errors. */
typedef struct {
  double aupr_error, auroc, ece, brier_top1;
} crd_confidnet_quality;

/** An epoch's record. */
typedef struct {
  size_t epoch;           /* from 1 */
  double loss;            /* mean over its steps */
  double validation_loss; /* after it */
  crd_confidnet_quality quality;
  double seconds; /* not part of any stored result */
  int best;       /* non-zero: the best epoch so far */
} crd_confidnet_epoch;

/** Everything about a training run. */
typedef struct {
  const char *tensor, *logits; /* names in the model */
  size_t features, classes, parameters;
  size_t rows, errors;                       /* training rows, and how many are predicted wrongly */
  size_t validation_rows, validation_errors; /* the same for validation */
  const char *settings;                      /* all of them, resolved: "hidden=400,400,..." */
  const char *criterion;         /* "aupr-error"; "loss", if all validation rows are correct, or all
                                    wrong */
  size_t epochs;                 /* finished ones */
  size_t best;                   /* the epoch that is kept; 0: none yet */
  crd_confidnet_quality maximum; /* of the largest probability, for comparison */
  crd_confidnet_quality quality; /* of the head in the kept epoch */
} crd_confidnet_summary;

/**
 * A head in training.
 *
 *   life      create -> epoch* -> model -> destroy before the model
 *   owns      features and true class probabilities of all rows, the head
 *   threads   one at a time
 */
typedef struct crd_confidnet crd_confidnet;

/**
 * Runs the classifier on all rows and makes a head with random weights of the context's seed;
 * `validation` selects the epoch. The model is borrowed, the data only during the call. CRD_EUSAGE
 * for invalid settings and unknown tensors; CRD_EINPUT if data and model do not fit together, or a
 * row has no label; CRD_ENUMERIC, with the row, if a feature or logit is not finite.
 */
CRD_API CRD_NODISCARD crd_status crd_confidnet_create(crd_context *ctx, const crd_model *model,
                                                      const crd_dataset *training,
                                                      const crd_dataset *validation,
                                                      const crd_confidnet_options *options,
                                                      crd_confidnet **out);
/** Destroys a head; NULL is allowed. */
CRD_API void crd_confidnet_destroy(crd_confidnet *confidnet);
/** Trains one epoch, then evaluates; *done is non-zero after the last one. CRD_EINTERRUPTED leaves
 * the best epoch so far. CRD_ENUMERIC if the loss is not finite. */
CRD_API CRD_NODISCARD crd_status crd_confidnet_train(crd_context *ctx, crd_confidnet *confidnet,
                                                     crd_confidnet_epoch *out, int *done);
/** Returns what is known of a run; borrowed until the next call. */
CRD_API const crd_confidnet_summary *crd_confidnet_describe(const crd_confidnet *confidnet);

/**
 * Makes a copy of the classifier, held in memory, with the head of the best epoch in it, and three
 * more outputs: `probabilities` (rows, classes), `predicted` (rows) and `confidence` (rows), with a
 * prefix if the model has such names. Everything else is copied unchanged. crd_dataset_predict_to
 * writes the confidences of such a model. CRD_EUSAGE before the first epoch.
 */
CRD_API CRD_NODISCARD crd_status crd_confidnet_model(crd_context *ctx,
                                                     const crd_confidnet *confidnet,
                                                     crd_model **out);

#ifdef __cplusplus
}
#endif
#endif

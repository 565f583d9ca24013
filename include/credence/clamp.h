/*
 * credence/clamp.h -- Neural Clamping: one perturbation of all inputs and a temperature, fitted
 * together on a frozen network.
 *
 * These functions are in libcredence-nn. The calibrated probabilities are
 *
 *   softmax(f(x + delta) / T)
 *
 * where delta and T minimise, over labelled calibration data,
 *
 *   mean over rows of focal_gamma(y, f(x + delta) / T)  +  w |delta|^2.
 *
 * Tang, Chen, Ho: Neural Clamping: joint input perturbation and temperature scaling for neural
 * network calibration (TMLR 2024). The paper sums over the rows: w is its lambda divided by their
 * number.
 */
#ifndef CREDENCE_CLAMP_H
#define CREDENCE_CLAMP_H

#include "credence/edit.h"
#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the number of settings of crd_clamp_options.settings; 0 without networks. */
CRD_API size_t crd_clamp_setting_count(void);
/** Returns the setting at an index, or NULL past the end. */
CRD_API const crd_setting_info *crd_clamp_setting_at(size_t index);
/** Returns the setting of a name, or NULL. */
CRD_API const crd_setting_info *crd_clamp_setting_find(const char *name);

/* Settings of a publication. */
typedef struct {
  const char *name;     /* "paper" */
  const char *summary;  /* one line */
  const char *settings; /* "gamma=1,lambda=0.1,..." */
} crd_clamp_recipe;

/** Returns the number of recipes; 0 without networks. */
CRD_API size_t crd_clamp_recipe_count(void);
/** Returns the recipe at an index, or NULL past the end. */
CRD_API const crd_clamp_recipe *crd_clamp_recipe_at(size_t index);
/** Returns the recipe of a name, or NULL. */
CRD_API const crd_clamp_recipe *crd_clamp_recipe_find(const char *name);

/** How to fit; all zero is the default. */
typedef struct {
  size_t size;          /* sizeof(crd_clamp_options) */
  const char *settings; /* "gamma=1,lambda=0.1"; NULL: defaults */
  const char *recipe;  /* its settings replace the defaults, `settings` replace those; NULL: none */
  const char *augment; /* random transformations of the images of mini-batches; NULL: none */
  /* Chooses gamma from 0, 0.05, ..., 1 by the expected calibration error (15 bins): "held-out", of
   * two-fold cross-validation; "in-sample", of the rows of the fit, as in the paper. NULL: gamma is
   * a setting. */
  const char *select;
  /* Normalises the samples, and names the network's classes, by which labels are mapped; NULL: does
   * not. Without names, labels that are integers stand for themselves, and others are numbered in
   * their order, if there are as many as classes. */
  const crd_encoding *encoding;
  const char *name; /* of the network, for error messages; NULL: "the network" */
  /* Delta inside a network, as behind the embedding of a text: `encoder` computes a tensor from a
   * batch of samples, the network takes the tensor. low and high are then a range of the tensor. */
  crd_network *encoder; /* NULL: delta is added to the samples */
  const char *tensor;   /* its name in the whole model, to be stored; NULL: the model's input */
} crd_clamp_options;

/** Checks recipe and settings without a fit. CRD_EUSAGE. */
CRD_API CRD_NODISCARD crd_status crd_clamp_check(crd_context *ctx,
                                                 const crd_clamp_options *options);

/* Quality of predictions on the calibration data. */
typedef struct {
  double accuracy, ece, aece, sce, nll;
  double entropy; /* mean, in nats */
} crd_clamp_quality;

/* A difference on the same rows, with its 95 % interval; NaN: unknown. */
typedef struct {
  double value, low, high;
} crd_clamp_change;

/* A gamma that was tried by `select`. */
typedef struct {
  double gamma, lambda;
  double ece;             /* of clamping */
  double temperature_ece; /* of temperature scaling with this gamma, on the same rows */
} crd_clamp_selection;

/* A weight of the penalty that was tried by cross-validation. */
typedef struct {
  double lambda; /* infinity: temperature scaling */
  double nll;    /* of the rows that were left out */
  double excess; /* its mean difference from temperature scaling, ... */
  double error;  /* ... and the standard error of that, clustered by group */
} crd_clamp_candidate;

/** Everything about a fitted clamp. */
typedef struct {
  double temperature;
  const char *tensor; /* that delta is added to; NULL: the model's only input */
  size_t rank;        /* of one sample, or of the tensor of one */
  int64_t dims[CRD_RANK_MAX];
  size_t count;       /* elements of delta */
  const float *delta; /* in the space of the network's input, after normalisation */
  size_t classes, rows;
  const char *settings; /* all of them, resolved: "gamma=0,lambda=1,..." */
  double gamma;
  double lambda;    /* a multiple of the initial loss; infinity: delta is 0 */
  double weight;    /* of the penalty in the mean objective: lambda times the initial loss */
  double objective; /* at the end */
  double temperature_objective; /* of temperature scaling with the same gamma, delta = 0 */
  double scaling;               /* its temperature */
  double delta_norm;            /* Euclidean */
  double gradient_norm;         /* of the objective with respect to delta; NaN: unknown */
  double residual;              /* Lemma 3.1: mean of z_y - q.z, 0 at the optimum if gamma is 0 */
  double predicted_gain, measured_gain; /* in entropy, of the start `entropy`; NaN: another start */
  size_t argmax_changes;                /* rows whose predicted class delta changed */
  unsigned passes;                      /* over the data */
  int converged;                        /* non-zero: the last steps changed little */
  int interrupted;                      /* non-zero: the best so far */
  crd_clamp_quality before, scaled, after;
  crd_clamp_quality only_delta;       /* the fitted delta, T = 1 */
  crd_clamp_quality only_temperature; /* the fitted T, delta = 0 */
  crd_clamp_change accuracy_change;   /* clamped minus uncalibrated */
  size_t candidate_count;
  const crd_clamp_candidate *candidates;
  const char *select; /* the rule by which gamma was chosen; NULL: it was given */
  size_t selection_count;
  const crd_clamp_selection *selection;
  size_t selected, scaling_selected; /* which of them has the lowest ece, and temperature_ece */
  crd_clamp_change ece_change;       /* the lowest ece minus the lowest temperature_ece */
  double seconds, scaling_seconds;
  /* Of the encoding; 0: none. */
  size_t channels;
  const double *mean, *std;
} crd_clamp_summary;

/**
 * A fitted perturbation and temperature.
 *
 *   life      fit or load -> describe, save, into -> destroy
 *   owns      delta and the numbers of the summary
 *   threads   reading: many at once
 */
typedef struct crd_clamp crd_clamp;

/**
 * Fits a network that has gradients with respect to its input (CRD_MODE_INPUT_GRADIENT, or a
 * callback) on labelled data. The network gives logits; its first dimension is the batch. An
 * interrupt ends the fit with the best so far. CRD_EUSAGE for invalid settings and a network
 * without gradients; CRD_EINPUT if data, encoder and network do not fit together, or a label has no
 * class.
 */
CRD_API CRD_NODISCARD crd_status crd_clamp_fit(crd_context *ctx, crd_network *network,
                                               const crd_dataset *data,
                                               const crd_clamp_options *options, crd_clamp **out);
/** Destroys a clamp; NULL is allowed. */
CRD_API void crd_clamp_destroy(crd_clamp *clamp);
/** Returns what is known of a clamp; borrowed until destroy. */
CRD_API const crd_clamp_summary *crd_clamp_describe(const crd_clamp *clamp);

/** Writes a clamp as JSON; equal clamps give equal bytes. */
CRD_API CRD_NODISCARD crd_status crd_clamp_save(crd_context *ctx, const crd_clamp *clamp,
                                                crd_output *output);
/** Reads a saved clamp; the quality on the calibration data is not saved. CRD_EINPUT if it is
 * invalid. */
CRD_API CRD_NODISCARD crd_status crd_clamp_load(crd_context *ctx, const char *path,
                                                crd_clamp **out);
/** Reads a saved clamp from memory; `name` stands for the path in error messages. */
CRD_API CRD_NODISCARD crd_status crd_clamp_load_memory(crd_context *ctx, const char *name,
                                                       const void *bytes, size_t length,
                                                       crd_clamp **out);

/**
 * Runs a network on all rows of a dataset, with the perturbation and the temperature of a clamp
 * (NULL: neither), and makes predictions in memory: logits f(x + delta) / T, with the dataset's
 * labels, weights, groups (within which rows are not independent) and class names. Of the options
 * encoding, encoder and name count; NULL: none. CRD_EUSAGE if clamp and network do not fit
 * together; CRD_EINPUT as crd_clamp_fit.
 */
CRD_API CRD_NODISCARD crd_status crd_clamp_predict(crd_context *ctx, const crd_clamp *clamp,
                                                   crd_network *network, const crd_dataset *data,
                                                   const crd_clamp_options *options,
                                                   crd_predictions **out);

/** Returns the name of the logits of a model: its first output, or what the softmax there reads;
 * borrowed. NULL: it has no output. */
CRD_API const char *crd_clamp_logits(const crd_model *model);
/** Returns the name of the first embedding of a model: what a Gather looks up in a float32 table,
 * with indices from an input; borrowed. NULL: it has none. */
CRD_API const char *crd_clamp_embedding(const crd_model *model);
/**
 * Makes a copy of a model, held in memory, with the clamp in it: delta is added to `tensor` (NULL:
 * that of the clamp, else the only input), and temperature and softmax follow `logits` (NULL:
 * crd_clamp_logits), with two more outputs, `probabilities` and `predicted` (with a prefix if the
 * model has such names). Everything else is copied unchanged. CRD_EUSAGE if clamp and model do not
 * fit together.
 */
CRD_API CRD_NODISCARD crd_status crd_clamp_into(crd_context *ctx, const crd_clamp *clamp,
                                                const crd_model *model, const char *tensor,
                                                const char *logits, crd_model **out);

#ifdef __cplusplus
}
#endif
#endif

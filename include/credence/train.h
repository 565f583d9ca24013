/* credence/train.h -- training: optimisers, schedules, checkpoints, the training loop. */
#ifndef CREDENCE_TRAIN_H
#define CREDENCE_TRAIN_H

#include "credence/loss.h"
#include "credence/zoo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An optimiser or a schedule of the learning rate, as its table describes it. */
typedef struct {
  const char *name;    /* "adamw" */
  const char *summary; /* one line, for lists */
  const char *reference;
  size_t setting_count;
  const crd_setting_info *settings;
} crd_training_part_info;

/** Returns the number of optimisers; 0 without networks. */
CRD_API size_t crd_optimiser_count(void);
/** Returns the optimiser at an index, or NULL past the end. Written "sgd(rate=0.1,momentum=0.9)".
 */
CRD_API const crd_training_part_info *crd_optimiser_at(size_t index);
/** Returns the optimiser of a name, or NULL. */
CRD_API const crd_training_part_info *crd_optimiser_find(const char *name);
/** Returns the number of schedules; 0 without networks. */
CRD_API size_t crd_schedule_count(void);
/** Returns the schedule at an index, or NULL past the end. Written "step(at=0.5,factor=0.1)". */
CRD_API const crd_training_part_info *crd_schedule_at(size_t index);
/** Returns the schedule of a name, or NULL. */
CRD_API const crd_training_part_info *crd_schedule_find(const char *name);

/* Weights and embeddings decay; biases and the parameters of norms only with ALL. */
typedef enum { CRD_DECAY_WEIGHTS, CRD_DECAY_ALL } crd_decay;

/** What is trained; all zero is the default. */
typedef struct {
  size_t size;            /* sizeof(crd_setup_options) */
  const char *network;    /* to build, as in crd_architecture_build; NULL: crd_architecture_usual */
  const crd_model *model; /* to train further instead; NULL: none */
  /* A tensor of the network, behind which `head`, an expression too, replaces all layers; with
   * `head` NULL it is ignored. */
  const char *freeze, *head;
  const crd_encoding_options *encoding; /* NULL: defaults */
} crd_setup_options;

/**
 * Prepares data and network for a trainer: learns the encoding of the training data, encodes these
 * and the other data with it, and makes the network. A model to train further keeps its own
 * vocabulary and scale, and gets a new last layer, with a warning in the log, if the data have
 * another number of classes; *model is NULL if it is to be trained as it is. CRD_EINPUT if the data
 * have only one class, or do not fit together. The data may be encoded even if this fails.
 * `options` NULL: defaults.
 */
CRD_API CRD_NODISCARD crd_status crd_train_setup(crd_context *ctx, crd_dataset *training,
                                                 crd_dataset *const *others, size_t other_count,
                                                 const crd_setup_options *options,
                                                 crd_encoding **encoding, crd_model **model);

/** Data on which the network is evaluated after every epoch. */
typedef struct {
  const char *name; /* of its columns; "validation" may select the best epoch */
  const crd_dataset *data;
} crd_monitor;

/** How a network is trained; all zero is the default. */
typedef struct {
  size_t size;           /* sizeof(crd_train_options) */
  const char *loss;      /* NULL: "ce" */
  int allow_negative;    /* as in crd_loss_options */
  const char *optimiser; /* NULL: "adamw": rate 1e-3, weight decay 1e-4 */
  const char *schedule;  /* NULL: "cosine", with 5 % of the steps to warm up */
  crd_decay decay;
  double clip;         /* largest norm of the gradient; 0: no limit */
  size_t epochs;       /* 0: 10; with few rows as many as make 1500 steps (vectors: 5000), but at
                          most 300 */
  size_t batch;        /* 0: 128 */
  int keep_last;       /* non-zero: train on incomplete last batches too */
  const char *augment; /* as in crd_loader_options */
  double mixup;        /* alpha of mixup; 0: none */
  const crd_monitor *monitors; /* borrowed; the first one selects */
  size_t monitor_count;
  const char *best; /* metric of the first monitor by which the kept epoch is chosen; NULL: the last
                       epoch is kept */
  size_t patience;  /* with `best`: stop after this many epochs without improvement; 0: never */
  int evaluate_train; /* non-zero: a clean pass over the training data after every epoch */
  /* A tensor of the model: what computes it is frozen, with its running statistics. NULL: none. */
  const char *freeze;
  const char *cache; /* a folder for its values, kept for later runs; NULL: in memory */
  /* A folder for predictions after every epoch, NAME-EPOCH.npz, on each monitor and, with
   * evaluate_train, as train-eval on the training data; NULL: none. */
  const char *logits;
} crd_train_options;

/** One value of an epoch's record. */
typedef struct {
  const char *name; /* "loss", "loss.dca", "train.accuracy", "validation.ece" */
  double value;     /* NaN: it does not exist */
} crd_epoch_value;

/** An epoch's record, borrowed from the trainer until the next call. */
typedef struct {
  size_t epoch; /* from 1 */
  size_t count;
  const crd_epoch_value *values;
  double rate;    /* learning rate of its last step */
  double seconds; /* not part of any stored result */
  int best;       /* non-zero: the best epoch so far by `best` */
} crd_epoch;

/**
 * A network in training.
 *
 *   life      create -> load -> epoch* -> model, save -> destroy before dataset and encoding
 *   threads   one at a time
 */
typedef struct crd_trainer crd_trainer;

/** Creates a trainer. The model's parameters are copied; `training` and `encoding` are borrowed.
 * CRD_EUSAGE for an unknown loss, optimiser or schedule, CRD_EINPUT if data and model do not fit.
 */
CRD_API CRD_NODISCARD crd_status crd_trainer_create(crd_context *ctx, const crd_model *model,
                                                    const crd_dataset *training,
                                                    const crd_encoding *encoding,
                                                    const crd_train_options *options,
                                                    crd_trainer **out);
/** Destroys a trainer; NULL is allowed. */
CRD_API void crd_trainer_destroy(crd_trainer *trainer);
/** Trains up to the end of the current epoch, then evaluates; *done is non-zero after the last one.
 * CRD_EINTERRUPTED leaves the trainer after a whole step, ready to be saved or continued.
 * CRD_ENUMERIC, with step and term, if the loss is not finite. */
CRD_API CRD_NODISCARD crd_status crd_trainer_epoch(crd_context *ctx, crd_trainer *trainer,
                                                   crd_epoch *out, int *done);
/** Saves everything that is needed to continue with identical bits: a safetensors file, written
 * atomically. */
CRD_API CRD_NODISCARD crd_status crd_trainer_save(crd_context *ctx, crd_trainer *trainer,
                                                  const char *path);
/** From now on saves to `path` at the end of every epoch, and when `seconds` have passed since the
 * last time; NULL: no more. If that fails, so does crd_trainer_epoch, after a whole step. */
CRD_API CRD_NODISCARD crd_status crd_trainer_save_to(crd_context *ctx, crd_trainer *trainer,
                                                     const char *path, double seconds);
/** Continues from a checkpoint. CRD_EINPUT if it was saved with other data, model or options. */
CRD_API CRD_NODISCARD crd_status crd_trainer_load(crd_context *ctx, crd_trainer *trainer,
                                                  const char *path);
/** Makes the trained model, with the encoding in its metadata: of the best epoch if there is one.
 */
CRD_API CRD_NODISCARD crd_status crd_trainer_model(crd_context *ctx, const crd_trainer *trainer,
                                                   crd_model **out);

/** Returns non-zero if nothing is left to train. */
CRD_API int crd_trainer_done(const crd_trainer *trainer);
/** Returns the number of finished epochs. */
CRD_API size_t crd_trainer_epochs(const crd_trainer *trainer);
/** Sets `out` to the record of a finished epoch, from 1 on, without its seconds; borrowed until the
 * next call. Returns zero if there is none. */
CRD_API int crd_trainer_record(const crd_trainer *trainer, size_t epoch, crd_epoch *out);
/** Returns the epoch whose model is kept: the best one, or the last. */
CRD_API size_t crd_trainer_best(const crd_trainer *trainer);
/** Returns the number of threads that it uses. */
CRD_API unsigned crd_trainer_threads(const crd_trainer *trainer);
/** Returns the learned epoch of every training row: the first one from which on it is predicted
 * correctly in evaluation mode; 0: not yet. NULL without evaluate_train. */
CRD_API const uint32_t *crd_trainer_learned(const crd_trainer *trainer);
/** Returns the largest logit of every training row in evaluation mode, after the last epoch so far.
 * NULL without evaluate_train. */
CRD_API const float *crd_trainer_max_logits(const crd_trainer *trainer);
/** Writes the arrays index, label, learned and max_logit of all training rows, in the format of the
 * extension: .csv, .npz, .safetensors; crd_learned_file_open reads them. CRD_EUSAGE without
 * evaluate_train or for another extension. */
CRD_API CRD_NODISCARD crd_status crd_trainer_learned_save(crd_context *ctx,
                                                          const crd_trainer *trainer,
                                                          const char *path);
/** Returns everything that the result depends on, but for the number of threads, as lines "key
 * value": version, seed, all options with their defaults, and hashes of model, data and encoding.
 */
CRD_API const char *crd_trainer_settings(const crd_trainer *trainer);
/** Returns a hash of the settings, in hexadecimal: that of the run. */
CRD_API const char *crd_trainer_fingerprint(const crd_trainer *trainer);
/** Returns a note for the user (a negative factor of the loss), or NULL past the end. */
CRD_API const char *crd_trainer_note(const crd_trainer *trainer, size_t index);

#ifdef __cplusplus
}
#endif
#endif

/*
 * trainer.h -- the struct behind crd_trainer, and the functions that its files share.
 *
 *   trainer.c      creates it
 *   epoch.c        runs the steps of an epoch, then evaluates
 *   pass.c         the network compiled for one size of batches
 *   step.c         one batch: network, loss, gradients, optimiser
 *   monitor.c      evaluates a model on data
 *   record.c       columns and values of the epochs
 *   frozen.c       the frozen part of a network, and its features
 *   fingerprint.c  what a run depends on
 *   checkpoint.c   saves and loads everything that changes
 */
#ifndef CRD_TRAIN_TRAINER_H
#define CRD_TRAIN_TRAINER_H

#include "network/network.h"
#include "train/frozen.h"
#include "train/monitor.h"
#include "train/parameters.h"
#include "train/record.h"
#include "train/schedule.h"

/* The network compiled for batches of a size, with its parameters. */
typedef struct {
  size_t batch;
  crd_network *network;
  crd_array input;  /* of the network: its shape */
  crd_array output; /* rows x classes */
  float *gradient;  /* with respect to the output */
  crd__train_parameters parameters;
} crd__train_pass;

/* Where the run is. A step is one batch. */
typedef struct {
  uint64_t epoch; /* finished ones */
  uint64_t batch; /* finished batches of the next one */
  uint64_t step;  /* finished steps in all */
  uint64_t done;  /* 1: nothing is left to train */
} crd__train_position;

/* Sums over the batches of the running epoch, for its means. */
enum { CRD__TRAIN_ROWS, CRD__TRAIN_HITS, CRD__TRAIN_LOSS, CRD__TRAIN_TERMS };
enum { CRD__TRAIN_SUMS = CRD__TRAIN_TERMS + CRD_LOSS_TERMS_MAX };

/* Scratch buffers of mixup, one batch each. */
typedef struct {
  void *inputs;
  double *targets; /* rows x classes */
  int64_t *partner_labels;
  size_t *partner;
  float *gradient; /* of the loss with the partners' labels */
} crd__train_mixup;

struct crd_trainer {
  crd_allocator alloc;
  crd_train_options options; /* its texts are owned, and resolved to their defaults */
  char *texts[8];            /* the memory of these texts */
  crd_monitor *monitors;     /* with owned names */
  crd_model *whole;          /* as it was given */
  crd_model *model;          /* what is trained: `whole`, or the part behind the frozen one */
  crd__train_frozen frozen;
  const crd_dataset *training;
  const crd_encoding *encoding;
  uint64_t seed;
  unsigned threads;
  crd__train_part optimiser, schedule;
  crd__train_metrics metrics;
  crd_loss *loss;
  bool soft;    /* mixup mixes targets; else losses */
  bool history; /* a term needs it */
  crd_loader *loader;
  bool seek; /* the loader must continue at `at` */
  size_t batches;
  crd__train_pass pass, last; /* full batches; the incomplete last one, if it is kept */
  crd__train_mixup mixup;
  float *correct; /* how often each training row was predicted correctly, if `history` */
  float *batch_history;
  uint32_t *learned; /* with evaluate_train: epoch from which on each row is correct; 0: none */
  float *max_logit;  /* with evaluate_train: largest logit of each row after the last epoch */
  crd__train_position at;
  double sums[CRD__TRAIN_SUMS];
  crd__train_records records;
  size_t best; /* the epoch that is kept; 0: the last */
  double best_value;
  float *best_values; /* all parameters of that epoch; NULL without options.best */
  char *fingerprint;  /* lines "key value" (fingerprint.c) */
  char digest[65];
  char *path;          /* of checkpoints; NULL: none */
  double every, saved; /* seconds between them; when the last one was written */
};

/* Returns seconds of a clock that never goes back. */
double crd__train_clock(void);

/* ---- A pass (pass.c). */

/* Compiles the model for batches of `batch` rows. Call clear also after a failure. */
crd_status crd__train_pass_make(crd_context *ctx, const crd_trainer *trainer, size_t batch,
                                crd__train_pass *out);
void crd__train_pass_clear(const crd_allocator *alloc, crd__train_pass *pass);

/* ---- A step (step.c). */

/* Allocates what steps need. */
crd_status crd__train_step_make(crd_context *ctx, crd_trainer *trainer);
/* Trains on the next batch. After a failure the trainer is at the same step as before; if the loss
 * is not finite, CRD_ENUMERIC, and its parameters cannot be used any more. */
crd_status crd__train_step(crd_context *ctx, crd_trainer *trainer);
/* Fails with CRD_ENUMERIC: the epoch, the step (from 1), what is not finite, and what to do. */
crd_status crd__train_diverged(crd_context *ctx, const crd_trainer *trainer, uint64_t step,
                               const char *what);
/* Returns the learning rate of a step. */
double crd__train_rate(const crd_trainer *trainer, uint64_t step);

/* ---- Models (epoch.c). */

/* Makes a copy of a model with the current parameters, or those of `values`. */
crd_status crd__train_model(crd_context *ctx, const crd_trainer *trainer, const crd_model *of,
                            const float *values, crd_model **out);
/* Fails with CRD_ENUMERIC if a parameter is not finite. */
crd_status crd__train_check_finite(crd_context *ctx, const crd_trainer *trainer);

/* ---- The fingerprint (fingerprint.c). */

enum { CRD__TRAIN_HASH = 65 };
/* Computes a hash of everything that features depend on. */
crd_status crd__train_hash_features(crd_context *ctx, const crd_model *model,
                                    const crd_dataset *data, const crd_encoding *encoding,
                                    char out[CRD__TRAIN_HASH]);
crd_status crd__train_fingerprint_make(crd_context *ctx, crd_trainer *trainer);
/* Fails with CRD_EINPUT, naming the first difference, unless `stored` is the trainer's. */
crd_status crd__train_fingerprint_compare(crd_context *ctx, const crd_trainer *trainer,
                                          const char *stored, size_t length);

#endif

/*
 * frozen.h -- a network whose first part is frozen: the features that this part computes, once.
 *
 * The model is cut at a tensor. The part before it runs in inference mode, on its running
 * statistics; the part behind it is trained on features. Without augmentation these never change:
 * they are computed before the first step, and kept in memory or in files. With augmentation the
 * frozen part runs for every batch; only features of monitors are kept.
 */
#ifndef CRD_TRAIN_FROZEN_H
#define CRD_TRAIN_FROZEN_H

#include "credence/array_file.h"
#include "credence/train.h"

/* Features of all rows of a dataset: in memory, or mapped from a file. */
typedef struct {
  crd_array array; /* (rows, ...) f32 */
  float *memory;
  crd_array_file *file;
} crd__train_features;

/* All zero: nothing is frozen. */
typedef struct {
  crd_model *front;
  crd_array sample;              /* shape of one sample's features */
  crd__train_features training;  /* features of the training rows, if they are kept */
  crd__train_features *monitors; /* features of each monitored dataset */
  size_t monitor_count;
  crd_dataset *rows;    /* the training features as vectors, to be served; NULL: augmented */
  int64_t *labels;      /* of these rows */
  double *weights;      /* NULL: all 1 */
  crd_network *network; /* with augmentation: for batches */
  size_t batch;
  unsigned char *padded; /* the last batch, if it is incomplete, padded to `batch` */
} crd__train_frozen;

/* Cuts the trainer's model and computes features. Call clear also after a failure. */
crd_status crd__train_frozen_make(crd_context *ctx, crd_trainer *trainer);
void crd__train_frozen_clear(const crd_allocator *alloc, crd__train_frozen *frozen);
/* Returns the features of a batch of inputs; valid until the next call. Sets *out to `inputs` if
 * they are what the network takes. */
crd_status crd__train_frozen_apply(crd_context *ctx, const crd__train_frozen *frozen,
                                   const void *inputs, size_t rows, const void **out);
/* Computes logits of kept features: rows x classes. */
crd_status crd__train_features_logits(crd_context *ctx, const crd_model *model,
                                      const crd__train_features *features, size_t batch,
                                      float *out);

#endif

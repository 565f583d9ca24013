/* credence/edit.h -- models made of models: other weights and metadata, parts, joined parts. */
#ifndef CREDENCE_EDIT_H
#define CREDENCE_EDIT_H

#include "credence/dataset.h"
#include "credence/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the value of a key of the model's metadata, or NULL; borrowed from the model. */
CRD_API const char *crd_model_metadata(const crd_model *model, const char *key);
/** Returns an entry of the model's metadata, in the order of the file, or NULL past the end. */
CRD_API const crd_metadata *crd_model_metadata_at(const crd_model *model, size_t index);

/** Makes a copy, held in memory, with other weights and metadata; everything else is as
 * crd_model_save would write it. Every parameter of crd_network_parameter can be given, running
 * statistics too; those of f16 and bf16 are rounded. CRD_EUSAGE if no initialiser of f16, bf16 or
 * f32 has this name and size. */
CRD_API CRD_NODISCARD crd_status crd_model_update(crd_context *ctx, const crd_model *model,
                                                  const crd_weights *weights, size_t weight_count,
                                                  const crd_metadata *metadata,
                                                  size_t metadata_count, crd_model **out);

typedef enum { CRD_PART_BEFORE, CRD_PART_AFTER } crd_model_part;

/** Makes the part of a model that computes a tensor (BEFORE: its only output), or the part that
 * computes the first output from it (AFTER: its only input). CRD_EUSAGE if there is no such tensor,
 * with the nearest name; for AFTER also if other paths lead around it. */
CRD_API CRD_NODISCARD crd_status crd_model_cut(crd_context *ctx, const crd_model *model,
                                               const char *tensor, crd_model_part part,
                                               crd_model **out);
/** Feeds the first output of `first` into the only input of `second`. Names of `second` that occur
 * in `first` get a prefix. CRD_EINPUT if shapes or types do not fit. */
CRD_API CRD_NODISCARD crd_status crd_model_join(crd_context *ctx, const crd_model *first,
                                                const crd_model *second, crd_model **out);
/** Replaces the last layer (Gemm, or MatMul with Add) by a new one of `classes` outputs,
 * initialised from the context's seed. CRD_EINPUT if the output is not that of such a layer. */
CRD_API CRD_NODISCARD crd_status crd_model_set_classes(crd_context *ctx, const crd_model *model,
                                                       size_t classes, crd_model **out);

/** Makes a copy for inference of a model that was exported for training: BatchNormalization uses
 * its running statistics, and Dropout drops nothing. CRD_MODE_TRAINING trains both all the same.
 * CRD_EINPUT if the model reads statistics of the batch. */
CRD_API CRD_NODISCARD crd_status crd_model_settle(crd_context *ctx, const crd_model *model,
                                                  crd_model **out);

/** Reads an encoding from the metadata: credence.class_names, credence.mean, credence.std,
 * credence.vocabulary. *out is NULL if there is none. CRD_EINPUT if it is invalid. */
CRD_API CRD_NODISCARD crd_status crd_model_encoding(crd_context *ctx, const crd_model *model,
                                                    crd_encoding **out);
/** Makes a copy with the encoding in its metadata. */
CRD_API CRD_NODISCARD crd_status crd_model_set_encoding(crd_context *ctx, const crd_model *model,
                                                        const crd_encoding *encoding,
                                                        crd_model **out);

/**
 * Predicts for a dataset and writes a file for crd_predictions_open: predictions, labels, weights,
 * groups, and `indices` (crd_dataset_index). The model's encoding says how samples are read, unless
 * the options have a mean or standard deviation; its class names become those of the predictions,
 * and labels are mapped by name. Otherwise as crd_model_predict_to. CRD_EINPUT if the data has
 * other classes than the model.
 */
CRD_API CRD_NODISCARD crd_status crd_dataset_predict_to(crd_context *ctx, const crd_model *model,
                                                        const crd_dataset *dataset,
                                                        const crd_feed_options *options,
                                                        const char *path,
                                                        crd_feed_summary *summary);

#ifdef __cplusplus
}
#endif
#endif

/* credence/zoo.h -- network architectures, built as ONNX models with initialised weights. */
#ifndef CREDENCE_ZOO_H
#define CREDENCE_ZOO_H

#include "credence/edit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An architecture. The table of architectures also generates help and reference page. */
typedef struct {
  const char *name;      /* "resnet20" */
  const char *summary;   /* one line, for lists */
  const char *reference; /* the paper */
  crd_sample_type input; /* the samples it takes: IMAGES (channels, height, width), VECTORS: any
                            shape, TEXTS: token indices */
  size_t setting_count;
  const crd_setting_info *settings;
} crd_architecture_info;

/** Returns the number of architectures. */
CRD_API size_t crd_architecture_count(void);
/** Returns the architecture at an index, or NULL past the end. */
CRD_API const crd_architecture_info *crd_architecture_at(size_t index);
/** Returns the architecture of this name, or NULL. */
CRD_API const crd_architecture_info *crd_architecture_find(const char *name);
/** Returns the name of the architecture for a type of samples if none is chosen. */
CRD_API const char *crd_architecture_usual(crd_sample_type type);

/** What the network is for. */
typedef struct {
  size_t size; /* sizeof(crd_architecture_shape) */
  size_t classes;
  size_t rank; /* of one sample */
  int64_t dims[CRD_RANK_MAX];
  size_t words; /* texts: number of token indices; else 0 */
} crd_architecture_shape;

/** Builds a network from an expression such as "wrn(depth=16,width=4)": input `input` (rows, dims),
 * output `logits` (rows, classes), and the tensors `conv` (before the last pooling, where there is
 * one) and `penultimate`. Weights are drawn from the context's seed. CRD_EUSAGE for an unknown name
 * or setting, and for shapes that the architecture cannot take. */
CRD_API CRD_NODISCARD crd_status crd_architecture_build(crd_context *ctx, const char *expression,
                                                        const crd_architecture_shape *shape,
                                                        crd_model **out);

/** Counts the trainable parameters of such a network without building it: weights and biases, not
 * running statistics. CRD_EUSAGE as above. */
CRD_API CRD_NODISCARD crd_status crd_architecture_parameters(crd_context *ctx,
                                                             const char *expression,
                                                             const crd_architecture_shape *shape,
                                                             uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif

/*
 * credence/compile.h -- how an ONNX model becomes a network: supported operators, compile options,
 * parameters.
 */
#ifndef CREDENCE_COMPILE_H
#define CREDENCE_COMPILE_H

#include "credence/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An operator that networks may have. */
typedef struct {
  const char *name;    /* "Conv", as ONNX calls it */
  const char *summary; /* what of it is supported; one line */
  int since, until;    /* versions of the operator set */
  /* Non-zero: it has a gradient by its inputs, and by those that may be parameters. */
  int backward_input, backward_parameters;
} crd_operator_info;

/** NULL past the end, and where networks are not built in. */
CRD_API const crd_operator_info *crd_operator_at(size_t index);

/* What a network is compiled for.
 *
 * What a file has once is one parameter: PyTorch's exporter writes parameters of equal values, such
 * as all scales of fresh batch norms, once, unless it is told training=TrainingMode.TRAINING. */
typedef enum {
  CRD_MODE_INFERENCE,
  CRD_MODE_INPUT_GRADIENT, /* parameters are frozen: gradients by the inputs only */
  CRD_MODE_TRAINING        /* gradients by parameters too; statistics of the batch, dropout */
} crd_mode;

typedef struct {
  /* What open dimensions are. The first dimension of every input is the batch where it is open. */
  size_t batch; /* 0: 1 */
  /* In the order of the inputs: shape and type, and where there is data, the value itself, which
   * then is a constant of the network. Fewer, or rank 0 without data: as the model says. */
  const crd_tensor *inputs;
  size_t input_count;
  int winograd; /* non-zero: convolutions may use Winograd's transform: faster, less exact */
  crd_mode mode;
  /* INPUT_GRADIENT: non-zero: only the sum over the batch is wanted, as for a perturbation that all
   * rows share; it then has 1 as its first dimension. */
  int shared_gradient;
  int no_input_gradient; /* TRAINING, non-zero: gradients by the inputs are not wanted */
} crd_compile_options;

/** Numbers that training changes, in the order of the file; what is written here counts from the
 * next run on. */
typedef struct {
  const char *name;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  size_t count;
  float *values;
  float *gradient; /* NULL: a running statistic, which runs themselves change */
} crd_parameter;

#ifdef __cplusplus
}
#endif
#endif

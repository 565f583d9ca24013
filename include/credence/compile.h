/*
 * credence/compile.h -- compilation of ONNX models: supported operators, options, parameters.
 */
#ifndef CREDENCE_COMPILE_H
#define CREDENCE_COMPILE_H

#include "credence/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A supported operator. */
typedef struct {
  /* ONNX's name, after its domain if that is not the standard one: "Conv", "ai.onnx.ml.Scaler". */
  const char *name;
  const char *summary; /* which forms of it are supported; one line */
  int since, until;    /* versions of the operator set */
  /* Non-zero: it has gradients with respect to its inputs, and to its parameters. */
  int backward_input, backward_parameters;
} crd_operator_info;

/** Returns the number of operators; 0 without networks. */
CRD_API size_t crd_operator_count(void);
/** Returns the operator at an index, or NULL past the end. */
CRD_API const crd_operator_info *crd_operator_at(size_t index);
/** Returns the operator of a name, or NULL. */
CRD_API const crd_operator_info *crd_operator_find(const char *name);

/* What a network is compiled for.
 *
 * An initialiser of the file is one parameter. PyTorch's exporter writes parameters of equal
 * values, such as all scales of new batch norms, only once, unless given
 * training=TrainingMode.TRAINING. */
typedef enum {
  CRD_MODE_INFERENCE,
  CRD_MODE_INPUT_GRADIENT, /* parameters are frozen: gradients with respect to the inputs only */
  CRD_MODE_TRAINING        /* gradients with respect to parameters too; batch statistics, dropout */
} crd_mode;

typedef struct {
  size_t size; /* sizeof(crd_compile_options) */
  /* Value of free first dimensions of the inputs. */
  size_t batch; /* 0: 1 */
  /* In the order of the inputs: shape and type; with data, the input becomes a constant of the
   * network. Inputs beyond input_count, and those with rank 0 and no data, are as in the model. */
  const crd_array *inputs;
  size_t input_count;
  int winograd; /* non-zero: allow Winograd convolutions: faster, less accurate */
  crd_mode mode;
  /* INPUT_GRADIENT, non-zero: compute only the sum of the gradient over the batch, as for a
   * perturbation shared by all rows; its first dimension is then 1. */
  int shared_gradient;
  int parameters_only; /* TRAINING, non-zero: gradients with respect to the parameters only */
  /* Models of f16 and bf16 are computed in f32. Their outputs are rounded at the end, unless this
   * is non-zero or the mode has gradients: then they are f32. Inputs of these types may be given as
   * f32 in `inputs`, and in modes with gradients they are f32 unless given otherwise. */
  int wide_outputs;
} crd_compile_options;

/** A parameter, in the order of the file. Values written here take effect in the next run. */
typedef struct {
  const char *name;
  crd_array shape; /* f32; its data are the values */
  size_t count;
  float *values;
  float *gradient; /* NULL: a running statistic, which runs update */
} crd_parameter;

#ifdef __cplusplus
}
#endif
#endif

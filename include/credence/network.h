/*
 * credence/network.h -- open ONNX models, compile, run and differentiate networks.
 *
 * These functions are in libcredence-nn (pkg-config credence-nn), which includes all of
 * libcredence: link one or the other.
 */
#ifndef CREDENCE_NETWORK_H
#define CREDENCE_NETWORK_H

#include "credence/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An ONNX model as stored: a graph of operators with weights. The file is mapped, not copied.
 *
 *   life      open -> compile, survey, save -> destroy after the networks made of it
 *   threads   reading: many at once
 */
typedef struct crd_model crd_model;

/** Opens an .onnx file; weights in other files must be in the same folder or below it. CRD_EINPUT
 * if the file is missing or invalid; CRD_EABSENT if networks are not built in. */
CRD_API CRD_NODISCARD crd_status crd_model_open(crd_context *ctx, const char *path,
                                                crd_model **out);
/** Opens a model in memory, borrowed until destroy; `name` is the file's name in error messages. */
CRD_API CRD_NODISCARD crd_status crd_model_open_memory(crd_context *ctx, const char *name,
                                                       const void *bytes, size_t length,
                                                       crd_model **out);
/** Destroys a model; NULL is allowed. */
CRD_API void crd_model_destroy(crd_model *model);
/** Writes the model as one file, with all weights inside. CRD_ESYSTEM if writing fails. */
CRD_API CRD_NODISCARD crd_status crd_model_save(crd_context *ctx, const crd_model *model,
                                                const char *path);
/** Returns an input without initialiser, or NULL past the end. */
CRD_API const crd_port *crd_model_input(const crd_model *model, size_t index);
/** Returns an output, or NULL past the end. */
CRD_API const crd_port *crd_model_output(const crd_model *model, size_t index);

/**
 * A model compiled for fixed shapes, with all memory planned and all kernels chosen.
 *
 *   life      compile -> run -> output, backward -> destroy
 *   owns      weights in the layouts that its kernels need, memory for all intermediate tensors
 *   threads   one run at a time; it uses the context's number of threads at compile time
 */
typedef struct crd_network crd_network;

/** Compiles a model. CRD_EINPUT if an operator or shape is unsupported, and if it would exceed the
 * memory budget (a small file can ask for any amount). `options` NULL: defaults. */
CRD_API CRD_NODISCARD crd_status crd_network_compile(crd_context *ctx, const crd_model *model,
                                                     const crd_compile_options *options,
                                                     crd_network **out);
/** Destroys a network; NULL is allowed. */
CRD_API void crd_network_destroy(crd_network *network);
/** Returns type and shape of an input, or NULL past the end. */
CRD_API const crd_array *crd_network_input(const crd_network *network, size_t index);
/** Returns an output, or NULL past the end: type and shape, and after a run its data, borrowed
 * until the next run. */
CRD_API const crd_array *crd_network_output(const crd_network *network, size_t index);
/** Forward pass. `inputs` have the types and shapes of crd_network_input, else CRD_EUSAGE.
 * Allocates nothing. */
CRD_API CRD_NODISCARD crd_status crd_network_run(crd_context *ctx, crd_network *network,
                                                 const crd_array *inputs, size_t count);

/**
 * Backward pass of the last run. `gradient` is dL/d(output 0), float32, in its shape. Sets
 * dL/d(input) and adds to dL/d(parameter). At most once per run, since it overwrites the run's
 * memory. CRD_EUSAGE otherwise, and if the network was compiled for inference. Allocates nothing.
 */
CRD_API CRD_NODISCARD crd_status crd_network_backward(crd_context *ctx, crd_network *network,
                                                      const crd_array *gradient);
/** Returns dL/d(input) after a backward pass; NULL past the end and for inputs without gradient. */
CRD_API const crd_array *crd_network_input_gradient(const crd_network *network, size_t index);

/** Returns a parameter of a network compiled for training, or NULL past the end. */
CRD_API const crd_parameter *crd_network_parameter(const crd_network *network, size_t index);
/** Sets all gradients with respect to parameters to 0. */
CRD_API void crd_network_clear_gradients(crd_network *network);

/* A network of your own: another engine, another machine. Callbacks return a status, and on failure
 * store an error message with crd_context_fail. */
typedef struct {
  size_t size; /* sizeof(crd_network_ops) */
  /* Computes the output from the input. */
  crd_status (*run)(void *self, crd_context *ctx, const float *input, float *output);
  /* Computes dL/d(input) from dL/d(output) at the last run; NULL: no gradients. */
  crd_status (*backward)(void *self, crd_context *ctx, const float *output_gradient,
                         float *input_gradient);
  void (*destroy)(void *self); /* NULL: nothing to do */
} crd_network_ops;

/** Creates a network from callbacks, with one float32 input and one float32 output of fixed shapes.
 * Takes ownership of `self`, which is destroyed with the network, or at once if this fails, unless
 * `ops` cannot be read because of its `size`. */
CRD_API CRD_NODISCARD crd_status crd_network_create(crd_context *ctx, const crd_network_ops *ops,
                                                    void *self, const crd_array *input,
                                                    const crd_array *output, crd_network **out);

/* With respect to which tensors gradients are checked. */
typedef enum { CRD_CHECK_INPUTS, CRD_CHECK_PARAMETERS } crd_check_subject;

typedef struct {
  size_t size; /* sizeof(crd_check_options) */
  crd_check_subject subject;
  size_t directions; /* 0: 20 */
  double tolerance;  /* of relative errors; 0: 1e-2 */
  /* The point, as for crd_network_run; NULL: standard normal values, 0 for integers. */
  const crd_array *inputs;
  size_t input_count;
} crd_check_options;

/* One direction of the check. The function is a random linear combination of the elements of
 * output 0; a direction moves all elements of the checked tensors at once, each at random. */
typedef struct {
  double backward;   /* directional derivative from gradients, averaged over the step */
  double difference; /* the same from the difference of the runs at its ends */
  double error; /* |backward - difference|, relative to the larger of the two, or to the typical
                   derivative along such directions if that is larger still */
  double doubt; /* standard deviation of `error` if gradients are right: of rounding, and of the
                   mean over a step that crosses kinks; infinite: derivatives have narrow peaks */
  double step;  /* distance of the runs, relative to the size of the moved tensors */
} crd_check_direction;

/* RIGHT and WRONG: all directions together show that the error of the gradients is at most the
 * tolerance, or above it. UNDECIDED: float32 is too coarse, or there are too many kinks, to tell.
 */
typedef enum { CRD_CHECK_RIGHT, CRD_CHECK_WRONG, CRD_CHECK_UNDECIDED } crd_check_verdict;

/** The outcome of a check. */
typedef struct {
  size_t count;
  const crd_check_direction *directions;
  crd_check_verdict verdict;
  double
      error; /* root mean square over the directions, without the part that `doubt` explains ... */
  double limit;   /* ... and its upper limit, three standard deviations above */
  size_t crossed; /* directions along which gradients jump (kinks) or bend */
  size_t unsure;  /* directions whose doubt exceeds the tolerance */
  size_t failed;  /* directions with an error above the tolerance and beyond doubt */
  size_t worst;   /* index of the direction with the largest error */
} crd_check;

/**
 * Compares gradients with finite differences of runs along random directions. Afterwards parameters
 * have the same bits as before, and their gradients are 0. Wrong gradients, and those that cannot
 * be decided, are a verdict, not a failure of the call; CRD_ENUMERIC if an output or a gradient is
 * not finite. `options` NULL: defaults.
 */
CRD_API CRD_NODISCARD crd_status crd_network_check(crd_context *ctx, crd_network *network,
                                                   const crd_check_options *options,
                                                   const crd_check **out);
/** Destroys a check; NULL is allowed. */
CRD_API void crd_check_destroy(const crd_check *check);

/* A node of a model. */
typedef struct {
  const char *name;      /* its name in the file, or that of its first output */
  const char *operation; /* "Conv" */
  size_t rank;           /* of its first output, if known */
  int64_t dims[CRD_RANK_MAX];
  crd_dtype dtype;
  int known;           /* non-zero: the shape is known */
  uint64_t parameters; /* number of elements of the weights that no earlier node reads */
  uint64_t flops;      /* multiplications and additions, for the whole batch */
  const char *problem; /* why it cannot be run, and what to do about it; NULL: it can */
  int behind; /* non-zero: it cannot be judged, because of earlier nodes that cannot be run */
} crd_node_info;

/* A problem that nodes have in common. */
typedef struct {
  const char *problem; /* "the operator Foo is not supported" */
  size_t node_count;
  size_t first; /* index of the first of these nodes */
} crd_survey_cause;

/** Structure and requirements of a model, even of one that cannot be run. */
typedef struct {
  int64_t ir, opset;
  const char *producer;
  size_t batch;
  size_t node_count, problem_count;
  size_t behind_count; /* nodes behind those with a problem */
  const crd_node_info *nodes;
  size_t cause_count;
  const crd_survey_cause *causes; /* the problems, each once, in the order of the nodes */
  uint64_t parameters, flops;
  uint64_t weight_bytes; /* as stored in the file */
  uint64_t memory_bytes; /* of intermediate tensors during a run; 0: it cannot be run */
  const char *problem;   /* why it cannot be compiled although each node can; NULL: it can */
  size_t convolutions, batch_norms;
  const char *note; /* that no batch norm is left to train; NULL: there is nothing to note */
} crd_survey;

/** Surveys a model. Unsupported nodes are reported in `out`, and are not a failure of the call. */
CRD_API CRD_NODISCARD crd_status crd_survey_make(crd_context *ctx, const crd_model *model,
                                                 const crd_compile_options *options,
                                                 const crd_survey **out);
/** Destroys a survey; NULL is allowed. */
CRD_API void crd_survey_destroy(const crd_survey *survey);
/**
 * Sets *batch to the largest of options->batch, its half, its quarter, ..., 1 whose intermediate
 * tensors take at most `bytes`, estimated from a small batch; the first dimension of
 * options->inputs without data is the batch. A model that cannot be run keeps options->batch.
 */
CRD_API CRD_NODISCARD crd_status crd_survey_batch(crd_context *ctx, const crd_model *model,
                                                  const crd_compile_options *options,
                                                  uint64_t bytes, size_t *batch);

/* How rows are preprocessed and fed to a network in batches; all zero is the default. */
typedef struct {
  size_t size;      /* sizeof(crd_feed_options) */
  size_t batch;     /* 0: the model's fixed batch, else 128; the last is padded with its last row */
  int winograd;     /* as in crd_compile_options */
  int wide_outputs; /* the same; predictions always are */
  /* Each value x becomes (x * scale - mean) / std. */
  double scale;             /* 0: 1 */
  const double *mean, *std; /* NULL: 0 and 1 */
  size_t channels;    /* length of each: 1, or the number of channels (the second dimension) */
  int channels_last;  /* non-zero: the data is (rows, height, width, channels) */
  const char *output; /* the output to compute; NULL: all */
  /* Predictions only: a tensor whose rows are written as features; NULL: none. */
  const char *features;
  const char *const *sources; /* the origin of each input, for error messages; NULL: unknown */
} crd_feed_options;

/** Summary of a run over all rows. */
typedef struct {
  size_t rows, batch;
  size_t classes;     /* of predict_to: columns of the output */
  const char *scores; /* the name they were written under: "logits", "probabilities" (if the first
                         batch looks so), or "scores" for a single column */
  int labelled;       /* non-zero: labels were copied */
  size_t features;    /* of predict_to: values of features per row */
  int confidence;     /* of predict_to, non-zero: confidences of the predicted class, from a model
                         of crd_confidnet_model, were written */
} crd_feed_summary;

/**
 * Runs a model over all rows (the first dimension) of its inputs, given in their order, and writes
 * the outputs by name. The extension chooses the format; .npy holds one output. Integers are
 * converted if the model takes floating-point values. A single output is streamed, several are kept
 * in memory until the end. CRD_EINPUT if inputs and model do not fit together. `options` NULL:
 * defaults; `summary` may be NULL.
 */
CRD_API CRD_NODISCARD crd_status crd_model_run_to(crd_context *ctx, const crd_model *model,
                                                  const crd_array *inputs, size_t count,
                                                  const crd_feed_options *options, const char *path,
                                                  crd_feed_summary *summary);

/**
 * Predicts with a classifier and writes a file for crd_predictions_open. `input` is
 * FILE[#group][@from:to] with an array images, inputs, x or features, or a single one; labels,
 * weights and groups in it are copied. The output must have the shape (rows, classes). CRD_EINPUT
 * as in crd_model_run_to; CRD_ENUMERIC, with the row, if an input or output is not finite.
 */
CRD_API CRD_NODISCARD crd_status crd_model_predict_to(crd_context *ctx, const crd_model *model,
                                                      const char *input,
                                                      const crd_feed_options *options,
                                                      const char *path, crd_feed_summary *summary);

#ifdef __cplusplus
}
#endif
#endif

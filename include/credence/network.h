/*
 * credence/network.h -- networks as ONNX files describe them, compiled for a batch and run.
 *
 * These functions are in libcredence-nn (pkg-config credence-nn), which has all of libcredence too:
 * link one or the other.
 */
#ifndef CREDENCE_NETWORK_H
#define CREDENCE_NETWORK_H

#include "credence/compile.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A network as its file describes it: a graph of operators and weights. The file is mapped, not
 * copied.
 *
 *   life      open -> compile, survey, save -> destroy after the networks made of it
 *   threads   reading: many at once
 */
typedef struct crd_model crd_model;

/** Read an .onnx file; weights in other files must lie in the same folder or below it. */
CRD_API CRD_CHECK crd_status crd_model_open(crd_context *ctx, const char *path, crd_model **out);
/** The same from bytes, which must stay until destroy; `name` stands for the file in messages. */
CRD_API CRD_CHECK crd_status crd_model_open_memory(crd_context *ctx, const char *name,
                                                   const void *bytes, size_t length,
                                                   crd_model **out);
CRD_API void crd_model_destroy(crd_model *model);
/** Write it again as one file, with all weights inside. */
CRD_API CRD_CHECK crd_status crd_model_save(crd_context *ctx, const crd_model *model,
                                            const char *path);
/** Inputs that no initialiser stands for, and outputs; NULL past the end. */
CRD_API const crd_port *crd_model_input(const crd_model *model, size_t index);
CRD_API const crd_port *crd_model_output(const crd_model *model, size_t index);

/**
 * A model compiled for shapes that are fixed: all memory is planned, all kernels are chosen.
 *
 *   life      compile -> run, output -> destroy
 *   owns      weights in the layouts that its kernels want, memory for everything between
 *   threads   one run at a time; as many threads inside as the context had when it was compiled
 */
typedef struct crd_network crd_network;

/** NULL options: defaults. EINPUT also where it would need more memory than the machine has; a
 * small file can ask for any amount. */
CRD_API CRD_CHECK crd_status crd_network_compile(crd_context *ctx, const crd_model *model,
                                                 const crd_compile_options *options,
                                                 crd_network **out);
CRD_API void crd_network_destroy(crd_network *network);
/** Type and shape of what must be given to run, and of what it yields; NULL past the end. */
CRD_API const crd_tensor *crd_network_input(const crd_network *network, size_t index);
/** After a run also its data, in memory of the network: valid until the next run. */
CRD_API const crd_tensor *crd_network_output(const crd_network *network, size_t index);
/** `inputs` as crd_network_input tells them; allocates nothing. */
CRD_API CRD_CHECK crd_status crd_network_run(crd_context *ctx, crd_network *network,
                                             const crd_tensor *inputs, size_t count);

/**
 * After a run, gradients of a number of which `gradient` is the gradient by the first output (f32,
 * of its shape). Those by parameters are added to what is there. Once for each run: it works in the
 * run's memory. EUSAGE else, and where the network was compiled for inference. Allocates nothing.
 */
CRD_API CRD_CHECK crd_status crd_network_backward(crd_context *ctx, crd_network *network,
                                                  const crd_tensor *gradient);
/** After backward, the gradient by an input; NULL past the end, and for inputs that have none. */
CRD_API const crd_tensor *crd_network_input_gradient(const crd_network *network, size_t index);

/** Of a network compiled for training; NULL past the end. */
CRD_API const crd_parameter *crd_network_parameter(const crd_network *network, size_t index);
/** All gradients by parameters become 0. */
CRD_API void crd_network_clear_gradients(crd_network *network);

/* A network by somebody else: another engine, another machine. Calls return a status, and put a
 * sentence into the context with crd_context_fail. */
typedef struct {
  /* The output, of the shape that was declared, from the input. */
  crd_status (*run)(void *self, crd_context *ctx, const float *input, float *output);
  /* The gradient by the input from that by the output, at the last run; NULL: it has none. */
  crd_status (*backward)(void *self, crd_context *ctx, const float *output_gradient,
                         float *input_gradient);
  void (*destroy)(void *self); /* NULL: nothing to do */
} crd_network_ops;

/** One f32 input and one f32 output of the shapes that are given. `self` is destroyed with it, and
 * at once where this fails. */
CRD_API CRD_CHECK crd_status crd_network_create(crd_context *ctx, const crd_network_ops *ops,
                                                void *self, const crd_tensor *input,
                                                const crd_tensor *output, crd_network **out);

/* What gradients are compared by. */
typedef enum { CRD_CHECK_INPUTS, CRD_CHECK_PARAMETERS } crd_check_subject;

typedef struct {
  crd_check_subject subject;
  size_t directions; /* 0: 20 */
  double tolerance;  /* of relative errors; 0: 1e-2 */
  /* Where, as for crd_network_run; NULL: numbers drawn from the standard normal distribution, and
   * whole numbers are 0. */
  const crd_tensor *inputs;
  size_t input_count;
} crd_check_options;

/* The number that is differentiated is the sum of the first output's numbers, with random factors;
 * along a direction, everything that is checked moves at once, each number at random. */
typedef struct {
  double backward;   /* the slope along it by gradients, in the mean over the step */
  double difference; /* and by the difference of the runs at its ends */
  double error;      /* how far they are apart, relative to the larger one, or to what slopes along
                        such directions are on average where that is larger still */
  double step;       /* how far the runs were apart, relative to the size of what moves */
} crd_check_direction;

typedef struct {
  size_t count;
  crd_check_direction *directions;
  size_t crossed; /* of these, directions along which gradients jump, as at kinks, or change */
  size_t redrawn; /* directions with too many kinks; others were taken for them */
  size_t failed;  /* whose error is above the tolerance */
  size_t worst;   /* the number of the one with the largest error */
} crd_check;

/**
 * Compare gradients with differences of runs. Everything random follows from the context's seed.
 * ENUMERIC where too few directions settle; that gradients are wrong is no failure of this call.
 * Parameters are the same bits afterwards, their gradients are 0. NULL options: defaults.
 */
CRD_API CRD_CHECK crd_status crd_network_check(crd_context *ctx, crd_network *network,
                                               const crd_check_options *options, crd_check **out);
CRD_API void crd_check_destroy(crd_check *check);

/* A node of a model, as a survey finds it. */
typedef struct {
  const char *name;      /* as the file calls it, or the name of its first output */
  const char *operation; /* "Conv" */
  size_t rank;           /* of its first output, where it could be found out */
  int64_t dims[CRD_RANK_MAX];
  crd_dtype dtype;
  int known;           /* non-zero: the shape is known */
  uint64_t parameters; /* numbers in the weights that it is the first to read */
  uint64_t flops;      /* additions and multiplications, for the whole batch */
  const char *problem; /* NULL: it can be run; else why not, and what to do about it */
} crd_node_info;

/** What a model consists of and what it needs, whether it can be run or not. */
typedef struct {
  int64_t ir, opset;
  const char *producer;
  size_t batch;
  size_t node_count, problem_count;
  crd_node_info *nodes;
  uint64_t parameters, flops;
  uint64_t weight_bytes; /* as they stand in the file */
  uint64_t memory_bytes; /* between the steps of a run; 0 where it cannot be run */
  const char *problem;   /* why it cannot be compiled although every node could be; NULL: it can */
} crd_survey;

CRD_API CRD_CHECK crd_status crd_survey_make(crd_context *ctx, const crd_model *model,
                                             const crd_compile_options *options, crd_survey **out);
CRD_API void crd_survey_destroy(crd_survey *survey);

/* How rows become what a network takes, a batch at a time. Zeroed: as they are. */
typedef struct {
  size_t batch; /* 0: what the model fixes, else 128; the last one is filled up with its last row */
  int winograd; /* as in crd_compile_options */
  /* First each number x becomes (x * scale - mean) / std. */
  double scale;             /* 0: 1 */
  const double *mean, *std; /* NULL: 0 and 1 */
  size_t channels;    /* how many of each: 1, or one for each channel (the second dimension) */
  int channels_last;  /* non-zero: they come as (rows, height, width, channels) */
  const char *output; /* the name of the output that is wanted; NULL: all of them */
  const char *const *sources; /* where each input is from, for messages; NULL: that is not told */
} crd_feed_options;

/** What was done. */
typedef struct {
  size_t rows, batch;
  size_t classes;     /* of predictions: columns of the output */
  const char *scores; /* what they are called: "logits", "probabilities" (when the first batch is
                         such), or "scores" where there is one column */
  int labelled;       /* non-zero: the labels went along */
} crd_feed_summary;

/**
 * Run a model over all rows (the first dimension) of its inputs, in the order of the inputs, and
 * write what it yields, by name; the file's name chooses the format, .npy takes one output. Whole
 * numbers become floating-point ones where the model takes these. Several outputs are kept in
 * memory until the end, one is written as it comes. NULL options: defaults; `summary` may be NULL.
 */
CRD_API CRD_CHECK crd_status crd_model_run_to(crd_context *ctx, const crd_model *model,
                                              const crd_tensor *inputs, size_t count,
                                              const crd_feed_options *options, const char *path,
                                              crd_feed_summary *summary);

/**
 * The predictions of a classifier, as a file for crd_predictions_open: `input` is
 * FILE[#group][@from:to] with an array images, inputs, x or features, or a single one, and perhaps
 * labels, weights and groups, which go along. The output must have the shape (rows, classes), and
 * be finite everywhere, as must what goes in.
 */
CRD_API CRD_CHECK crd_status crd_model_predict_to(crd_context *ctx, const crd_model *model,
                                                  const char *input,
                                                  const crd_feed_options *options, const char *path,
                                                  crd_feed_summary *summary);

#ifdef __cplusplus
}
#endif
#endif

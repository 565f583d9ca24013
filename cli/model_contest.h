/*
 * model_contest.h -- compares calibration methods on the predictions of a model that is run here,
 * so that Neural Clamping, which needs the network, takes part.
 */
#ifndef CLI_MODEL_CONTEST_H
#define CLI_MODEL_CONTEST_H

#include "clamping.h"
#include "contest.h"

/* The options. */
typedef struct {
  const char *path;   /* of the model; NULL: predictions are compared */
  const char *tensor; /* that delta is added to; NULL: the input */
  cli_feeding feeding;
  cli_data data;
} cli_model;

/* Entries for a table of options; `at` is the member of `args` that holds a cli_model. */
#define CLI_MODEL_OPTIONS(args, at)                                                                \
  { CLI_FILE,                                                                                      \
    0,                                                                                             \
    "model",                                                                                       \
    "FILE",                                                                                        \
    .offset = offsetof(args, at.path),                                                             \
    .help = "run this .onnx classifier, and compare Neural Clamping too, as 'clamping' with the "  \
            "settings of 'credence clamp' and recipe=NAME; PRED is then DATA, as in 'credence "    \
            "predict'" },                                                                          \
      { CLI_COUNT,                                                                                 \
        0,                                                                                         \
        "batch",                                                                                   \
        "N",                                                                                       \
        .offset = offsetof(args, at.feeding.batch),                                                \
        .low = 1,                                                                                  \
        .high = 1048576,                                                                           \
        .help = "with --model: batch size (default: that of the model, else 128)" },               \
      { CLI_FLAG, 0, "winograd", .offset = offsetof(args, at.feeding.winograd),                    \
        .help = "with --model: allow Winograd convolutions: faster, less accurate" },              \
      { CLI_FLAG, 0, "scale", .offset = offsetof(args, at.feeding.scale),                          \
        .help = "with --model: first divide inputs by 255" },                                      \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "mean",                                                                                    \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.feeding.mean),                                                 \
        .help = "with --model: then subtract this: one value, or one per channel" },               \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "std",                                                                                     \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.feeding.std),                                                  \
        .help = "with --model: then divide by this: one value, or one per channel" },              \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "output-name",                                                                             \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.feeding.output_name),                                          \
        .help = "with --model: use this output of the model" },                                    \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "tensor",                                                                                  \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.tensor),                                                       \
        .help = "with --model: clamping adds delta to this tensor, as behind the embedding of "    \
                "texts (default: the input)" },                                                    \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "size",                                                                                    \
        "HxW",                                                                                     \
        .offset = offsetof(args, at.data.size),                                                    \
        .help = "with --model: resize images to this height and width" },                          \
  {                                                                                                \
    CLI_COUNT, 0, "split-seed", "N", .offset = offsetof(args, at.data.split_seed),                 \
                                     .standard = "0", .high = 4294967295U,                         \
                                     .help = "with --model: seed of %A:B in DATA"                  \
  }

enum { CLI_CLAMP_SHOWN = 3 };

/* A network with its data; all zero is empty. */
typedef struct {
  cli_session *session;
  cli_clamp_args args;
  cli_clamping clamping;
  crd_dataset *test;     /* of --test; NULL: the data is split */
  double share;          /* of the calibration rows, if it is split */
  crd_dataset *parts[2]; /* calibration and test rows of the last run, if it is split */
  crd_predictions *calibrate, *tested; /* of the last run, uncalibrated */
  double shown[CLI_CLAMP_SHOWN];       /* of the last clamp */
  crd_learnt learnt[CLI_CLAMP_SHOWN];
} cli_model_contest;

/* Fails if options of predictions are given with --model, or those of models without it. */
crd_status cli_model_check(cli_session *session, const cli_contest *contest,
                           const cli_model *model);
/* Opens model and data, and compiles. Release with clear, also after failure. */
crd_status cli_model_contest_open(cli_session *session, const cli_contest *contest,
                                  const cli_model *model, double share, bool quiet,
                                  cli_model_contest *out);
/* Splits the data with a seed, unless --test is given; runs the network, and compares the methods.
 */
crd_status cli_model_contest_run(cli_session *session, cli_model_contest *contest, uint64_t seed,
                                 const crd_contest_options *what, const crd_contest **out);
void cli_model_contest_clear(cli_model_contest *contest);

#endif

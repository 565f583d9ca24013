/* contest.h -- the options of every command that lets methods of calibration compete. */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "opening.h"

typedef struct {
  cli_opening opening; /* its path is the operand, which may be missing */
  const char *calibrate, *test, *methods, *split;
  unsigned folds;
} cli_contest;

/* Rows for a table of options; `at` is the member of `args` that holds a cli_contest. */
#define CLI_CONTEST_OPTIONS(args, at)                                                              \
  { CLI_FILE,                                                                                      \
    0,                                                                                             \
    "calibrate",                                                                                   \
    "PRED",                                                                                        \
    .offset = offsetof(args, at.calibrate),                                                        \
    .help = "fit on these predictions ..." },                                                      \
      { CLI_FILE,                                                                                  \
        0,                                                                                         \
        "test",                                                                                    \
        "PRED",                                                                                    \
        .offset = offsetof(args, at.test),                                                         \
        .help = "... and test on these" },                                                         \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "split",                                                                                   \
        "SHARE",                                                                                   \
        .offset = offsetof(args, at.split),                                                        \
        .help = "fit on this share of PRED's rows and test on the others; 0.5 unless --folds is "  \
                "given; groups stay together" },                                                   \
      { CLI_COUNT,                                                                                 \
        0,                                                                                         \
        "folds",                                                                                   \
        "N",                                                                                       \
        .offset = offsetof(args, at.folds),                                                        \
        .low = 2,                                                                                  \
        .high = 1000,                                                                              \
        .help = "cross-validate: every row is tested by a calibrator fitted on other folds" },     \
  {                                                                                                \
    CLI_TEXT, 0, "methods", "LIST", .offset = offsetof(args, at.methods),                          \
                                    .help = "which to compare: names separated by commas, with "   \
                                            "settings in brackets, or 'all'; "                     \
                                            "'credence list methods' shows them"                   \
  }

/* Which of the ways to share rows out was asked for, or why none was. */
crd_status cli_contest_check(cli_session *session, const cli_contest *contest, double *share);
/* The rows that calibrate, and those that test where they are others. */
typedef struct {
  crd_predictions *first, *second;
} cli_contest_rows;
/* Release with close, also after failure. */
crd_status cli_contest_open(crd_context *ctx, const cli_contest *contest, cli_contest_rows *out);
void cli_contest_close(cli_contest_rows *rows);
crd_status cli_contest_run(crd_context *ctx, const cli_contest *contest,
                           const cli_contest_rows *rows, double share,
                           const crd_contest_options *what, crd_contest **out);
/* Open the predictions and let the methods compete. */
crd_status cli_contest_hold(crd_context *ctx, const cli_contest *contest, double share,
                            const crd_contest_options *what, crd_contest **out);

#endif

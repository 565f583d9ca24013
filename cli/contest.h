/* contest.h -- the options of every command that compares calibration methods. */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "opening.h"

typedef struct {
  cli_opening opening; /* its path is the operand, which may be missing */
  const char *calibrate, *test, *methods, *split;
  unsigned folds;
} cli_contest;

/* Entries for a table of options; `at` is the member of `args` that holds a cli_contest. */
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
        .help = "fit on this fraction of PRED's rows and test on the rest; clusters and groups "   \
                "stay together (default: 0.5, unless --folds is given)" },                         \
      { CLI_COUNT,                                                                                 \
        0,                                                                                         \
        "folds",                                                                                   \
        "N",                                                                                       \
        .offset = offsetof(args, at.folds),                                                        \
        .low = 2,                                                                                  \
        .high = 1000,                                                                              \
        .help = "cross-validate: each fold is tested with calibrators fitted on the others" },     \
  {                                                                                                \
    CLI_TEXT, 0, "methods", "LIST", .offset = offsetof(args, at.methods),                          \
                                    .help = "methods to compare, comma-separated, with settings "  \
                                            "in brackets, or 'all'; see 'credence list methods'"   \
  }

/* Fails unless the options name one way to divide the rows; *share is that of --split. */
crd_status cli_contest_check(cli_session *session, const cli_contest *contest, double *share);
/* The rows to fit on, and to test on (NULL: the same, divided). */
typedef struct {
  crd_predictions *first, *second;
} cli_contest_rows;
/* Opens the predictions. Release with close, also after failure. */
crd_status cli_contest_open(crd_context *ctx, const cli_contest *contest, cli_contest_rows *out);
void cli_contest_close(cli_contest_rows *rows);
/* Compares the methods on these rows. */
crd_status cli_contest_run(crd_context *ctx, const cli_contest *contest,
                           const cli_contest_rows *rows, double share,
                           const crd_contest_options *what, const crd_contest **out);
/* Opens the predictions and compares the methods. */
crd_status cli_contest_hold(crd_context *ctx, const cli_contest *contest, double share,
                            const crd_contest_options *what, const crd_contest **out);

#endif

/* cmd_compare.c -- credence compare: which method of calibration to take. */
#include "command.h"
#include "contest.h"
#include "show.h"
#include "terminal.h"

#include <string.h>

typedef struct {
  cli_contest contest;
  const char *metrics;
  unsigned bins, resamples, seed, threads;
  cli_look look;
} compare_args;

#define AT(member) .offset = offsetof(compare_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "PRED", AT(contest.opening.path), .optional = true,
    .help = "predictions to fit and to test on, by --split or --folds" },
  CLI_CONTEST_OPTIONS(compare_args, contest),
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = cli_metric_word,
    .help = "what to measure; accuracy, ece, nll and auroc, which the verdict needs, come along" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 100000,
    .help = "how many bins of confidence to compare with accuracy" },
  { CLI_COUNT, 'r', "resamples", "N", AT(resamples), .standard = "500", .low = 0, .high = 1000000,
    .help = "paired bootstrap resamples behind intervals and tests; 0 for none" },
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "what splits and everything else random follow from" },
  CLI_OPENING_OPTIONS(compare_args, contest.opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads; without it, all there are; the numbers are the same for any N" },
  CLI_LOOK_OPTIONS(compare_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "compare dump.npz", "the usual methods: fitted on one half of the rows, tested on the other" },
  { "compare --calibrate val.npz --test test.npz --methods all --json",
    "all methods, two files, as JSON" },
  { "compare dump.npz --folds 5 --methods 'temperature,platt(scope=top-1)'",
    "two methods, five folds" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const compare_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_output *output = NULL;
  crd_contest *contest = NULL;
  double share;
  crd_status status = cli_contest_check(session, &a->contest, &share);
  if (status == CRD_OK) status = crd_output_open(ctx, a->look.output, &output);
  if (status != CRD_OK) return status;
  crd_context_set_threads(ctx, a->threads);
  crd_context_set_seed(ctx, a->seed);
  if (!a->look.quiet) cli_progress_show(ctx);
  const crd_contest_options what = {
    .methods = a->contest.methods, .metrics = a->metrics, .bins = a->bins, .resamples = a->resamples
  };
  status = cli_contest_hold(ctx, &a->contest, share, &what, &contest);
  cli_progress_hide(ctx);
  const crd_report_options look = {
    .colour = strcmp(a->look.output, "-") == 0 && cli_terminal_colours(),
    .ascii = a->look.ascii || !cli_terminal_unicode(),
  };
  if (status == CRD_OK) status = crd_contest_write(ctx, contest, a->look.form, &look, output);
  crd_contest_destroy(contest);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

const cli_command cli_command_compare = {
  .name = "compare",
  .summary = "find the calibrator that serves these predictions best",
  .description =
      "Fits several methods on some rows, judges each on other rows, and says which to take: "
      "calibration and refinement both count, differences are tested on the same resampled rows, "
      "and what chance alone would show is said.\n" CLI_PRED_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(compare_args),
  .run = run,
};

/* cmd_compare.c -- credence compare: which method of calibration to take. */
#include "command.h"
#include "opening.h"
#include "show.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  cli_opening opening; /* its path is the operand, which may be missing */
  const char *calibrate, *test, *methods, *metrics, *split;
  unsigned folds, bins, resamples, seed, threads;
  cli_look look;
} compare_args;

#define AT(member) .offset = offsetof(compare_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "PRED", AT(opening.path), .optional = true,
    .help = "predictions to fit and to test on, by --split or --folds" },
  { CLI_FILE, 0, "calibrate", "PRED", AT(calibrate), .help = "fit on these predictions ..." },
  { CLI_FILE, 0, "test", "PRED", AT(test), .help = "... and test on these" },
  { CLI_TEXT, 0, "split", "SHARE", AT(split),
    .help = "fit on this share of PRED's rows and test on the others; 0.5 unless --folds is "
            "given; groups stay together" },
  { CLI_COUNT, 0, "folds", "N", AT(folds), .low = 2, .high = 1000,
    .help = "cross-validate: every row is tested by a calibrator fitted on other folds" },
  { CLI_TEXT, 0, "methods", "LIST", AT(methods),
    .help = "which to compare: names separated by commas, with settings in brackets, or 'all'; "
            "'credence list methods' shows them" },
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = cli_metric_word,
    .help = "what to measure; accuracy, ece, nll and auroc, which the verdict needs, come along" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 100000,
    .help = "how many bins of confidence to compare with accuracy" },
  { CLI_COUNT, 'r', "resamples", "N", AT(resamples), .standard = "500", .low = 0, .high = 1000000,
    .help = "paired bootstrap resamples behind intervals and tests; 0 for none" },
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "what splits and everything else random follow from" },
  CLI_OPENING_OPTIONS(compare_args, opening),
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

static crd_status refuse(cli_session *session, const char *why) {
  snprintf(session->message, sizeof session->message, "%s", why);
  return CRD_EUSAGE;
}

/* Which of the ways to share rows out was asked for, or why none was. */
static crd_status check(cli_session *session, const compare_args *a, double *share) {
  char *end = NULL;
  *share = a->split ? strtod(a->split, &end) : 0.5;
  if (a->split && (*end || !(*share > 0 && *share < 1)))
    return refuse(session, "--split takes a share between 0 and 1");
  if (a->opening.path && (a->calibrate || a->test))
    return refuse(session, "give PRED alone, or --calibrate and --test");
  if (!a->opening.path && !(a->calibrate && a->test))
    return refuse(session, "compare needs PRED, or --calibrate and --test");
  if ((a->split || !a->opening.path) && a->folds)
    return refuse(session, "--folds goes with PRED, and without --split");
  if (a->split && !a->opening.path) return refuse(session, "--split goes with PRED");
  return CRD_OK;
}

/* Features can be large: only who needs them reads them. */
static bool needs_features(const char *methods) {
  if (!methods) return false;
  for (size_t i = 0; i < crd_method_count(); i++)
    if (crd_method_at(i)->needs_features &&
        (strcmp(methods, "all") == 0 || strstr(methods, crd_method_at(i)->name)))
      return true;
  return false;
}

static crd_status hold(crd_context *ctx, const compare_args *a, double share, crd_contest **out) {
  crd_predictions *first = NULL, *second = NULL;
  crd_open_options how = cli_opening_options(&a->opening);
  how.features = needs_features(a->methods);
  const crd_contest_options what = {
    .methods = a->methods, .metrics = a->metrics, .bins = a->bins, .resamples = a->resamples
  };
  crd_status status =
      crd_predictions_open(ctx, a->opening.path ? a->opening.path : a->calibrate, &how, &first);
  if (status == CRD_OK && a->test) status = crd_predictions_open(ctx, a->test, &how, &second);
  if (status == CRD_OK && second) status = crd_contest_run(ctx, first, second, &what, out);
  else if (status == CRD_OK && a->folds)
    status = crd_contest_folds(ctx, first, a->folds, &what, out);
  else if (status == CRD_OK) status = crd_contest_split(ctx, first, share, &what, out);
  crd_predictions_destroy(first);
  crd_predictions_destroy(second);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const compare_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_output *output = NULL;
  crd_contest *contest = NULL;
  double share;
  crd_status status = check(session, a, &share);
  if (status == CRD_OK) status = crd_output_open(ctx, a->look.output, &output);
  if (status != CRD_OK) return status;
  crd_context_set_threads(ctx, a->threads);
  crd_context_set_seed(ctx, a->seed);
  if (!a->look.quiet) cli_progress_show(ctx);
  status = hold(ctx, a, share, &contest);
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

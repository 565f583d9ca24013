/* cmd_calibratability.c -- credence calibratability: how well networks can be calibrated, by
 * training method. */
#include "command.h"
#include "named_runs.h"
#include "option.h"
#include "show.h"
#include "terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MAX = 64 };

typedef struct {
  cli_words runs;
  cli_opening opening; /* its path is not used */
  const char *baseline, *methods, *split, *sizes, *plot;
  unsigned draws, bins, seed, threads;
  cli_look look;
} calibratability_args;

#define AT(member) .offset = offsetof(calibratability_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "NAME=PRED...", AT(runs), .many = true,
    .help = "name of a training method, and predictions of a network that it trained; equal names "
            "are seeds. NAME=CALIBRATE,TEST: rows to fit on and to test on, else PRED is divided" },
  { CLI_TEXT, 0, "baseline", "NAME", AT(baseline),
    .help = "training method to compare the others with (default: the first)" },
  { CLI_TEXT, 0, "methods", "LIST", AT(methods),
    .help = "post-hoc methods, comma-separated, with settings in brackets (default: "
            "temperature,histogram(edges=equal-mass),isotonic(scope=top-1))" },
  { CLI_TEXT, 0, "split", "SHARE", AT(split),
    .help = "fit on this fraction of PRED's rows and test on the rest; clusters and groups stay "
            "together (default: 0.5)" },
  { CLI_TEXT, 0, "sizes", "LIST", AT(sizes),
    .help = "also fit on random draws of so few calibration rows: 100,200,500,all" },
  { CLI_COUNT, 0, "draws", "N", AT(draws), .standard = "20", .low = 1, .high = 100000,
    .help = "with --sizes: draws of each size" },
  { CLI_FILE, 0, "plot", "FILE", AT(plot), .writes = true,
    .help = "with --sizes: also draw ECE against the number of calibration rows, FILE.svg" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 1000,
    .help = "number of confidence bins" },
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "seed of splits and draws" },
  CLI_CLUSTER_OPTION(calibratability_args, opening),
  CLI_OPENING_OPTIONS(calibratability_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  CLI_LOOK_OPTIONS(calibratability_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "calibratability ce=ce-0.npz ce=ce-1.npz ls=ls-0.npz ls=ls-1.npz --baseline ce",
    "label smoothing against cross-entropy, two seeds of each, half of the rows to fit on" },
  { "calibratability 'ce=ce.npz#val,ce.npz#test' 'focal=focal.npz#val,focal.npz#test'",
    "calibration and test rows from the groups of one file" },
  { "calibratability ce=ce.npz ls=ls.npz --methods temperature,histogram --sizes "
    "100,300,1000,all --draws 50",
    "how many calibration rows the two post-hoc methods need" },
  { "calibratability ce=ce.npz ls=ls.npz --sizes 100,200,500,1000,2000,all --plot sizes.svg",
    "the same as a figure" },
  { "calibratability ce=ce-0.npz ce=ce-1.npz ls=ls-0.npz ls=ls-1.npz --latex",
    "a table for a paper" },
  { .line = NULL },
};

/* Reads "100,200,all" into `out`; 0 stands for all. */
static crd_status read_sizes(cli_session *session, const char *list, size_t out[SIZES_MAX],
                             size_t *count) {
  *count = 0;
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    char *end = NULL;
    const bool all = length == 3 && strncmp(at, "all", 3) == 0;
    const unsigned long value = all ? 0 : strtoul(at, &end, 10);
    const bool valid = all || (*at >= '0' && *at <= '9' && end == at + length && value > 0);
    if (!valid)
      return cli_refuse(session, "--sizes takes numbers of rows above 0, or all, found '%.*s'",
                        (int)(length < 40 ? length : 40), at);
    if (*count == SIZES_MAX) return cli_refuse(session, "--sizes takes up to %d sizes", SIZES_MAX);
    out[(*count)++] = value;
  }
  return CRD_OK;
}

static crd_status read_share(cli_session *session, const char *text, double *share) {
  char *end = NULL;
  *share = text ? strtod(text, &end) : 0;
  if (!text || (!*end && *share > 0 && *share < 1)) return CRD_OK;
  return cli_refuse(session, "--split takes a number between 0 and 1, found '%.100s'", text);
}

static crd_status measure(cli_session *session, const calibratability_args *a,
                          crd_calibratability_options *what, const crd_calibratability **out) {
  cli_named_runs runs;
  crd_status status = cli_named_runs_open(session, &a->runs, &a->opening, &runs);
  if (status == CRD_OK)
    status = crd_calibratability_measure(session->ctx, runs.runs, runs.count, what, out);
  cli_named_runs_close(&runs);
  return status;
}

static crd_status show(cli_session *session, const calibratability_args *a,
                       const crd_calibratability *results, crd_output *output, crd_output *plot) {
  const crd_report_options look = cli_look_options(&a->look, NULL);
  const crd_figure_data data = { .size = sizeof data, .calibratability = results };
  const crd_status status =
      crd_calibratability_write(session->ctx, results, a->look.form, &look, output);
  if (status != CRD_OK || !plot) return status;
  return crd_figure_write(session->ctx, "calibration-size", &data, NULL, plot);
}

static crd_status run(cli_session *session, const void *arguments) {
  const calibratability_args *const a = arguments;
  size_t sizes[SIZES_MAX], count;
  crd_output *output = NULL, *plot = NULL;
  const crd_calibratability *results = NULL;
  crd_calibratability_options what = { .size = sizeof what,
                                       .baseline = a->baseline,
                                       .methods = a->methods,
                                       .bins = a->bins,
                                       .draws = a->draws,
                                       .sizes = sizes };
  crd_status status = read_sizes(session, a->sizes, sizes, &count);
  if (status == CRD_OK) status = read_share(session, a->split, &what.split);
  if (status == CRD_OK && a->plot && !a->sizes)
    status = cli_refuse(session, "--plot needs --sizes: it draws ECE against them");
  if (status == CRD_OK) status = crd_output_open(session->ctx, a->look.output, &output);
  if (status == CRD_OK) status = cli_svg_open(session, a->plot, &plot);
  if (status != CRD_OK) return cli_finish(session, status, output, plot);
  what.size_count = count;
  crd_context_set_threads(session->ctx, a->threads);
  crd_context_set_seed(session->ctx, a->seed);
  if (!a->look.quiet) cli_progress_show(session->ctx);
  status = measure(session, a, &what, &results);
  cli_progress_hide(session->ctx);
  if (status == CRD_OK) status = show(session, a, results, output, plot);
  crd_calibratability_destroy(results);
  return cli_finish(session, status, output, plot);
}

const cli_command cli_command_calibratability = {
  .name = "calibratability",
  .summary = "compare how well networks of several training methods can be calibrated",
  .description =
      "A training method with a low calibration error may leave less for post-hoc calibration to "
      "gain: what counts is the error after it (Wang et al. 2021). For each NAME, over its seeds: "
      "ECE before and after post-hoc methods, the ECE of the best temperature, which is chosen on "
      "the test rows and so an oracle, the headroom between the two, and the searched "
      "temperatures; differences from the baseline by Welch's two-sample t-test, which needs two "
      "seeds of both.\n"
      "--sizes shows how many calibration rows a post-hoc method needs. 'credence learned' "
      "tells whether a network still distinguishes easy from hard training "
      "samples.",
  .options = options,
  .examples = examples,
  .size = sizeof(calibratability_args),
  .run = run,
};

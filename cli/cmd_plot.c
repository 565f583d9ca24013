/* cmd_plot.c -- credence plot: figures, on the terminal or as SVG, PDF or PNG. */
#include "command.h"
#include "convert.h"
#include "option.h"
#include "plot_data.h"
#include "terminal.h"

#include <string.h>

typedef struct {
  const char *figure;
  cli_plot_ask ask;
  const char *title, *output;
  unsigned seed, threads;
  bool quiet, ascii;
} plot_args;

static const char *figure_word(size_t index) {
  const crd_figure_info *const figure = crd_figure_at(index);
  return figure ? figure->name : NULL;
}

#define AT(member) .offset = offsetof(plot_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "FIGURE", AT(figure), .word = figure_word,
    .help = "figure to draw, see 'credence list figures'" },
  { CLI_OPERAND, .argument = "PRED", AT(ask.contest.opening.path), .optional = true,
    .help = "the predictions: FILE[#GROUP][@FROM:TO], or '-' for standard input; for the figure "
            "'weights', a calibrator's file; for 'training', the record of a run (m.run.json); for "
            "'perturbation', a file of 'credence clamp'" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "write to FILE, all or nothing: .svg, or .pdf or .png if rsvg-convert is installed; "
            "'-' is SVG on standard output (default: draw on the terminal)" },
  { CLI_TEXT, 't', "title", "TEXT", AT(title),
    .help =
        "title of the figure (default: name of the predictions, of the method or of the model)" },
  { CLI_COUNT, 'b', "bins", "N", AT(ask.bins), .standard = "15", .low = 1, .high = 200,
    .help = "number of confidence bins" },
  { CLI_COUNT, 'r', "resamples", "N", AT(ask.resamples), .standard = "500", .low = 0,
    .high = 1000000, .help = "bootstrap resamples for the 95 % intervals; 0: no intervals" },
  { CLI_COUNT, 0, "rows", "N", AT(ask.rows), .low = 4, .high = 100000,
    .help = "tsne: largest number of rows; of more, a random sample is drawn (default: 5000)" },
  { CLI_COUNT, 0, "perplexity", "N", AT(ask.perplexity), .low = 1, .high = 10000,
    .help = "tsne: effective number of neighbours of a point (default: 30, or a third of the rows "
            "if that is less)" },
  CLI_CONTEST_OPTIONS(plot_args, ask.contest),
  CLI_SHIFT_OPTION(
      plot_args, ask.shift,
      "shift, shift-methods: other data of the same classifier; repeatable; names such "
      "as jpeg:1, jpeg:2 are severities, drawn as a curve"),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "seed of splits and everything else random" },
  CLI_CLUSTER_OPTION(plot_args, ask.contest.opening),
  CLI_OPENING_OPTIONS(plot_args, ask.contest.opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { CLI_FLAG, 0, "ascii", AT(ascii), .help = "on the terminal, draw with ASCII characters only" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "plot reliability dump.npz", "the reliability diagram, on the terminal" },
  { "plot reliability dump.npz -o reliability.svg",
    "the same as a figure for a paper or a web page" },
  { "plot confidence dump.npz#val -b 30 -o confidence.pdf",
    "distribution of the confidences in 30 bins, as PDF" },
  { "plot smooth dump.npz -r 200 -o smooth.svg",
    "reliability curve without bins, with a 95 % band from 200 resamples" },
  { "plot risk-coverage dump.npz",
    "error rate against coverage, if the least confident predictions are rejected" },
  { "plot comparison dump.npz --folds 5 --title 'ResNet, five folds' -o methods.svg",
    "calibration methods side by side" },
  { "plot weights cal.json -o weights.svg",
    "weights of matrix, vector or Dirichlet calibration, as a heat map" },
  { "plot tsne dump.npz --rows 2000 -o points.svg",
    "2-D embedding (t-SNE) of the rows by their features or logits" },
  { "plot training m.run.json -o training.svg",
    "loss, accuracy and calibration over the epochs of 'credence train -o m.onnx'" },
  { "plot shift clean.npz --shift jpeg:1=jpeg1.npz --shift jpeg:2=jpeg2.npz -o shift.svg",
    "accuracy, ECE, Brier score and AUROC over the severity of a corruption" },
  { "plot perturbation clamp.json -o delta.svg",
    "what 'credence clamp' adds to every input, channel by channel" },
  { .line = NULL },
};

/* A file extension and how to convert to it. */
typedef struct {
  const char *ending, *format; /* format NULL: it is SVG already */
} way;

static const way ways[] = { { ".svg", NULL }, { ".pdf", "pdf" }, { ".png", "png" } };

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), end = strlen(ending);
  return length > end && strcmp(path + length - end, ending) == 0;
}

static crd_status find_way(cli_session *session, const char *path, const way **out) {
  *out = &ways[0];
  if (!path || strcmp(path, "-") == 0) return CRD_OK;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (ends_with(path, ways[i].ending)) {
      *out = &ways[i];
      return ways[i].format ? cli_convert_check(session, path) : CRD_OK;
    }
  return cli_refuse(session, "%.200s: a figure is written to .svg, .pdf or .png", path);
}

static crd_status write_converted(cli_session *session, const plot_args *a, const way *w,
                                  const crd_figure_data *data, crd_output *output) {
  const crd_figure_options how = { .size = sizeof how, .title = a->title };
  cli_converter converter;
  crd_output *svg = NULL;
  crd_status status = cli_convert_start(session, w->format, &converter);
  if (status != CRD_OK) return status;
  status = crd_output_open(session->ctx, converter.name, &svg);
  if (status == CRD_OK) status = crd_figure_write(session->ctx, a->figure, data, &how, svg);
  status = crd_output_finish(session->ctx, svg, status);
  return cli_convert_finish(session, &converter, status, output);
}

static crd_status deliver(cli_session *session, const plot_args *a, const way *w,
                          const crd_figure_data *data, crd_output *output) {
  const crd_figure_options how = { .size = sizeof how, .title = a->title };
  const crd_report_options look = { .size = sizeof look,
                                    .colour = cli_terminal_colours(),
                                    .ascii = a->ascii || !cli_terminal_unicode() };
  if (!a->output) return crd_figure_print(session->ctx, a->figure, data, &look, output);
  if (w->format) return write_converted(session, a, w, data, output);
  return crd_figure_write(session->ctx, a->figure, data, &how, output);
}

static crd_status run(cli_session *session, const void *arguments) {
  const plot_args *a = arguments;
  const crd_figure_info *const figure = crd_figure_find(a->figure);
  crd_context *ctx = session->ctx;
  crd_output *output = NULL;
  cli_plot_data made = { 0 };
  const way *w;
  crd_status status = cli_plot_check(session, &a->ask, figure, &made);
  if (status == CRD_OK) status = find_way(session, a->output, &w);
  if (status == CRD_OK) status = crd_output_open(ctx, a->output ? a->output : "-", &output);
  if (status != CRD_OK) return status;
  crd_context_set_threads(ctx, a->threads);
  crd_context_set_seed(ctx, a->seed);
  if (!a->quiet) cli_progress_show(ctx);
  status = cli_plot_make(ctx, &a->ask, figure, &made);
  cli_progress_hide(ctx);
  const crd_figure_data data = cli_plot_drawn_from(&made);
  if (status == CRD_OK) status = deliver(session, a, w, &data, output);
  cli_plot_release(&made);
  return crd_output_finish(ctx, output, status);
}

const cli_command cli_command_plot = {
  .name = "plot",
  .summary = "draw results as figures",
  .description =
      "Draws a figure of predictions, of a comparison of calibration methods, of a calibrator, of "
      "a training run, or of a perturbation, on the terminal or as SVG for a paper or a web page: "
      "for light and dark backgrounds, in colours that are safe for colour-blind readers, with a "
      "title and a description for screen "
      "readers. The same data gives the same bytes.",
  .options = options,
  .examples = examples,
  .size = sizeof(plot_args),
  .run = run,
};

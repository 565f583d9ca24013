/* cmd_evaluate.c -- credence evaluate: how honest are these confidences? */
#include "command.h"
#include "gate.h"
#include "terminal.h"

#include <string.h>

typedef struct {
  const char *path, *metrics, *labels, *label_column, *columns, *gate, *form, *output;
  unsigned bins, resamples, interval, input, binary, threads;
  bool quiet, ascii;
} evaluate_args;

static const char *metric_word(size_t index) {
  const crd_metric_info *metric = index ? crd_metric_at(index - 1) : NULL;
  return index == 0 ? "all" : metric ? metric->name : NULL;
}

static const char *input_word(size_t index) {
  return index <= CRD_INPUT_PROBABILITIES ? crd_input_name((crd_input)index) : NULL;
}

static const char *binary_word(size_t index) {
  static const char *const words[] = { [CRD_BINARY_TOP] = "top", [CRD_BINARY_POS] = "pos", NULL };
  return words[index];
}

static const char *interval_word(size_t index) {
  static const char *const words[] = { [CRD_INTERVAL_CORRECTED] = "corrected",
                                       [CRD_INTERVAL_PERCENTILE] = "percentile",
                                       NULL };
  return words[index];
}

#define AT(member) .offset = offsetof(evaluate_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "PRED", AT(path),
    .help = "the predictions: FILE[#GROUP][@FROM:TO], or '-' for standard input" },
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = metric_word,
    .help = "what to measure: names separated by commas, or 'all'; without it, the usual ones; "
            "'credence list metrics' shows them" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 100000,
    .help = "how many bins of confidence to compare with accuracy" },
  { CLI_COUNT, 'r', "resamples", "N", AT(resamples), .standard = "1000", .low = 0, .high = 1000000,
    .help = "bootstrap resamples behind the 95 % intervals; 0 for no intervals" },
  { CLI_WORD, 0, "interval", "KIND", AT(interval), .word = interval_word, .standard = "corrected",
    .help = "intervals as the resamples' quantiles (percentile), or these less the bias that "
            "resampling adds (corrected)" },
  { CLI_FILE, 'l', "labels", "FILE", AT(labels),
    .help = "where the true labels are, if PRED has none" },
  { CLI_WORD, 'i', "input", "KIND", AT(input), .word = input_word, .standard = "auto",
    .help = "what the scores are: logits, probabilities, or auto to find out from the values" },
  { CLI_WORD, 0, "binary", "WHICH", AT(binary), .word = binary_word, .standard = "top",
    .help = "with two classes, judge the score of the predicted class (top) or of class 1 (pos)" },
  { CLI_TEXT, 0, "label-column", "NAME", AT(label_column),
    .help = "CSV: the column of the true label, by name or by number from 0" },
  { CLI_TEXT, 0, "columns", "LIST", AT(columns),
    .help = "CSV: the columns of the scores, by name or by number from 0, separated by commas" },
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads; without it, all there are; the numbers are the same for any N" },
  { CLI_TEXT, 0, "fail-if", "LIST", AT(gate),
    .help = "end with exit code 1 if a condition holds, such as 'ece>0.05' or 'accuracy<0.9'; "
            "several are separated by commas" },
  { CLI_SELECT, 0, "json", AT(form), .standard = "text",
    .help = "write JSON: everything, for programs" },
  { CLI_SELECT, 0, "csv", AT(form), .help = "write CSV: metric, value, interval, reason" },
  { CLI_SELECT, 0, "markdown", AT(form), .help = "write a Markdown table" },
  { CLI_SELECT, 0, "latex", AT(form), .help = "write a LaTeX table (booktabs)" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .standard = "-",
    .help = "write to FILE, whole or not at all; '-' is standard output" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no notes, no progress bar" },
  { CLI_FLAG, 0, "ascii", AT(ascii), .help = "draw with ASCII characters only" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "evaluate dump.npz", "the usual metrics and a reliability diagram" },
  { "evaluate dump.npz#val@0:5000 --json -o val.json",
    "the first 5000 rows of the arrays val_logits and val_labels, as JSON" },
  { "evaluate logits.npy --labels labels.npy --metrics ece,nll", "two metrics, labels apart" },
  { "evaluate dump.npz --fail-if 'ece>0.05' --json > today.json",
    "in a pipeline: exit code 1 when the calibration error is too large" },
  { "evaluate - --label-column target < scores.csv", "CSV from standard input" },
  { .line = NULL },
};

static crd_status write_result(cli_session *session, const evaluate_args *a,
                               const crd_result *result, crd_output *output) {
  crd_result shown = *result;
  const crd_report_options look = {
    .colour = strcmp(a->output, "-") == 0 && cli_terminal_colours(),
    .ascii = a->ascii || !cli_terminal_unicode(),
  };
  if (a->quiet && strcmp(a->form, "text") == 0) shown.note_count = 0;
  /* A CSV table has no place for notes. */
  for (size_t i = 0; !a->quiet && strcmp(a->form, "csv") == 0 && i < result->note_count; i++) {
    fprintf(stderr, "credence: note: %s\n", result->notes[i]);
  }
  return crd_report_write(session->ctx, &shown, a->form, &look, output);
}

static crd_status evaluate(cli_session *session, const evaluate_args *a, crd_output *output) {
  crd_context *ctx = session->ctx;
  crd_predictions *predictions = NULL;
  crd_result *result = NULL;
  const crd_open_options how = { .input = (crd_input)a->input,
                                 .binary = (crd_binary)a->binary,
                                 .labels = a->labels,
                                 .label_column = a->label_column,
                                 .columns = a->columns };
  const crd_evaluate_options what = { .metrics = a->metrics, .bins = a->bins,
                                      .resamples = a->resamples,
                                      .interval = (crd_interval)a->interval };
  crd_context_set_threads(ctx, a->threads);
  if (!a->quiet) cli_progress_show(ctx);
  crd_status status = crd_predictions_open(ctx, a->path, &how, &predictions);
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, &what, &result);
  cli_progress_hide(ctx);
  if (status == CRD_OK) status = write_result(session, a, result, output);
  if (status == CRD_OK) cli_gate_judge(session, a->gate, result);
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const evaluate_args *a = arguments;
  crd_output *output = NULL;
  crd_status status = cli_gate_check(session, a->gate);
  /* Opened before the work, so that a wrong name does not cost the wait. */
  if (status == CRD_OK) status = crd_output_open(session->ctx, a->output, &output);
  if (status != CRD_OK) return status;
  status = evaluate(session, a, output);
  if (status == CRD_OK) return crd_output_commit(session->ctx, output);
  crd_output_discard(output);
  return status;
}

const cli_command cli_command_evaluate = {
  .name = "evaluate",
  .summary = "measure how honest a classifier's confidences are",
  .description =
      "Reads predictions and true labels, and measures how well confidence agrees with accuracy "
      "(calibration) and how well it tells right from wrong (refinement).\n" CLI_PRED_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(evaluate_args),
  .run = run,
};

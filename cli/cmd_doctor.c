/* cmd_doctor.c -- credence doctor: finds problems in a file of predictions and suggests fixes. */
#include "command.h"
#include "opening.h"
#include "remedy.h"
#include "terminal.h"

#include <string.h>

typedef struct {
  cli_opening opening;
  const char *form, *output;
  unsigned threads;
  bool strict, quiet, ascii;
} doctor_args;

#define AT(member) .offset = offsetof(doctor_args, member)
static const cli_option options[] = {
  CLI_OPENING_PATH(doctor_args, opening),
  CLI_OPENING_OPTIONS(doctor_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all)" },
  { CLI_FLAG, 0, "strict", AT(strict), .help = "exit with code 1 if a problem is found" },
  { CLI_SELECT, 0, "json", AT(form), .standard = "text", .help = "write JSON, with everything" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "-",
    .help = "write to FILE, all or nothing; '-' is standard output" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { CLI_FLAG, 0, "ascii", AT(ascii), .help = "use ASCII characters only" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "doctor dump.npz", "problems of these predictions, worst first" },
  { "doctor dump.npz --strict --json -o health.json",
    "in a pipeline: exit code 1 when there is a problem" },
  { "doctor probabilities.npy --labels labels.npy", "labels in a separate file" },
  { "list findings", "all findings it looks for" },
  { .line = NULL },
};

static crd_status write_diagnosis(cli_session *session, const doctor_args *a,
                                  const crd_diagnosis *diagnosis,
                                  const cli_suggestions *suggestions) {
  crd_output *output = NULL;
  const crd_report_options look = {
    .size = sizeof look,
    .colour = strcmp(a->output, "-") == 0 && cli_terminal_colours(),
    .ascii = a->ascii || !cli_terminal_unicode(),
    .suggestions = suggestions->items,
    .suggestion_count = suggestions->count,
  };
  crd_status status = crd_output_open(session->ctx, a->output, &output);
  if (status == CRD_OK)
    status = crd_diagnosis_write(session->ctx, diagnosis, a->form, &look, output);
  if (status == CRD_OK) return crd_output_commit(session->ctx, output);
  crd_output_discard(output);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const doctor_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_predictions *predictions = NULL;
  const crd_diagnosis *diagnosis = NULL;
  cli_suggestions suggestions = { .count = 0 };
  crd_open_options how = cli_opening_options(&a->opening);
  how.trusted = true;
  crd_context_set_threads(ctx, a->threads);
  if (!a->quiet) cli_progress_show(ctx);
  crd_status status = crd_predictions_open(ctx, a->opening.path, &how, &predictions);
  if (status == CRD_OK) status = crd_diagnose(ctx, predictions, &diagnosis);
  cli_progress_hide(ctx);
  if (status == CRD_OK) status = cli_suggest(&a->opening, predictions, diagnosis, &suggestions);
  if (status == CRD_OK) status = write_diagnosis(session, a, diagnosis, &suggestions);
  if (status == CRD_OK && a->strict && diagnosis->finding_count > 0)
    session->exit_code = diagnosis->findings[0].severity == CRD_PROBLEM;
  crd_diagnosis_destroy(diagnosis);
  cli_suggestions_clear(&suggestions);
  crd_predictions_destroy(predictions);
  return status;
}

const cli_command cli_command_doctor = {
  .name = "doctor",
  .summary = "find problems in predictions and suggest fixes",
  .description =
      "Examines predictions for problems of the file (labels that count from 1, scores of another "
      "kind than declared, NaN, duplicate rows) and of the calibration (overconfident, "
      "underconfident, calibrated as far as can be measured). Each finding comes with its evidence "
      "and advice; commands to paste come last. Invalid rows are counted and listed, and do not "
      "stop the examination.",
  .options = options,
  .examples = examples,
  .size = sizeof(doctor_args),
  .run = run,
};

/* cmd_export.c -- credence export: a calibrator as a program of its own. */
#include "command.h"
#include "option.h"

#include <string.h>

typedef struct {
  const char *calibrator, *format, *output;
} export_args;

static const char *export_word(size_t index) {
  const crd_export_info *const target = crd_export_at(index);
  return target ? target->name : NULL;
}

#define AT(member) .offset = offsetof(export_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "CAL", AT(calibrator),
    .help = "the calibrator, as 'credence fit -o' wrote it" },
  { CLI_TEXT, 'f', "format", "FORMAT", AT(format), .word = export_word,
    .help = "what to write: 'credence list exports' shows what there is; without it, what the "
            "output's name ends with" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .standard = "-",
    .help = "write to FILE, which appears whole or not at all" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "export cal.json -o calibrate.c", "a C99 file with one function" },
  { "export cal.json -o calibrate.onnx", "an operator graph, for model runtimes" },
  { "export cal.json --format js", "JavaScript, to standard output" },
  { .line = NULL },
};

/* The format that the name's extension stands for; NULL: none. */
static const char *format_of(const char *path) {
  const char *const dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < crd_export_count(); i++)
    if (strcmp(dot + 1, crd_export_at(i)->extension) == 0) return crd_export_at(i)->name;
  return NULL;
}

static crd_status write(crd_context *ctx, const crd_calibrator *calibrator, const char *format,
                        const char *path) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, path, &output);
  if (status != CRD_OK) return status;
  status = crd_calibrator_export(ctx, calibrator, format, output);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const export_args *a = arguments;
  crd_calibrator *calibrator = NULL;
  const char *const format = a->format ? a->format : format_of(a->output);
  if (!format)
    return cli_refuse(session, "export needs to know what to write: --format FORMAT, or an output "
                               "whose name says it");
  crd_status status = crd_calibrator_load(session->ctx, a->calibrator, &calibrator);
  if (status == CRD_OK) status = write(session->ctx, calibrator, format, a->output);
  crd_calibrator_destroy(calibrator);
  return status;
}

const cli_command cli_command_export = {
  .name = "export",
  .summary = "a calibrator as a program of its own",
  .description =
      "Writes a file that needs no credence and computes what 'credence apply' does, from scores "
      "of "
      "the kind that the calibrator was fitted on: logits, probabilities, or confidences.",
  .options = options,
  .examples = examples,
  .size = sizeof(export_args),
  .run = run,
};

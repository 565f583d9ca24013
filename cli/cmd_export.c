/* cmd_export.c -- credence export: a calibrator as a program of its own. */
#include "command.h"
#include "option.h"

#include <string.h>

typedef struct {
  const char *calibrator, *format, *output, *model, *value;
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
  { CLI_FILE, 'm', "model", "FILE", AT(model),
    .help = "with the format onnx: a copy of this ONNX classifier that also calibrates, with "
            "'probabilities' and 'predicted' after its own outputs" },
  { CLI_TEXT, 0, "model-output", "NAME", AT(value),
    .help = "the scores in the model: an output, or what else in its graph has this name; without "
            "it, the only output" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "-",
    .help = "write to FILE, which appears whole or not at all" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "export cal.json -o calibrate.c", "a C99 file with one function" },
  { "export cal.json -o calibrate.onnx", "an operator graph, for model runtimes" },
  { "export cal.json --model net.onnx -o calibrated.onnx",
    "a network that gives calibrated probabilities" },
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
                        const export_args *a) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, a->output, &output);
  if (status != CRD_OK) return status;
  if (a->model) status = crd_calibrator_export_into(ctx, calibrator, a->model, a->value, output);
  else status = crd_calibrator_export(ctx, calibrator, format, output);
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
  if (a->model && strcmp(format, "onnx") != 0)
    return cli_refuse(session, "--model needs the format onnx, found '%s'", format);
  if (a->value && !a->model)
    return cli_refuse(session, "--model-output names a value of a model: --model FILE is missing");
  crd_status status = crd_calibrator_load(session->ctx, a->calibrator, &calibrator);
  if (status == CRD_OK) status = write(session->ctx, calibrator, format, a);
  crd_calibrator_destroy(calibrator);
  return status;
}

const cli_command cli_command_export = {
  .name = "export",
  .summary = "a calibrator as a program of its own",
  .description =
      "Writes a file that needs no credence and computes what 'credence apply' does, from scores "
      "of the kind that the calibrator was fitted on: logits, probabilities, or confidences.\n"
      "With --model it goes into a copy of an ONNX classifier, right behind its scores. All else "
      "of "
      "the model is copied as it is. Where it has a name 'probabilities' or 'predicted' already, "
      "the new outputs are called credence_probabilities and credence_predicted. Weights that it "
      "keeps in other files stay there, so that the copy must be written beside them.",
  .options = options,
  .examples = examples,
  .size = sizeof(export_args),
  .run = run,
};

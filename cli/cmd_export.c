/* cmd_export.c -- credence export: a calibrator as source code or an ONNX graph. */
#include "clamping.h"
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
    .help = "the calibrator, a file written by 'credence fit -o' or by 'credence clamp -o'" },
  { CLI_TEXT, 'f', "format", "FORMAT", AT(format), .word = export_word,
    .help = "format to write, see 'credence list exports' (default: by the extension of the "
            "output file)" },
  { CLI_FILE, 'm', "model", "FILE", AT(model),
    .help = "with the format onnx: write a copy of this ONNX classifier with the calibrator "
            "appended, and the additional outputs 'probabilities' and 'predicted'" },
  { CLI_TEXT, 0, "model-output", "NAME", AT(value),
    .help = "name of the scores in the model: an output or any other value of its graph (default: "
            "the only output)" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "-",
    .help = "write to FILE, all or nothing" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "export cal.json -o calibrate.c", "a C99 source file with one function" },
  { "export cal.json -o calibrate.onnx", "an ONNX graph, for model runtimes" },
  { "export cal.json --model net.onnx -o calibrated.onnx",
    "a network with calibrated probabilities" },
  { "export clamp.json --model net.onnx -o calibrated.onnx",
    "a network with perturbation, temperature and softmax inside" },
  { "export cal.json --format js", "JavaScript, to standard output" },
  { .line = NULL },
};

/* Returns the format of a file name's extension; NULL: unknown. */
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

/* ---- Neural Clamping. */

static crd_status export_clamp(cli_session *session, const export_args *a) {
  crd_context *const ctx = session->ctx;
  crd_clamp *clamp = NULL;
  crd_model *model = NULL, *clamped = NULL;
  if (!a->model)
    return cli_refuse(session,
                      "%s is a file of 'credence clamp', which is exported inside its model: "
                      "--model MODEL.onnx -o FILE.onnx",
                      a->calibrator);
  if (a->format && strcmp(a->format, "onnx") != 0)
    return cli_refuse(session, "--model needs the format onnx, found '%s'", a->format);
  if (strcmp(a->output, "-") == 0)
    return cli_refuse(session, "export needs an output file for a model: -o FILE.onnx");
  crd_status status = cli_clamp_open(session, a->calibrator, &clamp);
  if (status == CRD_OK) status = crd_model_open(ctx, a->model, &model);
  if (status == CRD_OK) status = cli_clamp_check_model(session, clamp, model, a->model);
  if (status == CRD_OK) status = crd_clamp_into(ctx, clamp, model, NULL, a->value, &clamped);
  if (status == CRD_OK) status = crd_model_save(ctx, clamped, a->output);
  crd_model_destroy(clamped);
  crd_model_destroy(model);
  crd_clamp_destroy(clamp);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const export_args *a = arguments;
  crd_calibrator *calibrator = NULL;
  const char *const format = a->format ? a->format : format_of(a->output);
  if (cli_clamp_is_file(a->calibrator)) return export_clamp(session, a);
  if (!format)
    return cli_refuse(session, "export needs a format: --format FORMAT, or an output file with a "
                               "known extension");
  if (a->model && strcmp(format, "onnx") != 0)
    return cli_refuse(session, "--model needs the format onnx, found '%s'", format);
  if (a->value && !a->model) return cli_refuse(session, "--model-output needs --model FILE");
  crd_status status = crd_calibrator_load(session->ctx, a->calibrator, &calibrator);
  if (status == CRD_OK) status = write(session->ctx, calibrator, format, a);
  crd_calibrator_destroy(calibrator);
  return status;
}

const cli_command cli_command_export = {
  .name = "export",
  .summary = "write a calibrator as source code or an ONNX graph",
  .description =
      "Writes a self-contained file that computes the same as 'credence apply', from scores of the "
      "kind that the calibrator was fitted on: logits, probabilities or confidences.\n"
      "With --model, the calibrator is appended to a copy of an ONNX classifier, after its scores; "
      "the rest of the model is unchanged. If the model already uses the names 'probabilities' or "
      "'predicted', the new outputs are called credence_probabilities and credence_predicted. "
      "Weights in external files stay there, so the copy must be written to the same folder.\n"
      "A file of 'credence clamp' needs --model: its perturbation is added at the model's only "
      "input, its temperature and a softmax follow the logits.",
  .options = options,
  .examples = examples,
  .size = sizeof(export_args),
  .run = run,
};

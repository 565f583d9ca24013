/* cmd_export.c -- credence export: a calibrator as source code or an ONNX graph. */
#include "clamping.h"
#include "option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *calibrator, *format, *output, *model, *value, *name, *header;
  bool float32;
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
  { CLI_TEXT, 0, "name", "NAME", AT(name),
    .help = "with the formats c and numpy: call the function NAME_calibrate (default: "
            "credence_calibrate in C, calibrate in Python)" },
  { CLI_FLAG, 0, "float", AT(float32),
    .help = "with the format c: read, compute and return float, without any double" },
  { CLI_FILE, 0, "header", "FILE", AT(header), .writes = true,
    .help = "with the format c: write the header to FILE (default: beside an output file FILE.c, "
            "as FILE.h)" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "-",
    .help = "write to FILE, all or nothing" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "export cal.json -o calibrate.c", "a C99 source file with one function, and calibrate.h" },
  { "export cal.json --float --name gate -o gate.c",
    "the same in float32, for processors without double: gate_calibrate" },
  { "export cal.json -o calibrate.py", "a Python function over rows, for NumPy" },
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

/* ---- The header of C. */

static const char header_begins[] = "/*\n * Calibrated probabilities: ";

/* Returns whether there is no such file, or one that an export has written. */
static bool may_replace(const char *path) {
  char found[sizeof header_begins] = "";
  FILE *const file = fopen(path, "rb");
  if (!file) return true;
  const size_t count = fread(found, 1, sizeof header_begins - 1, file);
  fclose(file);
  return count == sizeof header_begins - 1 && strcmp(found, header_begins) == 0;
}

/* Sets *out to the name of the header, to be freed: FILE.h for FILE.c; NULL: none is written. */
static crd_status header_beside(cli_session *session, const export_args *a, char **out) {
  const char *const dot = strrchr(a->output, '.');
  *out = NULL;
  if (!dot || strcmp(dot, ".c") != 0) return CRD_OK;
  char *const path = strdup(a->output);
  if (!path) return crd_context_fail(session->ctx, CRD_ENOMEM, "no memory for a file name");
  path[strlen(path) - 1] = 'h';
  if (may_replace(path)) {
    *out = path;
    return CRD_OK;
  }
  const crd_status status = cli_refuse(
      session, "%s exists and is no header of 'credence export': --header FILE names another",
      path);
  free(path);
  return status;
}

/* ---- Writing. */

static crd_status write_two(crd_context *ctx, const crd_calibrator *calibrator,
                            const export_args *a, const char *format, const char *header_path) {
  const crd_export_options variant = { .size = sizeof variant,
                                       .name = a->name,
                                       .float32 = a->float32 };
  crd_output *output = NULL, *header = NULL;
  crd_status status = crd_output_open(ctx, a->output, &output);
  if (status == CRD_OK && header_path) status = crd_output_open(ctx, header_path, &header);
  if (status == CRD_OK)
    status = crd_calibrator_export_with(ctx, calibrator, format, &variant, output, header);
  if (status == CRD_OK && header) return crd_output_commit_both(ctx, header, output);
  crd_output_discard(header);
  return crd_output_finish(ctx, output, status);
}

static crd_status write_into(crd_context *ctx, const crd_calibrator *calibrator,
                             const export_args *a) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, a->output, &output);
  if (status == CRD_OK)
    status = crd_calibrator_export_into(ctx, calibrator, a->model, a->value, output);
  return crd_output_finish(ctx, output, status);
}

static crd_status write(cli_session *session, const crd_calibrator *calibrator, const char *format,
                        const export_args *a) {
  char *beside = NULL;
  crd_status status = CRD_OK;
  if (a->model) return write_into(session->ctx, calibrator, a);
  if (!a->header && strcmp(format, "c") == 0) status = header_beside(session, a, &beside);
  if (status == CRD_OK)
    status = write_two(session->ctx, calibrator, a, format, a->header ? a->header : beside);
  free(beside);
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
  if ((a->name || a->float32 || a->header) && a->model)
    return cli_refuse(session, "--name, --float and --header are for source code, not for --model");
  crd_status status = crd_calibrator_load(session->ctx, a->calibrator, &calibrator);
  if (status == CRD_OK) status = write(session, calibrator, format, a);
  crd_calibrator_destroy(calibrator);
  return status;
}

const cli_command cli_command_export = {
  .name = "export",
  .summary = "write a calibrator as source code or an ONNX graph",
  .description =
      "Writes a self-contained file that computes the same as 'credence apply', from scores of the "
      "kind that the calibrator was fitted on: logits, probabilities or confidences.\n"
      "C comes with a header for C and C++, written beside FILE.c as FILE.h (or --header FILE), "
      "both or neither. With --float it has no double: probabilities then agree to about 1e-5, "
      "except where a step function jumps within the resolution of float32.\n"
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

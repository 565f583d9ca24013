/* cmd_predict.c -- credence predict: runs a classifier and writes predictions for evaluate. */
#include "command.h"
#include "feeding.h"
#include "option.h"
#include "page.h"
#include "terminal.h"

typedef struct {
  const char *model, *input, *output;
  cli_feeding feeding;
  bool json, quiet;
} predict_args;

#define AT(member) .offset = offsetof(predict_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the classifier: an .onnx file" },
  { CLI_OPERAND, .argument = "INPUT", AT(input),
    .help = "its input: FILE[#GROUP][@FROM:TO] with an array images, inputs, x or features, or "
            "with a single array; labels, weights and groups are copied" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write: .npz, .safetensors, .csv or .tsv, optionally with .gz; .npy holds the "
            "logits only" },
  CLI_FEEDING_OPTIONS(predict_args, feeding),
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "predict model.onnx test.npz -o preds.npz", "logits, with the labels of test.npz" },
  { "evaluate preds.npz", "how well calibrated the model is" },
  { "predict model.onnx photos.npz -o preds.npz --layout nhwc --scale --mean 0.485,0.456,0.406 "
    "--std 0.229,0.224,0.225",
    "8-bit images with channels last, normalised as in training" },
  { .line = NULL },
};

static void show(FILE *out, const predict_args *a, const crd_feed_summary *done) {
  if (!a->json) {
    fprintf(out, "%s: %s of %zu rows and %zu classes, %s\n", a->output, done->scores, done->rows,
            done->classes == 1 ? 2 : done->classes, done->labelled ? "with labels" : "no labels");
    return;
  }
  cli_page_begin(out, "predicted");
  cli_page_member(out, ",\n  ", "output", a->output);
  cli_page_member(out, ",\n  ", "scores", done->scores);
  fprintf(out,
          ",\n  \"rows\": %zu,\n  \"batch\": %zu,\n  \"classes\": %zu,\n  \"labelled\": %s\n}\n",
          done->rows, done->batch, done->classes, done->labelled ? "true" : "false");
}

static crd_status run(cli_session *session, const void *arguments) {
  const predict_args *a = arguments;
  crd_context *ctx = session->ctx;
  cli_channels channels;
  crd_feed_options how;
  crd_feed_summary done;
  crd_model *model = NULL;
  if (!a->output) return cli_refuse(session, "predict needs an output file: -o FILE");
  crd_status status = cli_feeding_options(session, &a->feeding, &channels, &how);
  if (status != CRD_OK) return status;
  if (!a->quiet) cli_progress_show(ctx);
  status = crd_model_open(ctx, a->model, &model);
  if (status == CRD_OK) status = crd_model_predict_to(ctx, model, a->input, &how, a->output, &done);
  cli_progress_hide(ctx);
  if (status == CRD_OK) show(session->out, a, &done);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_predict = {
  .name = "predict",
  .summary = "run a classifier and write its predictions",
  .description =
      "Runs an ONNX classifier on images or other inputs and writes its logits (probabilities, if "
      "it ends with a softmax) with the labels, weights and groups of the input file, ready for "
      "'credence evaluate'. The model must have one output of two dimensions (or name it with "
      "--output-name); inputs and outputs must be finite.\n"
      "Rows are read, run and written in batches: memory use does not depend on their number.",
  .options = options,
  .examples = examples,
  .size = sizeof(predict_args),
  .run = run,
};

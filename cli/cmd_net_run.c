/* cmd_net_run.c -- credence net run: runs a network on arrays and writes its outputs. */
#include "command.h"
#include "feeding.h"
#include "option.h"
#include "page.h"
#include "terminal.h"

enum { INPUTS_MAX = 32 };

typedef struct {
  const char *model;
  cli_words inputs;
  const char *output;
  cli_feeding feeding;
  bool json, quiet;
} run_args;

#define AT(member) .offset = offsetof(run_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network: an .onnx file" },
  { CLI_OPERAND, .argument = "INPUT...", AT(inputs), .many = true,
    .help = "one array for each input of the model, in order: FILE[#KEY][@FROM:TO]" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write: .npz or .safetensors, by output name; .npy for one output" },
  CLI_FEEDING_OPTIONS(run_args, feeding),
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net run model.onnx x.npy -o logits.npy", "all rows of x.npy, 128 at a time" },
  { "net run model.onnx x.npz#images@0:1000 -o out.npz -b 32", "some rows, all outputs by name" },
  { .line = NULL },
};

static void show(FILE *out, const run_args *a, const crd_feed_summary *done) {
  if (!a->json) {
    fprintf(out, "%s: %zu rows, %zu at a time\n", a->output, done->rows, done->batch);
    return;
  }
  cli_page_begin(out, "network-run");
  cli_page_member(out, ",\n  ", "output", a->output);
  fprintf(out, ",\n  \"rows\": %zu,\n  \"batch\": %zu\n}\n", done->rows, done->batch);
}

static crd_status run_model(cli_session *session, const run_args *a, const crd_model *model,
                            const crd_feed_options *how, crd_array_file **arrays) {
  crd_array inputs[INPUTS_MAX];
  crd_feed_summary done;
  crd_status status = CRD_OK;
  for (size_t i = 0; i < a->inputs.count && status == CRD_OK; i++) {
    status = crd_array_file_open(session->ctx, a->inputs.items[i], &arrays[i]);
    if (status == CRD_OK) inputs[i] = *crd_array_file_array(arrays[i]);
  }
  if (status != CRD_OK) return status;
  if (!a->quiet) cli_progress_show(session->ctx);
  status = crd_model_run_to(session->ctx, model, inputs, a->inputs.count, how, a->output, &done);
  cli_progress_hide(session->ctx);
  if (status == CRD_OK) show(session->out, a, &done);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const run_args *a = arguments;
  cli_channels channels;
  crd_feed_options how;
  crd_model *model = NULL;
  crd_array_file *arrays[INPUTS_MAX] = { NULL };
  if (!a->output) return cli_refuse(session, "net run needs an output file: -o FILE");
  if (a->inputs.count > INPUTS_MAX)
    return cli_refuse(session, "net run takes up to %d inputs, found %zu", INPUTS_MAX,
                      a->inputs.count);
  crd_status status = cli_feeding_options(session, &a->feeding, &channels, &how);
  how.sources = (const char *const *)a->inputs.items;
  if (status == CRD_OK) status = crd_model_open(session->ctx, a->model, &model);
  if (status == CRD_OK) status = run_model(session, a, model, &how, arrays);
  for (size_t i = 0; i < INPUTS_MAX; i++) crd_array_file_destroy(arrays[i]);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_run = {
  .name = "net run",
  .group = "net",
  .summary = "run a network over the rows of arrays",
  .description =
      "Runs an ONNX model on all rows (the first dimension) of its inputs, in batches, and writes "
      "its outputs. Integers are converted to float32 if the model takes these; 8-bit images need "
      "--scale, and --mean and --std as in training. A network is compiled for one batch size: the "
      "last batch is padded with copies of its last row.\n"
      "The file is written all or nothing. 'credence predict' also copies labels.",
  .options = options,
  .examples = examples,
  .size = sizeof(run_args),
  .run = run,
};

/* cmd_net_save.c -- credence net save: a model with external weights as one file. */
#include "command.h"
#include "option.h"

typedef struct {
  const char *model, *output;
} save_args;

#define AT(member) .offset = offsetof(save_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network: an .onnx file" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write, all or nothing" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net save model.onnx -o one.onnx", "one file with all weights" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const save_args *a = arguments;
  crd_model *model = NULL;
  if (!a->output) return cli_refuse(session, "net save needs an output file: -o FILE");
  crd_status status = crd_model_open(session->ctx, a->model, &model);
  if (status == CRD_OK) status = crd_model_save(session->ctx, model, a->output);
  if (status == CRD_OK) fprintf(session->out, "%s: one file, with all weights\n", a->output);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_save = {
  .name = "net save",
  .group = "net",
  .summary = "write a network with all its weights as one file",
  .description =
      "Writes an ONNX model with all its weights in one file, including those in external "
      "files. Unknown parts of the model are copied unchanged.",
  .options = options,
  .examples = examples,
  .size = sizeof(save_args),
  .run = run,
};

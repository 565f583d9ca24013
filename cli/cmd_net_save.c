/* cmd_net_save.c -- credence net save: a model written again as one file. */
#include "command.h"
#include "option.h"

typedef struct {
  const char *model, *output;
} save_args;

#define AT(member) .offset = offsetof(save_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network, an .onnx file" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "where to; the file appears whole or not at all" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net save model.onnx -o one.onnx", "all weights in one file, ready to be moved" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const save_args *a = arguments;
  crd_model *model = NULL;
  if (!a->output) return cli_refuse(session, "net save needs to know where to: -o FILE");
  crd_status status = crd_model_open(session->ctx, a->model, &model);
  if (status == CRD_OK) status = crd_model_save(session->ctx, model, a->output);
  if (status == CRD_OK) fprintf(session->out, "%s: one file, with all weights\n", a->output);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_save = {
  .name = "net save",
  .group = "net",
  .summary = "write a network again as one file",
  .description = "Writes an ONNX model with all its weights inside, also those that stand in files "
                 "beside it. What is not understood here is kept as it was.",
  .options = options,
  .examples = examples,
  .size = sizeof(save_args),
  .run = run,
};

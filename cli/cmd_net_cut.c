/* cmd_net_cut.c -- credence net cut: the part of a model before or after a tensor. */
#include "command.h"
#include "option.h"

typedef struct {
  const char *model, *tensor, *output;
  bool after;
} cut_args;

#define AT(member) .offset = offsetof(cut_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network: an .onnx file" },
  { CLI_OPERAND, .argument = "TENSOR", AT(tensor),
    .help = "the name of a tensor, such as penultimate; 'net info --nodes' lists nodes" },
  { CLI_FLAG, 0, "after", AT(after),
    .help = "the part that computes the first output from the tensor, not the one that computes "
            "the tensor" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write, all or nothing" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net cut model.onnx penultimate -o features.onnx", "what computes the features" },
  { "net cut model.onnx penultimate --after -o head.onnx", "what computes logits from them" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const cut_args *a = arguments;
  const crd_model_part part = a->after ? CRD_PART_AFTER : CRD_PART_BEFORE;
  crd_model *model = NULL, *cut = NULL;
  if (!a->output) return cli_refuse(session, "net cut needs an output file: -o FILE");
  crd_status status = crd_model_open(session->ctx, a->model, &model);
  if (status == CRD_OK) status = crd_model_cut(session->ctx, model, a->tensor, part, &cut);
  if (status == CRD_OK) status = crd_model_save(session->ctx, cut, a->output);
  if (status == CRD_OK)
    fprintf(session->out, "%s: from '%s' to '%s'\n", a->output, crd_model_input(cut, 0)->name,
            crd_model_output(cut, 0)->name);
  crd_model_destroy(cut);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_cut = {
  .name = "net cut",
  .group = "net",
  .summary = "write the part of a network before or after a tensor",
  .description =
      "Writes the nodes of an ONNX model that compute a tensor, which becomes the only output, or "
      "those that compute the first output from it, with all their weights. Of the metadata, "
      "classes stay with the last part, and how inputs are read with the first. Fails if paths "
      "lead around the tensor.",
  .options = options,
  .examples = examples,
  .size = sizeof(cut_args),
  .run = run,
};

/* cmd_net_info.c -- credence net info: operators and cost of a network, and if it can be run. */
#include "command.h"
#include "net_page.h"
#include "option.h"

typedef struct {
  const char *model;
  unsigned batch;
  cli_joined shapes;
  bool nodes, json;
} info_args;

#define AT(member) .offset = offsetof(info_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network: an .onnx file" },
  { CLI_COUNT, 'b', "batch", "N", AT(batch), .low = 1, .high = 1048576, .standard = "1",
    .help = "batch size, if the model does not fix it" },
  { CLI_JOIN, 0, "shape", "SHAPE", AT(shapes),
    .help = "shape of an input, such as 1x3x224x224; repeat for further inputs" },
  { CLI_FLAG, 0, "nodes", AT(nodes), .help = "list every node: shape, parameters, operations" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON, with every node" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net info model.onnx", "inputs, outputs, operators, size and cost" },
  { "net info model.onnx --nodes", "the same for every node" },
  { "net info model.onnx --shape 1x3x320x320", "for images of another size" },
  { .line = NULL },
};

/* The cost of a model with open dimensions is unknown without --shape. */
static crd_status survey_model(cli_session *session, const info_args *a, const crd_model *model,
                               const crd_compile_options *how, const crd_survey **out) {
  const crd_status status = crd_survey_make(session->ctx, model, how, out);
  if (status == CRD_OK) return status;
  snprintf(session->message, sizeof session->message, "%s: %s%s", a->model,
           crd_context_message(session->ctx),
           *a->shapes.text ? "" : " (for example --shape 1x3x224x224)");
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const info_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_model *model = NULL;
  const crd_survey *survey = NULL;
  crd_array shapes[CLI_NET_INPUTS];
  crd_compile_options how = { .size = sizeof how, .batch = a->batch, .inputs = shapes };
  crd_status status = crd_model_open(ctx, a->model, &model);
  if (status == CRD_OK)
    status = cli_net_shapes(session, model, a->shapes.text, shapes, &how.input_count);
  if (status == CRD_OK) status = survey_model(session, a, model, &how, &survey);
  if (status == CRD_OK && a->json) cli_net_json(session->out, a->model, model, survey);
  else if (status == CRD_OK) cli_net_text(session->out, a->model, model, survey, a->nodes);
  crd_survey_destroy(survey);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_info = {
  .name = "net info",
  .group = "net",
  .summary = "show operators, size and cost of a network",
  .description =
      "Shows inputs, outputs and operators of an ONNX model, its cost (parameters, additions and "
      "multiplications, memory) and, if it cannot be run, the causes: nodes that are unsupported "
      "or invalid by themselves, equal problems together. Nodes behind them are counted. The exit "
      "code is 0 for every file that can be read.\n"
      "A network of convolutions without normalisation gets a note: exporters fold batch norms "
      "into convolutions, unless options keep them for training.\n"
      "In the column 'back', x means gradients with respect to inputs, w with respect to "
      "parameters. 'credence list operators' lists the supported operators.",
  .options = options,
  .examples = examples,
  .size = sizeof(info_args),
  .run = run,
};

/* cmd_net_info.c -- credence net info: what a network consists of, and whether it can be run. */
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
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the network, an .onnx file" },
  { CLI_COUNT, 'b', "batch", "N", AT(batch), .low = 1, .high = 1048576, .standard = "1",
    .help = "count for N rows at once, where the model leaves that open" },
  { CLI_JOIN, 0, "shape", "SHAPE", AT(shapes),
    .help = "the shape of an input, as 1x3x224x224; again for the next input" },
  { CLI_FLAG, 0, "nodes", AT(nodes), .help = "every node: shape, parameters, operations" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON, with every node" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net info model.onnx", "inputs, outputs, operators, how large and how costly it is" },
  { "net info model.onnx --nodes", "the same of every node" },
  { "net info model.onnx --shape 1x3x320x320", "for an image of another size" },
  { .line = NULL },
};

/* Without shapes, a model that leaves them open cannot be counted. */
static crd_status survey_model(cli_session *session, const info_args *a, const crd_model *model,
                               const crd_compile_options *how, crd_survey **out) {
  const crd_status status = crd_survey_make(session->ctx, model, how, out);
  if (status == CRD_OK) return status;
  snprintf(session->message, sizeof session->message, "%s: %s%s", a->model,
           crd_context_message(session->ctx), *a->shapes.text ? "" : " (--shape 1x3x224x224, say)");
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const info_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_model *model = NULL;
  crd_survey *survey = NULL;
  crd_tensor shapes[CLI_NET_INPUTS];
  crd_compile_options how = { .batch = a->batch, .inputs = shapes };
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
  .summary = "show what a network consists of",
  .description =
      "Shows inputs, outputs and operators of an ONNX model, what it costs to run (parameters, "
      "additions and multiplications, memory) and, if it cannot be run here, which nodes are in "
      "the way and what to do about each. That is no failure: the exit status is 0 for every file "
      "that can be read.\n"
      "Each operator runs forward; under 'back', x stands for gradients by its inputs and w for "
      "those "
      "by its parameters. 'credence list operators' shows what can be run.",
  .options = options,
  .examples = examples,
  .size = sizeof(info_args),
  .run = run,
};

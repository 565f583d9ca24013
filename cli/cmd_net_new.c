/* cmd_net_new.c -- credence net new: write a network of the zoo with initial weights. */
#include "command.h"
#include "net_page.h"
#include "option.h"
#include "page.h"

#include <inttypes.h>

typedef struct {
  const char *network, *shape, *output;
  unsigned classes, words, seed;
  bool json;
} new_args;

#define AT(member) .offset = offsetof(new_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "NETWORK", AT(network),
    .help = "a name of 'credence list networks', with settings in brackets" },
  { CLI_COUNT, 'c', "classes", "N", AT(classes), .low = 2, .high = 1000000,
    .help = "number of classes" },
  { CLI_TEXT, 0, "shape", "SHAPE", AT(shape),
    .help =
        "shape of a sample: 3x32x32 for images, 16 for vectors, the number of tokens of texts" },
  { CLI_COUNT, 0, "words", "N", AT(words), .low = 2, .high = 100000000,
    .help = "texts: number of different tokens" },
  { CLI_COUNT, 0, "seed", "N", AT(seed), .high = 4294967295, .standard = "0",
    .help = "seed of the initial weights" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "the .onnx file to write, all or nothing" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "net new resnet20 --classes 10 --shape 3x32x32 -o net.onnx", "a ResNet-20 for CIFAR-10" },
  { "net new 'wrn(depth=28,width=10)' --classes 100 --shape 3x32x32 -o net.onnx",
    "a wide residual network, with settings" },
  { "net new 'mlp(hidden=64,64)' --classes 3 --shape 16 -o net.onnx", "for a table of 16 columns" },
  { "net new text-cnn --classes 20 --shape 500 --words 20002 -o net.onnx",
    "for texts of 500 tokens" },
  { .line = NULL },
};

/* Checks what the library cannot know to be missing. */
static crd_status read_shape(cli_session *session, const new_args *a, crd_architecture_shape *out) {
  crd_array shape = { .rank = 0 };
  if (!a->output) return cli_refuse(session, "net new needs an output file: -o FILE");
  if (!a->classes) return cli_refuse(session, "net new needs the number of classes: --classes N");
  if (!a->shape) return cli_refuse(session, "net new needs the shape of a sample: --shape 3x32x32");
  const char *const rest = cli_net_take_shape(a->shape, &shape);
  if (!rest || *rest)
    return cli_refuse(session, "--shape takes integers such as 3x32x32, found '%s'", a->shape);
  *out = (crd_architecture_shape){ .size = sizeof(crd_architecture_shape),
                                   .classes = a->classes,
                                   .rank = shape.rank,
                                   .words = a->words };
  for (size_t i = 0; i < shape.rank; i++) out->dims[i] = shape.dims[i];
  return CRD_OK;
}

static void show_text(FILE *out, const new_args *a, uint64_t parameters) {
  fprintf(out, "%s: %s, %" PRIu64 " parameters, for samples of %s%s and %u classes\n", a->output,
          a->network, parameters, a->shape, a->words ? " tokens" : "", a->classes);
}

static void show_json(FILE *out, const new_args *a, const crd_architecture_shape *shape,
                      uint64_t parameters) {
  cli_page_begin(out, "architecture");
  cli_page_member(out, ",\n  ", "network", a->network);
  cli_page_member(out, ",\n  ", "model", a->output);
  fputs(",\n  \"shape\": [", out);
  for (size_t i = 0; i < shape->rank; i++)
    fprintf(out, "%s%" PRId64, i ? ", " : "", shape->dims[i]);
  fprintf(out, "],\n  \"classes\": %zu,\n", shape->classes);
  if (shape->words) fprintf(out, "  \"words\": %zu,\n", shape->words);
  fprintf(out, "  \"seed\": %u,\n  \"parameters\": %" PRIu64 "\n}\n", a->seed, parameters);
}

static crd_status run(cli_session *session, const void *arguments) {
  const new_args *a = arguments;
  crd_architecture_shape shape = { .size = sizeof shape, .rank = 0 };
  crd_model *model = NULL;
  uint64_t parameters;
  crd_status status = read_shape(session, a, &shape);
  if (status != CRD_OK) return status;
  crd_context_set_seed(session->ctx, a->seed);
  status = crd_architecture_parameters(session->ctx, a->network, &shape, &parameters);
  if (status == CRD_OK) status = crd_architecture_build(session->ctx, a->network, &shape, &model);
  if (status == CRD_OK) status = crd_model_save(session->ctx, model, a->output);
  if (status == CRD_OK && a->json) show_json(session->out, a, &shape, parameters);
  else if (status == CRD_OK) show_text(session->out, a, parameters);
  crd_model_destroy(model);
  return status;
}

const cli_command cli_command_net_new = {
  .name = "net new",
  .group = "net",
  .summary = "write a new network with initial weights",
  .description =
      "Writes a network of 'credence list networks' as an ONNX file, with weights drawn from the "
      "seed: the same options give the same bytes. Its input is called 'input', its output "
      "'logits'; the tensors 'conv' (before the last pooling, where there is one) and "
      "'penultimate' are where it can be cut.\n"
      "Settings stand in brackets: 'wrn(depth=16,width=4)'. 'credence list networks wrn' shows "
      "those of a network. Texts are given as indices of tokens; --words counts them, with those "
      "for padding and for unknown words.",
  .options = options,
  .examples = examples,
  .size = sizeof(new_args),
  .run = run,
};

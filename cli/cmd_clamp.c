/* cmd_clamp.c -- credence clamp: Neural Clamping of a frozen network. */
#include "clamping.h"
#include "option.h"

#include <string.h>

static const char *recipe_word(size_t index) {
  const crd_clamp_recipe *const recipe = crd_clamp_recipe_at(index);
  return recipe ? recipe->name : NULL;
}

static const char *rule_word(size_t index) {
  static const char *const rules[] = { "held-out", "in-sample", NULL };
  return rules[index];
}

#define AT(member) .offset = offsetof(cli_clamp_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the classifier: an .onnx file" },
  { CLI_OPERAND, .argument = "DATA", AT(data),
    .help = "labelled data that the model was not trained on" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "write perturbation and temperature to FILE, as JSON" },
  { CLI_FILE, 0, "delta", "FILE", AT(delta), .writes = true,
    .help = "also write the perturbation as an array: .npy, .npz or .safetensors" },
  { CLI_TEXT, 0, "tensor", "TENSOR", AT(tensor),
    .help = "add delta to this tensor of the model instead of its input: behind the embedding of "
            "texts, say; 'net info --nodes' lists nodes" },
  { CLI_JOIN, 's', "set", "LIST", AT(settings),
    .help = "settings, comma-separated: gamma=1,lambda=0.1 ('credence list clamp-settings' shows "
            "all); may be repeated" },
  { CLI_TEXT, 0, "recipe", "NAME", AT(recipe), .word = recipe_word,
    .help = "settings of the paper (paper) or of its authors' code (reference)" },
  { CLI_TEXT, 0, "select", "[RULE]", AT(select), .alone = "held-out", .word = rule_word,
    .help = "choose gamma from 0, 0.05, ..., 1 by the expected calibration error: held-out (the "
            "default), of rows that were left out; in-sample, of the rows of the fit, as in the "
            "paper" },
  { CLI_TEXT, 0, "augment", "EXPR", AT(augment),
    .help = "with optimiser=sgd or adam: random transformations of images, 'crop(pad=4) + flip'" },
  CLI_FEEDING_OPTIONS(cli_clamp_args, feeding),
  CLI_DATA_OPTIONS(cli_clamp_args, opening),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .high = 4294967295U, .standard = "0",
    .help = "seed of a random start, of the order of batches, and of the folds" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar and no notes" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "clamp m.onnx fashion-mnist#test@0:5000 -o clamp.json",
    "lambda by cross-validation, and whether the perturbation helps" },
  { "predict m.onnx fashion-mnist#test@5000:10000 --clamp clamp.json -o preds.npz",
    "calibrated probabilities of other images" },
  { "clamp m.onnx cifar10:batches#test@0:5000 -o clamp.json --set gamma=1,lambda=0.1",
    "with the focal loss, and a given weight of the penalty" },
  { "clamp m.onnx val.npz -o clamp.json --select",
    "gamma by held-out ECE, against temperature scaling with the same choice" },
  { "clamp m.onnx val.npz -o clamp.json --recipe paper", "with the settings of the paper" },
  { "clamp words.onnx text:reviews#val -o clamp.json --tensor embedding",
    "texts: delta is added to what the embedding has for the tokens" },
  { .line = NULL },
};

static crd_status save(crd_context *ctx, const crd_clamp *clamp, const char *path) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, path, &output);
  if (status == CRD_OK) status = crd_clamp_save(ctx, clamp, output);
  return crd_output_finish(ctx, output, status);
}

static crd_status save_delta(crd_context *ctx, const crd_clamp_summary *s, const char *path) {
  crd_array array = { .data = s->delta, .dtype = CRD_F32, .rank = s->rank };
  if (!path) return CRD_OK;
  memcpy(array.dims, s->dims, sizeof s->dims);
  return crd_array_save(ctx, &array, "delta", path);
}

static crd_status run(cli_session *session, const void *arguments) {
  const cli_clamp_args *const a = arguments;
  cli_clamping clamping;
  if (!a->output) return cli_refuse(session, "clamp needs an output file: -o FILE");
  crd_status status = cli_clamping_fit(session, a, &clamping);
  if (status == CRD_OK)
    status = save_delta(session->ctx, crd_clamp_describe(clamping.clamp), a->delta);
  if (status == CRD_OK) status = save(session->ctx, clamping.clamp, a->output);
  if (status == CRD_OK)
    (a->json ? cli_clamp_show_json : cli_clamp_show_text)(session->out, a,
                                                          crd_clamp_describe(clamping.clamp));
  cli_clamping_clear(&clamping);
  return status;
}

const cli_command cli_command_clamp = {
  .name = "clamp",
  .summary = "fit an input perturbation and a temperature",
  .description =
      "Neural Clamping: fits a perturbation delta, added to every input of a frozen network, and a "
      "temperature T, so that softmax(f(x + delta) / T) is calibrated. The objective is the mean "
      "focal loss with gamma (0: cross-entropy) plus a weight times |delta|^2; the weight is "
      "lambda times the loss at the start. The paper sums over the rows instead: its lambda is "
      "this weight times the number of rows.\n"
      "By default lambda is chosen by two-fold cross-validation; if no lambda beats temperature "
      "scaling by more than one standard error, delta is 0. 'credence list clamp-settings' shows "
      "all settings.\n"
      "With --select gamma is chosen as well, by the expected calibration error of two-fold "
      "cross-validation, and so is the gamma of temperature scaling; delta is 0 unless the 95 % "
      "interval of the difference of both errors is below 0. This takes several hundred passes "
      "over the data; a note tells how many.\n"
      "Where inputs are integers, as tokens of texts are, --tensor names a tensor of the model for "
      "delta, which all paths to the logits must lead through; its shape must be the same for all "
      "samples.\n"
      "Ctrl-C stops the fit and keeps the best delta and T so far.\n" //
  CLI_DATA_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(cli_clamp_args),
  .run = run,
};

/* cmd_learned.c -- credence learned: do networks still distinguish easy from hard
 * training samples? */
#include "command.h"
#include "named_runs.h"
#include "option.h"
#include "show.h"
#include "terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  cli_words runs;
  const char *plot;
  unsigned bins;
  cli_look look;
} learned_args;

#define AT(member) .offset = offsetof(learned_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "NAME=FILE...", AT(runs), .many = true,
    .help = "name of a training method, and a file of 'credence train --learned FILE'; equal names "
            "are seeds" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "30", .low = 1, .high = 10000,
    .help = "bins of the histograms of the largest logits" },
  { CLI_FILE, 0, "plot", "FILE", AT(plot), .writes = true,
    .help = "also draw the histograms of the largest logits by learned epoch, FILE.svg" },
  CLI_LOOK_OPTIONS(learned_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "train fashion-mnist#train -e 20 --learned ce.npz -o ce.onnx",
    "make such a file, here with cross-entropy ..." },
  { "train fashion-mnist#train -e 20 --loss 'label-smoothing(epsilon=0.1)' --learned ls.npz -o "
    "ls.onnx",
    "... and with label smoothing" },
  { "learned ce=ce.npz ls=ls.npz", "compare the two" },
  { "learned ce=ce.npz ls=ls.npz --plot logits.svg", "also as a figure" },
  { "learned ce=ce.npz ls=ls.npz --json", "also the histograms of the largest logits" },
  { .line = NULL },
};

/* The files of all operands. */
typedef struct {
  crd_learned_run *runs;
  const crd_learned_file **files;
  char **texts; /* the names */
  size_t count;
} inputs;

static void close_all(inputs *in) {
  for (size_t i = 0; i < in->count; i++) {
    crd_learned_file_destroy(in->files[i]);
    free(in->texts[i]);
  }
  free(in->runs);
  free(in->files);
  free(in->texts);
}

static crd_status open_one(cli_session *session, const char *operand, inputs *in) {
  const size_t at = in->count, size = strlen(operand) + 1;
  char *name = NULL, *path = NULL;
  in->texts[at] = malloc(size);
  if (!in->texts[at]) return cli_refuse(session, "out of memory");
  memcpy(in->texts[at], operand, size);
  in->count++;
  crd_status status = cli_named_split(session, in->texts[at], "NAME=FILE", &name, &path);
  if (status == CRD_OK) status = crd_learned_file_open(session->ctx, path, &in->files[at]);
  if (status != CRD_OK) return status;
  const crd_learned_file *const file = in->files[at];
  in->runs[at] = (crd_learned_run){
    .name = name, .rows = file->rows, .learned = file->learned, .max_logit = file->max_logit
  };
  return CRD_OK;
}

static crd_status open_all(cli_session *session, const cli_words *operands, inputs *in) {
  crd_status status = CRD_OK;
  in->runs = calloc(operands->count + 1, sizeof *in->runs);
  in->files = calloc(operands->count + 1, sizeof(crd_learned_file *));
  in->texts = calloc(operands->count + 1, sizeof(char *));
  if (!in->runs || !in->files || !in->texts) return cli_refuse(session, "out of memory");
  for (size_t i = 0; status == CRD_OK && i < operands->count; i++)
    status = open_one(session, operands->items[i], in);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const learned_args *const a = arguments;
  crd_output *output = NULL, *plot = NULL;
  const crd_learned *results = NULL;
  inputs in = { 0 };
  crd_status status = crd_output_open(session->ctx, a->look.output, &output);
  if (status == CRD_OK) status = cli_svg_open(session, a->plot, &plot);
  if (status != CRD_OK) return cli_finish(session, status, output, plot);
  status = open_all(session, &a->runs, &in);
  if (status == CRD_OK)
    status = crd_learned_measure(session->ctx, in.runs, in.count, a->bins, &results);
  const crd_report_options look = cli_look_options(&a->look, NULL);
  if (status == CRD_OK)
    status = crd_learned_write(session->ctx, results, a->look.form, &look, output);
  const crd_figure_data data = { .size = sizeof data, .learned = results };
  if (status == CRD_OK && plot)
    status = crd_figure_write(session->ctx, "learned-epochs", &data, NULL, plot);
  crd_learned_destroy(results);
  close_all(&in);
  return cli_finish(session, status, output, plot);
}

const cli_command cli_command_learned = {
  .name = "learned",
  .summary = "correlate learned epochs of training samples with their largest logits",
  .description =
      "The learned epoch of a training sample is the first one from which on it is predicted "
      "correctly until the last; networks learn easy samples before hard ones. For each NAME: "
      "Spearman's correlation of learned epochs and largest logits, and the logits of samples "
      "that were learned early, later or last. A network that compresses its logits no longer "
      "distinguishes these samples, and is harder to calibrate (Wang et al. 2021); see 'credence "
      "calibratability'.",
  .options = options,
  .examples = examples,
  .size = sizeof(learned_args),
  .run = run,
};

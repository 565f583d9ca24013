/* cmd_trust.c -- credence trust: TrustScores of predictions, as a ranking or calibrated. */
#include "command.h"
#include "opening.h"
#include "option.h"
#include "page.h"
#include "terminal.h"
#include "trust_model.h"

#include <stddef.h>

typedef struct {
  const char *train, *output, *held_out;
  cli_opening opening;
  cli_joined settings;
  cli_trust_model model;
  bool json, quiet;
} trust_args;

#define AT(member) .offset = offsetof(trust_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "TRAIN", AT(train),
    .help = "training rows: FILE[#GROUP][@FROM:TO] with the arrays features and labels, as "
            "'credence predict --features' writes it; with --model a dataset" },
  { CLI_OPERAND, .argument = "TEST", AT(opening.path),
    .help = "predictions to score: scores or predicted classes, features, and labels if there are "
            "any; with --model a dataset" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write: .npz, .safetensors, .csv or .tsv, optionally with .gz" },
  { CLI_JOIN, 's', "set", "LIST", AT(settings),
    .help = "settings, comma-separated: k=10 and alpha=0 (density filtering), neighbour=1 (which "
            "nearest row counts)" },
  { CLI_FILE, 0, "calibrate", "HELD-OUT", AT(held_out),
    .help = "turn the score into a confidence by isotonic regression on these predictions, which "
            "must be neither of the other two" },
  { CLI_FILE, 0, "model", "FILE", AT(model.model),
    .help = "run this .onnx classifier on the datasets TRAIN, TEST and HELD-OUT first" },
  { CLI_TEXT, 0, "tensor", "NAME", AT(model.tensor),
    .help = "tensor of the model that is the features, such as penultimate" },
  CLI_FEEDING_OPTIONS(trust_args, model.feeding),
  CLI_DATA_OPTIONS(trust_args, model.data),
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "predict m.onnx cifar10#train -o train.npz --features penultimate",
    "training rows with the features of the penultimate layer" },
  { "predict m.onnx cifar10#test -o test.npz --features penultimate", "the same of the test rows" },
  { "trust train.npz test.npz -o trust.npz", "the TrustScore of each prediction" },
  { "evaluate test.npz --paired trust.npz -m auroc,aupr-error,fpr95,aurc",
    "does it separate right from wrong better than the largest probability?" },
  { "trust train.npz test.npz@5000: --calibrate test.npz@0:5000 -o trust.npz",
    "as a confidence, by isotonic regression on held-out rows" },
  { "trust cifar10#train cifar10#test --model m.onnx --tensor penultimate --set alpha=0.1 -o "
    "trust.npz",
    "all in one, without the tenth of each class in its sparsest regions" },
  { .line = NULL },
};

/* What the command computes; release() frees it. */
typedef struct {
  cli_trust_files files;
  const char *train, *test, *held_out; /* files to open */
  crd_trust *trust;
  crd_predictions *held_rows, *rows;
  crd_calibrator *isotonic;
} job;

static void release(job *j) {
  crd_calibrator_destroy(j->isotonic);
  crd_predictions_destroy(j->held_rows);
  crd_predictions_destroy(j->rows);
  crd_trust_destroy(j->trust);
  cli_trust_files_clear(&j->files);
}

/* ---- The summary. */

static size_t count_empty(const crd_trust_summary *s) {
  size_t empty = 0;
  for (size_t c = 0; c < s->classes; c++) empty += s->counts[c] == 0;
  return empty;
}

static void show_text(FILE *out, const trust_args *a, const job *j) {
  const crd_trust_summary *const s = crd_trust_describe(j->trust);
  const size_t empty = count_empty(s);
  fprintf(out, "%s: TrustScores of %zu rows, as %s\n", a->output, crd_predictions_rows(j->rows),
          j->isotonic ? "confidence" : "ranking");
  fprintf(out, "  %zu of %zu training rows in %zu classes, %zu features\n", s->kept, s->rows,
          s->classes - empty, s->width);
  if (j->isotonic)
    fprintf(out, "  confidence: isotonic regression of the TrustScore on %zu rows of %s\n",
            crd_predictions_rows(j->held_rows), a->held_out);
  else fputs("  a ranking is not a probability: --calibrate makes a confidence of it\n", out);
  if (empty)
    fprintf(out,
            "  note: %zu of %zu classes have no training rows: the score of predictions of "
            "such a class is 0\n",
            empty, s->classes);
  for (size_t i = 0; crd_predictions_note(j->rows, i); i++) {
    fputs("  note: ", out);
    cli_page_wrap(out, crd_predictions_note(j->rows, i), 8, 8);
  }
}

static void show_json(FILE *out, const trust_args *a, const job *j) {
  const crd_trust_summary *const s = crd_trust_describe(j->trust);
  cli_page_begin(out, "trusted");
  cli_page_member(out, ",\n  ", "output", a->output);
  cli_page_member(out, ",\n  ", "input", j->isotonic ? "confidence" : "ranking");
  if (j->isotonic) {
    cli_page_member(out, ",\n  ", "calibration", "isotonic regression of the TrustScore");
    cli_page_member(out, ",\n  ", "held_out", a->held_out);
    fprintf(out, ",\n  \"held_out_rows\": %zu", crd_predictions_rows(j->held_rows));
  }
  fprintf(out,
          ",\n  \"rows\": %zu,\n  \"training_rows\": %zu,\n  \"kept\": %zu,\n  \"classes\": %zu,\n"
          "  \"empty_classes\": %zu,\n  \"features\": %zu,\n  \"k\": %g,\n  \"alpha\": %g,\n"
          "  \"neighbour\": %g,\n  \"notes\": [",
          crd_predictions_rows(j->rows), s->rows, s->kept, s->classes, count_empty(s), s->width,
          s->k, s->alpha, s->neighbour);
  for (size_t i = 0; crd_predictions_note(j->rows, i); i++) {
    fputs(i ? ", " : "", out);
    cli_page_json(out, crd_predictions_note(j->rows, i));
  }
  fputs("]\n}\n", out);
}

/* ---- The work. */

static crd_status check(cli_session *session, const trust_args *a) {
  if (!a->output) return cli_refuse(session, "trust needs an output file: -o FILE");
  if (!a->model.model == !a->model.tensor) return CRD_OK;
  return cli_refuse(session, a->model.model
                                 ? "--model needs --tensor, the tensor that is the features"
                                 : "--tensor needs --model, whose tensor it names");
}

/* Runs the model on the data, if there is one. */
static crd_status prepare(cli_session *session, const trust_args *a, job *j) {
  const char *const data[] = { a->train, a->opening.path, a->held_out };
  const char **const files[] = { &j->train, &j->test, &j->held_out };
  crd_status status = CRD_OK;
  for (size_t i = 0; i < 3 && status == CRD_OK; i++) {
    *files[i] = data[i];
    if (a->model.model && data[i])
      status = cli_trust_predict(session, &a->model, data[i], &j->files, files[i]);
  }
  return status;
}

static crd_status score(crd_context *ctx, const trust_args *a, job *j) {
  crd_open_options how = cli_opening_options(&a->opening);
  how.features = 1;
  crd_status status = crd_trust_open(ctx, j->train, a->settings.text, &j->trust);
  if (status == CRD_OK && j->held_out)
    status = crd_predictions_open(ctx, j->held_out, &how, &j->held_rows);
  if (status == CRD_OK && j->held_out)
    status = crd_trust_calibrate(ctx, j->trust, j->held_rows, &j->isotonic);
  how.labels_optional = how.keep_ignored = 1;
  if (status == CRD_OK) status = crd_predictions_open(ctx, j->test, &how, &j->rows);
  if (status != CRD_OK) return status;
  return crd_trust_apply_to(ctx, j->trust, j->isotonic, j->rows, a->output);
}

static crd_status run(cli_session *session, const void *arguments) {
  const trust_args *a = arguments;
  crd_context *const ctx = session->ctx;
  job j = { 0 };
  crd_status status = check(session, a);
  if (status != CRD_OK) return status;
  crd_context_set_threads(ctx, a->model.feeding.threads);
  if (!a->quiet) cli_progress_show(ctx);
  status = prepare(session, a, &j);
  if (status == CRD_OK) status = score(ctx, a, &j);
  cli_progress_hide(ctx);
  if (status == CRD_OK) (a->json ? show_json : show_text)(session->out, a, &j);
  release(&j);
  return status;
}

const cli_command cli_command_trust = {
  .name = "trust",
  .summary = "score predictions by their distance to training rows",
  .description =
      "Computes the TrustScore (Jiang et al. 2018) of each prediction: the distance of its "
      "features to the nearest training row of any other class, divided by the distance to the "
      "nearest one of the predicted class. Distances are Euclidean and exact. The score has no "
      "upper bound: it is written as 'ranking', from which 'credence evaluate' computes AUROC, "
      "AUPR, FPR95, AURC and accuracy, but no calibration error. With --calibrate, isotonic "
      "regression on held-out predictions turns it into 'confidence', which all metrics of the "
      "predicted class read; the score is then called 'trust_score'.\n"
      "Density filtering (alpha above 0) leaves out, per class, the rows whose k-th nearest row "
      "of the class is farthest away. If a class has fewer than k rows, all of them count. "
      "Predictions of a class without training rows have the score 0.\n"
      "Scores, labels, weights and groups are copied to the output; '--scores logits' evaluates "
      "the largest probability of the same file.",
  .options = options,
  .examples = examples,
  .size = sizeof(trust_args),
  .run = run,
};

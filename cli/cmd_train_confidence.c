/* cmd_train_confidence.c -- credence train-confidence: ConfidNet on a frozen classifier. */
#include "confidence.h"
#include "option.h"
#include "signals.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum { SIGNAL_WAIT = 120 /* seconds after Ctrl-C, until the model is written */ };

#define AT(member) .offset = offsetof(cli_confidence_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the classifier: an .onnx file" },
  { CLI_OPERAND, .argument = "DATA", AT(data),
    .help = "labelled data on which the model errs often enough to learn from it" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "the classifier with a confidence, FILE.onnx" },
  { CLI_TEXT, 0, "validate", "SHARE|DATA", AT(validate), .alias = "validation", .standard = "0.1",
    .help = "choose the epoch on this share of DATA, which is then not trained on, or on other "
            "data" },
  { CLI_TEXT, 0, "tensor", "TENSOR", AT(tensor),
    .help = "features: this tensor of the model (default: the input of its last layer); 'net info "
            "--nodes' lists nodes" },
  { CLI_JOIN, 's', "set", "LIST", AT(settings),
    .help = "settings, comma-separated: epochs=100,weighting=2 ('credence list "
            "confidence-settings' shows all); may be repeated" },
  CLI_FEEDING_OPTIONS(cli_confidence_args, feeding),
  CLI_DATA_OPTIONS(cli_confidence_args, opening),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .high = 4294967295U, .standard = "0",
    .help = "seed of the head's weights and of the order of rows" },
  { CLI_FLAG, 0, "json", AT(json),
    .help = "write a line of JSON for each epoch, then one for the run" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no per-epoch lines, no notes and no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "train-confidence m.onnx fashion-mnist#train%0:80 --validate fashion-mnist#train%80:100 -o "
    "conf.onnx",
    "of a model that was trained on 80 % of the images; the others choose the epoch" },
  { "predict conf.onnx fashion-mnist#test -o preds.npz",
    "predictions with the learned confidence; then 'credence evaluate preds.npz'" },
  { "train-confidence m.onnx val.npz -o conf.onnx --validate more.npz --set weighting=5,epochs=200",
    "other data choose the epoch; errors count five times" },
  { "train-confidence m.onnx csv:table.csv -o conf.onnx --tensor fc1 --set hidden=64,64",
    "a smaller head on other features" },
  { .line = NULL },
};

/* Everything that a run needs; all zero is empty. */
typedef struct {
  const cli_confidence_args *args;
  crd_model *model;
  crd_dataset *opened, *training, *validation; /* training: perhaps all of DATA */
  crd_feed_options feed;
  cli_channels channels;
  crd_confidnet *confidnet;
} job;

/* ---- Data. */

/* Is --validate a share of DATA, 0.1, rather than a dataset? */
static bool is_share(const char *text, double *share) {
  char *end;
  *share = strtod(text, &end);
  return end != text && *end == '\0';
}

static crd_status open_one(cli_session *session, const job *j, const char *data,
                           crd_dataset **out) {
  crd_dataset_options opening;
  const char *note;
  crd_status status = cli_data_options(session, &j->args->opening, &opening);
  if (status == CRD_OK) status = crd_dataset_open(session->ctx, data, &opening, out);
  for (size_t i = 0; status == CRD_OK && !j->args->quiet && (note = crd_dataset_note(*out, i)); i++)
    fprintf(stderr, "note: %s: %s\n", crd_dataset_describe(*out)->name, note);
  return status;
}

static crd_status split(cli_session *session, job *j, double share) {
  crd_context *const ctx = session->ctx;
  const uint64_t seed = j->args->opening.split_seed;
  const double cut = 100 * (1 - share);
  if (!(share > 0 && share < 1))
    return cli_refuse(session, "--validate takes a share between 0 and 1, or DATA, found '%s'",
                      j->args->validate);
  if (crd_dataset_describe(j->opened)->rows < 2) {
    snprintf(session->message, sizeof session->message,
             "%.200s has a single row: too few to train on, and to hold out a share (--validate)",
             j->args->data);
    return CRD_EINPUT;
  }
  const crd_status status =
      crd_dataset_part(ctx, j->opened, 0, cut, CRD_SPLIT_STRATIFIED, seed, &j->training);
  if (status != CRD_OK) return status;
  return crd_dataset_part(ctx, j->opened, cut, 100, CRD_SPLIT_STRATIFIED, seed, &j->validation);
}

/* A patient on both sides makes the validation data tell too much. */
static crd_status compare(cli_session *session, const job *j) {
  crd_overlap overlap;
  if (!crd_dataset_describe(j->training)->has_groups ||
      !crd_dataset_describe(j->validation)->has_groups)
    return CRD_OK;
  const crd_status status = crd_dataset_compare(session->ctx, j->training, j->validation, &overlap);
  if (status != CRD_OK || overlap.group_count == 0) return status;
  snprintf(session->message, sizeof session->message,
           "%.200s and %.200s have %zu groups in common, such as '%.100s'", j->args->data,
           j->args->validate, overlap.group_count, overlap.group);
  return CRD_EINPUT;
}

static crd_status open_data(cli_session *session, job *j) {
  double share;
  crd_status status = open_one(session, j, j->args->data, &j->opened);
  if (status != CRD_OK) return status;
  if (is_share(j->args->validate, &share)) return split(session, j, share);
  j->training = j->opened;
  status = open_one(session, j, j->args->validate, &j->validation);
  return status == CRD_OK ? compare(session, j) : status;
}

/* ---- The run. */

static crd_status make(cli_session *session, job *j) {
  const cli_confidence_args *const a = j->args;
  crd_confidnet_options how = {
    .size = sizeof how, .settings = a->settings.text, .tensor = a->tensor, .feed = &j->feed
  };
  const size_t length = a->output ? strlen(a->output) : 0;
  if (!a->output) return cli_refuse(session, "train-confidence needs an output file: -o FILE.onnx");
  if (length <= strlen(".onnx") || strcmp(a->output + length - strlen(".onnx"), ".onnx") != 0)
    return cli_refuse(session, "-o takes FILE.onnx, found '%.200s'", a->output);
  crd_status status = crd_confidnet_check(session->ctx, &how);
  if (status == CRD_OK) status = cli_feeding_options(session, &a->feeding, &j->channels, &j->feed);
  if (status == CRD_OK) status = crd_model_open(session->ctx, a->model, &j->model);
  if (status == CRD_OK) status = open_data(session, j);
  if (status != CRD_OK) return status;
  crd_context_set_seed(session->ctx, a->seed);
  return crd_confidnet_create(session->ctx, j->model, j->training, j->validation, &how,
                              &j->confidnet);
}

/* Ctrl-C ends the training; without a finished epoch there is nothing to keep. */
static crd_status run_epochs(cli_session *session, const job *j) {
  const crd_confidnet_summary *const s = crd_confidnet_describe(j->confidnet);
  crd_status status = CRD_OK;
  if (!j->args->tensor && !j->args->quiet)
    fprintf(stderr, "note: features are '%s', the input of the last layer (--tensor)\n", s->tensor);
  for (int done = 0; status == CRD_OK && !done;) {
    crd_confidnet_epoch epoch;
    status = crd_confidnet_train(session->ctx, j->confidnet, &epoch, &done);
    cli_progress_erase();
    if (status == CRD_OK) cli_confidence_line(j->args, &epoch);
  }
  if (status != CRD_EINTERRUPTED || !s->best) return status;
  if (!j->args->quiet)
    fprintf(stderr, "note: interrupted in epoch %zu: the best epoch so far is kept\n",
            s->epochs + 1);
  return CRD_OK;
}

static crd_status write_model(cli_session *session, const job *j) {
  crd_model *model;
  crd_status status = crd_confidnet_model(session->ctx, j->confidnet, &model);
  if (status != CRD_OK) return status;
  status = crd_model_save(session->ctx, model, j->args->output);
  crd_model_destroy(model);
  return status;
}

static void note(void *self, crd_log_level level, const char *message) {
  (void)self, (void)level;
  cli_progress_erase();
  fprintf(stderr, "note: %s\n", message);
}

static crd_status run(cli_session *session, const void *arguments) {
  const cli_confidence_args *const a = arguments;
  job j = { .args = a };
  crd_context_set_log(session->ctx, a->quiet ? NULL : note, NULL);
  if (!a->quiet) cli_progress_show_work(session->ctx, "rows");
  crd_status status = make(session, &j);
  cli_signals_wait(SIGNAL_WAIT);
  if (status == CRD_OK) status = run_epochs(session, &j);
  cli_progress_hide(session->ctx);
  if (status == CRD_OK) status = write_model(session, &j);
  cli_signals_wait(0);
  if (status == CRD_OK)
    (a->json ? cli_confidence_json : cli_confidence_text)(session->out, a,
                                                          crd_confidnet_describe(j.confidnet));
  crd_confidnet_destroy(j.confidnet);
  if (j.training != j.opened) crd_dataset_destroy(j.training);
  crd_dataset_destroy(j.opened);
  crd_dataset_destroy(j.validation);
  crd_model_destroy(j.model);
  return status;
}

const cli_command cli_command_train_confidence = {
  .name = "train-confidence",
  .summary = "learn the confidence of a classifier",
  .description =
      "ConfidNet: a head of fully connected layers on features of a frozen classifier learns to "
      "predict the probability that it gives to the true class (TCP). Wrong predictions have a "
      "low one, however large the maximum probability is, so its prediction separates right from "
      "wrong. The loss is the mean squared error; after every epoch the head is evaluated on the "
      "validation data, and the epoch with the largest aupr-error is kept (the lowest loss, if "
      "all validation rows are predicted correctly, or all wrongly).\n"
      "The output is the classifier itself with three more outputs, probabilities, predicted and "
      "confidence; 'credence predict' writes the confidence for 'credence evaluate', whose top-1 "
      "metrics then read it in place of the maximum probability.\n"
      "The classifier runs once: its features stay in memory. 'credence list confidence-settings' "
      "shows all settings. Ctrl-C stops the training and keeps the best epoch so far.\n" //
  CLI_DATA_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(cli_confidence_args),
  .run = run,
};

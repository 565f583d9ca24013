/* cmd_train.c -- credence train: trains a network, with checkpoints that a killed run continues
 * from. */
#include "option.h"
#include "part_page.h"
#include "signals.h"
#include "terminal.h"
#include "training.h"
#include "zoo_page.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIGNAL_WAIT = 120 /* seconds after Ctrl-C, until the step and the checkpoint are done */ };

#define AT(member) .offset = offsetof(cli_train_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "DATA", AT(data),
    .help = "the training data: fashion-mnist#train, csv:table.csv, folder:photos ..." },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "the trained model, FILE.onnx; FILE.checkpoint and FILE.run.json are written beside "
            "it" },
  { CLI_TEXT, 0, "validate", "SHARE|DATA", AT(validate),
    .help = "evaluate after every epoch on this share of DATA, which is then not trained on, or "
            "on other data" },
  { CLI_LIST, 'n', "network", "NAME", AT(network), .word = cli_zoo_word,
    .help = "network to build, with settings: 'wrn(depth=16,width=4)' (default: mlp for tables, "
            "cnn for images, text-cnn for texts)",
    .instead = "network" },
  { CLI_FILE, 0, "model", "FILE", AT(model), .instead = "network",
    .help = "fine-tune this .onnx file instead; another number of classes gives it a new last "
            "layer" },
  { CLI_TEXT, 0, "freeze", "TENSOR", AT(freeze),
    .help = "train only the layers after this tensor of the network, such as conv or penultimate" },
  { CLI_TEXT, 0, "head", "[NAME]", AT(head), .alone = "head",
    .help = "with --freeze: replace the layers after the tensor by a new network" },
  { CLI_TEXT, 0, "cache", "FOLDER", AT(cache),
    .help = "with --freeze: keep the values of the tensor here, also for later runs (default: in "
            "memory)" },
  { CLI_TEXT, 'l', "loss", "EXPR", AT(loss), .standard = "ce",
    .help = "a weighted sum of losses: 'ce + 5*dca'" },
  { CLI_COUNT, 'e', "epochs", "N", AT(epochs), .high = 1000000, .standard = "0",
    .help =
        "passes over the data; 0: 10, or with few rows enough for 1500 steps (tables: 5000), at "
        "most 300" },
  { CLI_COUNT, 'b', "batch", "N", AT(batch), .high = 1 << 20, .standard = "0",
    .help = "batch size; 0: 128, or all samples if there are fewer" },
  { CLI_LIST, 0, "optimiser", "NAME", AT(optimiser), .word = cli_optimiser_word,
    .alias = "optimizer", .standard = "adamw",
    .help = "with settings: 'sgd(momentum=0.9,nesterov=yes)'" },
  { CLI_TEXT, 0, "rate", "X", AT(rate), .alias = "lr",
    .help = "learning rate (default: 0.1 with sgd, 0.001 with others)" },
  { CLI_TEXT, 0, "weight-decay", "X", AT(weight_decay), .help = "weight decay (default: 0.0001)" },
  { CLI_WORD, 0, "decay", "WHAT", AT(decay), .word = cli_decay_word, .standard = "weights",
    .help = "parameters with weight decay: weights only, or all, as in torch" },
  { CLI_LIST, 0, "schedule", "NAME", AT(schedule), .word = cli_schedule_word, .standard = "cosine",
    .help = "learning-rate schedule, with settings: 'step(at=0.5,0.75,factor=0.1)'" },
  { CLI_TEXT, 0, "warm-up", "SHARE", AT(warm_up),
    .help = "share of the steps in which the rate rises (default: 0.05 with cosine)" },
  { CLI_TEXT, 0, "clip", "NORM", AT(clip), .help = "limit the norm of the gradient" },
  { CLI_TEXT, 0, "augment", "EXPR", AT(augment),
    .help = "random transformations of images: 'crop(pad=4) + flip'" },
  { CLI_TEXT, 0, "mixup", "ALPHA", AT(mixup), .help = "mixup with this alpha, such as 0.2" },
  { CLI_FLAG, 0, "keep-last", AT(keep_last),
    .help = "train on the incomplete last batch of an epoch too" },
  { CLI_FLAG, 0, "keep-scale", AT(keep_scale),
    .help = "do not normalise by mean and standard deviation of the training data" },
  { CLI_COUNT, 0, "words", "N", AT(words), .high = 10000000, .standard = "0",
    .help = "texts: size of the vocabulary; 0: 20000" },
  { CLI_COUNT, 0, "length", "N", AT(length), .high = 1000000, .standard = "0",
    .help = "texts: number of tokens per sample; 0: 500" },
  { CLI_LIST, 0, "best", "METRIC", AT(best), .word = cli_metric_word,
    .help =
        "keep the epoch with the best value on the validation data; with nll-refinement, the one "
        "that is best after recalibration (default: the last)" },
  { CLI_COUNT, 0, "patience", "N", AT(patience), .high = 1000000, .standard = "0",
    .help = "with --best: stop after N epochs without improvement; 0: never" },
  { CLI_EACH, 'm', "monitor", "NAME=DATA", AT(monitors),
    .help = "also evaluate on these data after every epoch; may be repeated" },
  { CLI_FLAG, 0, "evaluate-train", AT(evaluate_train),
    .help = "also evaluate on the training data, without augmentation" },
  { CLI_FILE, 0, "learned", "FILE", AT(learned), .writes = true,
    .help = "write the epoch from which on each training sample is predicted correctly, and its "
            "largest logit after the last epoch: .csv, .npz or .safetensors, for 'credence "
            "learned'" },
  { CLI_TEXT, 0, "logits", "FOLDER", AT(logits),
    .help = "write the predictions of every epoch on validation data, monitors and, with "
            "--evaluate-train, training data: NAME-EPOCH.npz" },
  { CLI_FLAG, 0, "allow-negative", AT(allow_negative),
    .help = "allow factors and settings of the loss below 0" },
  CLI_DATA_OPTIONS(cli_train_args, opening),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .high = 4294967295U, .standard = "0",
    .help = "seed of weights, order, augmentation and dropout" },
  { CLI_COUNT, 0, "save-every", "SECONDS", AT(save_every), .high = 1000000, .standard = "60",
    .help = "seconds between checkpoints within an epoch; 0: after every step" },
  { CLI_FLAG, 0, "resume", AT(resume),
    .help = "continue from FILE.checkpoint, to the same result as an uninterrupted run; without "
            "one, begin" },
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); the last bits of the result depend on N" },
  { CLI_FLAG, 0, "json", AT(json),
    .help = "write a line of JSON for each epoch, then one for the run" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no per-epoch lines, no notes and no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "train fashion-mnist#train --validate 0.1 --network lenet5 --loss 'ce + 5*dca' -e 5 -o m.onnx",
    "LeNet-5 with a calibrating loss" },
  { "train fashion-mnist#train --validate 0.1 --network lenet5 --loss 'ce + 5*dca' -e 5 -o m.onnx "
    "--resume",
    "the same after an interruption" },
  { "predict m.onnx fashion-mnist#test -o preds.npz", "then 'credence evaluate preds.npz'" },
  { "train folder:scans#train --model resnet50.onnx --freeze conv --head --loss 'weighted-ce + "
    "10*dca' -o m.onnx",
    "a new classifier on features of a network" },
  { "train csv:letters.csv -o letters.onnx", "a table; its column 'label' has the classes" },
  { "train cifar10#train --network resnet20 --optimiser sgd --schedule one-cycle --augment "
    "'crop(pad=4) + flip' -e 15 -o m.onnx",
    "ResNet-20 with SGD, a one-cycle schedule and augmentation" },
  { .line = NULL },
};

static bool exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

/* ---- The run. */

static void show_notes(const cli_training *t) {
  const char *note;
  for (size_t i = 0; !t->args->quiet && (note = crd_trainer_note(t->trainer, i)); i++)
    fprintf(stderr, "note: %s\n", note);
}

/* The trainer stopped after a whole step: saves it, and says how to go on. */
static crd_status save_interrupted(cli_session *session, const cli_training *t) {
  const crd_status status = crd_trainer_save(session->ctx, t->trainer, t->checkpoint);
  if (status != CRD_OK) return status;
  fprintf(stderr, "credence: saved %s; to continue:\n  ", t->checkpoint);
  cli_training_command(stderr, session, true);
  fputc('\n', stderr);
  return CRD_EINTERRUPTED;
}

static crd_status run_epochs(cli_session *session, const cli_training *t) {
  crd_context *const ctx = session->ctx;
  crd_status status = crd_trainer_save_to(ctx, t->trainer, t->checkpoint, t->args->save_every);
  int done = crd_trainer_done(t->trainer);
  while (status == CRD_OK && !done) {
    crd_epoch epoch;
    status = crd_trainer_epoch(ctx, t->trainer, &epoch, &done);
    cli_progress_erase();
    if (status == CRD_OK) cli_training_line(t, &epoch);
  }
  return status == CRD_EINTERRUPTED ? save_interrupted(session, t) : status;
}

/* m.run.json is written last: it tells that the run has finished. */
static crd_status write_results(cli_session *session, const cli_training *t) {
  crd_model *model;
  crd_status status = crd_trainer_model(session->ctx, t->trainer, &model);
  if (status != CRD_OK) return status;
  status = crd_model_save(session->ctx, model, t->args->output);
  crd_model_destroy(model);
  if (status == CRD_OK) status = cli_training_learned(session, t);
  return status == CRD_OK ? cli_training_record(session, t) : status;
}

/* Removes the temporary files FILE.part-PID-N that killed runs left: their processes are gone. */
static void sweep(const char *path) {
  char pattern[4096];
  glob_t found;
  const int length = snprintf(pattern, sizeof pattern, "%s.part-*", path);
  if (length < 0 || (size_t)length >= sizeof pattern || glob(pattern, 0, NULL, &found) != 0) return;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    const long pid = strtol(found.gl_pathv[i] + strlen(path) + strlen(".part-"), NULL, 10);
    if (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH) unlink(found.gl_pathv[i]);
  }
  globfree(&found);
}

static crd_status train(cli_session *session, const cli_training *t) {
  crd_status status = CRD_OK;
  if (t->args->resume) {
    sweep(t->checkpoint);
    sweep(t->args->output);
    sweep(t->record);
  }
  if (t->args->resume && exists(t->checkpoint))
    status = crd_trainer_load(session->ctx, t->trainer, t->checkpoint);
  const bool finished =
      crd_trainer_done(t->trainer) && cli_training_recorded(t) && exists(t->args->output);
  if (status == CRD_OK && !finished) status = run_epochs(session, t);
  if (status == CRD_OK && !finished) status = write_results(session, t);
  return status;
}

static void warn(void *self, crd_log_level level, const char *message) {
  (void)self;
  if (level == CRD_LOG_WARNING) fprintf(stderr, "note: %s\n", message);
}

static crd_status run(cli_session *session, const void *arguments) {
  const cli_train_args *const a = arguments;
  cli_training t;
  crd_context_set_threads(session->ctx, a->threads);
  crd_context_set_seed(session->ctx, a->seed);
  crd_context_set_log(session->ctx, a->quiet ? NULL : warn, NULL);
  crd_status status = cli_training_make(session, a, &t);
  if (status == CRD_OK) {
    show_notes(&t);
    cli_signals_wait(SIGNAL_WAIT);
    if (!a->quiet) cli_progress_show_work(session->ctx, cli_training_unit(&t));
    status = train(session, &t);
    cli_progress_hide(session->ctx);
    cli_signals_wait(0);
  }
  if (status == CRD_OK) cli_training_summary(session->out, session, &t);
  cli_training_clear(&t);
  return status;
}

const cli_command cli_command_train = {
  .name = "train",
  .summary = "train a network",
  .description =
      "Trains a network on DATA with any loss, and writes it as an ONNX model whose metadata hold "
      "its classes and the normalisation of its input. 'credence list networks', 'list losses', "
      "'list optimisers' and 'list schedules' show the choices.\n"
      "A checkpoint is written after every epoch, every minute (--save-every) and on Ctrl-C; "
      "--resume continues "
      "from it, and the result is the same, bit by bit, as without the interruption. The same "
      "settings, seed and number of threads give the same model.\n"
      "With --freeze, the layers up to a tensor are frozen, including the running statistics of "
      "their batch norms; without --augment they run only once.\n"
      "Values named temperature and ece_oracle_t are oracles: the temperature is fitted to the "
      "data on which it is evaluated.\n" CLI_DATA_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(cli_train_args),
  .run = run,
};

/*
 * training.h -- the arguments of `credence train`, and what it makes of them.
 *
 *   cmd_train.c      the options, and the course of a run
 *   training.c       opens data, builds or opens the network, creates the trainer
 *   training_page.c  what is printed and written: lines of epochs, the record of the run
 */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include "data_options.h"

typedef struct {
  const char *data, *validate, *network, *model, *output, *learned;
  const char *loss, *optimiser, *rate, *weight_decay, *schedule, *warm_up, *clip, *augment, *mixup;
  const char *best, *freeze, *head, *cache, *logits;
  cli_each monitors;
  cli_data opening;
  unsigned epochs, batch, decay, patience, words, length, seed, save_every, threads;
  bool keep_last, keep_scale, evaluate_train, allow_negative, resume, json, quiet;
} cli_train_args;

const char *cli_decay_word(size_t index);

enum { CLI_MONITORS_MAX = 9, CLI_PART_SIZE = 512 }; /* --validate, and eight --monitor */

/* A run. All zero before it begins. */
typedef struct {
  const cli_train_args *args;
  char *checkpoint, *record;      /* names of files beside the model: m.checkpoint, m.run.json */
  crd_dataset *opened, *training; /* all of DATA; what is trained on, perhaps the same */
  crd_dataset *monitored[CLI_MONITORS_MAX];
  crd_monitor monitors[CLI_MONITORS_MAX];
  char names[CLI_MONITORS_MAX][64];
  size_t monitor_count;
  crd_encoding *encoding;
  const char *network; /* as an expression; NULL: --model */
  crd_model *model;
  char optimiser[CLI_PART_SIZE], schedule[CLI_PART_SIZE]; /* with --rate and others inside */
  crd_train_options options;
  crd_trainer *trainer;
} cli_training;

/* Prepares a run up to its trainer. Release with clear, also after a failure. */
crd_status cli_training_make(cli_session *session, const cli_train_args *args, cli_training *out);
void cli_training_clear(cli_training *training);
/* Returns what its samples are called: "images". */
const char *cli_training_unit(const cli_training *training);

/* ---- What is printed and written. */

/* Writes the line of an epoch to standard output at once: a run may take days. */
void cli_training_line(const cli_training *training, const crd_epoch *epoch);
/* Writes what became of the run. */
void cli_training_summary(FILE *out, cli_session *session, const cli_training *training);
/* Writes m.run.json: everything needed to repeat the run, and the records of its epochs. */
crd_status cli_training_record(cli_session *session, const cli_training *training);
/* Does m.run.json exist, and belong to this run? */
bool cli_training_recorded(const cli_training *training);
/* Writes index, label, learned epoch and largest logit of every training sample, if wanted. */
crd_status cli_training_learned(cli_session *session, const cli_training *training);
/* Writes the command line that continues the run. */
void cli_training_command(FILE *out, const cli_session *session, bool resume);

#endif

/* topics.c -- what several commands have in common: how predictions are named and read. */
#include "topics.h"
#include "opening.h"

#include <stddef.h>
#include <string.h>

static const char predictions_text[] =
    "PRED is FILE[#GROUP][@FROM:TO]. FILE is .npy, .npz, .safetensors, .pt (torch.save), .csv, "
    ".tsv or .jsonl, optionally with .gz; .h5 or .mat if built with their libraries; or '-' for "
    "standard input. #GROUP reads the arrays with that prefix: dump.npz#val reads val_logits and "
    "val_labels. @FROM:TO reads only rows FROM to TO-1, counted from 0. FILE may be several "
    "files of one data set, separated by commas or as a quoted pattern ('shard-*.npz'), whose rows "
    "follow each other in byte order of the files' names.\n"
    "Scores are logits or probabilities, one row per sample and one column per class; a single "
    "column is the score of class 1. Labels are class indices from 0, or one-hot rows. In an .npz "
    "file the arrays are called logits or probabilities, and labels; in a CSV file the label is "
    "the column 'label', or the first column if there is no header, and all other columns are "
    "scores. Other common names (y_true, y_prob ...) are recognised, and so are shapes with only "
    "one possible reading; text columns and a row index are ignored. Notes report what was used. "
    "Rows with the label -100 are left out.";

static const cli_topic topics[] = {
  { CLI_TOPIC_PREDICTIONS, "how predictions are named and read", predictions_text,
    cli_opening_table },
};

const cli_topic *cli_topic_at(size_t index) {
  return index < sizeof topics / sizeof *topics ? &topics[index] : NULL;
}

const cli_topic *cli_topic_find(const char *name) {
  for (size_t i = 0; name && cli_topic_at(i); i++)
    if (strcmp(cli_topic_at(i)->name, name) == 0) return cli_topic_at(i);
  return NULL;
}

bool cli_topic_concerns(const cli_topic *topic, const cli_command *command) {
  for (const cli_option *o = command->options; o->kind != CLI_END; o++)
    if (o->topic && strcmp(o->topic, topic->name) == 0) return true;
  return false;
}

/* opening.h -- the options of every command that opens predictions. */
#ifndef CLI_OPENING_H
#define CLI_OPENING_H

#include "command.h"

typedef struct {
  const char *path, *labels, *scores, *label_key, *label_column, *columns, *class_names, *group_by,
      *cluster;
  unsigned input, binary;
} cli_opening;

const char *cli_input_word(size_t index);
const char *cli_binary_word(size_t index);

crd_open_options cli_opening_options(const cli_opening *opening);

/* "credence COMMAND PRED --labels L ...", to be pasted into a shell; PRED is `path`. */
void cli_opening_spell(FILE *out, const char *command, const char *path,
                       const cli_opening *opening);

/* Rows for a table of options; `at` is the member of `args` that holds a cli_opening. */
#define CLI_OPENING_PATH(args, at)                                                                 \
  {                                                                                                \
    CLI_OPERAND, .argument = "PRED", .offset = offsetof(args, at.path),                            \
                 .help = "the predictions: FILE[#GROUP][@FROM:TO], or '-' for standard input"      \
  }

#define CLI_OPENING_OPTIONS(args, at)                                                              \
  { CLI_FILE,                                                                                      \
    'l',                                                                                           \
    "labels",                                                                                      \
    "FILE",                                                                                        \
    .offset = offsetof(args, at.labels),                                                           \
    .help = "where the true labels are, if PRED has none" },                                       \
      { CLI_WORD,                                                                                  \
        'i',                                                                                       \
        "input",                                                                                   \
        "KIND",                                                                                    \
        .offset = offsetof(args, at.input),                                                        \
        .word = cli_input_word,                                                                    \
        .standard = "auto",                                                                        \
        .help = "what the scores are: logits, probabilities, or auto to find out from the "        \
                "values" },                                                                        \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "binary",                                                                                  \
        "WHICH",                                                                                   \
        .offset = offsetof(args, at.binary),                                                       \
        .word = cli_binary_word,                                                                   \
        .standard = "top",                                                                         \
        .help = "with two classes, judge the score of the predicted class (top) or of class 1 "    \
                "(pos)" },                                                                         \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "scores",                                                                                  \
        "KEY",                                                                                     \
        .offset = offsetof(args, at.scores),                                                       \
        .help = "the array of the scores, if its name does not say so" },                          \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-key",                                                                               \
        "KEY",                                                                                     \
        .offset = offsetof(args, at.label_key),                                                    \
        .help = "the array of the true labels, if its name does not say so" },                     \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-column",                                                                            \
        "NAME",                                                                                    \
        .offset = offsetof(args, at.label_column),                                                 \
        .help = "CSV: the column of the true label, by name or by number from 0" },                \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "columns",                                                                                 \
        "LIST",                                                                                    \
        .offset = offsetof(args, at.columns),                                                      \
        .help = "CSV: the columns of the scores, separated by commas: names, numbers from 0, "     \
                "ranges such as 1:11, patterns such as 'prob_*'" },                                \
  {                                                                                                \
    CLI_FILE, 0, "class-names", "FILE",                                                            \
        .offset = offsetof(args, at.class_names),                                                  \
        .help = "what the classes are called: text, one name per line, from class 0 on"            \
  }

/* Of commands that draw intervals. */
#define CLI_CLUSTER_OPTION(args, at)                                                               \
  {                                                                                                \
    CLI_TEXT, 0, "cluster", "[COLUMN]",                                                            \
        .offset = offsetof(args, at.cluster), .alone = "groups",                                   \
        .help = "rows of one value of COLUMN, such as a patient, are not independent: draw and "   \
                "split them together (cluster bootstrap); alone, the file's groups; 'none' takes " \
                "rows as independent; without it, a column called patient or subject is used"      \
  }

#endif

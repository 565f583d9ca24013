/* opening.h -- the options of every command that opens predictions. */
#ifndef CLI_OPENING_H
#define CLI_OPENING_H

#include "command.h"
#include "topics.h"

typedef struct {
  const char *path, *labels, *scores, *label_key, *label_column, *columns, *class_names, *group_by,
      *cluster;
  unsigned input, binary;
} cli_opening;

/* Allowed words of --input and --binary; NULL past the end. */
const char *cli_input_word(size_t index);
const char *cli_binary_word(size_t index);

/* The options of CLI_OPENING_OPTIONS as a table of their own. */
extern const cli_option cli_opening_table[];

/* Returns the library's options for opening predictions. */
crd_open_options cli_opening_options(const cli_opening *opening);

/* Writes "credence COMMAND PRED --labels L ...", quoted for a shell; PRED is `path`. */
void cli_opening_spell(FILE *out, const char *command, const char *path,
                       const cli_opening *opening);

/* Entries for a table of options; `at` is the member of `args` that holds a cli_opening. */
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
    .topic = CLI_TOPIC_PREDICTIONS,                                                                \
    .offset = offsetof(args, at.labels),                                                           \
    .help = "file with the true labels, if PRED has none" },                                       \
      { CLI_WORD,                                                                                  \
        'i',                                                                                       \
        "input",                                                                                   \
        "KIND",                                                                                    \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.input),                                                        \
        .word = cli_input_word,                                                                    \
        .standard = "auto",                                                                        \
        .help = "kind of the scores: logits, probabilities, or auto to detect it from the "        \
                "values" },                                                                        \
      { CLI_WORD,                                                                                  \
        0,                                                                                         \
        "binary",                                                                                  \
        "WHICH",                                                                                   \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.binary),                                                       \
        .word = cli_binary_word,                                                                   \
        .standard = "top",                                                                         \
        .help = "with two classes, evaluate the score of the predicted class (top) or of class 1 " \
                "(pos)" },                                                                         \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "scores",                                                                                  \
        "KEY",                                                                                     \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.scores),                                                       \
        .help = "name of the array of scores, if it is not recognised" },                          \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-key",                                                                               \
        "KEY",                                                                                     \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.label_key),                                                    \
        .help = "name of the array of true labels, if it is not recognised" },                     \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "label-column",                                                                            \
        "NAME",                                                                                    \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.label_column),                                                 \
        .help = "CSV: the column of the true label, by name or by index from 0" },                 \
      { CLI_TEXT,                                                                                  \
        0,                                                                                         \
        "columns",                                                                                 \
        "LIST",                                                                                    \
        .topic = CLI_TOPIC_PREDICTIONS,                                                            \
        .offset = offsetof(args, at.columns),                                                      \
        .help = "CSV: the columns of the scores, comma-separated: names, indices from 0, ranges "  \
                "such as 1:11, patterns such as 'prob_*'" },                                       \
  {                                                                                                \
    CLI_FILE, 0, "class-names", "FILE",                                                            \
        .topic = CLI_TOPIC_PREDICTIONS, .offset = offsetof(args, at.class_names),                  \
        .help = "text file with the names of the classes, one per line, from class 0 on"           \
  }

/* Of commands that compute intervals. */
#define CLI_CLUSTER_OPTION(args, at)                                                               \
  {                                                                                                \
    CLI_TEXT, 0, "cluster", "[COLUMN]",                                                            \
        .offset = offsetof(args, at.cluster), .alone = "groups",                                   \
        .help = "rows with the same value of COLUMN, such as a patient, are not independent: "     \
                "resample and split them together (cluster bootstrap); without COLUMN, by the "    \
                "file's groups; 'none' treats rows as independent (default: a column called "      \
                "patient or subject, if there is one)"                                             \
  }

#endif

/*
 * command.h -- what a command of the program is: a row of words and a table of options.
 *
 * The parser, the help text, the man page and the shells' completions all come from these tables.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "credence/credence.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum {
  CLI_END,     /* the last row of a table */
  CLI_FLAG,    /* bool: true when given */
  CLI_SELECT,  /* const char *: the option's own name when given; the last one counts */
  CLI_TEXT,    /* const char *: any text, or one of the words if there are some */
  CLI_FILE,    /* const char *, a file's name */
  CLI_COUNT,   /* unsigned, low .. high */
  CLI_WORD,    /* unsigned: which of the words */
  CLI_LIST,    /* const char *: some of the words, separated by commas; the library checks them */
  CLI_JOIN,    /* cli_joined: any text; given again, it is added after a comma */
  CLI_OPERAND, /* const char *: an argument without a dash, in the order of the table */
  CLI_KINDS
} cli_kind;

typedef struct {
  cli_kind kind;
  char letter;          /* 0: none */
  const char *name;     /* without the dashes; NULL for an operand */
  const char *argument; /* what stands for the value in help: "FILE" */
  const char *help;     /* one sentence, no capital, no full stop */
  size_t offset;        /* of the member of the command's arguments that takes the value */
  const char *standard; /* the value when the option is not given, as text; NULL: none */
  const char *alone;    /* the value when it is given without one; NULL: it must have one */
  unsigned low, high;   /* CLI_COUNT */
  const char *(*word)(size_t index); /* the words that are allowed; NULL past the end */
  bool optional;                     /* CLI_OPERAND: may be left out */
  bool many;                         /* CLI_OPERAND, the last one: cli_words, all that remain */
  bool writes;         /* CLI_FILE: it is written, not read; CLI_FLAG: to standard output */
  const char *instead; /* of the options with the same word here only one may be given; those of
                          CLI_SELECT for the same member exclude each other anyway */
} cli_option;

/* Arguments, as many as were given. */
typedef struct {
  char **items;
  size_t count;
} cli_words;

/* The values of an option that may be given more than once. */
typedef struct {
  char text[512];
} cli_joined;

/* "all" and the names of the metrics, as words of an option. */
const char *cli_metric_word(size_t index);
const char *cli_method_word(size_t index);

typedef struct {
  const char *line;    /* as typed, without "credence " */
  const char *meaning; /* what it does */
} cli_example;

/* How predictions are named: a paragraph for the description of each command that reads some. */
#define CLI_PRED_TEXT                                                                              \
  "PRED is FILE[#GROUP][@FROM:TO]. FILE is .npy, .npz, .safetensors, .pt (torch.save), .csv, "     \
  ".tsv or .jsonl, perhaps with .gz, or .h5 or .mat where their libraries were found, or '-' for " \
  "standard input. #GROUP takes the arrays of that prefix from an .npz file: dump.npz#val reads "  \
  "val_logits and val_labels. @FROM:TO takes these rows only, counted from 0, without row TO.\n"   \
  "Scores are logits or probabilities, one row per example and one column per class; a single "    \
  "column is the score of class 1. Labels are class numbers from 0, or one-hot rows. In an .npz "  \
  "file the arrays are called logits or probabilities, and labels; in a CSV file the label is "    \
  "the "                                                                                           \
  "column 'label', or the first one when there is no header, and all others are scores. Other "    \
  "usual names are understood (y_true, y_prob ...), and shapes where only one reading fits; "      \
  "columns of words and an index are left aside. Notes say what was taken. Rows with the label "   \
  "-100 are left out."

typedef struct cli_session cli_session;

typedef struct {
  const char *name;            /* "evaluate", or "net info" */
  const char *group;           /* the first word of two, "net"; NULL: there is one only */
  const char *summary;         /* one line, no capital, no full stop */
  const char *description;     /* paragraphs, separated by newlines */
  const cli_option *options;   /* up to CLI_END */
  const cli_example *examples; /* up to line NULL */
  size_t size;                 /* of the arguments */
  crd_status (*run)(cli_session *session, const void *arguments);
} cli_command;

/* One run of the program. */
struct cli_session {
  crd_context *ctx;
  int argc; /* the command line, as it was given */
  char **argv;
  FILE *out;          /* in memory; goes to standard output when the command has succeeded */
  char message[1024]; /* why the command line was refused; "" when the context has the message */
  int exit_code; /* of a command that succeeds and is not content, as with --fail-if; 0: it is */
};

/* NULL past the end. */
const cli_command *cli_command_at(size_t index);
/* The words that may stand first, each once; NULL past the end. */
const char *cli_command_word(size_t index);
/* "info" of "net info"; of one word, that word. */
const char *cli_command_last_word(const cli_command *command);
/* Is it the first word of several commands? */
bool cli_command_is_group(const char *word);
/* The command that the first words name, and how many they are; 0: none. */
int cli_command_match(int argc, char **argv, const cli_command **out);
/* Say that the first words name none, and which is meant, perhaps. */
crd_status cli_command_refuse(cli_session *session, int argc, char **argv);

#endif

/*
 * command.h -- a command of the program: its name, help texts, table of options and function.
 *
 * The parser, the help text, the man page and the shells' completions all come from these tables.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "credence/credence.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum {
  CLI_END,     /* ends a table */
  CLI_FLAG,    /* bool: true when given */
  CLI_SELECT,  /* const char *: the option's own name when given; the last one counts */
  CLI_TEXT,    /* const char *: any text, or one of the words if there are some */
  CLI_FILE,    /* const char *, a file's name */
  CLI_COUNT,   /* unsigned, low .. high */
  CLI_WORD,    /* unsigned: the index of one of the words */
  CLI_LIST,    /* const char *: some of the words, comma-separated; the library checks them */
  CLI_JOIN,    /* cli_joined: any text; repeated options are joined with commas */
  CLI_EACH,    /* cli_each: any text; repeated options are kept one by one */
  CLI_OPERAND, /* const char *: an argument without a dash, in the order of the table */
  CLI_KINDS
} cli_kind;

typedef struct {
  cli_kind kind;
  char letter;          /* 0: none */
  const char *name;     /* without the dashes; NULL for an operand */
  const char *argument; /* placeholder of the value in help: "FILE" */
  const char *help;     /* one sentence, no capital, no full stop */
  size_t offset;        /* of the member of the command's arguments that takes the value */
  const char *standard; /* default value, as text; NULL: none */
  const char *alone;    /* value of the option given without one; NULL: it must have one */
  unsigned low, high;   /* CLI_COUNT: allowed range */
  const char *(*word)(size_t index); /* the allowed words; NULL past the end */
  const char *topic;   /* options of many commands, explained in one place (topics.h); NULL: here */
  bool optional;       /* CLI_OPERAND: may be left out */
  bool many;           /* CLI_OPERAND, the last one: cli_words, all that remain */
  bool writes;         /* CLI_FILE: written, not read; CLI_FLAG: writes to standard output */
  const char *alias;   /* another name that is accepted, but not shown; NULL: none */
  const char *instead; /* options with the same word here are mutually exclusive; so are those of
                          CLI_SELECT for the same member */
} cli_option;

/* All values of an operand that takes many. */
typedef struct {
  char **items;
  size_t count;
} cli_words;

/* The values of a repeatable option, joined with commas. */
typedef struct {
  char text[512];
} cli_joined;

/* The values of a repeatable option, one by one. */
enum { CLI_EACH_MAX = 100 };
typedef struct {
  const char *items[CLI_EACH_MAX];
  size_t count;
} cli_each;

/* Allowed words of an option: "all" and the names of the metrics; the names of the methods. NULL
 * past the end. */
const char *cli_metric_word(size_t index);
const char *cli_method_word(size_t index);

typedef struct {
  const char *line;    /* as typed, without "credence " */
  const char *meaning; /* what it does */
} cli_example;

typedef struct cli_session cli_session;

typedef struct {
  const char *name;            /* "evaluate", or "net info" */
  const char *group;           /* the first of two words, "net"; NULL: the name is one word */
  const char *summary;         /* one line, no capital, no full stop */
  const char *description;     /* paragraphs, separated by newlines */
  const cli_option *options;   /* up to CLI_END */
  const cli_example *examples; /* up to line NULL */
  size_t size;                 /* of the arguments */
  crd_status (*run)(cli_session *session, const void *arguments);
} cli_command;

/* Exit codes besides those of a crd_status. */
enum { CLI_EXIT_UNDECIDED = 7 }; /* a check could not decide */

/* One run of the program. */
struct cli_session {
  crd_context *ctx;
  int argc; /* the command line, unchanged */
  char **argv;
  FILE *out;          /* in memory; goes to standard output when the command has succeeded */
  char message[1024]; /* error message of the command; "": that of the context */
  int exit_code;      /* of a command that ran without error: not 0 if --fail-if holds */
};

/* Returns the command at an index; NULL past the end. */
const cli_command *cli_command_at(size_t index);
/* Returns the possible first words, each once; NULL past the end. */
const char *cli_command_word(size_t index);
/* Returns the last word of the name: "info" of "net info". */
const char *cli_command_last_word(const cli_command *command);
/* Returns whether it is the first word of several commands. */
bool cli_command_is_group(const char *word);
/* Finds the command that the first words name; returns the number of these words, 0: none. */
int cli_command_match(int argc, char **argv, const cli_command **out);
/* Fails with "unknown command", and suggests the nearest name. */
crd_status cli_command_refuse(cli_session *session, int argc, char **argv);

#endif

/* option.h -- parses a command line into a command's arguments. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "command.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Fills `arguments` (zeroed, of the command's size) from argv[0 .. argc). At -h or --help sets
 * *help and stops. Fails with EUSAGE on unknown options and invalid values. */
crd_status cli_option_parse(cli_session *session, const cli_command *command, int argc, char **argv,
                            void *arguments, bool *help);

/*
 * Fails if options contradict each other (exclude.c): mutually exclusive ones, two that write to
 * the same place, or an output that is also an input. Bit i of `given` stands for the i-th option
 * of the table.
 */
crd_status cli_option_check(cli_session *session, const cli_command *command, const void *arguments,
                            uint64_t given);

/* Returns whether the files of a PRED exist, up to its #GROUP and @FROM:TO (exclude.c). */
bool cli_pred_exists(cli_session *session, const char *name);

/* -h or --help */
bool cli_is_help(const char *word);

/* Returns whether an option of this kind takes a value. */
bool cli_option_takes_value(const cli_option *option);

/* Writes " --name value" for each option that differs from its default, quoted for a shell. */
void cli_option_spell(FILE *out, const cli_option *options, const void *arguments);

enum { CLI_HINT_SIZE = 96 };
/* Returns "; did you mean '<prefix><nearest>'?", or "" if `nearest` is NULL. */
const char *cli_hint(char hint[static CLI_HINT_SIZE], const char *prefix, const char *nearest);

/* Returns whether the word is in a comma-separated list. */
bool cli_is_listed(const char *list, const char *word);

/* Sets the error message of the session and returns CRD_EUSAGE. */
crd_status cli_refuse(cli_session *session, const char *format, ...) CLI_PRINTF(2, 3);

#endif

/* option.h -- from the words of a command line to a command's arguments. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "command.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Fill `arguments` (zeroed, of the command's size) from argv[0 .. argc). *help is set, and the rest
 * left unread, when -h or --help is met. */
crd_status cli_option_parse(cli_session *session, const cli_command *command, int argc, char **argv,
                            void *arguments, bool *help);

/*
 * Refuse options that contradict each other (exclude.c): two of which only one may be given, two
 * that write to the same place, and a file that would be written over while it is read. Bit i of
 * `given` stands for the i-th option of the table.
 */
crd_status cli_option_check(cli_session *session, const cli_command *command, const void *arguments,
                            uint64_t given);

/* -h or --help */
bool cli_is_help(const char *word);

/* Does an option of this kind take a value? */
bool cli_option_takes_value(const cli_option *option);

/* " --name value" for each option whose value is not its standard one, quoted for a shell. */
void cli_option_spell(FILE *out, const cli_option *options, const void *arguments);

enum { CLI_HINT_SIZE = 96 };
/* "; did you mean '<prefix><nearest>'?", or "" without a nearest word. */
const char *cli_hint(char hint[static CLI_HINT_SIZE], const char *prefix, const char *nearest);

/* Is the word one of a list whose words are separated by commas? */
bool cli_is_listed(const char *list, const char *word);

/* Note why the command line is refused; returns CRD_EUSAGE. */
crd_status cli_refuse(cli_session *session, const char *format, ...) CLI_PRINTF(2, 3);

#endif

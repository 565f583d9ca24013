/* help.h -- the same tables, told in four ways. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/* What the program is, and its commands. */
void cli_help_overview(FILE *out);
/* The commands that begin with this word. */
void cli_help_group(FILE *out, const char *group);
/* One command: usage, options, examples. */
void cli_help_command(FILE *out, const cli_command *command);

/* The man page of the program (NULL) or of one command, as roff. */
void cli_man_write(FILE *out, const cli_command *command);

/* The completion script for one of the shells below. */
void cli_complete_write(FILE *out, const char *shell);
/* "bash", "zsh", "fish"; NULL past the end. */
const char *cli_complete_shell(size_t index);

/* What the program is for. */
extern const char cli_about[];

/* "-o, --output FILE" */
const char *cli_option_term(const cli_option *option, char term[static 64]);
/* " [OPTION]... PRED" */
const char *cli_command_usage(const cli_command *command, char usage[static 128]);
/* The help sentence, and the default. */
const char *cli_option_sentence(const cli_option *option, char sentence[static 512]);

/* What an exit code means: "success"; NULL when nothing ends with this code. */
const char *cli_exit_meaning(int code, char meaning[static 256]);

#endif

/* help.h -- help texts, man pages and completion scripts, all from the tables of commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"
#include "topics.h"

/* Writes the purpose of the program and its commands. */
void cli_help_overview(FILE *out);
/* Writes the commands of a group. */
void cli_help_group(FILE *out, const char *group);
/* Writes the text, options and commands of a topic. */
void cli_help_topic(FILE *out, const cli_topic *topic);
/* Writes usage, options and examples of a command; for options of a topic, where to read on. */
void cli_help_command(FILE *out, const cli_command *command);

/* Writes the man page of the program (NULL) or of one command, as roff. */
void cli_man_write(FILE *out, const cli_command *command);

/* Writes the completion script for one of the shells below. */
void cli_complete_write(FILE *out, const char *shell);
/* "bash", "zsh", "fish"; NULL past the end. */
const char *cli_complete_shell(size_t index);

/* The purpose of the program. */
extern const char cli_about[];

/* "-o, --output FILE" */
const char *cli_option_term(const cli_option *option, char term[static 64]);
/* " [OPTION]... PRED" */
const char *cli_command_usage(const cli_command *command, char usage[static 128]);
/* Returns an option's help with its default value. */
const char *cli_option_sentence(const cli_option *option, char sentence[static 512]);

/* The meaning of an exit code: "success"; NULL for unused codes. */
const char *cli_exit_meaning(int code, char meaning[static 256]);

#endif

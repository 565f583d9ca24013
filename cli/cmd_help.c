/* cmd_help.c -- credence help: the help texts, and the files made from the same tables. */
#include "help.h"

typedef struct {
  const char *command, *shell;
  bool man;
} help_args;

static crd_status run(cli_session *session, const void *arguments) {
  const help_args *a = arguments;
  const cli_command *command = a->command ? cli_command_find(a->command) : NULL;
  if (a->shell) cli_complete_write(session->out, a->shell);
  else if (a->man) cli_man_write(session->out, command);
  else if (command) cli_help_command(session->out, command);
  else cli_help_overview(session->out);
  return CRD_OK;
}

static const cli_option options[] = {
  { CLI_OPERAND, .argument = "COMMAND", .offset = offsetof(help_args, command),
    .word = cli_command_name, .optional = true, .help = "the command to tell about" },
  { CLI_FLAG, 0, "man", .offset = offsetof(help_args, man),
    .help = "write the man page, for man -l -" },
  { CLI_TEXT, 0, "complete", "SHELL", .offset = offsetof(help_args, shell),
    .word = cli_complete_shell, .help = "write the completion script for bash, zsh or fish" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "help evaluate", "the options of 'credence evaluate', with examples" },
  { "help --man evaluate | man -l -", "the same as a man page" },
  { "help --complete bash > ~/.local/share/bash-completion/completions/credence",
    "completion of commands, options and metric names with the tab key" },
  { .line = NULL },
};

const cli_command cli_command_help = {
  .name = "help",
  .summary = "explain the program or one of its commands",
  .description = "Without an argument: what the program is for and which commands it has. With the "
                 "name of a command: its options and examples.",
  .options = options,
  .examples = examples,
  .size = sizeof(help_args),
  .run = run,
};

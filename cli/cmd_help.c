/* cmd_help.c -- credence help: help texts, man pages and completion scripts. */
#include "help.h"
#include "option.h"

typedef struct {
  cli_words command;
  const char *shell;
  bool man;
} help_args;

static crd_status refuse(cli_session *session, const help_args *a, const cli_command *command) {
  const cli_words *const words = &a->command;
  if (!command) return cli_command_refuse(session, (int)words->count, words->items);
  return cli_refuse(session, "unexpected argument '%s' for 'help'", words->items[words->count - 1]);
}

static crd_status run(cli_session *session, const void *arguments) {
  const help_args *a = arguments;
  const cli_command *command = NULL;
  const int given = (int)a->command.count;
  const int words = cli_command_match(given, a->command.items, &command);
  const bool group = given == 1 && !command && cli_command_is_group(a->command.items[0]);
  const cli_topic *const topic =
      given == 1 && !command ? cli_topic_find(a->command.items[0]) : NULL;
  if (topic && (a->shell || a->man))
    return cli_refuse(session, "the topic '%s' has no man page: those of commands contain it",
                      topic->name);
  if (given > words && !group && !topic) return refuse(session, a, command);
  if (a->shell) cli_complete_write(session->out, a->shell);
  else if (a->man) cli_man_write(session->out, command);
  else if (command) cli_help_command(session->out, command);
  else if (topic) cli_help_topic(session->out, topic);
  else if (group) cli_help_group(session->out, a->command.items[0]);
  else cli_help_overview(session->out);
  return CRD_OK;
}

/* First words of commands, then topics. */
static const char *help_word(size_t index) {
  size_t commands = 0;
  while (cli_command_word(commands)) commands++;
  if (index < commands) return cli_command_word(index);
  const cli_topic *const topic = cli_topic_at(index - commands);
  return topic ? topic->name : NULL;
}

static const cli_option options[] = {
  { CLI_OPERAND, .argument = "COMMAND", .offset = offsetof(help_args, command), .word = help_word,
    .optional = true, .many = true, .help = "the command, or the topic 'predictions', to explain" },
  { CLI_FLAG, 0, "man", .offset = offsetof(help_args, man), .instead = "text",
    .help = "write the man page, for man -l -" },
  { CLI_TEXT, 0, "complete", "SHELL", .offset = offsetof(help_args, shell), .instead = "text",
    .word = cli_complete_shell, .help = "write the completion script for bash, zsh or fish" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "help evaluate", "the options of 'credence evaluate', with examples" },
  { "help predictions", "which files are read, and the options for reading them" },
  { "help --man evaluate | man -l -", "the same as a man page" },
  { "help --complete bash > ~/.local/share/bash-completion/completions/credence",
    "completion of commands, options and metric names with the tab key" },
  { .line = NULL },
};

const cli_command cli_command_help = {
  .name = "help",
  .summary = "explain the program or one of its commands",
  .description = "Without an argument: the purpose of the program and its commands. With the name "
                 "of a command: its options and examples.",
  .options = options,
  .examples = examples,
  .size = sizeof(help_args),
  .run = run,
};

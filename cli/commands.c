/*
 * commands.c -- the table of commands, and the lookup of a command by the first words of a command
 * line: "evaluate", or "net info" of the group "net".
 */
#include "command.h"
#include "option.h"

#include <string.h>

#define COMMAND(name) extern const cli_command cli_command_##name;
#include "list.h"
#undef COMMAND

static const cli_command *const commands[] = {
#define COMMAND(name) &cli_command_##name,
#include "list.h"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const cli_command *cli_command_at(size_t index) {
  return index < COMMAND_COUNT ? commands[index] : NULL;
}

static const char *first_word(const cli_command *command) {
  return command->group ? command->group : command->name;
}

/* Commands of a group are adjacent in the table. */
const char *cli_command_word(size_t index) {
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (i > 0 && strcmp(first_word(commands[i]), first_word(commands[i - 1])) == 0) continue;
    if (index-- == 0) return first_word(commands[i]);
  }
  return NULL;
}

const char *cli_command_last_word(const cli_command *command) {
  return command->group ? command->name + strlen(command->group) + 1 : command->name;
}

bool cli_command_is_group(const char *word) {
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (commands[i]->group && strcmp(commands[i]->group, word) == 0) return true;
  }
  return false;
}

int cli_command_match(int argc, char **argv, const cli_command **out) {
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    const cli_command *const c = commands[i];
    const int words = c->group ? 2 : 1;
    if (argc < words || strcmp(argv[0], first_word(c)) != 0) continue;
    if (strcmp(argv[words - 1], cli_command_last_word(c)) != 0) continue;
    *out = c;
    return words;
  }
  return 0;
}

/* All possible first words, for suggestions. */
static const char *allowed_word(const void *self, size_t index) {
  (void)self;
  static const char *const flags[] = { "--help", "--version", NULL };
  size_t count = 0;
  while (cli_command_word(count)) count++;
  return index < count ? cli_command_word(index) : flags[index - count];
}

static const char *command_name(const void *self, size_t index) {
  (void)self;
  return index < COMMAND_COUNT ? commands[index]->name : NULL;
}

static crd_status refuse_second(cli_session *session, int argc, char **argv) {
  char all[CLI_HINT_SIZE], hint[CLI_HINT_SIZE];
  snprintf(all, sizeof all, "%.40s %.40s", argv[0], argc > 1 ? argv[1] : "");
  if (argc > 1 && argv[1][0] != '-')
    return cli_refuse(session, "unknown command '%s'%s\nSee 'credence %s --help'.", all,
                      cli_hint(hint, "", crd_nearest(all, command_name, NULL)), argv[0]);
  return cli_refuse(session,
                    "'%s' is a group of commands: give the second word\nSee 'credence %s --help'.",
                    argv[0], argv[0]);
}

crd_status cli_command_refuse(cli_session *session, int argc, char **argv) {
  char hint[CLI_HINT_SIZE];
  if (cli_command_is_group(argv[0])) return refuse_second(session, argc, argv);
  return cli_refuse(session, "unknown %s '%s'%s\nSee 'credence --help'.",
                    argv[0][0] == '-' ? "option" : "command", argv[0],
                    cli_hint(hint, "", crd_nearest(argv[0], allowed_word, NULL)));
}

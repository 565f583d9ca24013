/*
 * complete.c -- completion scripts for bash, zsh and fish. They contain all words, so that
 * completion does not run the program.
 */
#include "help.h"
#include "option.h"

#include <string.h>

static void add_words(FILE *out, const char *(*word)(size_t index), const char *between) {
  for (size_t i = 0; word(i); i++) fprintf(out, "%s%s", i ? between : "", word(i));
}

static const cli_option *operand_of(const cli_command *command) {
  const cli_option *o = command->options;
  while (o->kind != CLI_END && o->kind != CLI_OPERAND) o++;
  return o->kind == CLI_OPERAND ? o : NULL;
}

/* ---- bash */

static void bash_option(FILE *out, const cli_command *command, const cli_option *o) {
  if (o->kind == CLI_OPERAND || !cli_option_takes_value(o)) return;
  fprintf(out, "    '%s --%s'", command->name, o->name);
  if (o->letter) fprintf(out, " | '%s -%c'", command->name, o->letter);
  fputs(") ", out);
  if (o->word) {
    fprintf(out, "_credence_%s '", o->kind == CLI_LIST ? "list" : "words");
    add_words(out, o->word, " ");
    fputs("'; ", out);
  }
  fputs("return ;;\n", out);
}

static void bash_command(FILE *out, const cli_command *command) {
  const cli_option *operand = operand_of(command);
  fprintf(out, "    '%s')\n      if [[ $cur == -* ]]; then\n        _credence_words '--help",
          command->name);
  for (const cli_option *o = command->options; o->kind != CLI_END; o++) {
    if (o->name) fprintf(out, " --%s", o->name);
  }
  fputs("'\n", out);
  if (operand && operand->word) {
    fputs("      else\n        _credence_words '", out);
    add_words(out, operand->word, " ");
    fputs("'\n", out);
  }
  fputs("      fi\n      ;;\n", out);
}

/* The second word, or both together. */
static void bash_group(FILE *out, const char *group) {
  fprintf(out, "    %s)\n      if ((COMP_CWORD == 2)); then\n        _credence_words '--help",
          group);
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *const c = cli_command_at(i);
    if (c->group && strcmp(c->group, group) == 0) fprintf(out, " %s", cli_command_last_word(c));
  }
  fputs("'\n        return\n      fi\n      command+=\" ${COMP_WORDS[2]}\"\n      ;;\n", out);
}

static void write_bash(FILE *out) {
  fputs("# bash completion for credence; written by: credence help --complete bash\n"
        "_credence_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
        "# The last of several words that are separated by commas.\n"
        "_credence_list() {\n"
        "  local before=\n"
        "  [[ $cur == *,* ]] && before=${cur%,*},\n"
        "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -P \"$before\" -- \"${cur##*,}\")\n"
        "  compopt -o nospace\n"
        "}\n"
        "_credence() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "  COMPREPLY=()\n"
        "  if ((COMP_CWORD == 1)); then\n    _credence_words '--help --version ",
        out);
  add_words(out, cli_command_word, " ");
  fputs("'\n    return\n  fi\n  local command=${COMP_WORDS[1]}\n  case $command in\n", out);
  for (size_t i = 0; cli_command_word(i); i++) {
    if (cli_command_is_group(cli_command_word(i))) bash_group(out, cli_command_word(i));
  }
  fputs("  esac\n  case \"$command $prev\" in\n", out);
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *command = cli_command_at(i);
    for (const cli_option *o = command->options; o->kind != CLI_END; o++) {
      bash_option(out, command, o);
    }
  }
  fputs("  esac\n  case $command in\n", out);
  for (size_t i = 0; cli_command_at(i); i++) bash_command(out, cli_command_at(i));
  fputs("  esac\n}\ncomplete -o default -F _credence credence\n", out);
}

/* ---- zsh */

/* Inside single quotes, with a backslash before the separators of _arguments and _describe. */
static void zsh_quoted(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\'') fputs("'\\''", out);
    else fprintf(out, strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
  }
}

static void zsh_value(FILE *out, const cli_option *o) {
  fprintf(out, ":%s:", o->argument);
  if (o->word && o->kind == CLI_LIST) {
    fputs("_values -s , name ", out);
    add_words(out, o->word, " ");
  } else if (o->word) {
    fputc('(', out);
    add_words(out, o->word, " ");
    fputc(')', out);
  } else if (o->kind == CLI_FILE || o->kind == CLI_OPERAND) {
    fputs("_files", out);
  }
}

static void zsh_option(FILE *out, const cli_option *o) {
  fputs(" \\\n        ", out);
  if (o->kind == CLI_OPERAND) {
    fputc('\'', out);
  } else if (o->letter) {
    fprintf(out, "'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
  } else {
    fprintf(out, "'--%s[", o->name);
  }
  if (o->name) zsh_quoted(out, o->help), fputc(']', out);
  if (cli_option_takes_value(o)) zsh_value(out, o);
  fputc('\'', out);
}

/* 'evaluate:summary' for a first word, or for the second words of a group. */
static void zsh_describe(FILE *out, const char *word, const char *group) {
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *const c = cli_command_at(i);
    const bool inside = c->group && strcmp(c->group, group ? group : word) == 0;
    if (group ? !inside || strcmp(cli_command_last_word(c), word) != 0
              : !inside && strcmp(c->name, word) != 0)
      continue;
    fprintf(out, "    '%s:", word);
    zsh_quoted(out, inside && !group ? "several commands" : c->summary);
    fputs("'\n", out);
    return;
  }
}

static void zsh_group(FILE *out, const char *group) {
  fprintf(out, "    %s)\n      commands=(\n", group);
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *const c = cli_command_at(i);
    if (c->group && strcmp(c->group, group) == 0)
      zsh_describe(out, cli_command_last_word(c), group);
  }
  fputs("      )\n      if ((CURRENT == 2)); then\n        _describe command commands\n"
        "        return\n      fi\n      command+=\" $words[2]\"\n      shift words\n"
        "      ((CURRENT--))\n      ;;\n",
        out);
}

static void write_zsh(FILE *out) {
  fputs("#compdef credence\n"
        "# zsh completion for credence; written by: credence help --complete zsh\n"
        "_credence() {\n"
        "  local -a commands=(\n",
        out);
  for (size_t i = 0; cli_command_word(i); i++) zsh_describe(out, cli_command_word(i), NULL);
  fputs("  )\n"
        "  if ((CURRENT == 2)); then\n"
        "    _describe command commands\n"
        "    return\n"
        "  fi\n"
        "  local command=$words[2]\n"
        "  shift words\n"
        "  ((CURRENT--))\n"
        "  case $command in\n",
        out);
  for (size_t i = 0; cli_command_word(i); i++) {
    if (cli_command_is_group(cli_command_word(i))) zsh_group(out, cli_command_word(i));
  }
  fputs("  esac\n  case $command in\n", out);
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *command = cli_command_at(i);
    fprintf(out, "    '%s')\n      _arguments '(-h --help)'{-h,--help}'[show help]'",
            command->name);
    for (const cli_option *o = command->options; o->kind != CLI_END; o++) zsh_option(out, o);
    fputs("\n      ;;\n", out);
  }
  fputs("  esac\n}\n_credence \"$@\"\n", out);
}

/* ---- fish */

/* Inside single quotes fish knows two escapes: \\ and \'. */
static void fish_quoted(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) fprintf(out, strchr("\\'", *text) ? "\\%c" : "%c", *text);
  fputs("'\n", out);
}

static void fish_option(FILE *out, const cli_command *command, const cli_option *o) {
  fputs("complete -c credence -n '", out);
  if (command->group) fprintf(out, "__fish_seen_subcommand_from %s; and ", command->group);
  fprintf(out, "__fish_seen_subcommand_from %s'", cli_command_last_word(command));
  if (o->letter) fprintf(out, " -s %c", o->letter);
  if (o->name) fprintf(out, " -l %s", o->name);
  if (o->name && cli_option_takes_value(o)) fputs(" -r", out);
  if (o->word) {
    fputs(" -f -a '", out);
    add_words(out, o->word, " ");
    fputc('\'', out);
  }
  fputs(" -d ", out);
  fish_quoted(out, o->help);
}

static void fish_command(FILE *out, const cli_command *command) {
  if (command->group) {
    fprintf(out, "complete -c credence -f -n __fish_use_subcommand -a %s\n", command->group);
    fprintf(out, "complete -c credence -f -n '__fish_seen_subcommand_from %s' -a %s -d ",
            command->group, cli_command_last_word(command));
  } else {
    fprintf(out, "complete -c credence -f -n __fish_use_subcommand -a %s -d ", command->name);
  }
  fish_quoted(out, command->summary);
}

static void write_fish(FILE *out) {
  fputs("# fish completion for credence; written by: credence help --complete fish\n"
        "complete -c credence -n __fish_use_subcommand -s V -l version -d 'show the version'\n"
        "complete -c credence -s h -l help -d 'show help'\n",
        out);
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *command = cli_command_at(i);
    fish_command(out, command);
    for (const cli_option *o = command->options; o->kind != CLI_END; o++) {
      if (o->name || o->word) fish_option(out, command, o);
    }
  }
}

static const struct {
  const char *name;
  void (*write)(FILE *out);
} shells[] = { { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish } };
enum { SHELL_COUNT = sizeof shells / sizeof *shells };

const char *cli_complete_shell(size_t index) {
  return index < SHELL_COUNT ? shells[index].name : NULL;
}

void cli_complete_write(FILE *out, const char *shell) {
  for (size_t i = 0; i < SHELL_COUNT; i++) {
    if (strcmp(shells[i].name, shell) == 0) shells[i].write(out);
  }
}

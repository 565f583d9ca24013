/*
 * man.c -- the man pages, in man(7) macros. Text is escaped so that nothing is taken for a request:
 * backslashes and dashes are written \e and \-, a leading dot or quote is preceded by \&.
 */
#include "help.h"

#include <ctype.h>
#include <string.h>

/* Fixed, so that the same program writes the same pages. */
#define PAGE_DATE "2026-11-15"

static void add_text(FILE *out, const char *text) {
  for (bool fresh = true; *text; text++) {
    if (fresh && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (*text == '\\') fputs("\\e", out);
    else if (*text == '-') fputs("\\-", out);
    else if (*text == '\n') fputs("\n.PP", out);
    if (!strchr("\\-", *text)) fputc(*text, out);
    fresh = *text == '\n';
  }
}

static void add_line(FILE *out, const char *macro, const char *text) {
  fputs(macro, out);
  add_text(out, text);
  fputc('\n', out);
}

/* "net\-info", the name of the page, optionally in capitals. */
static void add_page_name(FILE *out, const char *name, bool capitals) {
  for (; *name; name++) {
    if (*name == '-' || *name == ' ') fputs("\\-", out);
    else fputc(capitals ? toupper((unsigned char)*name) : *name, out);
  }
}

static void add_head(FILE *out, const cli_command *command) {
  fputs(".TH CREDENCE", out);
  if (command) fputs("\\-", out);
  if (command) add_page_name(out, command->name, true);
  fprintf(out, " 1 " PAGE_DATE " \"credence %s\" \"User Commands\"\n.SH NAME\ncredence",
          crd_version());
  if (command) fputs("\\-", out), add_page_name(out, command->name, false);
  fputs(" \\- ", out);
  add_line(out, "", command ? command->summary : "measure the calibration of classifiers");
}

static void add_option(FILE *out, const cli_option *option) {
  char sentence[512];
  fputs(".TP\n", out);
  if (option->kind == CLI_OPERAND) {
    fprintf(out, ".I %s\n", option->argument);
  } else {
    fputs(".BR ", out);
    if (option->letter) fprintf(out, "\\-%c \", \" ", option->letter);
    fputs("\\-\\-", out);
    add_text(out, option->name);
    if (option->argument) fprintf(out, " \" \\fI%s\\fP\"", option->argument);
    fputc('\n', out);
  }
  add_line(out, "", cli_option_sentence(option, sentence));
}

static void add_options(FILE *out, const cli_command *command) {
  fputs(".SH OPTIONS\n", out);
  for (const cli_option *o = command->options; o->kind != CLI_END; o++) add_option(out, o);
  fputs(".TP\n.BR \\-h \", \" \\-\\-help\nshow a short help\n", out);
}

static void add_examples(FILE *out, const cli_command *command) {
  fputs(".SH EXAMPLES\n", out);
  for (const cli_example *e = command->examples; e->line; e++) {
    fputs(".TP\n.B credence ", out);
    add_line(out, "", e->line);
    add_line(out, "", e->meaning);
  }
}

static void add_common(FILE *out) {
  char meaning[256];
  fputs(".SH EXIT STATUS\n", out);
  for (int code = 0; code < 256; code++) {
    if (!cli_exit_meaning(code, meaning)) continue;
    fprintf(out, ".TP\n.B %d\n", code);
    add_line(out, "", meaning);
  }
  fputs(".SH ENVIRONMENT\n"
        ".TP\n.B NO_COLOR\nif set and not empty, no colours are used\n"
        ".TP\n.BR LC_ALL \", \" LC_CTYPE \", \" LANG\n"
        "unless they name UTF\\-8, diagrams are drawn in ASCII\n",
        out);
}

static void write_program(FILE *out) {
  add_head(out, NULL);
  fputs(".SH SYNOPSIS\n.B credence\n.I COMMAND\n.RI [ OPTION ]...\n.RI [ ARGUMENT ]...\n"
        ".SH DESCRIPTION\n",
        out);
  add_line(out, "", cli_about);
  fputs(".SH COMMANDS\n", out);
  for (size_t i = 0; cli_command_at(i); i++) {
    fputs(".TP\n.BR credence\\-", out);
    add_page_name(out, cli_command_at(i)->name, false);
    add_line(out, " (1)\n", cli_command_at(i)->summary);
  }
  fputs(".SH OPTIONS\n.TP\n.BR \\-h \", \" \\-\\-help\nshow a short help\n"
        ".TP\n.BR \\-V \", \" \\-\\-version\nshow the version\n",
        out);
  add_common(out);
}

static void write_command(FILE *out, const cli_command *command) {
  char usage[128];
  add_head(out, command);
  fputs(".SH SYNOPSIS\n.B credence ", out);
  add_line(out, "", command->name);
  fprintf(out, "%s\n.SH DESCRIPTION\n", cli_command_usage(command, usage) + 1);
  add_line(out, "", command->description);
  for (size_t i = 0; cli_topic_at(i); i++)
    if (cli_topic_concerns(cli_topic_at(i), command)) add_line(out, ".PP\n", cli_topic_at(i)->text);
  add_options(out, command);
  add_examples(out, command);
  add_common(out);
  fputs(".SH SEE ALSO\n.BR credence (1)\n", out);
}

void cli_man_write(FILE *out, const cli_command *command) {
  if (command) write_command(out, command);
  else write_program(out);
}

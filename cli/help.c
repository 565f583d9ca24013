/* help.c -- the help texts of the program, from the tables of its commands. */
#include "help.h"

#include "page.h"
#include "topics.h"

#include <string.h>

const char cli_about[] =
    "Credence measures and repairs the calibration of a classifier: of all predictions made with "
    "confidence 0.8, are 80 percent correct? It reads a model's scores and the true labels, "
    "measures calibration (does confidence match accuracy?) and refinement (does confidence "
    "separate correct from wrong predictions?), and fits calibrators.";

enum { TERM_COLUMN = 28, COMMAND_COLUMN = 14 };

const char *cli_option_term(const cli_option *option, char term[static 64]) {
  if (option->kind == CLI_OPERAND) {
    snprintf(term, 64, "%s", option->argument);
    return term;
  }
  int at =
      option->letter ? snprintf(term, 64, "-%c, ", option->letter) : snprintf(term, 64, "    ");
  snprintf(term + at, 64 - (size_t)at, "--%s%s%s", option->name, option->argument ? " " : "",
           option->argument ? option->argument : "");
  return term;
}

const char *cli_option_sentence(const cli_option *option, char sentence[static 512]) {
  const bool shown = option->standard && option->kind != CLI_SELECT;
  snprintf(sentence, 512, "%s%s%s%s", option->help, shown ? " (default: " : "",
           shown ? option->standard : "", shown ? ")" : "");
  return sentence;
}

const char *cli_command_usage(const cli_command *command, char usage[static 128]) {
  size_t at = (size_t)snprintf(usage, 128, " [OPTION]...");
  for (const cli_option *o = command->options; o->kind != CLI_END; o++) {
    if (o->kind != CLI_OPERAND || at >= 128) continue;
    at += (size_t)snprintf(usage + at, 128 - at, o->optional ? " [%s]" : " %s", o->argument);
  }
  return usage;
}

/* Exit codes besides those of a crd_status. */
static const struct {
  int code;
  const char *meaning;
} answers[] = {
  { 1, "a condition of --fail-if holds or cannot be judged, or --strict found a problem" },
  { CLI_EXIT_UNDECIDED, "a check could not decide: the answer is neither yes nor no" },
};

const char *cli_exit_meaning(int code, char meaning[static 256]) {
  size_t at = 0;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (answers[i].code == code) at = (size_t)snprintf(meaning, 256, "%s", answers[i].meaning);
  for (crd_status status = CRD_OK; status <= CRD_EINTERRUPTED; status++) {
    if (crd_status_exit_code(status) != code || at >= 256) continue;
    at += (size_t)snprintf(meaning + at, 256 - at, "%s%s", at ? ", or " : "",
                           crd_status_text(status));
  }
  return at ? meaning : NULL;
}

/* All commands, or those of a group. */
static void add_commands(FILE *out, const char *group) {
  fprintf(out, "\ncommands:\n");
  for (size_t i = 0; cli_command_at(i); i++) {
    const cli_command *const c = cli_command_at(i);
    if (group && (!c->group || strcmp(c->group, group) != 0)) continue;
    cli_page_entry(out, c->name, COMMAND_COLUMN, c->summary);
  }
}

void cli_help_group(FILE *out, const char *group) {
  fprintf(out, "usage: credence %s COMMAND [OPTION]... [ARGUMENT]...\n", group);
  add_commands(out, group);
  fprintf(out, "\n'credence help %s COMMAND' explains one of them.\n", group);
}

void cli_help_overview(FILE *out) {
  fprintf(out, "usage: credence COMMAND [OPTION]... [ARGUMENT]...\n\n");
  cli_page_wrap(out, cli_about, 0, 0);
  add_commands(out, NULL);
  fprintf(out, "\n"
               "'credence help COMMAND' explains a command, 'credence help predictions' the\n"
               "files that most of them read; 'credence -V' prints the version.\n"
               "To start:\n\n"
               "  credence evaluate predictions.npz\n");
}

/* Of a table; those of a topic are explained elsewhere, unless `all`. */
static void add_options(FILE *out, const cli_option *options, bool operands, bool all) {
  char term[64], sentence[512];
  for (const cli_option *o = options; o->kind != CLI_END; o++) {
    if ((o->kind == CLI_OPERAND) != operands || (o->topic && !all)) continue;
    cli_page_entry(out, cli_option_term(o, term), TERM_COLUMN, cli_option_sentence(o, sentence));
  }
}

void cli_help_topic(FILE *out, const cli_topic *topic) {
  fprintf(out, "%s: %s\n\n", topic->name, topic->summary);
  cli_page_wrap(out, topic->text, 0, 0);
  fprintf(out, "\noptions:\n");
  add_options(out, topic->options, false, true);
  fprintf(out, "\ncommands with these options:\n");
  for (size_t i = 0; cli_command_at(i); i++)
    if (cli_topic_concerns(topic, cli_command_at(i)))
      cli_page_entry(out, cli_command_at(i)->name, COMMAND_COLUMN, cli_command_at(i)->summary);
}

/* "'credence help predictions' explains how ..., with the options --labels, --input." */
static void add_topics(FILE *out, const cli_command *command) {
  for (size_t i = 0; cli_topic_at(i); i++) {
    const cli_topic *const topic = cli_topic_at(i);
    if (!cli_topic_concerns(topic, command)) continue;
    char words[512];
    const char *before = "";
    size_t at =
        (size_t)snprintf(words, sizeof words, "'credence help %s' explains %s, with the options ",
                         topic->name, topic->summary);
    for (const cli_option *o = command->options; o->kind != CLI_END && at < sizeof words; o++) {
      if (!o->topic || strcmp(o->topic, topic->name) != 0) continue;
      at += (size_t)snprintf(words + at, sizeof words - at, "%s--%s", before, o->name);
      before = ", ";
    }
    fprintf(out, "\n");
    cli_page_wrap(out, words, 0, 0);
  }
}

void cli_help_command(FILE *out, const cli_command *command) {
  char usage[128];
  fprintf(out, "usage: credence %s%s\n\n", command->name, cli_command_usage(command, usage));
  cli_page_wrap(out, command->description, 0, 0);
  fprintf(out, "\n");
  add_options(out, command->options, true, false);
  fprintf(out, "\noptions:\n");
  add_options(out, command->options, false, false);
  cli_page_entry(out, "-h, --help", TERM_COLUMN, "show this help");
  add_topics(out, command);
  fprintf(out, "\nexamples:\n");
  for (const cli_example *e = command->examples; e->line; e++) {
    fprintf(out, "  credence %s\n      ", e->line);
    cli_page_wrap(out, e->meaning, 6, 6);
  }
}

/*
 * option.c -- parses command lines by a table of options: --name value, --name=value, -n value,
 * -nvalue, -abc for flags, "--" before operands that begin with a dash; --name without a value if
 * the table has one for that. Names cannot be abbreviated: an option added later must not change
 * the meaning of an old script.
 */
#include "option.h"
#include "page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  cli_session *session;
  const cli_command *command;
  char **argv;
  int argc, at;
  char *arguments;
  const cli_option *operand; /* the next operand of the table */
  bool taken;                /* an operand with `many` has at least one value */
  uint64_t given;            /* bit i: the i-th option of the table was given */
} parser;

const char *cli_metric_word(size_t index) {
  const crd_metric_info *const metric = index ? crd_metric_at(index - 1) : NULL;
  return index == 0 ? "all" : metric ? metric->name : NULL;
}

crd_status cli_refuse(cli_session *session, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(session->message, sizeof session->message, format, args);
  va_end(args);
  return CRD_EUSAGE;
}

const char *cli_hint(char hint[static CLI_HINT_SIZE], const char *prefix, const char *nearest) {
  *hint = '\0';
  if (nearest) snprintf(hint, CLI_HINT_SIZE, "; did you mean '%s%s'?", prefix, nearest);
  return hint;
}

bool cli_is_listed(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
    if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
      return true;
  return false;
}

/* ---- One setter per kind. */

static crd_status set_flag(parser *p, const cli_option *option, const char *text, void *slot) {
  (void)p, (void)option, (void)text;
  *(bool *)slot = true;
  return CRD_OK;
}

static crd_status set_name(parser *p, const cli_option *option, const char *text, void *slot) {
  (void)p;
  *(const char **)slot = text ? text : option->name;
  return CRD_OK;
}

static crd_status set_count(parser *p, const cli_option *option, const char *text, void *slot) {
  char *end;
  errno = 0;
  const unsigned long value = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno || value < option->low ||
      value > option->high) {
    return cli_refuse(p->session, "--%s takes an integer from %u to %u, found '%s'", option->name,
                      option->low, option->high, text);
  }
  *(unsigned *)slot = (unsigned)value;
  return CRD_OK;
}

enum { LINE_SIZE = 1024 };

/* All words in one line, for error messages. */
static const char *join(char line[static LINE_SIZE], const char *(*word)(size_t index)) {
  size_t at = 0;
  *line = '\0';
  for (size_t i = 0; word(i) && at < LINE_SIZE; i++) {
    const char *between = i == 0 ? "" : word(i + 1) ? ", " : " or ";
    at += (size_t)snprintf(line + at, LINE_SIZE - at, "%s%s", between, word(i));
  }
  return line;
}

static const char *word_at(const void *option, size_t index) {
  return ((const cli_option *)option)->word(index);
}

static crd_status find_word(parser *p, const cli_option *option, const char *text, size_t *index) {
  char line[LINE_SIZE], hint[CLI_HINT_SIZE];
  for (size_t i = 0; option->word(i); i++) {
    *index = i;
    if (strcmp(option->word(i), text) == 0) return CRD_OK;
  }
  return cli_refuse(p->session, "%s%s takes %s, found '%s'%s", option->name ? "--" : "",
                    option->name ? option->name : p->command->name, join(line, option->word), text,
                    cli_hint(hint, "", crd_nearest(text, word_at, option)));
}

static crd_status set_word(parser *p, const cli_option *option, const char *text, void *slot) {
  size_t index = 0;
  const crd_status status = find_word(p, option, text, &index);
  if (status == CRD_OK) *(unsigned *)slot = (unsigned)index;
  return status;
}

static crd_status set_text(parser *p, const cli_option *option, const char *text, void *slot) {
  size_t index;
  *(const char **)slot = text;
  const bool listed = option->word && option->word(0); /* a table may be empty: not built in */
  if (*text) return listed ? find_word(p, option, text, &index) : CRD_OK;
  return cli_refuse(p->session, "%s%s is empty", option->name ? "--" : "",
                    option->name ? option->name : option->argument);
}

/* The library splits lists and checks their words. */
static crd_status set_list(parser *p, const cli_option *option, const char *text, void *slot) {
  cli_option any = *option;
  any.word = NULL;
  return set_text(p, &any, text, slot);
}

static crd_status set_joined(parser *p, const cli_option *option, const char *text, void *slot) {
  cli_joined *const joined = slot;
  const size_t at = strlen(joined->text), room = sizeof joined->text - at;
  const char *any;
  const crd_status status = set_text(p, option, text, (void *)&any);
  if (status != CRD_OK) return status;
  if ((size_t)snprintf(joined->text + at, room, "%s%s", at ? "," : "", text) < room) return CRD_OK;
  return cli_refuse(p->session, "--%s is longer than %zu characters", option->name,
                    sizeof joined->text - 1);
}

static crd_status set_each(parser *p, const cli_option *option, const char *text, void *slot) {
  cli_each *const each = slot;
  if (each->count == CLI_EACH_MAX)
    return cli_refuse(p->session, "--%s was given more than %d times", option->name, CLI_EACH_MAX);
  return set_text(p, option, text, (void *)&each->items[each->count++]);
}

/* ---- The value as a user would type it; NULL: the option would not be given. */

enum { TYPED_SIZE = 16 };

static const char *type_flag(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  (void)option, (void)text;
  return *(const bool *)slot ? "" : NULL;
}

static const char *type_text(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  (void)option, (void)text;
  return *(const char *const *)slot;
}

static const char *type_count(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  const unsigned value = *(const unsigned *)slot;
  snprintf(text, TYPED_SIZE, "%u", value);
  return value == 0 && option->low > 0 ? NULL : text;
}

static const char *type_word(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  (void)text;
  return option->word(*(const unsigned *)slot);
}

static const char *type_each(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  (void)option, (void)text;
  return ((const cli_each *)slot)->items[0];
}

static const char *type_joined(const cli_option *option, const void *slot, char text[TYPED_SIZE]) {
  (void)option, (void)text;
  return *((const cli_joined *)slot)->text ? ((const cli_joined *)slot)->text : NULL;
}

static const struct {
  bool takes_value;
  crd_status (*set)(parser *p, const cli_option *option, const char *text, void *slot);
  const char *(*type)(const cli_option *option, const void *slot, char text[TYPED_SIZE]);
} kinds[CLI_KINDS] = {
  [CLI_FLAG] = { false, set_flag, type_flag },   [CLI_SELECT] = { false, set_name, type_text },
  [CLI_TEXT] = { true, set_text, type_text },    [CLI_FILE] = { true, set_text, type_text },
  [CLI_COUNT] = { true, set_count, type_count }, [CLI_WORD] = { true, set_word, type_word },
  [CLI_LIST] = { true, set_list, type_text },    [CLI_JOIN] = { true, set_joined, type_joined },
  [CLI_EACH] = { true, set_each, type_each },    [CLI_OPERAND] = { true, set_text, type_text },
};

static void spell(FILE *out, const cli_option *o, const char *value) {
  fprintf(out, " --%s", o->kind == CLI_SELECT ? value : o->name);
  if (!cli_option_takes_value(o)) return;
  fputc(' ', out);
  cli_page_shell(out, value);
}

void cli_option_spell(FILE *out, const cli_option *options, const void *arguments) {
  for (const cli_option *o = options; o->kind != CLI_END; o++) {
    const void *const slot = (const char *)arguments + o->offset;
    char text[TYPED_SIZE];
    const char *const value = o->name ? kinds[o->kind].type(o, slot, text) : NULL;
    if (!value || (o->standard && strcmp(value, o->standard) == 0)) continue;
    spell(out, o, value);
    for (size_t i = 1; o->kind == CLI_EACH && i < ((const cli_each *)slot)->count; i++)
      spell(out, o, ((const cli_each *)slot)->items[i]);
  }
}

bool cli_option_takes_value(const cli_option *option) { return kinds[option->kind].takes_value; }

static crd_status set(parser *p, const cli_option *option, const char *text) {
  p->given |= UINT64_C(1) << (option - p->command->options);
  return kinds[option->kind].set(p, option, text, p->arguments + option->offset);
}

/* ---- The words of the command line, one by one. */

static bool is_word(const char *name, const char *word, size_t length) {
  return name && strlen(name) == length && strncmp(name, word, length) == 0;
}

static const cli_option *find_name(const parser *p, const char *name, size_t length) {
  for (const cli_option *o = p->command->options; o->kind != CLI_END; o++) {
    if (is_word(o->name, name, length) || is_word(o->alias, name, length)) return o;
  }
  return NULL;
}

static const cli_option *find_letter(const parser *p, char letter) {
  for (const cli_option *o = p->command->options; o->kind != CLI_END; o++) {
    if (o->letter && o->letter == letter) return o;
  }
  return NULL;
}

static const char *name_at(const void *options, size_t index) {
  for (const cli_option *o = options; o->kind != CLI_END; o++) {
    if (o->name && index-- == 0) return o->name;
  }
  return NULL;
}

static crd_status unknown_name(parser *p, const char *name, size_t length) {
  char typed[CLI_HINT_SIZE], hint[CLI_HINT_SIZE];
  snprintf(typed, sizeof typed, "%.*s", (int)length, name);
  return cli_refuse(p->session, "unknown option '--%s'%s", typed,
                    cli_hint(hint, "--", crd_nearest(typed, name_at, p->command->options)));
}

/* Returns whether a file of this name exists, up to its #group and @rows. */
static bool is_file(const char *word) {
  char name[4096];
  struct stat about;
  const size_t length = strcspn(word, "#@");
  if (length >= sizeof name) return false;
  memcpy(name, word, length);
  name[length] = '\0';
  return (stat(word, &about) == 0 || stat(name, &about) == 0) && S_ISREG(about.st_mode);
}

/* Returns whether it is one of the words of an option, or a misspelt one. */
static bool is_meant(const cli_option *option, const char *text) {
  for (size_t i = 0; option->word(i); i++)
    if (strcmp(option->word(i), text) == 0) return true;
  return crd_nearest(text, word_at, option) != NULL;
}

/* An option with an optional value takes the next word, unless that is an option or a file, or not
 * one of its words. */
static bool stands_alone(const parser *p, const cli_option *option) {
  if (!option->alone) return false;
  const char *const next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "-";
  return next[0] == '-' || (option->word ? !is_meant(option, next) : is_file(next));
}

/* Takes the next word as the value; fails if it is missing and not optional. */
static crd_status set_from_next(parser *p, const cli_option *option) {
  if (stands_alone(p, option)) return set(p, option, option->alone);
  if (p->at + 1 >= p->argc) {
    return cli_refuse(p->session, "--%s needs a value: --%s %s", option->name, option->name,
                      option->argument);
  }
  return set(p, option, p->argv[++p->at]);
}

/* --name, --name=value, --name value */
static crd_status read_long(parser *p, const char *word) {
  const size_t length = strcspn(word, "=");
  const cli_option *option = find_name(p, word, length);
  if (!option) return unknown_name(p, word, length);
  if (word[length] == '\0') {
    return cli_option_takes_value(option) ? set_from_next(p, option) : set(p, option, NULL);
  }
  if (!cli_option_takes_value(option)) {
    return cli_refuse(p->session, "--%s takes no value, found '%s'", option->name,
                      word + length + 1);
  }
  return set(p, option, word + length + 1);
}

/* -n, -n value, -nvalue, and several flags in one word */
static crd_status read_short(parser *p, const char *letters) {
  crd_status status = CRD_OK;
  for (; *letters && status == CRD_OK; letters++) {
    const cli_option *option = find_letter(p, *letters);
    if (!option) return cli_refuse(p->session, "unknown option '-%c'", *letters);
    if (cli_option_takes_value(option)) {
      return letters[1] ? set(p, option, letters + 1) : set_from_next(p, option);
    }
    status = set(p, option, NULL);
  }
  return status;
}

static void skip_to_operand(parser *p) {
  while (p->operand->kind != CLI_END && p->operand->kind != CLI_OPERAND) p->operand++;
}

static crd_status read_operand(parser *p, const char *word) {
  skip_to_operand(p);
  if (p->operand->kind == CLI_END) {
    return cli_refuse(p->session, "unexpected argument '%s' for '%s'", word, p->command->name);
  }
  if (!p->operand->many) return set(p, p->operand++, word);
  /* Operands are moved to the beginning of argv, over words that have been read. */
  cli_words *const words = (cli_words *)(void *)(p->arguments + p->operand->offset);
  words->items = p->argv;
  words->items[words->count++] = p->argv[p->at];
  p->taken = true;
  return CRD_OK;
}

static crd_status set_standards(parser *p) {
  crd_status status = CRD_OK;
  for (const cli_option *o = p->command->options; o->kind != CLI_END && status == CRD_OK; o++) {
    if (o->standard) status = set(p, o, o->standard);
  }
  return status;
}

bool cli_is_help(const char *word) {
  return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

crd_status cli_option_parse(cli_session *session, const cli_command *command, int argc, char **argv,
                            void *arguments, bool *help) {
  parser p = { session, command, argv, argc, 0, arguments, command->options, false, 0 };
  crd_status status = set_standards(&p);
  p.given = 0;
  bool options_end = false;
  for (; p.at < argc && status == CRD_OK; p.at++) {
    const char *word = argv[p.at];
    if (options_end || word[0] != '-' || word[1] == '\0') {
      status = read_operand(&p, word);
    } else if (cli_is_help(word)) {
      *help = true;
      return CRD_OK;
    } else if (strcmp(word, "--") == 0) {
      options_end = true;
    } else {
      status = word[1] == '-' ? read_long(&p, word + 2) : read_short(&p, word + 1);
    }
  }
  skip_to_operand(&p);
  if (status == CRD_OK && p.operand->kind == CLI_OPERAND && !p.operand->optional && !p.taken) {
    return cli_refuse(session, "%s is missing (%s)", p.operand->argument, p.operand->help);
  }
  if (status == CRD_OK) status = cli_option_check(session, command, arguments, p.given);
  return status;
}

/* setting_page.c -- settings in `credence list`: meaning, allowed values, default. */
#include "setting_page.h"
#include "page.h"

#include <stdbool.h>
#include <string.h>

enum { ALLOWED = 192 };

static bool takes_numbers(const crd_setting_info *s) { return !s->words || s->high > s->low; }

/* "one-vs-rest or top-1", "cv, or a number from 0 to 1e+12" */
static const char *allowed(const crd_setting_info *s, char text[static ALLOWED]) {
  size_t at = 0;
  *text = '\0';
  for (const char *word = s->words; word && *word && at < ALLOWED;) {
    const size_t length = strcspn(word, " ");
    const bool last = word[length] == '\0';
    const char *between = word == s->words                        ? ""
                          : last && !takes_numbers(s) && !s->list ? " or "
                                                                  : ", ";
    at += (size_t)snprintf(text + at, ALLOWED - at, "%s%.*s", between, (int)length, word);
    word += length + !last;
  }
  if (s->list && at) snprintf(text + at, ALLOWED - at, ", or numbers, comma-separated");
  else if (s->list)
    snprintf(text, ALLOWED, "%s from %g to %g, comma-separated", s->whole ? "integers" : "numbers",
             s->low, s->high);
  else if (takes_numbers(s) && at < ALLOWED)
    snprintf(text + at, ALLOWED - at, "%s%s from %g to %g", at ? ", or " : "",
             s->whole ? "an integer" : "a number", s->low, s->high);
  return text;
}

const char *cli_setting_names(const crd_setting_info *settings, size_t count,
                              char text[static CLI_SETTING_NAMES]) {
  size_t at = 0;
  *text = '\0';
  for (size_t i = 0; i < count && at < CLI_SETTING_NAMES; i++)
    at += (size_t)snprintf(text + at, CLI_SETTING_NAMES - at, "%s%s", i ? ", " : "",
                           settings[i].name);
  return text;
}

void cli_setting_row(FILE *out, const crd_setting_info *s) {
  char values[ALLOWED], line[768];
  snprintf(line, sizeof line, "%s: %s (default: %s)", s->help, allowed(s, values), s->standard);
  cli_page_entry(out, s->name, CLI_SETTING_COLUMN, line);
}

void cli_setting_text(FILE *out, const crd_setting_info *settings, size_t count) {
  fputs(count ? "\nsettings:\n" : "", out);
  for (size_t i = 0; i < count; i++) cli_setting_row(out, &settings[i]);
}

void cli_setting_values_json(FILE *out, const crd_setting_info *s) {
  cli_page_member(out, ", ", "default", s->standard);
  fputs(", \"words\": [", out);
  for (const char *word = s->words; word && *word; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    fprintf(out, "%s\"%.*s\"", word == s->words ? "" : ", ", (int)length, word);
    word += length;
  }
  fputs("]", out);
  if (takes_numbers(s))
    fprintf(out, ", \"low\": %.17g, \"high\": %.17g, \"whole\": %s", s->low, s->high,
            s->whole ? "true" : "false");
  if (s->list) fputs(", \"list\": true", out);
}

void cli_setting_json(FILE *out, const crd_setting_info *settings, size_t count) {
  fputs(", \"settings\": [", out);
  for (size_t i = 0; i < count; i++) {
    cli_page_member(out, i ? ", {" : "{", "name", settings[i].name);
    cli_page_member(out, ", ", "help", settings[i].help);
    cli_setting_values_json(out, &settings[i]);
    fputc('}', out);
  }
  fputc(']', out);
}

void cli_setting_markdown(FILE *out, const crd_setting_info *settings, size_t count) {
  char values[ALLOWED];
  for (size_t i = 0; i < count; i++) {
    const crd_setting_info *const s = &settings[i];
    fprintf(out, "- `%s`: %s: %s (default: `%s`)\n", s->name, s->help, allowed(s, values),
            s->standard);
  }
}

void cli_setting_values_markdown(FILE *out, const crd_setting_info *s) {
  char values[ALLOWED];
  fprintf(out, "- allowed: %s\n- default: `%s`\n", allowed(s, values), s->standard);
}

/* method_page.c -- what a user needs to know of a method: what it mends, its settings, its paper.
 */
#include "method_page.h"
#include "command.h"
#include "page.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 48, SETTING_COLUMN = 20 };

const char cli_method_head[] = "  name                     settings             what it is\n";
const char cli_method_foot[] =
    "\n  = the predicted class stays what it was, as it does with scope=top-1\n"
    "\n'credence list methods platt' shows a method with the values of its settings.\n";

/* ---- Settings. */

static bool takes_numbers(const crd_setting_info *s) { return !s->words || s->high > s->low; }

/* "one-vs-rest or top-1", "cv, or a number from 0 to 1e+12" */
static const char *allowed(const crd_setting_info *s, char text[static 192]) {
  size_t at = 0;
  *text = '\0';
  for (const char *word = s->words; word && *word && at < 192;) {
    const size_t length = strcspn(word, " ");
    const bool last = word[length] == '\0';
    const char *between = word == s->words ? "" : last && !takes_numbers(s) ? " or " : ", ";
    at += (size_t)snprintf(text + at, 192 - at, "%s%.*s", between, (int)length, word);
    word += length + !last;
  }
  if (takes_numbers(s) && at < 192)
    snprintf(text + at, 192 - at, "%sa %snumber from %g to %g", at ? ", or " : "",
             s->whole ? "whole " : "", s->low, s->high);
  return text;
}

/* Their names in a line. */
static const char *names(const crd_method_info *m, char text[static 128]) {
  size_t at = 0;
  *text = '\0';
  for (size_t i = 0; i < m->setting_count && at < 128; i++)
    at += (size_t)snprintf(text + at, 128 - at, "%s%s", i ? ", " : "", m->settings[i].name);
  return text;
}

static bool has_scope(const crd_method_info *m) {
  return m->setting_count && strcmp(m->settings[0].name, "scope") == 0;
}

static const char *keeps(const crd_method_info *m) {
  return m->keeps_argmax ? "always kept" : has_scope(m) ? "kept with scope=top-1" : "may change";
}

/* Is it part of a comparison when none is named? */
static const char *compared(const crd_method_info *m, char text[static 64]) {
  if (m->standard == 0) return "not compared";
  if (m->standard == SIZE_MAX) return "compared";
  snprintf(text, 64, "compared up to %zu classes", m->standard);
  return text;
}

/* ---- Pages. */

void cli_method_row(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char settings[128], term[192];
  snprintf(term, sizeof term, "%-23s%c %s", m->name, m->keeps_argmax ? '=' : ' ',
           names(m, settings));
  cli_page_entry(out, term, COLUMN, m->summary);
}

void cli_method_full(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char values[192], line[768];
  fprintf(out, "%s: ", m->name);
  cli_page_wrap(out, m->summary, strlen(m->name) + 2, 0);
  fputc('\n', out);
  cli_page_wrap(out, m->meaning, 0, 0);
  fputs(m->setting_count ? "\nsettings:\n" : "", out);
  for (size_t i = 0; i < m->setting_count; i++) {
    const crd_setting_info *s = &m->settings[i];
    snprintf(line, sizeof line, "%s: %s (default: %s)", s->help, allowed(s, values), s->standard);
    cli_page_entry(out, s->name, SETTING_COLUMN, line);
  }
  fputc('\n', out);
  cli_page_entry(out, "predicted class", SETTING_COLUMN, keeps(m));
  cli_page_entry(out, "by default", SETTING_COLUMN, compared(m, values));
  cli_page_entry(out, "reference", SETTING_COLUMN, m->reference);
}

static void setting_json(FILE *out, const crd_setting_info *s) {
  cli_page_member(out, "{", "name", s->name);
  cli_page_member(out, ", ", "help", s->help);
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
  fputc('}', out);
}

void cli_method_json(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char text[64];
  cli_page_member(out, "", "name", m->name);
  cli_page_member(out, ", ", "summary", m->summary);
  cli_page_member(out, ", ", "meaning", m->meaning);
  cli_page_member(out, ", ", "reference", m->reference);
  cli_page_member(out, ", ", "predicted_class", keeps(m));
  cli_page_member(out, ", ", "by_default", compared(m, text));
  fputs(", \"settings\": [", out);
  for (size_t i = 0; i < m->setting_count; i++) {
    fputs(i ? ", " : "", out);
    setting_json(out, &m->settings[i]);
  }
  fputc(']', out);
}

void cli_method_markdown(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char values[192];
  fprintf(out, "## %s\n\n%c%s.\n\n%s\n\n", m->name, toupper((unsigned char)m->summary[0]),
          m->summary + 1, m->meaning);
  for (size_t i = 0; i < m->setting_count; i++) {
    const crd_setting_info *s = &m->settings[i];
    fprintf(out, "- `%s`: %s: %s (default: `%s`)\n", s->name, s->help, allowed(s, values),
            s->standard);
  }
  fprintf(out, "- predicted class: %s\n- by default: %s\n- reference: %s\n", keeps(m),
          compared(m, values), m->reference);
}

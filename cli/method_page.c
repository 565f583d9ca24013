/* method_page.c -- methods in `credence list`: summary, meaning, settings, reference. */
#include "method_page.h"
#include "command.h"
#include "page.h"
#include "setting_page.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 48 };

const char cli_method_head[] = "  name                     settings             summary\n";
const char cli_method_foot[] =
    "\n  = the predicted class never changes (nor does it with scope=top-1)\n"
    "\n'credence list methods platt' shows a method with the values of its settings.\n";

/* ---- Properties. */

static bool has_scope(const crd_method_info *m) {
  return m->setting_count && strcmp(m->settings[0].name, "scope") == 0;
}

static const char *keeps(const crd_method_info *m) {
  return m->keeps_argmax ? "always kept" : has_scope(m) ? "kept with scope=top-1" : "may change";
}

/* Returns whether the method is compared by default, as text. */
static const char *compared(const crd_method_info *m, char text[static 64]) {
  if (m->standard == 0) return "not compared";
  if (m->standard == SIZE_MAX) return "compared";
  snprintf(text, 64, "compared up to %zu classes", m->standard);
  return text;
}

/* ---- Forms. */

void cli_method_row(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char settings[128], term[192];
  snprintf(term, sizeof term, "%-23s%c %s", m->name, m->keeps_argmax ? '=' : ' ',
           cli_setting_names(m->settings, m->setting_count, settings));
  cli_page_entry(out, term, COLUMN, m->summary);
}

void cli_method_full(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char values[64];
  fprintf(out, "%s: ", m->name);
  cli_page_wrap(out, m->summary, strlen(m->name) + 2, 0);
  fputc('\n', out);
  cli_page_wrap(out, m->meaning, 0, 0);
  cli_setting_text(out, m->settings, m->setting_count);
  fputc('\n', out);
  cli_page_entry(out, "predicted class", CLI_SETTING_COLUMN, keeps(m));
  cli_page_entry(out, "by default", CLI_SETTING_COLUMN, compared(m, values));
  cli_page_entry(out, "reference", CLI_SETTING_COLUMN, m->reference);
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
  cli_setting_json(out, m->settings, m->setting_count);
}

void cli_method_markdown(FILE *out, size_t index) {
  const crd_method_info *m = crd_method_at(index);
  char values[64];
  fprintf(out, "## %s\n\n%c%s.\n\n%s\n\n", m->name, toupper((unsigned char)m->summary[0]),
          m->summary + 1, m->meaning);
  cli_setting_markdown(out, m->settings, m->setting_count);
  fprintf(out, "- predicted class: %s\n- by default: %s\n- reference: %s\n", keeps(m),
          compared(m, values), m->reference);
}

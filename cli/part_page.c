/* part_page.c -- optimisers and schedules in `credence list`: summary, settings, reference. */
#include "part_page.h"
#include "page.h"
#include "setting_page.h"

#include "credence/train.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 46 };

const char cli_part_head[] = "  name       settings                         summary\n";
const char cli_optimiser_foot[] =
    "\n'credence list optimisers sgd' shows one with the values of its settings.\n";
const char cli_schedule_foot[] =
    "\n'credence list schedules step' shows one with the values of its settings.\n";

static void row(FILE *out, const crd_training_part_info *p) {
  char settings[CLI_SETTING_NAMES], term[192];
  snprintf(term, sizeof term, "%-10s %s", p->name,
           cli_setting_names(p->settings, p->setting_count, settings));
  cli_page_entry(out, term, COLUMN, p->summary);
}

static void full(FILE *out, const crd_training_part_info *p) {
  fprintf(out, "%s: ", p->name);
  cli_page_wrap(out, p->summary, strlen(p->name) + 2, 0);
  cli_setting_text(out, p->settings, p->setting_count);
  if (!*p->reference) return;
  fputc('\n', out);
  cli_page_entry(out, "reference", CLI_SETTING_COLUMN, p->reference);
}

static void json(FILE *out, const crd_training_part_info *p) {
  cli_page_member(out, "", "name", p->name);
  cli_page_member(out, ", ", "summary", p->summary);
  cli_page_member(out, ", ", "reference", p->reference);
  cli_setting_json(out, p->settings, p->setting_count);
}

static void markdown(FILE *out, const crd_training_part_info *p) {
  fprintf(out, "## %s\n\n%c%s.\n\n", p->name, toupper((unsigned char)p->summary[0]),
          p->summary + 1);
  cli_setting_markdown(out, p->settings, p->setting_count);
  if (*p->reference) fprintf(out, "- reference: %s\n", p->reference);
}

#define PART(thing)                                                                                \
  const char *cli_##thing##_word(size_t index) {                                                   \
    return crd_##thing##_at(index) ? crd_##thing##_at(index)->name : NULL;                         \
  }                                                                                                \
  void cli_##thing##_row(FILE *out, size_t index) { row(out, crd_##thing##_at(index)); }           \
  void cli_##thing##_full(FILE *out, size_t index) { full(out, crd_##thing##_at(index)); }         \
  void cli_##thing##_json(FILE *out, size_t index) { json(out, crd_##thing##_at(index)); }         \
  void cli_##thing##_markdown(FILE *out, size_t index) { markdown(out, crd_##thing##_at(index)); }
PART(optimiser)
PART(schedule)
#undef PART

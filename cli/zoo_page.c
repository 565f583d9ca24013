/* zoo_page.c -- networks of the zoo in `credence list`: summary, samples, settings, reference. */
#include "zoo_page.h"
#include "page.h"
#include "setting_page.h"

#include "credence/zoo.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 23 };

const char cli_zoo_head[] = "  name        samples  summary\n";
const char cli_zoo_foot[] = "\n'credence list networks wrn' shows a network with its settings.\n";

const char *cli_zoo_word(size_t index) {
  return crd_architecture_at(index) ? crd_architecture_at(index)->name : NULL;
}

static const char *samples(const crd_architecture_info *a) {
  static const char *const words[] = {
    [CRD_SAMPLES_IMAGES] = "images", [CRD_SAMPLES_VECTORS] = "any", [CRD_SAMPLES_TEXTS] = "texts"
  };
  return words[a->input];
}

static const char *shapes(const crd_architecture_info *a) {
  static const char *const words[] = { [CRD_SAMPLES_IMAGES] = "images (channels, height, width)",
                                       [CRD_SAMPLES_VECTORS] =
                                           "vectors, and samples of other shapes",
                                       [CRD_SAMPLES_TEXTS] = "texts, as indices of tokens" };
  return words[a->input];
}

void cli_zoo_row(FILE *out, size_t index) {
  const crd_architecture_info *a = crd_architecture_at(index);
  char term[64];
  snprintf(term, sizeof term, "%-11s %s", a->name, samples(a));
  cli_page_entry(out, term, COLUMN, a->summary);
}

void cli_zoo_full(FILE *out, size_t index) {
  const crd_architecture_info *a = crd_architecture_at(index);
  fprintf(out, "%s: ", a->name);
  cli_page_wrap(out, a->summary, strlen(a->name) + 2, 0);
  cli_setting_text(out, a->settings, a->setting_count);
  fputc('\n', out);
  cli_page_entry(out, "samples", CLI_SETTING_COLUMN, shapes(a));
  cli_page_entry(out, "reference", CLI_SETTING_COLUMN, a->reference);
}

void cli_zoo_json(FILE *out, size_t index) {
  const crd_architecture_info *a = crd_architecture_at(index);
  cli_page_member(out, "", "name", a->name);
  cli_page_member(out, ", ", "summary", a->summary);
  cli_page_member(out, ", ", "reference", a->reference);
  cli_page_member(out, ", ", "samples", samples(a));
  cli_setting_json(out, a->settings, a->setting_count);
}

void cli_zoo_markdown(FILE *out, size_t index) {
  const crd_architecture_info *a = crd_architecture_at(index);
  fprintf(out, "## %s\n\n%c%s.\n\n", a->name, toupper((unsigned char)a->summary[0]),
          a->summary + 1);
  cli_setting_markdown(out, a->settings, a->setting_count);
  fprintf(out, "- samples: %s\n- reference: %s\n", shapes(a), a->reference);
}

/* confidence_settings_page.c -- settings of `credence train-confidence` in `credence list`. */
#include "confidence.h"
#include "page.h"
#include "setting_page.h"

const char *cli_confidence_setting_word(size_t index) {
  return crd_confidnet_setting_at(index) ? crd_confidnet_setting_at(index)->name : NULL;
}

void cli_confidence_setting_row(FILE *out, size_t index) {
  cli_setting_row(out, crd_confidnet_setting_at(index));
}

void cli_confidence_setting_json(FILE *out, size_t index) {
  const crd_setting_info *const s = crd_confidnet_setting_at(index);
  cli_page_member(out, "", "name", s->name);
  cli_page_member(out, ", ", "summary", s->help);
  cli_setting_values_json(out, s);
}

void cli_confidence_setting_markdown(FILE *out, size_t index) {
  const crd_setting_info *const s = crd_confidnet_setting_at(index);
  fprintf(out, "## %s\n\n%s.\n\n", s->name, s->help);
  cli_setting_values_markdown(out, s);
}

/* loss_page.c -- losses in `credence list`: summary, meaning, settings, reference. */
#include "loss_page.h"
#include "page.h"
#include "setting_page.h"

#include "credence/loss.h"

#include <ctype.h>
#include <string.h>

enum { COLUMN = 44 };

const char cli_loss_head[] = "  name                 settings             summary\n";
const char cli_loss_foot[] =
    "\n  + a term to be added to another loss: 'ce + 10*dca'\n"
    "\n'credence list losses focal' shows a loss with the values of its settings.\n";

const char *cli_loss_word(size_t index) {
  return crd_loss_at(index) ? crd_loss_at(index)->name : NULL;
}

static const char *use(const crd_loss_info *l) {
  return l->auxiliary ? "a term to be added to another loss" : "a loss to train with";
}

static const char *targets(const crd_loss_info *l) {
  return l->history        ? "labels, and how often each row was predicted correctly so far"
         : l->soft_targets ? "labels, or class probabilities (soft targets)"
                           : "labels";
}

void cli_loss_row(FILE *out, size_t index) {
  const crd_loss_info *l = crd_loss_at(index);
  char settings[CLI_SETTING_NAMES], term[192];
  snprintf(term, sizeof term, "%-19s%c %s", l->name, l->auxiliary ? '+' : ' ',
           cli_setting_names(l->settings, l->setting_count, settings));
  cli_page_entry(out, term, COLUMN, l->summary);
}

void cli_loss_full(FILE *out, size_t index) {
  const crd_loss_info *l = crd_loss_at(index);
  fprintf(out, "%s: ", l->name);
  cli_page_wrap(out, l->summary, strlen(l->name) + 2, 0);
  fputc('\n', out);
  cli_page_wrap(out, l->meaning, 0, 0);
  cli_setting_text(out, l->settings, l->setting_count);
  fputc('\n', out);
  cli_page_entry(out, "use", CLI_SETTING_COLUMN, use(l));
  cli_page_entry(out, "targets", CLI_SETTING_COLUMN, targets(l));
  if (*l->grid) cli_page_entry(out, "papers tried", CLI_SETTING_COLUMN, l->grid);
  cli_page_entry(out, "reference", CLI_SETTING_COLUMN, l->reference);
}

void cli_loss_json(FILE *out, size_t index) {
  const crd_loss_info *l = crd_loss_at(index);
  cli_page_member(out, "", "name", l->name);
  cli_page_member(out, ", ", "summary", l->summary);
  cli_page_member(out, ", ", "meaning", l->meaning);
  cli_page_member(out, ", ", "reference", l->reference);
  fprintf(out, ", \"auxiliary\": %s, \"soft_targets\": %s, \"history\": %s",
          l->auxiliary ? "true" : "false", l->soft_targets ? "true" : "false",
          l->history ? "true" : "false");
  cli_page_member(out, ", ", "grid", l->grid);
  cli_setting_json(out, l->settings, l->setting_count);
}

void cli_loss_markdown(FILE *out, size_t index) {
  const crd_loss_info *l = crd_loss_at(index);
  fprintf(out, "## %s\n\n%c%s.\n\n%s\n\n", l->name, toupper((unsigned char)l->summary[0]),
          l->summary + 1, l->meaning);
  cli_setting_markdown(out, l->settings, l->setting_count);
  fprintf(out, "- use: %s\n- targets: %s\n", use(l), targets(l));
  if (*l->grid) fprintf(out, "- papers tried: %s\n", l->grid);
  fprintf(out, "- reference: %s\n", l->reference);
}

/* clamp_settings_page.c -- settings and recipes of `credence clamp` in `credence list`. */
#include "clamp_settings_page.h"
#include "page.h"
#include "setting_page.h"

#include "credence/clamp.h"

const char *cli_clamp_setting_word(size_t index) {
  return crd_clamp_setting_at(index) ? crd_clamp_setting_at(index)->name : NULL;
}

void cli_clamp_setting_row(FILE *out, size_t index) {
  cli_setting_row(out, crd_clamp_setting_at(index));
}

void cli_clamp_setting_json(FILE *out, size_t index) {
  const crd_setting_info *const s = crd_clamp_setting_at(index);
  cli_page_member(out, "", "name", s->name);
  cli_page_member(out, ", ", "summary", s->help);
  cli_setting_values_json(out, s);
}

void cli_clamp_setting_markdown(FILE *out, size_t index) {
  const crd_setting_info *const s = crd_clamp_setting_at(index);
  fprintf(out, "## %s\n\n%s.\n\n", s->name, s->help);
  cli_setting_values_markdown(out, s);
}

/* A blank after each comma lets the line wrap. */
static void recipe_text(FILE *out, const crd_clamp_recipe *recipe) {
  char line[512];
  size_t at = (size_t)snprintf(line, sizeof line, "%s: ", recipe->summary);
  for (const char *c = recipe->settings; *c && at + 3 < sizeof line; c++) {
    line[at++] = *c;
    if (*c == ',') line[at++] = ' ';
  }
  line[at < sizeof line ? at : sizeof line - 1] = '\0';
  cli_page_entry(out, recipe->name, CLI_SETTING_COLUMN, line);
}

void cli_clamp_recipes(FILE *out, bool markdown) {
  if (!crd_clamp_recipe_at(0)) return;
  fputs(markdown ? "\n## Recipes\n\n" : "\nrecipes, for --recipe:\n", out);
  for (size_t i = 0; crd_clamp_recipe_at(i); i++) {
    const crd_clamp_recipe *const recipe = crd_clamp_recipe_at(i);
    if (markdown)
      fprintf(out, "- `--recipe %s`: %s: `%s`\n", recipe->name, recipe->summary, recipe->settings);
    else recipe_text(out, recipe);
  }
}

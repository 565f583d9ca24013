/* clamp_settings_page.h -- settings and recipes of `credence clamp` in `credence list`. */
#ifndef CLI_CLAMP_SETTINGS_PAGE_H
#define CLI_CLAMP_SETTINGS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* 0 without networks. */
/* The name at an index; NULL past the end. */
const char *cli_clamp_setting_word(size_t index);
void cli_clamp_setting_row(FILE *out, size_t index);
void cli_clamp_setting_json(FILE *out, size_t index);
void cli_clamp_setting_markdown(FILE *out, size_t index);
/* The recipes, each with its settings; nothing without networks. */
void cli_clamp_recipes(FILE *out, bool markdown);

#endif

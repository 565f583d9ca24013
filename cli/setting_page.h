/* setting_page.h -- settings of methods, losses, clamping ... in `credence list`. */
#ifndef CLI_SETTING_PAGE_H
#define CLI_SETTING_PAGE_H

#include "credence/base.h"

#include <stdio.h>

enum { CLI_SETTING_NAMES = 128, CLI_SETTING_COLUMN = 20 };

/* Returns their names, comma-separated. */
const char *cli_setting_names(const crd_setting_info *settings, size_t count,
                              char text[static CLI_SETTING_NAMES]);
/* Write a paragraph, a member of a JSON object, items of a Markdown list; text and Markdown are
 * empty without settings. */
void cli_setting_text(FILE *out, const crd_setting_info *settings, size_t count);
void cli_setting_json(FILE *out, const crd_setting_info *settings, size_t count);
void cli_setting_markdown(FILE *out, const crd_setting_info *settings, size_t count);

/* One setting alone, as an entry of a list: a line of text; default and allowed values as members
 * of an object, and as items of a Markdown list. */
void cli_setting_row(FILE *out, const crd_setting_info *setting);
void cli_setting_values_json(FILE *out, const crd_setting_info *setting);
void cli_setting_values_markdown(FILE *out, const crd_setting_info *setting);

#endif

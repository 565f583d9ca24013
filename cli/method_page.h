/* method_page.h -- a method of calibration on a page: a row of a table, all of it, JSON, Markdown.
 */
#ifndef CLI_METHOD_PAGE_H
#define CLI_METHOD_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Above and below the rows. */
extern const char cli_method_head[], cli_method_foot[];

void cli_method_row(FILE *out, size_t index);
void cli_method_full(FILE *out, size_t index);
void cli_method_json(FILE *out, size_t index);
void cli_method_markdown(FILE *out, size_t index);

#endif

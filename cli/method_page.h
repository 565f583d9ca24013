/* method_page.h -- a method in `credence list`: as a line, in full, as JSON, as Markdown. */
#ifndef CLI_METHOD_PAGE_H
#define CLI_METHOD_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Above and below the lines. */
extern const char cli_method_head[], cli_method_foot[];

void cli_method_row(FILE *out, size_t index);
void cli_method_full(FILE *out, size_t index);
void cli_method_json(FILE *out, size_t index);
void cli_method_markdown(FILE *out, size_t index);

#endif

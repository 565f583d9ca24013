/* zoo_page.h -- networks of the zoo in `credence list`. */
#ifndef CLI_ZOO_PAGE_H
#define CLI_ZOO_PAGE_H

#include <stddef.h>
#include <stdio.h>

extern const char cli_zoo_head[], cli_zoo_foot[];
/* The name at an index; NULL past the end. */
const char *cli_zoo_word(size_t index);
void cli_zoo_row(FILE *out, size_t index);
void cli_zoo_full(FILE *out, size_t index);
void cli_zoo_json(FILE *out, size_t index);
void cli_zoo_markdown(FILE *out, size_t index);

#endif

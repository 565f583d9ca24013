/* loss_page.h -- a loss in `credence list`: as a line, in full, as JSON, as Markdown. */
#ifndef CLI_LOSS_PAGE_H
#define CLI_LOSS_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Above and below the lines. */
extern const char cli_loss_head[], cli_loss_foot[];

const char *cli_loss_word(size_t index); /* NULL past the end */
void cli_loss_row(FILE *out, size_t index);
void cli_loss_full(FILE *out, size_t index);
void cli_loss_json(FILE *out, size_t index);
void cli_loss_markdown(FILE *out, size_t index);

#endif

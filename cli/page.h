/* page.h -- wrapped text, JSON strings, words quoted for a shell. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Writes `text` wrapped to 80 columns. The first line begins at `column`, where the cursor already
 * is; further lines are indented by `indent`. A newline in the text begins a new paragraph, after
 * an empty line. Ends with a newline. */
void cli_page_wrap(FILE *out, const char *text, size_t column, size_t indent);

/* Writes "  term      explanation ..." with the explanation wrapped at `column`, on a new line if
 * the term is too long. */
void cli_page_entry(FILE *out, const char *term, size_t column, const char *explanation);

/* Begins a JSON object of that kind: {"credence": "list", "version": 1; docs/schema has them. */
void cli_page_begin(FILE *out, const char *kind);
/* Writes a JSON string, with its quotes. */
void cli_page_json(FILE *out, const char *text);
/* Writes a JSON number with this number of digits; null if it is not finite. */
void cli_page_number(FILE *out, double value, int digits);
/* Writes `before`, then "key": "text". */
void cli_page_member(FILE *out, const char *before, const char *key, const char *text);

/* Writes a word for a shell, in quotes if it needs them. */
void cli_page_shell(FILE *out, const char *word);

#endif

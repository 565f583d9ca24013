/* page.h -- text for people and programs: wrapped lines, table rows, JSON strings. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* Words of `text` broken into lines of at most 80 columns. The first line begins at `column`, where
 * the cursor is already; each further one at `indent`. A newline in the text begins a new paragraph
 * after an empty line. Ends with a newline. */
void cli_page_wrap(FILE *out, const char *text, size_t column, size_t indent);

/* "  term      explanation ..." with the explanation at `column`, wrapped; on a line of its own
 * when the term is too long. */
void cli_page_entry(FILE *out, const char *term, size_t column, const char *explanation);

/* Begins a JSON object of that kind: {"credence": "list", "version": 1; docs/schema has them. */
void cli_page_begin(FILE *out, const char *kind);
/* A JSON string, with its quotes. */
void cli_page_json(FILE *out, const char *text);
/* A JSON number of so many digits; null where it is not finite. */
void cli_page_number(FILE *out, double value, int digits);
/* "key": "text", with `before` before it. */
void cli_page_member(FILE *out, const char *before, const char *key, const char *text);

/* A word as a shell must be given it: in quotes where it needs them. */
void cli_page_shell(FILE *out, const char *word);

#endif

/* page.c -- lines of 80 columns. The program's own words are ASCII, so a byte is a column. */
#include "page.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80 };

void cli_page_wrap(FILE *out, const char *text, size_t column, size_t indent) {
  size_t used = 0; /* words on this line */
  while (*text) {
    const size_t length = strcspn(text, " \n");
    if (used && column + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", (int)indent, "");
      column = indent;
      used = 0;
    }
    fprintf(out, "%s%.*s", used ? " " : "", (int)length, text);
    column += length + (used > 0);
    used++;
    text += length;
    if (*text == '\n') {
      fprintf(out, "\n\n%*s", (int)indent, "");
      column = indent;
      used = 0;
    }
    text += *text != '\0';
  }
  fputc('\n', out);
}

void cli_page_entry(FILE *out, const char *term, size_t column, const char *explanation) {
  const size_t length = strlen(term);
  fprintf(out, "  %s", term);
  if (length + 4 > column) fprintf(out, "\n%*s", (int)column, "");
  else fprintf(out, "%*s", (int)(column - length - 2), "");
  cli_page_wrap(out, explanation, column, column);
}

void cli_page_begin(FILE *out, const char *kind) {
  enum { VERSION = 1 };
  fprintf(out, "{\n  \"credence\": \"%s\",\n  \"version\": %d", kind, VERSION);
}

void cli_page_json(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    const unsigned char byte = (unsigned char)*text;
    if (byte < 0x20) fprintf(out, "\\u%04x", byte);
    else fprintf(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
  }
  fputc('"', out);
}

void cli_page_number(FILE *out, double value, int digits) {
  if (isfinite(value)) fprintf(out, "%.*g", digits, value);
  else fputs("null", out);
}

void cli_page_member(FILE *out, const char *before, const char *key, const char *text) {
  fprintf(out, "%s\"%s\": ", before, key);
  cli_page_json(out, text);
}

void cli_page_shell(FILE *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-";
  /* '#' begins a comment only at the beginning of a word. */
  size_t length = strspn(word, plain);
  while (length > 0 && word[length] == '#') length += 1 + strspn(word + length + 1, plain);
  if (length > 0 && word[length] == '\0') {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'') fputs("'\\''", out);
    else fputc(*word, out);
  fputc('\'', out);
}

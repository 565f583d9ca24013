/* plain.c -- printable text from any bytes, columns and word wrapping. */
#include "report/plain.h"

#include <string.h>

/* Appends one character, or '?'; returns the bytes consumed. */
static size_t add_character(crd__text *text, const char *s, int ascii) {
  const size_t length = crd__utf8_length(s);
  if (length == 0 || crd__utf8_is_control(s) || (ascii && length > 1)) {
    crd__text_add(text, "?");
  } else {
    crd__text_add_bytes(text, s, length);
  }
  return length ? length : 1;
}

void crd__report_text_add_plain(crd__text *text, const char *string, int ascii) {
  while (*string) string += add_character(text, string, ascii);
}

void crd__report_text_add_spaces(crd__text *text, size_t count) {
  crd__text_addf(text, "%*s", (int)count, "");
}

size_t crd__report_text_columns(const char *string) {
  size_t characters = 0;
  for (; *string; characters++) {
    const size_t length = crd__utf8_length(string);
    string += length ? length : 1;
  }
  return characters;
}

void crd__report_text_add_column(crd__text *text, const char *string, size_t width, int ascii) {
  const size_t characters = crd__report_text_columns(string);
  const bool whole = characters <= width;
  const size_t kept = whole ? characters : width - 1;
  for (size_t i = 0; i < kept; i++) string += add_character(text, string, ascii);
  if (whole) crd__report_text_add_spaces(text, width - kept);
  else crd__text_add(text, ascii ? "~" : "\xe2\x80\xa6");
}

/* Returns the characters up to the next space, and sets *end to it. */
static size_t measure(const char *word, const char **end) {
  size_t characters = 0;
  while (*word && *word != ' ') {
    const size_t length = crd__utf8_length(word);
    word += length ? length : 1;
    characters++;
  }
  *end = word;
  return characters;
}

void crd__report_text_add_wrapped(crd__text *text, const char *string,
                                  const crd__report_wrapping *how) {
  size_t column = how->column;
  bool fresh = true; /* nothing on this line yet */
  while (*(string += strspn(string, " "))) {
    const char *end;
    const size_t characters = measure(string, &end);
    if (!fresh && column + 1 + characters > how->width) {
      crd__text_add(text, "\n");
      crd__report_text_add_spaces(text, how->indent);
      column = how->indent;
      fresh = true;
    }
    if (!fresh) crd__text_add(text, " ");
    column += characters + !fresh;
    fresh = false;
    while (string < end) string += add_character(text, string, how->ascii);
  }
  crd__text_add(text, "\n");
}

void crd__report_text_add_notes(crd__text *out, const char *const *notes, size_t count,
                                const crd_report_options *options) {
  enum { INDENT = 8, WIDTH = 80 };
  for (size_t i = 0; !options->quiet && i < count; i++) {
    crd__text_add(out, i ? "  note: " : "\n  note: ");
    crd__report_text_add_wrapped(out, notes[i],
                                 &(crd__report_wrapping){ INDENT, INDENT, WIDTH, options->ascii });
  }
}

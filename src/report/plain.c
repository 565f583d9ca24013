/* plain.c -- printable text from any bytes, and lines that fit. */
#include "report/plain.h"

#include <string.h>

/* The lead byte gives the length and, for some, a narrower range of the second byte: that keeps out
 * overlong forms, surrogates, and what lies beyond U+10FFFF (Unicode standard, table 3-7). */
typedef struct {
  unsigned char first, last, low, high;
  unsigned char length;
} lead;

static const lead leads[] = {
  { 0x00, 0x7f, 0x80, 0xbf, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
  { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
  { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t crd__utf8_length(const char *s) {
  const unsigned char *u = (const unsigned char *)s;
  for (size_t i = 0; i < sizeof leads / sizeof *leads; i++) {
    const lead *l = &leads[i];
    if (u[0] < l->first || u[0] > l->last) continue;
    if (l->length > 1 && (u[1] < l->low || u[1] > l->high)) return 0;
    for (size_t k = 2; k < l->length; k++) {
      if ((u[k] & 0xc0) != 0x80) return 0;
    }
    return l->length;
  }
  return 0;
}

/* C0, DEL, and the C1 controls U+0080 .. U+009F. */
static bool is_control(const char *s, size_t length) {
  const unsigned char *u = (const unsigned char *)s;
  return length == 1 ? u[0] < 0x20 || u[0] == 0x7f : length == 2 && u[0] == 0xc2 && u[1] < 0xa0;
}

/* One character, or '?'; returns the bytes used. */
static size_t add_character(crd__text *text, const char *s, int ascii) {
  const size_t length = crd__utf8_length(s);
  if (length == 0 || is_control(s, length) || (ascii && length > 1)) {
    crd__text_add(text, "?");
  } else {
    crd__text_add_bytes(text, s, length);
  }
  return length ? length : 1;
}

void crd__text_add_plain(crd__text *text, const char *string, int ascii) {
  while (*string) string += add_character(text, string, ascii);
}

void crd__text_add_spaces(crd__text *text, size_t count) {
  crd__text_addf(text, "%*s", (int)count, "");
}

/* Characters up to the next space; *end is set to it. */
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

void crd__text_add_wrapped(crd__text *text, const char *string, const crd__wrapping *how) {
  size_t column = how->column;
  bool fresh = true; /* nothing on this line yet */
  while (*(string += strspn(string, " "))) {
    const char *end;
    const size_t characters = measure(string, &end);
    if (!fresh && column + 1 + characters > how->width) {
      crd__text_add(text, "\n");
      crd__text_add_spaces(text, how->indent);
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

/* utf8.c -- encode, decode and measure UTF-8 characters. */
#include "base/utf8.h"

#include <string.h>

/* The lead byte gives the length and, for some, a narrower range of the second byte, which excludes
 * overlong forms, surrogates, and code points beyond U+10FFFF (Unicode standard, table 3-7). */
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

size_t crd__utf8_encode(uint32_t code, char out[static 4]) {
  static const unsigned char marks[] = { 0, 0xc0, 0xe0, 0xf0 };
  const size_t tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  if (code > 0x10ffff || code >> 11 == 0x1b) return 0;
  out[0] = (char)(marks[tail] | code >> 6 * tail);
  for (size_t i = 1; i <= tail; i++) out[i] = (char)(0x80 | (code >> 6 * (tail - i) & 0x3f));
  return tail + 1;
}

bool crd__utf8_is_control(const char *s) {
  const unsigned char *const u = (const unsigned char *)s;
  return u[0] < ' ' || u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0);
}

const char *crd__utf8_brief(const char *s, char *out, size_t size) {
  size_t used = 0;
  while (*s) {
    const size_t length = crd__utf8_length(s);
    const bool plain = length > 0 && !crd__utf8_is_control(s);
    const size_t bytes = plain ? length : 1;
    if (used + bytes >= size) break;
    memcpy(out + used, plain ? s : "?", bytes);
    used += bytes;
    s += length ? length : 1;
  }
  out[used] = '\0';
  return out;
}

size_t crd__utf8_decode(const char *s, uint32_t *code) {
  const size_t length = crd__utf8_length(s);
  *code = 0xfffd;
  if (length == 0) return 1;
  *code = (unsigned char)s[0] & (length == 1 ? 0x7fu : 0x7fu >> length);
  for (size_t i = 1; i < length; i++) *code = *code << 6 | ((unsigned char)s[i] & 0x3f);
  return length;
}

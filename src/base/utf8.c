/* utf8.c -- where a character ends. */
#include "base/utf8.h"

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

/* utf8.h -- encode, decode and measure UTF-8 characters. */
#ifndef CRD_BASE_UTF8_H
#define CRD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the UTF-8 character at s[0] in bytes; 0 if it is invalid. */
size_t crd__utf8_length(const char *s);
/* Returns whether the character at s[0] is C0, DEL, or a C1 control U+0080 .. U+009F. */
bool crd__utf8_is_control(const char *s);
/* Copies as many characters as fit into out[0 .. size), for messages, with '?' for control
 * characters and invalid bytes. Returns `out`. */
const char *crd__utf8_brief(const char *s, char *out, size_t size);
/* Decodes the code point at s[0] and returns its length in bytes; U+FFFD and 1 if it is invalid. */
size_t crd__utf8_decode(const char *s, uint32_t *code);
/* Encodes a code point and returns its length in bytes; 0 if it is invalid. */
size_t crd__utf8_encode(uint32_t code, char out[static 4]);

#endif

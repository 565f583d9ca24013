/* utf8.h -- where a character ends, and characters from their numbers. */
#ifndef CRD_BASE_UTF8_H
#define CRD_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character that begins at s[0]; 0 when these bytes are none. */
size_t crd__utf8_length(const char *s);
/* Is the character at s[0] one of C0, DEL, or the C1 controls U+0080 .. U+009F? */
bool crd__utf8_is_control(const char *s);
/* As many characters as fit into out[0 .. size), for messages: '?' stands for control characters
 * and for bytes that are none. Returns `out`. */
const char *crd__utf8_brief(const char *s, char *out, size_t size);
/* The code point at s[0], and the bytes that it takes; U+FFFD and 1 when these bytes are none. */
size_t crd__utf8_decode(const char *s, uint32_t *code);
/* The bytes of a code point, and how many they are; 0: it is no character. */
size_t crd__utf8_encode(uint32_t code, char out[static 4]);

#endif

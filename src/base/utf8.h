/* utf8.h -- where a character ends. */
#ifndef CRD_BASE_UTF8_H
#define CRD_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the UTF-8 character that begins at s[0]; 0 when these bytes are none. */
size_t crd__utf8_length(const char *s);

#endif

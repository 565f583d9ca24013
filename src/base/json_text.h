/* json_text.h -- JSON values appended to a text. */
#ifndef CRD_BASE_JSON_TEXT_H
#define CRD_BASE_JSON_TEXT_H

#include "base/text.h"

/* A string in quotes; bytes that are not UTF-8 become U+FFFD. NULL gives null. */
void crd__json_add_string(crd__text *text, const char *string);
/* The shortest digits that read back the same; what is not finite becomes null. */
void crd__json_add_number(crd__text *text, double value);

#endif

/* json_text.h -- append JSON values to a text. */
#ifndef CRD_BASE_JSON_TEXT_H
#define CRD_BASE_JSON_TEXT_H

#include "base/text.h"

/* Appends a quoted string, with invalid UTF-8 as U+FFFD; NULL: null. */
void crd__json_add_string(crd__text *text, const char *string);
/* Appends the shortest digits that read back the same; NaN and infinity become null. */
void crd__json_add_number(crd__text *text, double value);

#endif

/* number.h -- format and parse numbers, independent of the locale. */
#ifndef CRD_BASE_NUMBER_H
#define CRD_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest text that crd__number_format writes, including its NUL. */
enum { CRD__NUMBER_SIZE = 32 };

/* Writes the shortest decimal text that reads back as the same double: "0.1", "1e-300", "nan". */
const char *crd__number_format(char text[CRD__NUMBER_SIZE], double value);

/* The same for a float32: the shortest text that rounds to it. */
const char *crd__number_format_float32(char text[CRD__NUMBER_SIZE], float value);

/* Rounds to a few digits, for messages. */
const char *crd__number_brief(char text[CRD__NUMBER_SIZE], double value, int digits);

/* Parses all of text[0 .. length): a decimal number, or nan, inf, infinity in any case, with an
 * optional sign. Correctly rounded. Returns false if any characters are left. */
bool crd__number_parse(const char *text, size_t length, double *out);
/* Parses an integer without exponent or point; false on overflow too. */
bool crd__integer_parse(const char *text, size_t length, int64_t *out);

#endif

/* number.h -- numbers as text, the same in every locale. */
#ifndef CRD_BASE_NUMBER_H
#define CRD_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest text crd__number_format writes, with its final NUL. */
enum { CRD__NUMBER_SIZE = 32 };

/* The shortest decimal text that reads back as the same double: "0.1", "1e-300", "nan", "inf". */
const char *crd__number_format(char text[CRD__NUMBER_SIZE], double value);

/* For sentences: rounded to a few digits. */
const char *crd__number_brief(char text[CRD__NUMBER_SIZE], double value, int digits);

/* Read the whole of text[0 .. length): a decimal number, or nan, inf, infinity in any case, with
 * an optional sign. Correctly rounded. False when anything is left over. */
bool crd__number_parse(const char *text, size_t length, double *out);
/* A whole number without exponent or point; false on overflow too. */
bool crd__integer_parse(const char *text, size_t length, int64_t *out);

#endif

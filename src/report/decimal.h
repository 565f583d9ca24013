/* decimal.h -- numbers for display: a fixed number of decimals, the same in every locale. */
#ifndef CRD_REPORT_DECIMAL_H
#define CRD_REPORT_DECIMAL_H

#include "base/number.h"

/* Formats with `decimals`, 0 .. 9, ties to even: "0.043", "-12.500"; "-" for NaN. Values too large
 * for a column get an exponent: "1.234e+07". */
const char *crd__report_decimal_format(char text[CRD__NUMBER_SIZE], double value,
                                       unsigned decimals);

/* Returns the decimals that show `digits`, 1 .. 9, significant digits of a value, once rounded; for
 * 0, and if it is not finite, those of a value between 1 and 10. */
unsigned crd__report_decimals(double value, unsigned digits);
/* Formats with as many decimals as show `digits` significant digits of `like`: of the value itself,
 * or of the one that an interval belongs to. With an exponent below 1e-4; "-" for NaN. */
const char *crd__report_significant_format(char text[CRD__NUMBER_SIZE], double value, double like,
                                           unsigned digits);

/* Formats a probability: four decimals, or an exponent below 1e-4. */
const char *crd__report_p_format(char text[CRD__NUMBER_SIZE], double p);

/* Formats a metric's value for tables: six decimals, or an exponent below 1e-4. */
const char *crd__report_value_format(char text[CRD__NUMBER_SIZE], double value);

/* Formats an interval for the line below a value, as short as possible: ".053-.121", "1.25-17.3";
 * "" if either end is NaN. */
enum { CRD__INTERVAL_SIZE = 2 * CRD__NUMBER_SIZE };
const char *crd__report_interval_format(char text[CRD__INTERVAL_SIZE], double low, double high);

#endif

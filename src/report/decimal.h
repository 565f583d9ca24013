/* decimal.h -- numbers for people: a fixed number of decimals, the same in every locale. */
#ifndef CRD_REPORT_DECIMAL_H
#define CRD_REPORT_DECIMAL_H

#include "base/number.h"

/* `decimals` 0 .. 9 digits after the point, ties to even: "0.043", "-12.500"; "-" for NaN. Numbers
 * too small to show a digit that matters, or too large for a column, get an exponent: "1.234e-07".
 */
const char *crd__report_decimal_format(char text[CRD__NUMBER_SIZE], double value,
                                       unsigned decimals);

/* How a probability is: four decimals. */
const char *crd__report_p_format(char text[CRD__NUMBER_SIZE], double p);

/* How a metric's value is shown in tables: six decimals. */
const char *crd__report_value_format(char text[CRD__NUMBER_SIZE], double value);

/* How an interval is shown below a value, as short as it can be: ".053-.121", "1.25-17.3"; "" where
 * there is none. */
enum { CRD__INTERVAL_SIZE = 2 * CRD__NUMBER_SIZE };
const char *crd__report_interval_format(char text[CRD__INTERVAL_SIZE], double low, double high);

#endif

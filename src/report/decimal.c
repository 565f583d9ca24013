/*
 * decimal.c -- fixed-point decimals by integers: value * 10^decimals is rounded once, then printed
 * as an integer with a decimal point inserted. printf's %f would depend on the locale.
 */
#include "report/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DECIMALS_MAX = 9 };
static const double power[DECIMALS_MAX + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };

static void fixed(char *text, double size, const char *sign, unsigned decimals) {
  const uint64_t scaled = (uint64_t)rint(size * power[decimals]);
  const uint64_t unit = (uint64_t)power[decimals];
  if (decimals == 0) {
    snprintf(text, CRD__NUMBER_SIZE, "%s%" PRIu64, sign, scaled);
  } else {
    snprintf(text, CRD__NUMBER_SIZE, "%s%" PRIu64 ".%0*" PRIu64, sign, scaled / unit, (int)decimals,
             scaled % unit);
  }
}

static void scientific(char *text, double size, const char *sign, unsigned decimals) {
  int exponent = (int)floor(log10(size));
  const int half = exponent / 2;
  /* In two steps: 10^-exponent alone overflows for the smallest numbers. */
  double mantissa = size / pow(10, half) / pow(10, exponent - half);
  if (rint(mantissa * power[decimals]) >= 10 * power[decimals]) {
    mantissa /= 10;
    exponent++;
  }
  char digits[CRD__NUMBER_SIZE];
  fixed(digits, mantissa, "", decimals);
  snprintf(text, CRD__NUMBER_SIZE, "%s%.12se%+03d", sign, digits, exponent);
}

const char *crd__report_decimal_format(char text[CRD__NUMBER_SIZE], double value,
                                       unsigned decimals) {
  const double size = fabs(value);
  const char *sign = value < 0 ? "-" : "";
  if (isnan(value)) {
    snprintf(text, CRD__NUMBER_SIZE, "-");
  } else if (isinf(value)) {
    snprintf(text, CRD__NUMBER_SIZE, "%sinf", sign);
  } else if (size >= 1e6) {
    scientific(text, size, sign, 3);
  } else {
    fixed(text, size, rint(size * power[decimals]) > 0 ? sign : "", decimals);
  }
  return text;
}

/* With an exponent for values below 1e-4. */
static const char *readable(char text[CRD__NUMBER_SIZE], double value, unsigned decimals,
                            unsigned mantissa) {
  const double size = fabs(value);
  if (size > 0 && size < 1e-4) {
    scientific(text, size, value < 0 ? "-" : "", mantissa);
    return text;
  }
  return crd__report_decimal_format(text, value, decimals);
}

unsigned crd__report_decimals(double value, unsigned digits) {
  const double size = fabs(value);
  if (!(size > 0) || !isfinite(size)) return digits - 1;
  int decimals = (int)digits - 1 - (int)floor(log10(size));
  if (decimals < 0) return 0;
  if (decimals > DECIMALS_MAX) return DECIMALS_MAX;
  if (decimals > 0 && rint(size * power[decimals]) >= power[digits]) decimals--;
  return (unsigned)decimals;
}

const char *crd__report_significant_format(char text[CRD__NUMBER_SIZE], double value, double like,
                                           unsigned digits) {
  return readable(text, value, crd__report_decimals(like, digits), digits - 1);
}

const char *crd__report_value_format(char text[CRD__NUMBER_SIZE], double value) {
  return readable(text, value, 6, 3);
}

const char *crd__report_p_format(char text[CRD__NUMBER_SIZE], double p) {
  return readable(text, p, 4, 3);
}

/* .053, 1.25, 17.3 */
static const char *shorten(char text[CRD__NUMBER_SIZE], double value) {
  const double size = fabs(value);
  crd__report_decimal_format(text, size < 5e-4 ? 0 : value, size < 1 ? 3 : size < 10 ? 2 : 1);
  char *const digits = text + (*text == '-');
  if (*digits == '0') memmove(digits, digits + 1, strlen(digits));
  return text;
}

const char *crd__report_interval_format(char text[CRD__INTERVAL_SIZE], double low, double high) {
  char from[CRD__NUMBER_SIZE], to[CRD__NUMBER_SIZE];
  *text = '\0';
  if (!isnan(low) && !isnan(high))
    snprintf(text, CRD__INTERVAL_SIZE, "%s-%s", shorten(from, low), shorten(to, high));
  return text;
}

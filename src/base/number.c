/*
 * number.c -- format and parse numbers, independent of the locale.
 *
 * Reading: at most 19 digits and a small power of ten are exact in double arithmetic (Clinger 1990:
 * both the digits, below 2^53, and 10^|e|, e <= 22, are doubles, so one operation rounds once).
 * Anything longer goes to strtod, without a decimal point, which depends on the locale.
 * Writing: 15 digits if they read back, else 16, else 17, which always do; of a float32 6 to 9.
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double powers_of_ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Parts of the text: [sign] digits [. digits] [e [sign] digits]. */
typedef struct {
  bool negative;
  uint64_t digits;   /* the digits as one integer */
  bool digits_exact; /* false: the last digits did not fit */
  long scale;        /* value = digits * 10^scale */
} decimal;

/* Returns false unless the whole text is a decimal number. */
static bool scan(const char *text, size_t length, decimal *out) {
  size_t at = 0;
  bool any = false;
  *out = (decimal){ .digits_exact = true };
  if (at < length && (text[at] == '-' || text[at] == '+')) out->negative = text[at++] == '-';
  for (bool point = false; at < length; at++) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(text[at])) break;
    any = true;
    if (out->digits > (UINT64_MAX - 9) / 10) out->digits_exact = false;
    else out->digits = out->digits * 10 + (uint64_t)(text[at] - '0');
    out->scale -= point;
  }
  if (!any) return false;
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    const bool minus = at < length && text[at] == '-';
    at += at < length && (text[at] == '-' || text[at] == '+');
    long exponent = 0;
    if (at == length) return false;
    for (; at < length && is_digit(text[at]); at++)
      if (exponent < 1000000) exponent = exponent * 10 + (text[at] - '0');
    out->scale += minus ? -exponent : exponent;
  }
  return at == length;
}

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static bool parse_word(const char *text, size_t length, double *out) {
  const bool sign = length > 0 && (text[0] == '-' || text[0] == '+');
  const double unit = sign && text[0] == '-' ? -1 : 1;
  text += sign;
  length -= sign;
  if (is_word(text, length, "nan")) *out = (double)NAN;
  else if (is_word(text, length, "inf") || is_word(text, length, "infinity"))
    *out = unit * (double)INFINITY;
  else return false;
  return true;
}

/*
 * Parses with strtod a text that scan has accepted, rewritten as digits and an exponent: without a
 * decimal point it means the same in every locale. No double needs more than 768 digits; of those
 * beyond the 800th it matters only whether one of them is not 0.
 */
static double parse_slowly(const char *text, size_t length, long exponent) {
  enum { KEPT = 800 };
  char copy[KEPT + 32];
  size_t used = 0, at = 0, digits = 0;
  bool rest = false;
  if (text[at] == '-' || text[at] == '+') copy[used++] = text[at++];
  for (; at < length && (is_digit(text[at]) || text[at] == '.'); at++) {
    if (text[at] == '.' || (digits == 0 && text[at] == '0')) continue;
    if (digits < KEPT) copy[used++] = text[at];
    else rest |= text[at] != '0';
    digits++;
  }
  if (digits == 0) copy[used++] = '0';
  if (digits > KEPT) {
    copy[used++] = rest ? '1' : '0';
    exponent += (long)(digits - KEPT) - 1;
  }
  snprintf(copy + used, sizeof copy - used, "e%ld", exponent);
  return strtod(copy, NULL);
}

bool crd__number_parse(const char *text, size_t length, double *out) {
  decimal number;
  if (!scan(text, length, &number)) return parse_word(text, length, out);
  const long reach = (long)(sizeof powers_of_ten / sizeof *powers_of_ten) - 1;
  if (number.digits_exact && number.digits <= (UINT64_C(1) << 53) && number.scale >= -reach &&
      number.scale <= reach) {
    const double digits = (double)number.digits;
    const double value = number.scale < 0 ? digits / powers_of_ten[-number.scale]
                                          : digits * powers_of_ten[number.scale];
    *out = number.negative ? -value : value;
  } else *out = parse_slowly(text, length, number.scale);
  return true;
}

bool crd__integer_parse(const char *text, size_t length, int64_t *out) {
  size_t at = 0;
  const bool negative = length > 0 && text[0] == '-';
  const uint64_t limit = (uint64_t)INT64_MAX + negative;
  uint64_t value = 0;
  at += length > 0 && (text[0] == '-' || text[0] == '+');
  if (at == length) return false;
  for (; at < length; at++) {
    if (!is_digit(text[at])) return false;
    const uint64_t digit = (uint64_t)(text[at] - '0');
    if (value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

/* Prints with '.' in place of the locale's decimal point, of one byte or more. */
static void print(char text[CRD__NUMBER_SIZE], int digits, double value) {
  snprintf(text, CRD__NUMBER_SIZE, "%.*g", digits, value);
  const char *const point = localeconv()->decimal_point;
  char *const at = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
  if (!at) return;
  const size_t wide = strlen(point);
  *at = '.';
  memmove(at + 1, at + wide, strlen(at + wide) + 1);
}

const char *crd__number_format(char text[CRD__NUMBER_SIZE], double value) {
  if (isnan(value)) return strcpy(text, "nan");
  if (isinf(value)) return strcpy(text, value > 0 ? "inf" : "-inf");
  for (int digits = 15; digits <= 17; digits++) {
    double back;
    print(text, digits, value);
    if (crd__number_parse(text, strlen(text), &back) && back == value) break;
  }
  return text;
}

const char *crd__number_format_float32(char text[CRD__NUMBER_SIZE], float value) {
  if (!isfinite(value)) return crd__number_format(text, (double)value);
  for (int digits = 6; digits <= 9; digits++) {
    double back;
    print(text, digits, (double)value);
    if (crd__number_parse(text, strlen(text), &back) && (float)back == value) break;
  }
  return text;
}

const char *crd__number_brief(char text[CRD__NUMBER_SIZE], double value, int digits) {
  print(text, digits, value);
  return text;
}

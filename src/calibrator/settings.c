/* settings.c -- "name=value,name=value" against a method's table of settings. */
#include "base/number.h"
#include "base/text.h"
#include "calibrator/compat/compat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool takes_numbers(const crd_setting_info *setting) {
  return !setting->words || setting->high > setting->low;
}

bool crd__setting_is_word(const crd_setting_info *setting, double value) {
  return setting->words && (!takes_numbers(setting) || value < 0);
}

/* The number of the word among those allowed, separated by spaces; false when it is none. */
static bool find_word(const char *words, const char *text, size_t length, double *out) {
  for (size_t i = 0; *words; i++) {
    const size_t here = strcspn(words, " ");
    if (here == length && strncmp(words, text, length) == 0) {
      *out = (double)i;
      return true;
    }
    words += here + strspn(words + here, " ");
  }
  return false;
}

static crd_status read_value(crd_context *ctx, const crd_method_info *method,
                             const crd_setting_info *setting, const char *text, size_t length,
                             double *out) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  const bool word = setting->words && find_word(setting->words, text, length, out);
  if (word && takes_numbers(setting)) *out = -1 - *out;
  if (word) return CRD_OK;
  if (setting->words && !takes_numbers(setting))
    return crd__fail(ctx, CRD_EUSAGE, "%s: %s=%.*s, allowed are: %s", method->name, setting->name,
                     (int)(length < 60 ? length : 60), text, setting->words);
  if (crd__number_parse(text, length, out) && *out >= setting->low && *out <= setting->high &&
      (!setting->whole || *out == floor(*out)))
    return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: %s=%.*s, allowed are %snumbers from %s to %s%s%s",
                   method->name, setting->name, (int)(length < 60 ? length : 60), text,
                   setting->whole ? "whole " : "", crd__number_format(low, setting->low),
                   crd__number_format(high, setting->high), setting->words ? ", and: " : "",
                   setting->words ? setting->words : "");
}

static crd_status unknown(crd_context *ctx, const crd_method_info *method, const char *name,
                          size_t length) {
  crd__text known;
  crd__text_init(&known, &ctx->alloc);
  for (size_t i = 0; i < method->setting_count; i++)
    crd__text_addf(&known, "%s%s", i ? ", " : "", method->settings[i].name);
  const crd_status status =
      crd__fail(ctx, CRD_EUSAGE, "%s has no setting '%.*s'; it has %s", method->name,
                (int)(length < 60 ? length : 60), name, known.length ? known.bytes : "none");
  crd__text_clear(&known);
  return status;
}

static crd_status read_pair(crd_context *ctx, const crd_method_info *method, const char *pair,
                            size_t length, double *values) {
  const char *const equals = memchr(pair, '=', length);
  const size_t name = equals ? (size_t)(equals - pair) : length;
  if (equals && name == strlen("compat") && strncmp(pair, "compat", name) == 0)
    CRD_TRY(crd__compat_check(ctx, method, equals + 1, length - name - 1));
  for (size_t i = 0; i < method->setting_count; i++) {
    const crd_setting_info *const setting = &method->settings[i];
    if (strlen(setting->name) != name || strncmp(setting->name, pair, name) != 0) continue;
    if (!equals)
      return crd__fail(ctx, CRD_EUSAGE, "%s: '%s' needs a value: %s=%s", method->name,
                       setting->name, setting->name, setting->standard);
    return read_value(ctx, method, setting, equals + 1, length - name - 1, &values[i]);
  }
  return unknown(ctx, method, pair, name);
}

static crd_status read_pairs(crd_context *ctx, const crd_method_info *method, const char *text,
                             double *values) {
  while (text && *text) {
    const size_t length = strcspn(text, ",");
    CRD_TRY(read_pair(ctx, method, text, length, values));
    text += length + (text[length] == ',');
  }
  return CRD_OK;
}

crd_status crd__settings_read(crd_context *ctx, const crd_method_info *method, const char *text,
                              double *values) {
  for (size_t i = 0; i < method->setting_count; i++) {
    const char *const standard = method->settings[i].standard;
    CRD_TRY(read_value(ctx, method, &method->settings[i], standard, strlen(standard), &values[i]));
  }
  CRD_TRY(read_pairs(ctx, method, text, values));
  const crd__compat *const other = crd__compat_chosen(method, values);
  return other ? read_pairs(ctx, method, other->implies, values) : CRD_OK;
}

void crd__setting_text(const crd_setting_info *setting, double value, char *text, size_t size) {
  char number[CRD__NUMBER_SIZE];
  const char *words = setting->words;
  if (!crd__setting_is_word(setting, value)) {
    snprintf(text, size, "%s", crd__number_format(number, value));
    return;
  }
  const size_t word = (size_t)(value < 0 ? -1 - value : value);
  for (size_t i = 0; i < word; i++) words += strcspn(words, " ") + 1;
  snprintf(text, size, "%.*s", (int)strcspn(words, " "), words);
}

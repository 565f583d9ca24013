/* settings.c -- parse "name=value,name=value" according to a table of settings. */
#include "base/settings.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool takes_numbers(const crd_setting_info *setting) {
  return !setting->words || setting->high > setting->low;
}

bool crd__setting_is_word(const crd_setting_info *setting, double value) {
  return setting->words && (!takes_numbers(setting) || value < 0);
}

/* Finds the index of a word in a list separated by spaces; false if it is missing. */
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

static bool is_allowed(const crd_setting_info *setting, double value) {
  return value >= setting->low && value <= setting->high &&
         (!setting->whole || value == floor(value));
}

static crd_status read_value(crd_context *ctx, const crd__setting_table *table,
                             const crd_setting_info *setting, const char *text, size_t length,
                             double *out) {
  char low[CRD__NUMBER_SIZE], high[CRD__NUMBER_SIZE];
  const bool word = setting->words && find_word(setting->words, text, length, out);
  if (word && takes_numbers(setting)) *out = -1 - *out;
  if (word) return CRD_OK;
  if (setting->words && !takes_numbers(setting))
    return crd__fail(ctx, CRD_EUSAGE, "%s: %s=%.*s, allowed are: %s", table->owner, setting->name,
                     (int)(length < 60 ? length : 60), text, setting->words);
  if (crd__number_parse(text, length, out) && is_allowed(setting, *out)) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: %s=%.*s, allowed are %s from %s to %s%s%s", table->owner,
                   setting->name, (int)(length < 60 ? length : 60), text,
                   setting->whole ? "integers" : "numbers", crd__number_format(low, setting->low),
                   crd__number_format(high, setting->high), setting->words ? ", and: " : "",
                   setting->words ? setting->words : "");
}

static crd_status unknown(crd_context *ctx, const crd__setting_table *table, const char *name,
                          size_t length) {
  crd__text known;
  crd__text_init(&known, &ctx->alloc);
  for (size_t i = 0; i < table->count; i++)
    crd__text_addf(&known, "%s%s", i ? ", " : "", table->items[i].name);
  const crd_status status =
      crd__fail(ctx, CRD_EUSAGE, "%s has no setting '%.*s'; it has %s", table->owner,
                (int)(length < 60 ? length : 60), name, known.length ? known.bytes : "none");
  crd__text_clear(&known);
  return status;
}

static size_t count_words(const char *words) {
  size_t count = words && *words ? 1 : 0;
  for (; words && *words; words++) count += *words == ' ';
  return count;
}

/* Parser state: a setting's list may continue after a comma. */
typedef struct {
  const crd__setting_table *table;
  double *values;
  crd__setting_list *list;
  const crd_setting_info *listed; /* whose list it is; NULL: not in a list */
} reading;

/* Appends a number to a list. Fails if it is not allowed; else *taken is false if it is not a
 * number, or the list is full. */
static crd_status add_to_list(crd_context *ctx, const reading *r, const crd_setting_info *setting,
                              const char *text, size_t length, bool *taken) {
  double value;
  *taken = crd__number_parse(text, length, &value) && r->list->count < r->list->most;
  if (!*taken) return CRD_OK;
  if (takes_numbers(setting) && !is_allowed(setting, value))
    return read_value(ctx, r->table, setting, text, length, &value);
  r->list->items[r->list->count++] = value;
  return CRD_OK;
}

/* Reads the value of a setting, or the first number of its list. */
static crd_status read_first(crd_context *ctx, reading *r, size_t index, const char *text,
                             size_t length) {
  const crd_setting_info *const setting = &r->table->items[index];
  bool taken = false;
  r->listed = NULL;
  if (setting->list && r->list) {
    r->list->count = 0; /* the last one wins */
    CRD_TRY(add_to_list(ctx, r, setting, text, length, &taken));
  }
  if (!taken) return read_value(ctx, r->table, setting, text, length, &r->values[index]);
  r->listed = setting;
  r->values[index] = (double)count_words(setting->words);
  return CRD_OK;
}

static crd_status read_pair(crd_context *ctx, reading *r, const char *pair, size_t length) {
  const crd__setting_table *const table = r->table;
  const char *const equals = memchr(pair, '=', length);
  const size_t name = equals ? (size_t)(equals - pair) : length;
  bool taken = false;
  if (!equals && r->listed) CRD_TRY(add_to_list(ctx, r, r->listed, pair, length, &taken));
  if (taken) return CRD_OK;
  for (size_t i = 0; i < table->count; i++) {
    const crd_setting_info *const setting = &table->items[i];
    if (strlen(setting->name) != name || strncmp(setting->name, pair, name) != 0) continue;
    if (equals) return read_first(ctx, r, i, equals + 1, length - name - 1);
    return crd__fail(ctx, CRD_EUSAGE, "%s: '%s' needs a value: %s=%s", table->owner, setting->name,
                     setting->name, setting->standard);
  }
  return unknown(ctx, table, pair, name);
}

/* Reads the default of a setting: the first number of a list, then the others. */
static crd_status read_standard(crd_context *ctx, reading *r, size_t index) {
  const char *text = r->table->items[index].standard;
  size_t length = strcspn(text, ",");
  bool taken = true;
  CRD_TRY(read_first(ctx, r, index, text, length));
  while (r->listed && taken && text[length]) {
    text += length + 1;
    length = strcspn(text, ",");
    CRD_TRY(add_to_list(ctx, r, r->listed, text, length, &taken));
  }
  return CRD_OK;
}

crd_status crd__settings_standard(crd_context *ctx, const crd__setting_table *table, double *values,
                                  crd__setting_list *list) {
  reading r = { .table = table, .values = values, .list = list };
  for (size_t i = 0; i < table->count; i++) CRD_TRY(read_standard(ctx, &r, i));
  return CRD_OK;
}

crd_status crd__settings_read(crd_context *ctx, const crd__setting_table *table, const char *text,
                              double *values, crd__setting_list *list) {
  reading r = { .table = table, .values = values, .list = list };
  while (text && *text) {
    const size_t length = strcspn(text, ",");
    if (list) list->at = text;
    CRD_TRY(read_pair(ctx, &r, text, length));
    text += length + (text[length] == ',');
  }
  return CRD_OK;
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

/* csv_names.c -- prefixes and suffixes of column names, cut at separators only: car and cat have
 * none in common. */
#include "io/format/csv_names.h"

#include "base/number.h"

#include <string.h>
#include <strings.h>

/* Words for scores; those marked false are too common to be sufficient. */
static const struct {
  const char *text;
  bool strong;
} score_words[] = {
  { "prob", true },    { "probs", true },       { "proba", true },       { "probas", true },
  { "logit", true },   { "logits", true },      { "logprob", true },     { "logprobs", true },
  { "score", true },   { "scores", true },      { "probability", true }, { "probabilities", true },
  { "softmax", true }, { "confidence", true },  { "conf", true },        { "p", false },
  { "pr", false },     { "class", false },      { "pred", false },       { "preds", false },
  { "output", false }, { "prediction", false }, { "outputs", false },    { "predictions", false },
};

typedef enum { NO_WORD, WEAK_WORD, STRONG_WORD } strength;

static bool is_separator(char c) { return c && strchr("_-. :/|()[]{}=", c) != NULL; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static strength word_strength(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof score_words / sizeof *score_words; i++)
    if (strlen(score_words[i].text) == length &&
        strncasecmp(score_words[i].text, text, length) == 0)
      return score_words[i].strong ? STRONG_WORD : WEAK_WORD;
  return NO_WORD;
}

/* Returns how clearly the words between separators mean scores: the clearest one counts. */
static strength strength_of(const char *text, size_t length) {
  strength most = NO_WORD;
  for (size_t at = 0; at < length;) {
    size_t stop = at;
    while (stop < length && !is_separator(text[stop])) stop++;
    const strength here = word_strength(text + at, stop - at);
    if (here > most) most = here;
    at = stop + 1;
  }
  return most;
}

static crd__io_affix make_affix(const char *text, size_t length, bool suffix) {
  const strength found = strength_of(text, length);
  return (crd__io_affix){ { text, length }, suffix, found != NO_WORD, found == STRONG_WORD };
}

/* The prefix that ends with the separator after the first word for scores, else after the first
 * word. */
static crd__io_affix prefix_of(const crd__word *name) {
  crd__io_affix first = { .text = { name->text, 0 } };
  for (size_t at = 0; at + 1 < name->length; at++) {
    if (!is_separator(name->text[at])) continue;
    const crd__io_affix here = make_affix(name->text, at + 1, false);
    if (here.known) return here;
    if (first.text.length == 0) first = here;
  }
  return first;
}

static crd__io_affix suffix_of(const crd__word *name) {
  for (size_t at = name->length; at-- > 1;)
    if (is_separator(name->text[at])) return make_affix(name->text + at, name->length - at, true);
  return (crd__io_affix){ .suffix = true };
}

crd__io_affix crd__io_affix_of(const crd__word *name) {
  size_t digits = name->length;
  while (digits > 0 && is_digit(name->text[digits - 1])) digits--;
  if (digits > 0 && digits < name->length && word_strength(name->text, digits) != NO_WORD)
    return make_affix(name->text, digits, false);
  const crd__io_affix prefix = prefix_of(name), suffix = suffix_of(name);
  return suffix.known && !prefix.known ? suffix : prefix;
}

bool crd__io_affix_is_logits(const crd__io_affix *affix) {
  for (size_t i = 0; i + 5 <= affix->text.length; i++)
    if (strncasecmp(affix->text.text + i, "logit", 5) == 0) return true;
  return false;
}

/* ---- Common prefix and suffix. */

static size_t common_prefix(const crd__word *names, size_t count) {
  size_t length = names[0].length;
  for (size_t i = 1; i < count; i++) {
    size_t same = 0;
    while (same < length && same < names[i].length && names[i].text[same] == names[0].text[same])
      same++;
    length = same;
  }
  while (length > 0 && !is_separator(names[0].text[length - 1])) length--;
  return length;
}

static size_t common_suffix(const crd__word *names, size_t count) {
  const char *const end = names[0].text + names[0].length;
  size_t length = names[0].length;
  for (size_t i = 1; i < count; i++) {
    const char *const other = names[i].text + names[i].length;
    size_t same = 0;
    while (same < length && same < names[i].length &&
           other[-1 - (ptrdiff_t)same] == end[-1 - (ptrdiff_t)same])
      same++;
    length = same;
  }
  while (length > 0 && !is_separator(end[-(ptrdiff_t)length])) length--;
  return length;
}

void crd__io_names_strip(const crd__word *from, size_t count, crd__word *to, bool *known) {
  size_t prefix = common_prefix(from, count), suffix = common_suffix(from, count);
  for (size_t i = 0; i < count; i++)
    if (from[i].length <= prefix + suffix) suffix = 0;
  for (size_t i = 0; i < count; i++)
    if (from[i].length <= prefix + suffix) prefix = 0;
  *known = strength_of(from[0].text, prefix) != NO_WORD ||
           strength_of(from[0].text + from[0].length - suffix, suffix) != NO_WORD;
  for (size_t i = 0; i < count; i++)
    to[i] = (crd__word){ from[i].text + prefix, from[i].length - prefix - suffix };
}

bool crd__io_names_are_numbers(const crd__word *names, size_t count) {
  size_t prefix = names[0].length;
  while (prefix > 0 && is_digit(names[0].text[prefix - 1])) prefix--;
  for (size_t k = 0; k < count; k++) {
    int64_t number;
    if (names[k].length <= prefix || memcmp(names[k].text, names[0].text, prefix) != 0 ||
        !crd__integer_parse(names[k].text + prefix, names[k].length - prefix, &number) ||
        number != (int64_t)k)
      return false;
  }
  return true;
}

/* A star matches as little as possible, and one more character whenever the rest does not match. */
bool crd__io_glob_match(const char *pattern, size_t length, const crd__word *name) {
  size_t p = 0, n = 0, star = SIZE_MAX, taken = 0;
  while (n < name->length) {
    if (p < length && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < length && (pattern[p] == '?' || pattern[p] == name->text[n])) {
      p++;
      n++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      n = ++taken;
    } else return false;
  }
  while (p < length && pattern[p] == '*') p++;
  return p == length;
}

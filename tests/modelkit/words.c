/* words.c -- parses tensors and attributes written as text. */
#include "modelkit/modelkit.h"

#include "base/random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *past_blanks(const char *at) {
  while (*at == ' ') at++;
  return at;
}

static crd_dtype read_type(const char **at) {
  static const crd_dtype types[] = { CRD_F16, CRD_F32, CRD_F64, CRD_I8,  CRD_I16,  CRD_I32, CRD_I64,
                                     CRD_U8,  CRD_U16, CRD_U32, CRD_U64, CRD_BOOL, CRD_BF16 };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const size_t length = strlen(crd_dtype_name(types[i]));
    if (strncmp(*at, crd_dtype_name(types[i]), length) != 0) continue;
    *at += length;
    return types[i];
  }
  fail_msg("no type at: %s", *at);
  return CRD_F32;
}

/* All values of an integer type of 8 or 16 bits. */
static void fill_wide(ref_tensor *t, uint64_t seed) {
  const double size = ref_dtype_number(t->dtype) < 4 ? 256 : 65536;
  const double low = t->dtype >= CRD_U8 ? 0 : -size / 2;
  for (size_t i = 0; i < ref_count(t); i++)
    t->values[i] = floor(low + size * crd__random_uniform(seed, 3, i));
}

static void fill(ref_tensor *t, uint64_t seed, bool positive) {
  const bool real = ref_is_float(t->dtype), plain = t->dtype >= CRD_U8 && !real;
  for (size_t i = 0; i < ref_count(t); i++) {
    const double u = crd__random_uniform(seed, 3, i);
    const double value = real ? (positive ? 0.1 + 1.9 * u : 4 * u - 2)
                              : (double)(int)(positive ? 1 + 5 * u
                                              : plain  ? 6 * u
                                                       : 11 * u - 5);
    t->values[i] = t->dtype == CRD_BOOL ? u < 0.5 : ref_round(t->dtype, value);
  }
}

/* Up to a semicolon, a closing bracket or the end. */
static ref_tensor read_tensor(const char **at, uint64_t seed) {
  ref_tensor t = { .dtype = read_type(at) };
  char *end;
  *at = past_blanks(*at);
  while (**at >= '0' && **at <= '9') {
    t.dims[t.rank++] = strtol(*at, &end, 10);
    *at = *end == 'x' ? end + 1 : past_blanks(end);
  }
  t.values = calloc(ref_count(&t) + 1, sizeof(double));
  const bool positive = !strncmp(*at, "positive", 8);
  if (positive) *at = past_blanks(*at + 8);
  const bool wide = !strncmp(*at, "wide", 4);
  if (wide) *at = past_blanks(*at + 4);
  if (wide) fill_wide(&t, seed);
  else if (**at != '=') fill(&t, seed, positive);
  else {
    *at += 1;
    for (size_t i = 0; i < ref_count(&t); i++, *at = end)
      t.values[i] = ref_round(t.dtype, strtod(*at, &end));
  }
  *at = past_blanks(*at);
  return t;
}

size_t net_inputs(const char *words, uint64_t seed, net_input inputs[NET_INPUTS_MAX]) {
  const char *at = past_blanks(words);
  size_t count = 0;
  while (*at) {
    net_input *const input = &inputs[count++];
    assert_true(count <= NET_INPUTS_MAX);
    *input = (net_input){ .given = *at != '-', .shaping = *at == '$' };
    if (*at == '$' || *at == '-') at = past_blanks(at + 1);
    if (input->given) input->tensor = read_tensor(&at, seed + count);
    if (*at && *at != ';') fail_msg("not understood: %s", at);
    if (*at) at = past_blanks(at + 1);
  }
  return count;
}

void net_clear_inputs(net_input *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) free(inputs[i].tensor.values);
}

static const char *keep(char word[NET_NAME_MAX], const char **at, const char *stops) {
  const size_t length = strcspn(*at, stops);
  assert_true(length < NET_NAME_MAX);
  memcpy(word, *at, length);
  word[length] = 0;
  *at += length;
  return word;
}

/* Numbers with a decimal point are floats. */
static void read_numbers(const char **at, ref_attribute *a) {
  const bool list = **at == '[';
  const size_t length = strcspn(*at, list ? "]" : " ");
  const bool real = memchr(*at, '.', length) || memchr(*at, 'n', length); /* or NaN */
  char *end;
  a->kind = list ? (real ? REF_FLOATS : REF_INTS) : real ? REF_FLOAT : REF_INT;
  *at += list;
  while (**at != ' ' && **at && **at != ']') {
    assert_true(a->count < REF_NUMBERS_MAX);
    a->numbers[a->count++] = strtod(*at, &end);
    if (end == *at) fail_msg("no number at: %s", *at);
    *at = *end == ',' ? end + 1 : end;
  }
  *at += list;
}

void net_attributes_read(const char *words, net_attributes *out) {
  memset(out, 0, sizeof *out);
  const char *at = past_blanks(words ? words : "");
  for (size_t i = 0; *at; i++, at = past_blanks(at)) {
    assert_true(i < NET_ATTRIBUTES_MAX);
    ref_attribute *const a = &out->list[i];
    a->name = keep(out->words[2 * i], &at, "=");
    at++;
    if (*at == '<') {
      at++;
      out->tensors[i] = read_tensor(&at, 0);
      a->kind = REF_TENSOR;
      a->tensor = &out->tensors[i];
      at++;
    } else if (*at == '{') {
      at++;
      a->kind = REF_WORDS;
      a->word = keep(out->words[2 * i + 1], &at, "}");
      at++;
    } else if (*at == '\'') { /* a word that begins with no letter */
      at++;
      a->kind = REF_WORD;
      a->word = keep(out->words[2 * i + 1], &at, "'");
      at++;
    } else if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')) {
      a->kind = REF_WORD;
      a->word = keep(out->words[2 * i + 1], &at, " ");
    } else read_numbers(&at, a);
  }
}

void net_attributes_clear(net_attributes *attributes) {
  for (size_t i = 0; i < NET_ATTRIBUTES_MAX; i++) free(attributes->tensors[i].values);
}

/* Einsum.c -- Einsum: a loop over all values of all indices, each of which has a name; those of an
 * ellipsis are called 0, 1, ... from the last one on. */
#include "ref/op.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TERMS = 4, NAMES = 128 };

typedef struct {
  size_t count;
  char names[TERMS][32]; /* of each input, then of the result */
  int64_t size[NAMES];
} equation;

static size_t letters(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += isalpha((unsigned char)text[i]) != 0;
  return count;
}

/* Replaces the ellipsis by `dots` names; returns whether there was one. */
static bool name(const char *text, size_t length, size_t dots, char *out) {
  bool found = false;
  for (size_t i = 0; i < length; i++) {
    if (isalpha((unsigned char)text[i])) *out++ = text[i];
    if (text[i] != '.' || found) continue;
    found = true;
    for (size_t d = dots; d-- > 0;) *out++ = (char)('0' + d);
  }
  *out = 0;
  return found;
}

static void read_equation(const ref_node *node, equation *q) {
  const char *text = ref_find(node, "equation")->word;
  const char *const arrow = strstr(text, "->");
  size_t most = 0;
  memset(q, 0, sizeof *q);
  for (q->count = 0; q->count < node->input_count; q->count++) {
    const ref_tensor *const x = node->inputs[q->count];
    const size_t length = strcspn(text, ",-"), dots = x->rank - letters(text, length);
    if (name(text, length, dots, q->names[q->count]) && dots > most) most = dots;
    for (size_t i = 0; i < x->rank; i++) {
      int64_t *const size = &q->size[(unsigned char)q->names[q->count][i]];
      if (*size < 2) *size = x->dims[i];
    }
    text += length + (text[length] == ',');
  }
  char *result = q->names[q->count];
  if (arrow) {
    name(arrow + 2, strlen(arrow + 2), most, result);
    return;
  }
  for (size_t d = most; d-- > 0;) *result++ = (char)('0' + d);
  for (int c = 'A'; c <= 'z'; c++) {
    size_t uses = 0;
    for (size_t f = 0; f < q->count; f++)
      for (const char *p = q->names[f]; *p; p++) uses += *p == c;
    if (uses == 1) *result++ = (char)c;
  }
}

static double product(const ref_node *node, const equation *q, const int64_t *value) {
  double total = 1;
  int64_t at[CRD_RANK_MAX];
  for (size_t f = 0; f < q->count; f++) {
    const ref_tensor *const x = node->inputs[f];
    for (size_t i = 0; i < x->rank; i++)
      at[i] = x->dims[i] == 1 ? 0 : value[(unsigned char)q->names[f][i]];
    total *= x->values[ref_place(x, at)];
  }
  return total;
}

/* Sets the next values of the indices that the result lacks; false after the last ones. */
static bool next(const equation *q, int64_t *value) {
  for (size_t c = 0; c < NAMES; c++) {
    if (!q->size[c] || strchr(q->names[q->count], (int)c)) continue;
    if (++value[c] < q->size[c]) return true;
    value[c] = 0;
  }
  return false;
}

void ref_Einsum(ref_node *node) {
  equation q;
  int64_t dims[CRD_RANK_MAX], at[CRD_RANK_MAX], value[NAMES];
  read_equation(node, &q);
  const char *const result = q.names[q.count];
  const crd_dtype dtype = node->inputs[0]->dtype;
  for (size_t i = 0; result[i]; i++) dims[i] = q.size[(unsigned char)result[i]];
  ref_tensor *const y = ref_make(node, 0, dtype, strlen(result), dims, ref_is_float(dtype));
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    memset(value, 0, sizeof value);
    for (size_t i = 0; i < y->rank; i++) value[(unsigned char)result[i]] = at[i];
    do {
      const double term = product(node, &q, value);
      y->values[n] += term;
      if (y->slack) y->slack[n] += 2 * fabs(term);
    } while (next(&q, value));
  }
}

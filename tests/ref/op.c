/* op.c -- the table of reference operators, and functions that several of them use. */
#include "ref/op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*compute)(ref_node *node);
} table[] = {
#define OP(name) { #name, ref_##name },
#define OP_ML(name) { "ai.onnx.ml." #name, ref_##name },
#define OP_MICROSOFT(name) { "com.microsoft." #name, ref_##name },
#include "ref/op/list.h"
#undef OP
};

bool ref_compute(ref_node *node) {
  memset(node->outputs, 0, sizeof node->outputs);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, node->op) != 0) continue;
    table[i].compute(node);
    return true;
  }
  return false;
}

void ref_clear(ref_node *node) {
  for (size_t i = 0; i < REF_OUTPUTS_MAX; i++) {
    free(node->outputs[i].values);
    free(node->outputs[i].slack);
  }
  memset(node->outputs, 0, sizeof node->outputs);
}

const char *ref_op_at(size_t index) {
  return index < sizeof table / sizeof *table ? table[index].name : NULL;
}

/* One entry per type: ONNX's code, bits (floats: of the significand), sign. */
static const struct {
  int number, bits;
  bool is_float, is_signed;
} types[] = {
  [CRD_F16] = { 10, 11, true, true },   [CRD_F32] = { 1, 24, true, true },
  [CRD_F64] = { 11, 53, true, true },   [CRD_I8] = { 3, 8, false, true },
  [CRD_I16] = { 5, 16, false, true },   [CRD_I32] = { 6, 32, false, true },
  [CRD_I64] = { 7, 64, false, true },   [CRD_U8] = { 2, 8, false, false },
  [CRD_U16] = { 4, 16, false, false },  [CRD_U32] = { 12, 32, false, false },
  [CRD_U64] = { 13, 64, false, false }, [CRD_BOOL] = { 9, 1, false, false },
  [CRD_BF16] = { 16, 8, true, true },
};

bool ref_dtype(int onnx, crd_dtype *out) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].number != onnx) continue;
    *out = (crd_dtype)i;
    return true;
  }
  return false;
}

int ref_dtype_number(crd_dtype dtype) { return types[dtype].number; }
bool ref_is_float(crd_dtype dtype) { return types[dtype].is_float; }
double ref_epsilon(crd_dtype dtype) { return ldexp(1, 1 - types[dtype].bits); }

/* Rounds to float16: to multiples of 2^-24 or of the last bit, or to infinity from the midpoint
 * above the largest number. */
static double round_half(double value) {
  int exponent;
  if (!isfinite(value)) return value;
  if (fabs(value) >= 65520) return copysign(INFINITY, value);
  (void)frexp(value, &exponent);
  const double unit = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
  return nearbyint(value / unit) * unit;
}

/* Rounds to bfloat16, for numbers within the range of float32 that are not subnormal. */
static double round_bfloat(double value) {
  int exponent;
  if (!isfinite(value)) return value;
  (void)frexp(value, &exponent);
  return (double)(float)(nearbyint(ldexp(value, 8 - exponent)) * ldexp(1, exponent - 8));
}

double ref_round(crd_dtype dtype, double value) {
  if (dtype == CRD_F64) return value;
  if (dtype == CRD_F32) return (double)(float)value;
  if (dtype == CRD_F16) return round_half(value);
  if (dtype == CRD_BF16) return round_bfloat(value);
  const double size = ldexp(1, types[dtype].bits), half = size / 2;
  double rest = fmod(value, size);
  if (rest < (types[dtype].is_signed ? -half : 0)) rest += size;
  if (rest >= (types[dtype].is_signed ? half : size)) rest -= size;
  return rest;
}

size_t ref_count(const ref_tensor *t) {
  size_t count = 1;
  for (size_t k = 0; k < t->rank; k++) count *= (size_t)t->dims[k];
  return count;
}

ref_tensor *ref_make(ref_node *node, size_t output, crd_dtype dtype, size_t rank,
                     const int64_t *dims, bool slack) {
  ref_tensor *const t = &node->outputs[output];
  t->dtype = dtype;
  t->rank = rank;
  for (size_t k = 0; k < rank; k++) t->dims[k] = dims[k];
  t->values = calloc(ref_count(t) + 1, sizeof(double)); /* never 0 bytes */
  if (slack) t->slack = calloc(ref_count(t) + 1, sizeof(double));
  return t;
}

void ref_index(const ref_tensor *t, size_t n, int64_t *index) {
  for (size_t k = t->rank; k-- > 0; n /= (size_t)t->dims[k])
    index[k] = (int64_t)(n % (size_t)t->dims[k]);
}

size_t ref_place(const ref_tensor *t, const int64_t *index) {
  size_t n = 0;
  for (size_t k = 0; k < t->rank; k++) n = n * (size_t)t->dims[k] + (size_t)index[k];
  return n;
}

size_t ref_spread(const ref_tensor *t, const int64_t *index, size_t rank) {
  size_t n = 0;
  for (size_t k = 0; k < t->rank; k++)
    n = n * (size_t)t->dims[k] + (t->dims[k] == 1 ? 0 : (size_t)index[rank - t->rank + k]);
  return n;
}

size_t ref_broadcast(const ref_tensor *a, const ref_tensor *b, int64_t *dims) {
  const size_t rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t k = 0; k < rank; k++) {
    const int64_t x = k + a->rank < rank ? 1 : a->dims[k + a->rank - rank];
    const int64_t y = k + b->rank < rank ? 1 : b->dims[k + b->rank - rank];
    dims[k] = x == 1 ? y : x;
  }
  return rank;
}

const ref_tensor *ref_input(const ref_node *node, size_t index) {
  return index < node->input_count ? node->inputs[index] : NULL;
}

const ref_attribute *ref_find(const ref_node *node, const char *name) {
  for (const ref_attribute *a = node->attributes; a && a->name; a++)
    if (!strcmp(a->name, name)) return a;
  return NULL;
}

/* Attributes are float32. */
double ref_number(const ref_node *node, const char *name, double otherwise) {
  const ref_attribute *const a = ref_find(node, name);
  return (double)(float)(a ? a->numbers[0] : otherwise);
}

int64_t ref_int(const ref_node *node, const char *name, int64_t otherwise) {
  const ref_attribute *const a = ref_find(node, name);
  return a ? (int64_t)a->numbers[0] : otherwise;
}

bool ref_is(const ref_node *node, const char *name, const char *word) {
  const ref_attribute *const a = ref_find(node, name);
  return a && !strcmp(a->word, word);
}

bool ref_ints(const ref_node *node, const char *name, const ref_tensor *input, size_t *count,
              int64_t *out) {
  const ref_attribute *const a = ref_find(node, name);
  const double *const from = input ? input->values : a ? a->numbers : NULL;
  *count = input ? ref_count(input) : a ? a->count : 0;
  for (size_t i = 0; i < *count; i++) out[i] = (int64_t)from[i];
  return from != NULL;
}

size_t ref_axis(int64_t axis, size_t rank) {
  return (size_t)(axis < 0 ? axis + (int64_t)rank : axis);
}

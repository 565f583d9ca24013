/*
 * op.h -- every operator that networks may have, as ONNX documents it: plain loops in double, the
 * other side of differential tests. tests/ref/op/ defines ref_<Name>, one file per operator, or
 * per family where the loop is the same.
 *
 * Nothing here is shared with the library. Integers are exact in double for the sizes of tests.
 */
#ifndef CRD_TESTS_REF_OP_H
#define CRD_TESTS_REF_OP_H

#include "credence/network.h"

#include <stdbool.h>

enum { REF_OUTPUTS_MAX = 8, REF_NUMBERS_MAX = 16 };

typedef struct {
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  double *values; /* C order; not rounded to the type */
  /* Of outputs: how far a sound implementation may be off, in units of the type's epsilon: sizes
   * of the summed terms times their number. NULL: not at all, it is the exact result rounded. */
  double *slack;
} ref_tensor;

/* ONNX's numbers of the types of attributes. */
typedef enum {
  REF_FLOAT = 1,
  REF_INT = 2,
  REF_WORD = 3,
  REF_TENSOR = 4,
  REF_FLOATS = 6,
  REF_INTS = 7
} ref_kind;

typedef struct {
  const char *name; /* NULL ends a list of them */
  ref_kind kind;
  size_t count;
  double numbers[REF_NUMBERS_MAX]; /* one, or a list */
  const char *word;
  const ref_tensor *tensor;
} ref_attribute;

typedef struct {
  const char *op;
  int opset;
  size_t input_count;
  const ref_tensor *const *inputs; /* NULL: left out */
  const ref_attribute *attributes; /* NULL: none */
  size_t output_count;             /* as many as the node names */
  size_t unnamed;                  /* so many of them, the first ones, are left out */
  /* What it computes, perhaps more than the node names; freed by ref_clear. */
  ref_tensor outputs[REF_OUTPUTS_MAX];
} ref_node;

/* Compute the outputs; false where there is no reference. */
bool ref_compute(ref_node *node);
void ref_clear(ref_node *node);
/* Names of all references; NULL past the end. */
const char *ref_op_at(size_t index);

/* The nearest number that the type has: floats to even, integers wrap around. */
double ref_round(crd_dtype dtype, double value);
bool ref_is_float(crd_dtype dtype);
double ref_epsilon(crd_dtype dtype);
/* The type that ONNX gives a number to; false: none of ours. */
bool ref_dtype(int onnx, crd_dtype *out);
int ref_dtype_number(crd_dtype dtype);

/* ---- For the references. */

#define OP(name) void ref_##name(ref_node *node);
#include "ref/op/list.h"
#undef OP

size_t ref_count(const ref_tensor *t);
/* An output of zeros, with slack of zeros where it may be off. */
ref_tensor *ref_make(ref_node *node, size_t output, crd_dtype dtype, size_t rank,
                     const int64_t *dims, bool slack);
/* Where element n stands. */
void ref_index(const ref_tensor *t, size_t n, int64_t *index);
/* Number of the element that stands at an index of the same rank, and of one of a higher rank to
 * which the tensor is broadcast. */
size_t ref_place(const ref_tensor *t, const int64_t *index);
size_t ref_spread(const ref_tensor *t, const int64_t *index, size_t rank);
/* The shape to which two are broadcast; its rank. */
size_t ref_broadcast(const ref_tensor *a, const ref_tensor *b, int64_t *dims);

const ref_tensor *ref_input(const ref_node *node, size_t index);
const ref_attribute *ref_find(const ref_node *node, const char *name);
double ref_number(const ref_node *node, const char *name, double otherwise);
int64_t ref_int(const ref_node *node, const char *name, int64_t otherwise);
bool ref_is(const ref_node *node, const char *name, const char *word);
/* Integers of an input, or where it is left out, of an attribute; false: of neither. */
bool ref_ints(const ref_node *node, const char *name, const ref_tensor *input, size_t *count,
              int64_t *out);
/* An axis counted from the front. */
size_t ref_axis(int64_t axis, size_t rank);

#endif

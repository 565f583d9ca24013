/*
 * op.h -- reference implementations of all supported operators, as ONNX documents them: plain loops
 * in float64, for differential tests. tests/ref/op/ defines ref_<Name>, one file per operator, or
 * per family if the loop is the same.
 *
 * Nothing here is shared with the library. Integers are exact in float64 for the sizes of tests.
 */
#ifndef CRD_TESTS_REF_OP_H
#define CRD_TESTS_REF_OP_H

#include "credence/network.h"

#include <stdbool.h>

enum { REF_OUTPUTS_MAX = 8, REF_NUMBERS_MAX = 64 };

typedef struct {
  crd_dtype dtype;
  size_t rank;
  int64_t dims[CRD_RANK_MAX];
  double *values; /* C order; not rounded to the type */
  /* Of outputs: the tolerance, in units of the type's epsilon: the magnitude of the summed terms
   * times their number. NULL: the result must be exact after rounding. */
  double *slack;
} ref_tensor;

/* ONNX's codes of attribute types. */
typedef enum {
  REF_FLOAT = 1,
  REF_INT = 2,
  REF_WORD = 3,
  REF_TENSOR = 4,
  REF_FLOATS = 6,
  REF_INTS = 7,
  REF_WORDS = 8
} ref_kind;

typedef struct {
  const char *name; /* NULL terminates a list */
  ref_kind kind;
  size_t count;
  double numbers[REF_NUMBERS_MAX]; /* one, or a list */
  const char *word;                /* or several, with commas between them */
  const ref_tensor *tensor;
} ref_attribute;

typedef struct {
  const char *op;
  int opset;
  size_t input_count;
  const ref_tensor *const *inputs; /* NULL: left out */
  const ref_attribute *attributes; /* NULL: none */
  size_t output_count;             /* as many as the node names */
  size_t unnamed;                  /* the number of leading outputs that are left out */
  /* All outputs, perhaps more than the node names; freed by ref_clear. */
  ref_tensor outputs[REF_OUTPUTS_MAX];
} ref_node;

/* Computes the outputs; returns false if there is no reference. */
bool ref_compute(ref_node *node);
void ref_clear(ref_node *node);
/* Returns the name of a reference; NULL past the end. */
const char *ref_op_at(size_t index);

/* Rounds to the type: floats to nearest even, integers wrap around. */
double ref_round(crd_dtype dtype, double value);
bool ref_is_float(crd_dtype dtype);
double ref_epsilon(crd_dtype dtype);
/* Sets *out to the type of an ONNX code; returns false if it is unsupported. */
bool ref_dtype(int onnx, crd_dtype *out);
int ref_dtype_number(crd_dtype dtype);

/* ---- For the references. */

#define OP(name) void ref_##name(ref_node *node);
#include "ref/op/list.h"
#undef OP

size_t ref_count(const ref_tensor *t);
/* Creates an output of zeros, with a slack of zeros if it has a tolerance. */
ref_tensor *ref_make(ref_node *node, size_t output, crd_dtype dtype, size_t rank,
                     const int64_t *dims, bool slack);
/* Sets `index` to the multi-index of element n. */
void ref_index(const ref_tensor *t, size_t n, int64_t *index);
/* Return the offset of the element at a multi-index of the same rank, and at one of a higher rank
 * to which the tensor is broadcast. */
size_t ref_place(const ref_tensor *t, const int64_t *index);
size_t ref_spread(const ref_tensor *t, const int64_t *index, size_t rank);
/* Sets `dims` to the shape to which two tensors are broadcast; returns its rank. */
size_t ref_broadcast(const ref_tensor *a, const ref_tensor *b, int64_t *dims);

const ref_tensor *ref_input(const ref_node *node, size_t index);
const ref_attribute *ref_find(const ref_node *node, const char *name);
double ref_number(const ref_node *node, const char *name, double otherwise);
int64_t ref_int(const ref_node *node, const char *name, int64_t otherwise);
bool ref_is(const ref_node *node, const char *name, const char *word);
/* Reads integers from an input, or, if it is left out, from an attribute; false if there is
 * neither. */
bool ref_ints(const ref_node *node, const char *name, const ref_tensor *input, size_t *count,
              int64_t *out);
/* Returns a nonnegative axis. */
size_t ref_axis(int64_t axis, size_t rank);

#endif

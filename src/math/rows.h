/*
 * rows.h -- kernels for rows of logits or probabilities, for each instruction set.
 *
 * Rows are contiguous: row i starts at data + i * cols * (size of an element), native byte order,
 * any alignment. cols is at least 1. Nothing is read outside the rows.
 *
 * Every kernel gives the same bits: sums run over 16 lanes (lane j takes the elements k = j mod 16,
 * in order) which are added in a fixed tree, and every multiply-add is fused.
 *
 * Logits: with m the largest, terms with z - m < -350 count as 0 (they are below 1e-152, S >= 1).
 * So no intermediate result is subnormal, and the processor's flush modes don't matter.
 */
#ifndef CRD_MATH_ROWS_H
#define CRD_MATH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* The smallest probability whose logarithm is taken: a row of probability 0 counts 690.8 instead of
 * making the mean infinite. Calibrators may have their own floor (data/floor.h). */
#define CRD__LEAST_PROBABILITY 1e-300

typedef enum { CRD__ROW_F16, CRD__ROW_F32, CRD__ROW_F64 } crd__math_row_type;

/* Members that cost extra are computed only on request, and are 0 otherwise. */
enum { CRD__WANT_SQUARE = 1, CRD__WANT_MEAN = 2 };

typedef struct {
  double top;    /* largest logit m; largest p */
  size_t argmax; /* of the largest; lowest index on ties */
  double mass;   /* logits: S = sum exp(z - m) >= 1; probabilities: sum p */
  double mean;   /* logits: sum exp(z - m)(z - m) <= 0; probabilities: sum p log max(p, 1e-300) */
  double square; /* logits: sum exp(z - m)^2; probabilities: sum p^2 */
  double low;    /* probabilities: smallest p; logits: 0 */
  bool finite;   /* no NaN, no infinity; if false, the other members are undefined */
} crd__math_row_summary;

typedef void crd__math_row_summarise(const void *data, crd__math_row_type type, size_t rows,
                                     size_t cols, unsigned want, crd__math_row_summary *out);
typedef void crd__math_row_convert(const void *data, crd__math_row_type type, size_t rows,
                                   size_t cols, double *out);

/* Finds the maximum of each row, without exponentials: `top`, `argmax`, `finite` of a summary. */
typedef void crd__math_row_find_peaks(const void *data, crd__math_row_type type, size_t rows,
                                      size_t cols, crd__math_row_summary *out);

/* Computes, with d = z - top and e = exp(b d), b > 0, the sum of e and, with `moments`, of e d, e
 * d^2, e d^3. Terms with b d < -350 count as 0. `top` is the maximum of each row, and finite. */
typedef struct {
  double mass, mean, square, cube;
} crd__math_row_moments;
typedef void crd__math_row_moments_fn(const void *data, crd__math_row_type type, size_t rows,
                                      size_t cols, double b, const double *top, bool moments,
                                      crd__math_row_moments *out);

/* Computes softmax, and the summary without `square`, with one exponential for both. */
typedef void crd__math_row_softmax_summary(const void *data, crd__math_row_type type, size_t rows,
                                           size_t cols, crd__math_row_summary *sum, double *out);

typedef struct {
  const char *name;
  bool (*usable)(void); /* on this processor */
  crd__math_row_summarise *logits;
  crd__math_row_summarise *probabilities;
  crd__math_row_find_peaks *peaks;
  crd__math_row_moments_fn *temper;
  crd__math_row_convert *softmax; /* exp(z - m) * (1 / S), rows x cols; 0 where z - m < -708 */
  crd__math_row_softmax_summary *resolve;
  crd__math_row_convert *normalise; /* p / sum p */
} crd__math_row_kernels;

const crd__math_row_kernels *
crd__math_row_kernels_at(size_t i); /* fastest first; NULL past the end */
const crd__math_row_kernels *crd__math_row_kernels_best(void); /* the first usable one */

static inline size_t crd__math_row_type_size(crd__math_row_type type) {
  return type == CRD__ROW_F64 ? 8 : type == CRD__ROW_F32 ? 4 : 2;
}

/* Returns element k of a row. */
double crd__math_row_score(const void *row, crd__math_row_type type, size_t k);

/* Returns sum p log max(p, 1e-300); shared by all kernels, since the C library's log dominates. */
double crd__math_row_mean_log(const void *row, crd__math_row_type type, size_t cols);

#endif

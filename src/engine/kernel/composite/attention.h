/*
 * attention.h -- scaled dot-product attention (Vaswani et al., 2017), as ONNX defines it:
 *
 *   s = scale q . k;  s = softcap tanh(s / softcap);  p = softmax(s + bias);  y = sum of p v
 *
 * for each query row of each head. The bias is a mask, and -infinity for keys that the row may not
 * attend to; a row without keys is 0. Several query heads may share a head of keys and values
 * (grouped-query attention). Keys and values may begin with those of earlier calls (`past`).
 *
 * Rows are computed in float64 (but for the exponentials of others), in blocks, so that only a
 * block of the matrix p is in memory; the backward pass computes it again.
 */
#ifndef CRD_ENGINE_KERNEL_ATTENTION_H
#define CRD_ENGINE_KERNEL_ATTENTION_H

#include "credence/array.h"

#include <stdbool.h>

/* What the optional result `scores` contains. */
typedef enum {
  CRD__SCORES_PRODUCT, /* scale q . k */
  CRD__SCORES_CAPPED,
  CRD__SCORES_BIASED,
  CRD__SCORES_SOFTMAX
} crd__kernel_scores;

/* Strides of batch, head and row, in elements. */
typedef struct {
  size_t batch, head, row;
} crd__kernel_heads;

typedef struct {
  crd_dtype dtype;              /* of all arrays but the mask */
  size_t batch, heads, groups;  /* groups: heads of keys and values */
  size_t queries, keys, past;   /* keys: all, of which the first `past` are of earlier calls */
  size_t size, value_size;      /* elements of a query or key, and of a value */
  crd__kernel_heads q, k, v, y; /* k and v: without the past, which is in C order */
  double scale, softcap;        /* softcap 0: none */
  bool causal;
  int64_t left, right; /* how far a row may look; -1: to the end */
  bool masked, mask_is_bool;
  size_t mask_keys;     /* keys beyond these are masked */
  size_t mask_steps[3]; /* strides of batch, head and row; 0: the same for all */
  crd__kernel_scores kind;
} crd__kernel_attention;

/* The arrays; those that may be NULL: mask, past keys and values, lengths. */
typedef struct {
  const void *q, *k, *v, *mask, *past_k, *past_v;
  const int64_t *lengths; /* for each sample: the number of keys that are not padding */
} crd__kernel_attention_in;

/* Return the number of doubles of workspace, for either pass. */
size_t crd__kernel_attention_workspace(const crd__kernel_attention *a, unsigned threads);

/* Compute y and, unless NULL, the scores: batch x heads x queries x keys in C order. */
void crd__kernel_attention_run(unsigned threads, const crd__kernel_attention *a,
                               const crd__kernel_attention_in *in, void *y, void *scores,
                               double *workspace);

/* Copy past and new keys, or values, of `size` elements into one array in C order. */
void crd__kernel_attention_join(const crd__kernel_attention *a, crd__kernel_heads heads,
                                size_t size, const void *past, const void *x, void *y);

/* The gradients with respect to all arrays, in float32, in the layouts of these; that with respect
 * to the mask for each sample, head, query and key (mask_keys of them). NULL: not computed. */
typedef struct {
  float *q, *k, *v, *past_k, *past_v, *mask;
} crd__kernel_attention_out;
void crd__kernel_attention_back(unsigned threads, const crd__kernel_attention *a,
                                const crd__kernel_attention_in *in, const float *dy,
                                const crd__kernel_attention_out *out, double *workspace);

#endif

/* credence/embedding.h -- predictions as points of a plane, close where their rows are close. */
#ifndef CREDENCE_EMBEDDING_H
#define CREDENCE_EMBEDDING_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Points of a plane by t-SNE. Only who is close to whom can be read from them: axes, sizes of
 * groups and large distances mean nothing.
 */
typedef struct {
  const char *name; /* of the predictions */
  size_t all_rows;  /* of the predictions, of which ... */
  size_t count;     /* ... so many have a point, in their order */
  size_t classes;
  int features; /* non-zero: close by features; 0: by logits */
  double perplexity;
  const size_t *row; /* which row a point is */
  const double *x, *y;
  const size_t *label;          /* the true class */
  const unsigned char *correct; /* 1: the predicted class is the true one */
} crd_embedding;

/** All zero is the default. */
typedef struct {
  size_t rows;         /* that get a point: of more, so many are drawn by the seed; 0: 5000 */
  double perplexity;   /* how many neighbours count, about; 0: 30, or a third of few rows */
  unsigned iterations; /* 0: 1000 */
} crd_embed_options;

/**
 * Arrange predictions by their features, where they have some, else by their logits (probabilities
 * by their logarithms, with 2.2e-16 as the least). EINPUT for confidence pairs, for fewer than 4
 * rows, and for a perplexity that the rows cannot reach. It keeps no pointer to the predictions.
 */
CRD_API CRD_CHECK crd_status crd_embed(crd_context *ctx, const crd_predictions *predictions,
                                       const crd_embed_options *options, crd_embedding **out);
/** Release it. NULL is allowed. */
CRD_API void crd_embedding_destroy(crd_embedding *embedding);

#ifdef __cplusplus
}
#endif
#endif

/* credence/embedding.h -- 2-D embedding of predictions by t-SNE. */
#ifndef CREDENCE_EMBEDDING_H
#define CREDENCE_EMBEDDING_H

#include "credence/predictions.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A 2-D embedding (t-SNE). Only neighbourhoods are meaningful: axes, sizes of clusters and large
 * distances are not.
 */
typedef struct {
  const char *name; /* of the predictions */
  size_t all_rows;  /* rows of the predictions ... */
  size_t count;     /* ... and the number of them that were embedded, in their order */
  size_t classes;
  int features; /* non-zero: distances between features; 0: between logits */
  double perplexity;
  const size_t *row; /* the row of each point */
  const double *x, *y;
  const size_t *label;          /* the true class */
  const unsigned char *correct; /* 1: the predicted class is the true class */
} crd_embedding;

/** All zero is the default. */
typedef struct {
  size_t size;         /* sizeof(crd_embed_options) */
  size_t rows;         /* embedded at most; of more, a random sample is drawn; 0: 5000 */
  double perplexity;   /* effective number of neighbours; 0: 30, or a third of the rows if fewer */
  unsigned iterations; /* 0: 1000 */
} crd_embed_options;

/**
 * Embeds the features of predictions if they have any, else their logits (for probabilities, the
 * logarithms, of at least 2.2e-16). Keeps no pointer to the predictions. CRD_EINPUT for confidence
 * pairs, fewer than 4 rows, and a perplexity that the rows cannot reach.
 */
CRD_API CRD_NODISCARD crd_status crd_embed(crd_context *ctx, const crd_predictions *predictions,
                                           const crd_embed_options *options,
                                           const crd_embedding **out);
/** Destroys an embedding; NULL is allowed. */
CRD_API void crd_embedding_destroy(const crd_embedding *embedding);

#ifdef __cplusplus
}
#endif
#endif

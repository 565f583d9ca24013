/*
 * tsne.h -- t-SNE: rows of many columns as points of a plane, close where the rows are close.
 *
 * Affinities P of rows (affinity.h) and q of points (tsne_gradient.h) are brought together by
 * gradient descent with momentum and a gain for each coordinate, from the plane in which the rows
 * differ most (principal.h). Only who is close to whom can be read from the result; axes, sizes of
 * groups and large distances mean nothing.
 *
 * Step length, gains and the two stages are those of scikit-learn, whose learning rate is that of
 * Belkina et al.: Automated optimized parameters for t-SNE (Nature Communications 10, 2019); the
 * method is van der Maaten's: Accelerating t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_TSNE_H
#define CRD_MATH_TSNE_TSNE_H

#include "base/context.h"

typedef struct {
  double perplexity;   /* how many neighbours count, roughly: from 1 to rows - 1 */
  unsigned iterations; /* the first 250 of them exaggerate */
  double angle;        /* 0 to 1: squares that look smaller act as one point; 0 is exact and slow */
} crd__math_tsne_options;

extern const crd__math_tsne_options crd__math_tsne_defaults;

/*
 * x: rows x width, finite; options NULL: the defaults; out: rows x 2, untouched on failure.
 * The same bits for the same data and seed. As in scikit-learn a perplexity that the rows cannot
 * reach is refused; one above a third of them is served by fewer than three times as many
 * neighbours: by all.
 */
crd_status crd__math_tsne(crd_context *ctx, const double *x, size_t rows, size_t width,
                          const crd__math_tsne_options *options, double *out);

#endif

/*
 * tsne.h -- t-SNE: 2-D embedding of the rows of a matrix.
 *
 * The divergence between affinities P of rows (affinity.h) and q of points (tsne_gradient.h) is
 * minimised by gradient descent with momentum and a gain for each coordinate, starting from the
 * first two principal components (principal.h). Only neighbourhoods are meaningful in the result;
 * axes, sizes of clusters and large distances are not.
 *
 * Step length, gains and the two stages are those of scikit-learn, whose learning rate is that of
 * Belkina et al.: Automated optimized parameters for t-SNE (Nature Communications 10, 2019); the
 * method is van der Maaten's: Accelerating t-SNE using tree-based algorithms (JMLR 15, 2014).
 */
#ifndef CRD_MATH_TSNE_TSNE_H
#define CRD_MATH_TSNE_TSNE_H

#include "base/context.h"

typedef struct {
  double perplexity;   /* effective number of neighbours, from 1 to rows - 1 */
  unsigned iterations; /* the first 250 with exaggeration */
  double angle; /* 0 to 1: squares that appear smaller act as one point; 0 is exact and slow */
} crd__math_tsne_options;

extern const crd__math_tsne_options crd__math_tsne_defaults;

/*
 * Embeds x (rows x width, finite) into out (rows x 2), which is untouched on failure. options NULL:
 * the defaults. The same bits for the same data and seed. As in scikit-learn, a perplexity that the
 * rows cannot reach is CRD_EINPUT, and one above a third of the rows uses all rows as neighbours,
 * which are then fewer than 3 * perplexity.
 */
crd_status crd__math_tsne(crd_context *ctx, const double *x, size_t rows, size_t width,
                          const crd__math_tsne_options *options, double *out);

#endif

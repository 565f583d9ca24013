/*
 * bent.h -- a monotone piecewise-linear map of logits, measured from a row's largest logit.
 *
 * The map has pieces with constant slopes: piece 0 from the largest logit down to knots[0], piece j
 * from knots[j - 1] down to knots[j], the last one unbounded. With v_j(x) the length of the part of
 * [x, largest logit] that lies in piece j, x becomes -sum_j slopes[j] v_j(x): linear in the slopes,
 * so the negative log-likelihood of a softmax is convex in them.
 */
#ifndef CRD_CALIBRATOR_BENT_H
#define CRD_CALIBRATOR_BENT_H

#include <stddef.h>

enum { CRD__PIECES_MAX = 64 };

typedef struct {
  size_t pieces;        /* from 1 to CRD__PIECES_MAX */
  const double *knots;  /* pieces - 1, in descending order */
  const double *slopes; /* above 0 */
} crd__calibrator_bent;

/* Maps a row: out[k] <= 0, and 0 for the largest; `out` may be x. */
void crd__calibrator_bent_map(const crd__calibrator_bent *line, const double *x, size_t classes,
                              double *out);

/* Adds weight times -log softmax(mapped row)[label] to sums[0], its derivatives with respect to the
 * slopes to the next `pieces` sums, and its second derivatives to those after them (lower triangle,
 * row-major). */
void crd__calibrator_bent_add(const crd__calibrator_bent *line, const double *x, size_t classes,
                              size_t label, double weight, double *sums);
static inline size_t crd__calibrator_bent_terms(size_t pieces) {
  return 1 + pieces + pieces * (pieces + 1) / 2;
}

#endif

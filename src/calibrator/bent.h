/*
 * bent.h -- rows through a rising line with bends, as it is seen from a row's largest logit.
 *
 * The line falls from there in pieces, each with its slope: piece 0 down to knots[0], piece j from
 * knots[j - 1] down to knots[j], the last one without end. With v_j(x) the part of the way from the
 * largest logit down to x that lies in piece j, x becomes -sum_j slopes[j] v_j(x): linear in the
 * slopes, so that the likelihood of a softmax is convex in them.
 */
#ifndef CRD_CALIBRATOR_BENT_H
#define CRD_CALIBRATOR_BENT_H

#include <stddef.h>

enum { CRD__PIECES_MAX = 64 };

typedef struct {
  size_t pieces;        /* from 1 to CRD__PIECES_MAX */
  const double *knots;  /* one fewer, not rising */
  const double *slopes; /* above 0 */
} crd__calibrator_bent;

/* out[k] <= 0, and 0 for the largest; `out` may be x. */
void crd__calibrator_bent_map(const crd__calibrator_bent *line, const double *x, size_t classes,
                              double *out);

/* Adds weight times -log softmax(mapped row)[label] to sums[0], its derivatives by the slopes to
 * the next `pieces` sums, and its second derivatives to those after them: row by row of the
 * matrix's lower half. */
void crd__calibrator_bent_add(const crd__calibrator_bent *line, const double *x, size_t classes,
                              size_t label, double weight, double *sums);
static inline size_t crd__calibrator_bent_terms(size_t pieces) {
  return 1 + pieces + pieces * (pieces + 1) / 2;
}

#endif

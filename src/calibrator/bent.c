/*
 * bent.c -- value and derivatives in O(classes + pieces^2) per row.
 *
 * A class in piece s covers the full length d_j of every piece j before s, and a length u of its
 * own. So with e_j = E[v_j] over the softmax, and t_j the probability of the classes beyond piece
 * j:
 *
 *   e_j         = d_j t_j + E[u; s = j]
 *   E[v_i v_j]  = d_i e_j for i < j,   d_j^2 t_j + E[u^2; s = j] for i = j
 *
 * and no class needs a sum over pairs of pieces.
 */
#include "calibrator/bent.h"

#include <math.h>

/* Common to all classes of a row: where its pieces begin, their lengths, and how far the map has
 * fallen there. */
typedef struct {
  double from[CRD__PIECES_MAX], length[CRD__PIECES_MAX], fallen[CRD__PIECES_MAX];
} descent;

static void look_down(const crd__calibrator_bent *line, const double *x, size_t classes,
                      descent *d) {
  double top = x[0], fallen = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, x[k]);
  for (size_t j = 0; j < line->pieces; j++) {
    d->from[j] = j ? fmin(top, line->knots[j - 1]) : top;
    d->length[j] = j + 1 < line->pieces ? fmax(0, d->from[j] - line->knots[j]) : 0;
    d->fallen[j] = fallen;
    fallen += line->slopes[j] * d->length[j];
  }
}

/* Returns the piece that contains x, by binary search: the number of knots not below it. */
static size_t piece_of(const crd__calibrator_bent *line, double x) {
  size_t low = 0, high = line->pieces - 1;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (line->knots[middle] >= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

static double depth(const crd__calibrator_bent *line, const descent *d, size_t piece, double x) {
  return d->fallen[piece] + line->slopes[piece] * (d->from[piece] - x);
}

void crd__calibrator_bent_map(const crd__calibrator_bent *line, const double *x, size_t classes,
                              double *out) {
  descent d;
  look_down(line, x, classes, &d);
  for (size_t k = 0; k < classes; k++) out[k] = -depth(line, &d, piece_of(line, x[k]), x[k]);
}

/* Sums over the classes of each piece, weighted by their probabilities, of 1, u and u^2. */
typedef struct {
  double mass[CRD__PIECES_MAX], way[CRD__PIECES_MAX], square[CRD__PIECES_MAX];
} moments;

static double gather(const crd__calibrator_bent *line, const descent *d, const double *x,
                     size_t classes, moments *m) {
  double total = 0;
  for (size_t j = 0; j < line->pieces; j++) m->mass[j] = m->way[j] = m->square[j] = 0;
  for (size_t k = 0; k < classes; k++) {
    const size_t s = piece_of(line, x[k]);
    const double u = d->from[s] - x[k], p = exp(-depth(line, d, s, x[k]));
    total += p;
    m->mass[s] += p;
    m->way[s] += p * u;
    m->square[s] += p * u * u;
  }
  return total;
}

void crd__calibrator_bent_add(const crd__calibrator_bent *line, const double *x, size_t classes,
                              size_t label, double weight, double *sums) {
  const size_t own = piece_of(line, x[label]);
  double expected[CRD__PIECES_MAX], tail = 0, *second = sums + 1 + line->pieces;
  descent d;
  moments m;
  look_down(line, x, classes, &d);
  const double total = gather(line, &d, x, classes, &m);
  sums[0] += weight * (log(total) + depth(line, &d, own, x[label]));
  for (size_t j = line->pieces; j-- > 0;) {
    const double gone = j < own ? d.length[j] : j == own ? d.from[j] - x[label] : 0;
    expected[j] = (d.length[j] * tail + m.way[j]) / total;
    m.square[j] = (d.length[j] * d.length[j] * tail + m.square[j]) / total;
    sums[1 + j] += weight * (gone - expected[j]);
    tail += m.mass[j];
  }
  for (size_t j = 0; j < line->pieces; j++) {
    for (size_t i = 0; i < j; i++) *second++ += weight * (d.length[i] - expected[i]) * expected[j];
    *second++ += weight * fmax(0, m.square[j] - expected[j] * expected[j]);
  }
}

/* cells.c -- bins between given edges: numpy.searchsorted, numpy.linspace, torch.linspace. */
#include "convention/cells.h"

#include <math.h>
#include <string.h>

size_t crd__convention_edges_below(const double *edges, size_t count, double value, bool equal) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (edges[middle] < value || (equal && edges[middle] == value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

void crd__convention_cells_divide(crd__convention_cell *cells, size_t count) {
  for (size_t m = 0; m < count; m++) {
    if (!(cells[m].count > 0)) continue;
    cells[m].confidence /= cells[m].count;
    cells[m].accuracy /= cells[m].count;
  }
}

void crd__convention_cells_fill(const crd__convention_samples *samples,
                                const crd__convention_binning *cutting,
                                crd__convention_cell *cells) {
  memset(cells, 0, cutting->cells * sizeof *cells);
  for (size_t i = 0; i < samples->count; i++) {
    const double value = samples->value[i];
    size_t below =
        crd__convention_edges_below(cutting->edges, cutting->cells + 1, value, cutting->left);
    if (below == 0 || below > cutting->cells) {
      if (!cutting->outsiders) continue;
      below = below ? cutting->cells : 1;
    }
    crd__convention_cell *const cell = &cells[below - 1];
    cell->count++;
    cell->confidence += value;
    cell->accuracy += samples->is[i];
  }
  crd__convention_cells_divide(cells, cutting->cells);
}

double crd__convention_cells_error(const crd__convention_cell *cells, size_t count, size_t rows,
                                   crd__convention_norm norm) {
  double linear = 0, square = 0, largest = 0, plain = 0, used = 0;
  for (size_t m = 0; m < count; m++) {
    const double gap = fabs(cells[m].accuracy - cells[m].confidence);
    linear += cells[m].count * gap;
    square += cells[m].count * gap * gap;
    largest = fmax(largest, gap);
    plain += gap;
    used += cells[m].count > 0;
  }
  const double errors[] = { [CRD__NORM_L1] = linear / (double)rows,
                            [CRD__NORM_L2] = sqrt(square / (double)rows),
                            [CRD__NORM_MAX] = largest,
                            [CRD__NORM_MEAN] = used > 0 ? plain / used : (double)NAN };
  return errors[norm];
}

void crd__convention_edges_numpy(double *edges, size_t bins) {
  const double step = 1 / (double)bins;
  for (size_t i = 0; i < bins; i++) edges[i] = (double)i * step;
  edges[bins] = 1;
}

void crd__convention_edges_torch(double *edges, size_t bins, bool single) {
  const double step = 1 / (double)bins;
  const float rough = 1 / (float)bins;
  for (size_t i = 0; i <= bins; i++) {
    const bool lower = i < (bins + 1) / 2;
    const size_t steps = lower ? i : bins - i;
    if (single) edges[i] = lower ? rough * (float)steps : fmaf(-rough, (float)steps, 1);
    else edges[i] = lower ? step * (double)steps : fma(-step, (double)steps, 1);
  }
}

/* laplace.c -- kernel sums over all pairs of rows, by sorting (laplace.h). */
#include "loss/laplace.h"
#include "math/sort.h"

#include <math.h>

/* Added under the root: a small M is dominated by rounding, and the root has no slope at 0. */
static const double offset = 1e-12;

/* Rows sorted by confidence: records of (confidence, row), then arrays in that order. */
typedef struct {
  size_t count;
  double bandwidth;
  uint64_t *records;
  double *value, *slope, *below; /* u, u', and the kernel sum of rows of lower confidence */
} line;

static double confidence(const line *l, size_t place) {
  return crd__math_sort_value(l->records[2 * place]);
}
static size_t row_of(const line *l, size_t place) { return (size_t)l->records[2 * place + 1]; }

/* Returns the kernel between two neighbours, the factor by which a running sum decays. */
static double fading(const line *l, size_t low, size_t high) {
  return exp(-(confidence(l, high) - confidence(l, low)) / l->bandwidth);
}

/* Returns the start of the block of equal confidences that ends at `to`. */
static size_t block_begin(const line *l, size_t to) {
  size_t from = to - 1;
  while (from > 0 && l->records[2 * (from - 1)] == l->records[2 * (to - 1)]) from--;
  return from;
}

static double block_sum(const line *l, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; i++) sum += l->value[i];
  return sum;
}

/* Sets below[i] to the sum of kernel times value over the rows before i; in a block of equal
 * confidences only that of the first row is used. */
static void sum_below(const line *l) {
  double below = 0;
  for (size_t i = 0; i < l->count; i++) {
    if (i > 0) below *= fading(l, i - 1, i);
    l->below[i] = below;
    below += l->value[i];
  }
}

/* Runs from the highest confidence down; returns M, and replaces below[i] by dM/dc of each row. */
static double sum_up(const line *l) {
  double above = 0, form = 0;
  for (size_t to = l->count, from; to > 0; to = from) {
    if (to < l->count) above *= fading(l, to - 1, to);
    from = block_begin(l, to);
    const double own = block_sum(l, from, to), all = l->below[from] + own + above;
    const double tilt = (l->below[from] - above) / l->bandwidth;
    for (size_t i = from; i < to; i++) {
      form += l->value[i] * all;
      l->below[i] = 2 * (l->slope[i] * all - l->value[i] * tilt);
    }
    above += own;
  }
  return fmax(form, 0);
}

const crd_setting_info crd__loss_laplace_bandwidth = {
  .name = "bandwidth",
  .help = "bandwidth of the Laplacian kernel over confidences",
  .standard = "0.4",
  .low = 0.001,
  .high = 1000,
};

double crd__loss_laplace_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                                 const crd__loss_slopes *slopes,
                                 crd__loss_laplace_row (*one)(const crd__loss_batch *batch,
                                                              size_t row, const double *parts),
                                 const double *parts) {
  double *const kept = term->row_kept;
  line l = { .bandwidth = term->settings[0],
             .records = (void *)kept,
             .value = kept + 2 * batch->rows,
             .slope = kept + 3 * batch->rows,
             .below = kept + 4 * batch->rows };
  for (size_t i = 0; i < batch->rows; i++) {
    if (!(batch->weight[i] > 0)) continue;
    l.records[2 * l.count] = crd__math_sort_key(batch->confidence[i]);
    l.records[2 * l.count++ + 1] = i;
  }
  crd__math_sort_records(l.records, l.count, 2);
  for (size_t i = 0; i < l.count; i++) {
    const crd__loss_laplace_row row = one(batch, row_of(&l, i), parts);
    l.value[i] = row.value;
    l.slope[i] = row.slope;
  }
  sum_below(&l);
  const double root = sqrt(sum_up(&l) + offset);
  for (size_t i = 0; i < l.count; i++)
    slopes->confidence[row_of(&l, i)] += term->scale * l.below[i] / (2 * root);
  return root;
}

/* class_pairs.c -- counts and ranks the probabilities of each class. */
#include "metric/class_pairs.h"

static size_t cells(const crd__metric_shape *shape) { return shape->classes; }

static void add(crd__sum *sums, const crd__metric_shape *shape, const crd__data_rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    for (size_t k = 0; k < shape->classes; k++)
      sums[k].whole += crd__metric_pair_kept(rows->probabilities[i * shape->classes + k]);
}

static void put_pairs(crd__metric_ranking *rankings, atomic_size_t *next,
                      const crd__data_rows *rows, uint64_t first_row) {
  for (size_t i = 0; i < rows->count; i++) {
    const double *const p = rows->probabilities + i * rows->classes;
    for (size_t k = 0; k < rows->classes; k++) {
      if (!crd__metric_pair_kept(p[k])) continue;
      const size_t at = atomic_fetch_add_explicit(&next[k], 1, memory_order_relaxed);
      if (at >= rankings[k].capacity) continue;
      crd__metric_ranking_set(&rankings[k], at, p[k], first_row + crd__data_row_number(rows, i),
                              k == rows->label[i], rows->weight[i]);
      if (rankings[k].kind.clustered)
        crd__metric_ranking_set_cluster(&rankings[k], at, rows->cluster[i]);
    }
  }
}

const crd__metric_tally crd__metric_class_pairs = { .name = "class-pairs",
                                                    .needs = CRD__NEED_PROBABILITIES,
                                                    .cells = cells,
                                                    .add = add,
                                                    .put_pairs = put_pairs,
                                                    .pairs = "probabilities above 0.001" };

/*
 * tree.c -- evaluates ensembles of decision trees (tree.h).
 *
 * Rows are taken in blocks, and a block passes through one tree after the other, so that a tree
 * stays in the cache; the sums of a row are in the order of the trees whatever the blocks. A node's
 * condition is a lookup: the outcome of the comparison selects a bit of `truth`, which also says
 * where missing values (NaN) go.
 */
#include "graph/op/tree.h"

#include <math.h>

enum { ROWS = 64 };

static bool is_member(const double *set, double x) {
  for (; !isnan(*set); set++)
    if (*set == x) return true;
  return false;
}

static bool is_true(const crd__graph_trees *t, const crd__graph_tree_node *n, double x) {
  const unsigned outcome = x < n->split    ? CRD__TREE_LESS
                           : x == n->split ? CRD__TREE_EQUAL
                           : x > n->split  ? CRD__TREE_GREATER
                                           : CRD__TREE_NAN;
  if (!n->member) return (n->truth & outcome) != 0;
  return isnan(x) ? (n->truth & CRD__TREE_NAN) != 0 : is_member(t->members + (size_t)n->split, x);
}

static const crd__graph_tree_node *leaf_of_f32(const crd__graph_trees *t, int32_t root,
                                               const float *x) {
  const crd__graph_tree_node *n = &t->nodes[root];
  while (n->feature != CRD__TREE_LEAF) n = &t->nodes[n->next[is_true(t, n, (double)x[n->feature])]];
  return n;
}

static const crd__graph_tree_node *leaf_of_f64(const crd__graph_trees *t, int32_t root,
                                               const double *x) {
  const crd__graph_tree_node *n = &t->nodes[root];
  while (n->feature != CRD__TREE_LEAF) n = &t->nodes[n->next[is_true(t, n, x[n->feature])]];
  return n;
}

static void add_weights(const crd__graph_trees *t, const crd__graph_tree_node *leaf, double *sums) {
  for (int32_t w = leaf->next[0]; w < leaf->next[1]; w++) {
    double *const sum = &sums[t->ids[w]];
    if (t->by <= CRD__TREES_SUM) *sum += t->weights[w];
    else if (t->by == CRD__TREES_MIN) *sum = t->weights[w] < *sum ? t->weights[w] : *sum;
    else *sum = t->weights[w] > *sum ? t->weights[w] : *sum;
  }
}

/* Before the first tree, and after the last: targets that no leaf has a weight for are 0. */
static void begin(const crd__graph_trees *t, size_t count, double *sums) {
  const double first = t->by == CRD__TREES_MIN ? INFINITY : t->by == CRD__TREES_MAX ? -INFINITY : 0;
  for (size_t i = 0; i < count; i++) sums[i] = first;
}

static void finish(const crd__graph_trees *t, size_t count, double *sums) {
  for (size_t i = 0; i < count; i++)
    sums[i] = t->by == CRD__TREES_AVERAGE ? sums[i] / (double)(t->root_count ? t->root_count : 1)
              : isinf(sums[i])            ? 0
                                          : sums[i];
}

static void run_block(const crd__graph_trees *t, crd_dtype dtype, const void *x, size_t from,
                      size_t to, double *sums) {
  for (size_t r = 0; r < t->root_count; r++)
    for (size_t i = from; i < to; i++) {
      const crd__graph_tree_node *const leaf =
          dtype == CRD_F64 ? leaf_of_f64(t, t->roots[r], (const double *)x + i * t->columns)
                           : leaf_of_f32(t, t->roots[r], (const float *)x + i * t->columns);
      add_weights(t, leaf, sums + i * t->targets);
    }
}

void crd__graph_trees_run(const crd__graph_trees *t, crd_dtype dtype, const void *x, size_t from,
                          size_t to, double *sums) {
  begin(t, (to - from) * t->targets, sums + from * t->targets);
  for (size_t i = from; i < to; i += ROWS)
    run_block(t, dtype, x, i, to - i < ROWS ? to : i + ROWS, sums);
  finish(t, (to - from) * t->targets, sums + from * t->targets);
}

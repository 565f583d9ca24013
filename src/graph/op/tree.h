/*
 * tree.h -- ensembles of decision trees: read from the attributes of a node (tree_read.c), and
 * evaluated on rows (tree.c).
 */
#ifndef CRD_GRAPH_OP_TREE_H
#define CRD_GRAPH_OP_TREE_H

#include "graph/op/ml.h"

enum { CRD__TREE_LEAF = -1 };

/* Outcomes of comparing a value with a split, as bits of crd__graph_tree_node.truth. */
enum { CRD__TREE_LESS = 1, CRD__TREE_EQUAL = 2, CRD__TREE_GREATER = 4, CRD__TREE_NAN = 8 };

typedef struct {
  double split;    /* or the index of its first member */
  int32_t feature; /* LEAF: a leaf */
  int32_t next[2]; /* the nodes if the condition is false and true; of a leaf: its weights, the
                      first one and one past the last */
  uint8_t truth;   /* the outcomes for which the condition is true */
  bool member;     /* the condition: the value is a member of a set */
} crd__graph_tree_node;

typedef enum {
  CRD__TREES_AVERAGE,
  CRD__TREES_SUM,
  CRD__TREES_MIN,
  CRD__TREES_MAX
} crd__graph_trees_by;

typedef struct {
  size_t node_count, weight_count, root_count, targets, columns;
  crd__graph_tree_node *nodes;
  int32_t *roots;
  int32_t *ids;    /* of the weights: the target or class that each is for ... */
  double *weights; /* ... and its value */
  double *members; /* sets, each ended by NaN */
  crd__graph_trees_by by;
} crd__graph_trees;

/* The names of the attributes with the weights of leaves: of classes, or of targets. */
typedef struct {
  const char *trees, *nodes, *ids, *weights;
} crd__graph_tree_names;

/* Read the trees of TreeEnsembleClassifier and TreeEnsembleRegressor, with `targets` and `columns`
 * set, into memory of the network. Fails if lists have different lengths, a node is missing, has
 * two parents or an unknown mode, or a feature or target is out of range. */
crd_status crd__graph_trees_read(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                 const crd__graph_tree_names *names, crd__graph_trees *t);
/* The same of TreeEnsemble, where leaves are not nodes, and modes are numbers. */
crd_status crd__graph_trees_read_flat(crd_context *ctx, crd__graph *net,
                                      const crd__graph_node *node, crd__graph_trees *t);

/* Sum the weights of the leaves that rows reach, tree by tree in order (or their average, least or
 * largest): row i to sums[i * targets]. x: rows of f32, or f64. */
void crd__graph_trees_run(const crd__graph_trees *t, crd_dtype dtype, const void *x, size_t from,
                          size_t to, double *sums);

#endif

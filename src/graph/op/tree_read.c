/*
 * tree_read.c -- reads ensembles of decision trees from the lists of a node's attributes (tree.h).
 *
 * Each node has at most one parent and roots have none, so that a walk from a root cannot meet a
 * node twice: it ends at a leaf.
 */
#include "base/memory.h"
#include "graph/op/tree.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The index of a node, by the ids of its tree and node. */
typedef struct {
  int64_t tree, id;
  int32_t index;
} key;

typedef struct {
  crd_context *ctx;
  crd__graph *net;
  const crd__graph_node *node;
  crd__graph_trees *t;
  key *keys; /* sorted */
  bool *child;
  crd__graph_numbers tree_ids, node_ids, features, splits, yes, no, missing;
} reading;

/* The conditions, in the order of TreeEnsemble's numbers. NaN differs from any split. */
enum { MEMBER = 6 };
static const struct {
  const char *name;
  uint8_t truth;
} modes[] = {
  { "BRANCH_LEQ", CRD__TREE_LESS | CRD__TREE_EQUAL },
  { "BRANCH_LT", CRD__TREE_LESS },
  { "BRANCH_GTE", CRD__TREE_EQUAL | CRD__TREE_GREATER },
  { "BRANCH_GT", CRD__TREE_GREATER },
  { "BRANCH_EQ", CRD__TREE_EQUAL },
  { "BRANCH_NEQ", CRD__TREE_LESS | CRD__TREE_GREATER | CRD__TREE_NAN },
  { "BRANCH_MEMBER", 0 },
};
enum { MODES = sizeof modes / sizeof *modes };

/* ---- Memory and lists. */

static crd_status reserve(reading *r, size_t nodes, size_t weights) {
  crd__graph_trees *const t = r->t;
  crd__engine *const engine = &r->net->engine;
  if (nodes > INT32_MAX / 2 || weights > INT32_MAX / 2)
    return crd__graph_node_fail(r->ctx, r->node, "it has %zu nodes and %zu weights, too many",
                                nodes, weights);
  t->node_count = nodes;
  t->weight_count = weights;
  CRD_TRY(crd__engine_memory(r->ctx, engine, nodes, sizeof *t->nodes, &t->nodes));
  CRD_TRY(crd__engine_memory(r->ctx, engine, nodes, sizeof *t->roots, &t->roots));
  CRD_TRY(crd__engine_memory(r->ctx, engine, weights, sizeof *t->ids, &t->ids));
  CRD_TRY(crd__engine_memory(r->ctx, engine, weights, sizeof *t->weights, &t->weights));
  CRD_TRY(crd__new(r->ctx, nodes + 1, sizeof *r->keys, "a tree", &r->keys));
  return crd__new(r->ctx, nodes + 1, sizeof *r->child, "a tree", &r->child);
}

static void clear(reading *r) {
  crd__free(&r->ctx->alloc, r->keys);
  crd__free(&r->ctx->alloc, r->child);
}

/* Read a list that has `count` elements, or none if it is optional. */
static crd_status read_list(const reading *r, const char *name, size_t count, bool optional,
                            crd__graph_numbers *out) {
  CRD_TRY(crd__graph_ml_numbers(r->ctx, r->node, name, out));
  if (optional && !out->count) return CRD_OK;
  return crd__graph_ml_count(r->ctx, r->node, name, out->count, count);
}

static int64_t at(const crd__graph_numbers *list, size_t index) {
  if (list->ints) return list->ints[index];
  const double value = crd__graph_ml_number(list, index);
  return value >= -0x1p62 && value <= 0x1p62 ? (int64_t)value : -1;
}

/* ---- Nodes. */

static int compare_keys(const void *a, const void *b) {
  const key *const x = a, *const y = b;
  if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static int32_t find_node(const reading *r, int64_t tree, int64_t id) {
  const key wanted = { .tree = tree, .id = id };
  const key *const found =
      bsearch(&wanted, r->keys, r->t->node_count, sizeof *r->keys, compare_keys);
  return found ? found->index : CRD__TREE_LEAF;
}

static crd_status sort_keys(reading *r) {
  const size_t count = r->t->node_count;
  for (size_t i = 0; i < count; i++)
    r->keys[i] = (key){ at(&r->tree_ids, i), at(&r->node_ids, i), (int32_t)i };
  qsort(r->keys, count, sizeof *r->keys, compare_keys);
  for (size_t i = 1; i < count; i++)
    if (compare_keys(&r->keys[i - 1], &r->keys[i]) == 0)
      return crd__graph_node_fail(r->ctx, r->node, "tree %lld has two nodes %lld",
                                  (long long)r->keys[i].tree, (long long)r->keys[i].id);
  return CRD_OK;
}

/* Set feature and condition of a node that is not a leaf. */
static crd_status set_condition(const reading *r, size_t i, int64_t mode, double split) {
  crd__graph_tree_node *const n = &r->t->nodes[i];
  const int64_t feature = at(&r->features, i);
  if (feature < 0 || (size_t)feature >= r->t->columns || feature > INT32_MAX)
    return crd__graph_node_fail(r->ctx, r->node, "node %zu reads feature %lld; rows have %zu", i,
                                (long long)feature, r->t->columns);
  if (mode < 0 || mode >= MODES)
    return crd__graph_node_fail(r->ctx, r->node, "the mode of node %zu is unknown", i);
  n->feature = (int32_t)feature;
  n->split = split;
  n->truth = modes[mode].truth;
  n->member = mode == MEMBER;
  if (r->missing.count && at(&r->missing, i)) n->truth |= CRD__TREE_NAN;
  return CRD_OK;
}

static crd_status set_child(const reading *r, size_t i, bool yes, int32_t child) {
  if (child < 0)
    return crd__graph_node_fail(r->ctx, r->node, "node %zu has a child that does not exist", i);
  if (r->child[child])
    return crd__graph_node_fail(r->ctx, r->node, "node %d has two parents", (int)child);
  r->child[child] = true;
  r->t->nodes[i].next[yes] = child;
  return CRD_OK;
}

/* ---- TreeEnsembleClassifier, TreeEnsembleRegressor. */

static crd_status read_node(const reading *r, const crd__onnx_span *mode, size_t i) {
  int64_t m = 0;
  if (crd__onnx_span_is(*mode, "LEAF")) {
    r->t->nodes[i].feature = CRD__TREE_LEAF;
    return CRD_OK;
  }
  while (m < MEMBER && !crd__onnx_span_is(*mode, modes[m].name)) m++;
  CRD_TRY(set_condition(r, i, m < MEMBER ? m : MODES, crd__graph_ml_number(&r->splits, i)));
  const int64_t tree = at(&r->tree_ids, i);
  CRD_TRY(set_child(r, i, true, find_node(r, tree, at(&r->yes, i))));
  return set_child(r, i, false, find_node(r, tree, at(&r->no, i)));
}

static crd_status read_nodes(reading *r, const crd__onnx_attribute *list) {
  const size_t count = r->t->node_count;
  CRD_TRY(read_list(r, "nodes_treeids", count, false, &r->tree_ids));
  CRD_TRY(read_list(r, "nodes_nodeids", count, false, &r->node_ids));
  CRD_TRY(read_list(r, "nodes_featureids", count, false, &r->features));
  CRD_TRY(read_list(r, "nodes_values", count, false, &r->splits));
  CRD_TRY(read_list(r, "nodes_truenodeids", count, false, &r->yes));
  CRD_TRY(read_list(r, "nodes_falsenodeids", count, false, &r->no));
  CRD_TRY(read_list(r, "nodes_missing_value_tracks_true", count, true, &r->missing));
  CRD_TRY(sort_keys(r));
  for (size_t i = 0; i < count; i++) CRD_TRY(read_node(r, &list->strings[i], i));
  for (size_t i = 0; i < count; i++)
    if (!r->child[i]) r->t->roots[r->t->root_count++] = (int32_t)i;
  return CRD_OK;
}

/* Group the weights by leaf, those of a leaf in the order of the file. */
static crd_status read_weights(const reading *r, const crd__graph_tree_names *names) {
  crd__graph_trees *const t = r->t;
  crd__graph_numbers trees, nodes, ids, weights;
  CRD_TRY(read_list(r, names->trees, t->weight_count, false, &trees));
  CRD_TRY(read_list(r, names->nodes, t->weight_count, false, &nodes));
  CRD_TRY(read_list(r, names->ids, t->weight_count, false, &ids));
  CRD_TRY(read_list(r, names->weights, t->weight_count, false, &weights));
  for (size_t w = 0; w < t->weight_count; w++) {
    const int32_t leaf = find_node(r, at(&trees, w), at(&nodes, w));
    const int64_t id = at(&ids, w);
    if (leaf < 0 || t->nodes[leaf].feature != CRD__TREE_LEAF)
      return crd__graph_node_fail(r->ctx, r->node, "weight %zu is not of a leaf", w);
    if (id < 0 || (size_t)id >= t->targets)
      return crd__graph_node_fail(r->ctx, r->node, "weight %zu is for %lld; there are %zu", w,
                                  (long long)id, t->targets);
    t->nodes[leaf].next[1]++;
  }
  int32_t first = 0;
  for (size_t i = 0; i < t->node_count; i++) {
    crd__graph_tree_node *const n = &t->nodes[i];
    if (n->feature != CRD__TREE_LEAF) continue;
    const int32_t count = n->next[1];
    n->next[0] = n->next[1] = first;
    first += count;
  }
  for (size_t w = 0; w < t->weight_count; w++) {
    int32_t *const to = &t->nodes[find_node(r, at(&trees, w), at(&nodes, w))].next[1];
    t->ids[*to] = (int32_t)at(&ids, w);
    t->weights[(*to)++] = crd__graph_ml_number(&weights, w);
  }
  return CRD_OK;
}

crd_status crd__graph_trees_read(crd_context *ctx, crd__graph *net, const crd__graph_node *node,
                                 const crd__graph_tree_names *names, crd__graph_trees *t) {
  reading r = { .ctx = ctx, .net = net, .node = node, .t = t };
  crd__graph_numbers weights;
  const crd__onnx_attribute *const list = crd__graph_node_attribute(node, "nodes_modes");
  CRD_TRY(crd__graph_ml_numbers(ctx, node, names->weights, &weights));
  crd_status status = reserve(&r, list ? list->count : 0, weights.count);
  if (status == CRD_OK) status = read_nodes(&r, list);
  if (status == CRD_OK) status = read_weights(&r, names);
  clear(&r);
  return status;
}

/* ---- TreeEnsemble: its leaves follow the nodes. */

/* Sets are separated by NaN; t->members gets all of them, the k-th node of mode MEMBER the k-th. */
static crd_status read_members(reading *r, const crd__graph_numbers *sets) {
  CRD_TRY(crd__engine_memory(r->ctx, &r->net->engine, sets->count + 1, sizeof *r->t->members,
                             &r->t->members));
  for (size_t i = 0; i < sets->count; i++) r->t->members[i] = crd__graph_ml_number(sets, i);
  r->t->members[sets->count] = NAN;
  return CRD_OK;
}

static crd_status find_set(const reading *r, size_t count, size_t *next, double *split) {
  if (*next > count)
    return crd__graph_node_fail(r->ctx, r->node, "its 'membership_values' has too few sets");
  *split = (double)*next;
  while (!isnan(r->t->members[*next])) ++*next;
  ++*next;
  return CRD_OK;
}

static crd_status read_leaves(const reading *r, size_t nodes) {
  crd__graph_trees *const t = r->t;
  crd__graph_numbers ids, weights;
  CRD_TRY(read_list(r, "leaf_targetids", t->weight_count, false, &ids));
  CRD_TRY(read_list(r, "leaf_weights", t->weight_count, false, &weights));
  for (size_t w = 0; w < t->weight_count; w++) {
    const int64_t id = at(&ids, w);
    if (id < 0 || (size_t)id >= t->targets)
      return crd__graph_node_fail(r->ctx, r->node, "leaf %zu is for target %lld; there are %zu", w,
                                  (long long)id, t->targets);
    t->ids[w] = (int32_t)id;
    t->weights[w] = crd__graph_ml_number(&weights, w);
    t->nodes[nodes + w] =
        (crd__graph_tree_node){ .feature = CRD__TREE_LEAF, .next = { (int32_t)w, (int32_t)w + 1 } };
  }
  return CRD_OK;
}

/* A leaf may have two parents: its root, if a tree is a leaf only. */
static crd_status link_child(const reading *r, size_t nodes, size_t i, bool yes, int64_t id,
                             bool leaf) {
  const size_t most = leaf ? r->t->weight_count : nodes;
  if (id < 0 || (size_t)id >= most) return set_child(r, i, yes, -1);
  if (!leaf) return set_child(r, i, yes, (int32_t)id);
  r->t->nodes[i].next[yes] = (int32_t)(nodes + (size_t)id);
  return CRD_OK;
}

static crd_status read_flat_nodes(reading *r, size_t nodes) {
  crd__graph_numbers kinds, yes_leaf, no_leaf, sets;
  size_t set = 0;
  CRD_TRY(read_list(r, "nodes_modes", nodes, false, &kinds));
  CRD_TRY(read_list(r, "nodes_featureids", nodes, false, &r->features));
  CRD_TRY(read_list(r, "nodes_splits", nodes, false, &r->splits));
  CRD_TRY(read_list(r, "nodes_truenodeids", nodes, false, &r->yes));
  CRD_TRY(read_list(r, "nodes_falsenodeids", nodes, false, &r->no));
  CRD_TRY(read_list(r, "nodes_trueleafs", nodes, false, &yes_leaf));
  CRD_TRY(read_list(r, "nodes_falseleafs", nodes, false, &no_leaf));
  CRD_TRY(read_list(r, "nodes_missing_value_tracks_true", nodes, true, &r->missing));
  CRD_TRY(crd__graph_ml_numbers(r->ctx, r->node, "membership_values", &sets));
  CRD_TRY(read_members(r, &sets));
  for (size_t i = 0; i < nodes; i++) {
    double split = crd__graph_ml_number(&r->splits, i);
    if (at(&kinds, i) == MEMBER) CRD_TRY(find_set(r, sets.count, &set, &split));
    CRD_TRY(set_condition(r, i, at(&kinds, i), split));
    CRD_TRY(link_child(r, nodes, i, true, at(&r->yes, i), at(&yes_leaf, i) != 0));
    CRD_TRY(link_child(r, nodes, i, false, at(&r->no, i), at(&no_leaf, i) != 0));
  }
  return CRD_OK;
}

static crd_status read_roots(const reading *r, size_t nodes) {
  crd__graph_trees *const t = r->t;
  crd__graph_numbers roots;
  CRD_TRY(crd__graph_ml_numbers(r->ctx, r->node, "tree_roots", &roots));
  if (roots.count > t->node_count)
    return crd__graph_node_fail(r->ctx, r->node, "it has more roots than nodes");
  for (size_t i = 0; i < roots.count; i++) {
    const int64_t root = at(&roots, i);
    if (root < 0 || (size_t)root >= nodes || r->child[root])
      return crd__graph_node_fail(r->ctx, r->node, "root %zu, node %lld, %s", i, (long long)root,
                                  root < 0 || (size_t)root >= nodes ? "does not exist"
                                                                    : "is the child of another");
    t->roots[t->root_count++] = (int32_t)root;
  }
  return CRD_OK;
}

crd_status crd__graph_trees_read_flat(crd_context *ctx, crd__graph *net,
                                      const crd__graph_node *node, crd__graph_trees *t) {
  reading r = { .ctx = ctx, .net = net, .node = node, .t = t };
  crd__graph_numbers features, weights;
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "nodes_featureids", &features));
  CRD_TRY(crd__graph_ml_numbers(ctx, node, "leaf_weights", &weights));
  const size_t nodes = features.count;
  crd_status status = reserve(&r, nodes + weights.count, weights.count);
  if (status == CRD_OK) status = read_leaves(&r, nodes);
  if (status == CRD_OK) status = read_flat_nodes(&r, nodes);
  if (status == CRD_OK) status = read_roots(&r, nodes);
  clear(&r);
  return status;
}

/* trees.c -- the ensembles of decision trees of ai.onnx.ml. */
#include "ref/op/classical.h"

#include <math.h>
#include <string.h>

static const char *const modes[] = { "BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                     "BRANCH_EQ",  "BRANCH_NEQ", "MEMBER" };

static bool holds(const char *mode, double x, double split) {
  if (!strcmp(mode, "BRANCH_LEQ")) return x <= split;
  if (!strcmp(mode, "BRANCH_LT")) return x < split;
  if (!strcmp(mode, "BRANCH_GTE")) return x >= split;
  if (!strcmp(mode, "BRANCH_GT")) return x > split;
  if (!strcmp(mode, "BRANCH_EQ")) return x == split;
  return x != split;
}

typedef struct {
  double sum, least, most;
  size_t count;
} gathered;

static void add(gathered *g, double weight) {
  g->least = g->count ? fmin(g->least, weight) : weight;
  g->most = g->count ? fmax(g->most, weight) : weight;
  g->sum += weight;
  g->count++;
}

static double result(const gathered *g, const char *by, size_t trees) {
  if (!strcmp(by, "AVERAGE")) return g->sum / (double)trees;
  return !strcmp(by, "MIN") ? g->least : !strcmp(by, "MAX") ? g->most : g->sum;
}

/* ---- Lists of nodes, named by tree and node. */

static size_t find(const ref_node *node, double tree, double id) {
  size_t n = 0;
  while (ref_listed(node, "nodes_treeids", n, 0) != tree ||
         ref_listed(node, "nodes_nodeids", n, 0) != id)
    n++;
  return n;
}

static const char *values_of(const ref_node *node) {
  return ref_find(node, "nodes_values") ? "nodes_values" : "nodes_values_as_tensor";
}

/* Return the leaf that a row reaches from a node. */
static size_t descend(const ref_node *node, size_t n, const double *x) {
  while (!ref_word_is(node, "nodes_modes", n, "LEAF")) {
    const double value = x[(size_t)ref_listed(node, "nodes_featureids", n, 0)];
    bool yes = isnan(value) && ref_listed(node, "nodes_missing_value_tracks_true", n, 0) != 0;
    for (size_t m = 0; m < 6; m++)
      if (ref_word_is(node, "nodes_modes", n, modes[m]))
        yes = yes || holds(modes[m], value, ref_listed(node, values_of(node), n, 0));
    n = find(node, ref_listed(node, "nodes_treeids", n, 0),
             ref_listed(node, yes ? "nodes_truenodeids" : "nodes_falsenodeids", n, 0));
  }
  return n;
}

/* Gather the weights of a row's leaves; the root of a tree is its node 0. Returns the trees. */
static size_t walk(const ref_node *node, const char *prefix, const double *x, gathered *out) {
  char trees[40], nodes[40], ids[40], weights[40];
  size_t count = 0;
  strcat(strcpy(trees, prefix), "_treeids");
  strcat(strcpy(nodes, prefix), "_nodeids");
  strcat(strcpy(ids, prefix), "_ids");
  strcat(strcpy(weights, prefix), "_weights");
  if (!ref_find(node, weights)) strcat(weights, "_as_tensor");
  for (size_t n = 0; n < ref_length(node, "nodes_nodeids"); n++) {
    if (ref_listed(node, "nodes_nodeids", n, 0) != 0) continue;
    const size_t leaf = descend(node, n, x);
    count++;
    for (size_t w = 0; w < ref_length(node, ids); w++)
      if (find(node, ref_listed(node, trees, w, 0), ref_listed(node, nodes, w, 0)) == leaf)
        add(&out[(size_t)ref_listed(node, ids, w, 0)], ref_listed(node, weights, w, 0));
  }
  return count;
}

void ref_TreeEnsembleClassifier(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x),
               n = ref_length(node, "classlabels_int64s") + ref_length(node, "classlabels_strings");
  const char *const base = ref_find(node, "base_values") ? "base_values" : "base_values_as_tensor";
  bool second = n == 2, negative = false;
  for (size_t w = 0; w < ref_length(node, "class_ids"); w++) {
    second = second && ref_listed(node, "class_ids", w, 0) == 0;
    negative = negative || ref_listed(node, "class_weights", w, 0) < 0;
  }
  ref_tensor *const y = ref_make(node, 0, CRD_I64, 1, (int64_t[]){ (int64_t)rows }, false);
  ref_tensor *const z =
      ref_make(node, 1, CRD_F32, 2, (int64_t[]){ (int64_t)rows, (int64_t)n }, true);
  for (size_t r = 0; r < rows; r++) {
    gathered g[8] = { 0 };
    double *const s = z->values + r * n;
    walk(node, "class", x->values + r * ref_columns(x), g);
    for (size_t k = 0; k < n; k++)
      s[k] = ref_round(CRD_F32,
                       g[k].sum + (k < ref_length(node, base) ? ref_listed(node, base, k, 0) : 0));
    const size_t top = second ? s[0] > (negative ? 0 : .5) : ref_top(n, s);
    y->values[r] = ref_label(node, "classlabels_int64s", top);
    if (second) ref_two(ref_post(node), negative, s[0], s);
    else ref_transform(ref_post(node), n, s);
    for (size_t k = 0; k < n; k++) z->slack[r * n + k] = 16 * (1 + fabs(s[k]));
  }
}

void ref_TreeEnsembleRegressor(ref_node *node) {
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x), n = (size_t)ref_int(node, "n_targets", 1);
  const ref_attribute *const by = ref_find(node, "aggregate_function");
  ref_tensor *const y =
      ref_make(node, 0, CRD_F32, 2, (int64_t[]){ (int64_t)rows, (int64_t)n }, true);
  for (size_t r = 0; r < rows; r++) {
    gathered g[8] = { 0 };
    double *const s = y->values + r * n;
    const size_t trees = walk(node, "target", x->values + r * ref_columns(x), g);
    for (size_t k = 0; k < n; k++)
      s[k] = result(&g[k], by ? by->word : "SUM", trees) + ref_listed(node, "base_values", k, 0);
    ref_transform(ref_post(node), n, s);
    for (size_t k = 0; k < n; k++) y->slack[r * n + k] = 16 * (1 + fabs(s[k]));
  }
}

/* ---- TreeEnsemble: leaves apart from nodes, sets of members. */

static bool is_member(const ref_node *node, size_t n, double x) {
  size_t set = 0, at = 0;
  for (size_t i = 0; i < n; i++) set += ref_listed(node, "nodes_modes", i, 0) == 6;
  for (; set; at++) set -= isnan(ref_listed(node, "membership_values", at, 0)) ? 1 : 0;
  for (; at < ref_length(node, "membership_values"); at++) {
    const double member = ref_listed(node, "membership_values", at, 0);
    if (isnan(member)) return false;
    if (member == x) return true;
  }
  return false;
}

static size_t leaf_of(const ref_node *node, size_t n, const double *x) {
  for (;;) {
    const double value = x[(size_t)ref_listed(node, "nodes_featureids", n, 0)];
    const size_t mode = (size_t)ref_listed(node, "nodes_modes", n, 0);
    const bool track = ref_listed(node, "nodes_missing_value_tracks_true", n, 0) != 0;
    const bool yes =
        (isnan(value) && track) ||
        (mode == 6 ? is_member(node, n, value)
                   : holds(modes[mode], value, ref_listed(node, "nodes_splits", n, 0)));
    const bool leaf = ref_listed(node, yes ? "nodes_trueleafs" : "nodes_falseleafs", n, 0) != 0;
    n = (size_t)ref_listed(node, yes ? "nodes_truenodeids" : "nodes_falsenodeids", n, 0);
    if (leaf) return n;
  }
}

void ref_TreeEnsemble(ref_node *node) {
  static const char *const ways[] = { "AVERAGE", "SUM", "MIN", "MAX" };
  static const char *const posts[] = { "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT" };
  const ref_tensor *const x = node->inputs[0];
  const size_t rows = ref_rows(x), n = (size_t)ref_int(node, "n_targets", 1);
  const size_t trees = ref_length(node, "tree_roots");
  ref_tensor *const y =
      ref_make(node, 0, x->dtype, 2, (int64_t[]){ (int64_t)rows, (int64_t)n }, true);
  for (size_t r = 0; r < rows; r++) {
    gathered g[8] = { 0 };
    double *const s = y->values + r * n;
    for (size_t t = 0; t < trees; t++) {
      const size_t leaf = leaf_of(node, (size_t)ref_listed(node, "tree_roots", t, 0),
                                  x->values + r * ref_columns(x));
      add(&g[(size_t)ref_listed(node, "leaf_targetids", leaf, 0)],
          ref_listed(node, "leaf_weights", leaf, 0));
    }
    for (size_t k = 0; k < n; k++)
      s[k] = result(&g[k], ways[ref_int(node, "aggregate_function", 1)], trees);
    ref_transform(posts[ref_int(node, "post_transform", 0)], n, s);
    for (size_t k = 0; k < n; k++) y->slack[r * n + k] = 16 * (1 + fabs(s[k]));
  }
}

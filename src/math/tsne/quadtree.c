/* quadtree.c -- the tree as an array in depth-first order: a node, its descendants, then `next`. */
#include "math/tsne/quadtree.h"
#include "base/memory.h"
#include "math/sort.h"

#include <math.h>

enum { LEVELS = 32, CODE = 0, POINT = 1, WORDS = 2 };

typedef struct {
  double x, y;   /* centre of mass */
  double weight; /* number of points */
  double reach;  /* squared distance beyond which it acts as one point */
  size_t next;   /* the next node after skipping this one's descendants */
} node;

struct crd__math_quadtree {
  size_t points, nodes;
  uint64_t *order; /* records (position on the curve, point), sorted */
  size_t *leaf;    /* the node of the point at a position */
  node *node;      /* fewer than 2 * points, since each inner node has at least two children */
  const double *y;
  double side; /* of the root square */
  double far;  /* a square of side s acts as one point beyond a squared distance of s^2 far */
};

crd_status crd__math_quadtree_create(crd_context *ctx, size_t points, crd__math_quadtree **out) {
  crd__math_quadtree *tree;
  size_t words;
  *out = NULL;
  if (!crd__size_mul(points, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, 1, sizeof *tree, "a tree", &tree));
  tree->points = points;
  crd_status status = crd__new(ctx, words, sizeof *tree->order, "a tree", &tree->order);
  if (status == CRD_OK) status = crd__new(ctx, points, sizeof *tree->leaf, "a tree", &tree->leaf);
  if (status == CRD_OK) status = crd__new(ctx, words, sizeof *tree->node, "a tree", &tree->node);
  if (status == CRD_OK) *out = tree;
  else crd__math_quadtree_destroy(&ctx->alloc, tree);
  return status;
}

void crd__math_quadtree_destroy(const crd_allocator *alloc, crd__math_quadtree *tree) {
  if (!tree) return;
  crd__free(alloc, tree->order);
  crd__free(alloc, tree->leaf);
  crd__free(alloc, tree->node);
  crd__free(alloc, tree);
}

/* ---- The curve: interleaved bits of x and y. */

/* Inserts a 0 after each of 32 bits. */
static uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

/* Returns the index, of 2^32 columns over [0, side], of the column that `offset` is in. */
static uint64_t column_of(double offset, double side) {
  const double last = 4294967295.0;
  return side > 0 ? (uint64_t)fmin(last, offset / side * 4294967296.0) : 0;
}

static void sort_points(crd__math_quadtree *tree) {
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
  for (size_t i = 0; i < tree->points; i++)
    for (size_t c = 0; c < 2; c++) {
      low[c] = fmin(low[c], tree->y[2 * i + c]);
      high[c] = fmax(high[c], tree->y[2 * i + c]);
    }
  tree->side = fmax(high[0] - low[0], high[1] - low[1]);
  for (size_t i = 0; i < tree->points; i++) {
    uint64_t *const record = tree->order + WORDS * i;
    record[CODE] = spread(column_of(tree->y[2 * i] - low[0], tree->side)) << 1 |
                   spread(column_of(tree->y[2 * i + 1] - low[1], tree->side));
    record[POINT] = i;
  }
  crd__math_sort_records(tree->order, tree->points, WORDS);
}

/* ---- The tree. */

static uint64_t code_at(const crd__math_quadtree *tree, size_t place) {
  return tree->order[WORDS * place + CODE];
}

/* Returns the level of the smallest square that contains both codes: the number of halvings. */
static unsigned level_of(uint64_t first, uint64_t last) {
  uint64_t differ = first ^ last;
  unsigned level = LEVELS;
  for (; differ; differ >>= 2) level--;
  return level;
}

/* Builds a leaf: the points of one finest square, or a single one. Duplicates are exactly at it. */
static void plant_leaf(crd__math_quadtree *tree, node *leaf, size_t from, size_t to) {
  const double *const first = tree->y + 2 * crd__math_quadtree_point(tree, from);
  *leaf = (node){ .x = first[0], .y = first[1], .weight = (double)(to - from), .reach = -1 };
  for (size_t place = from; place < to; place++) {
    const double *const y = tree->y + 2 * crd__math_quadtree_point(tree, place);
    leaf->x += (y[0] - first[0]) / leaf->weight;
    leaf->y += (y[1] - first[1]) / leaf->weight;
    tree->leaf[place] = (size_t)(leaf - tree->node);
  }
}

/* Returns where the quarter of a square that begins at `from` ends: bits above `shift` change. */
static size_t end_of_quarter(const crd__math_quadtree *tree, size_t from, size_t to,
                             unsigned shift) {
  const uint64_t quarter = code_at(tree, from) >> shift;
  size_t low = from + 1, high = to;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (code_at(tree, middle) >> shift == quarter) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Builds the square of positions from .. to-1 and its descendants; at most 32 calls deep. */
static void plant(crd__math_quadtree *tree, size_t from, size_t to) {
  node *const here = tree->node + tree->nodes++;
  const unsigned level = level_of(code_at(tree, from), code_at(tree, to - 1));
  if (level == LEVELS) plant_leaf(tree, here, from, to);
  else {
    const double side = ldexp(tree->side, -(int)level);
    *here = (node){ .weight = (double)(to - from), .reach = side * side * tree->far };
    for (size_t end; from < to; from = end) {
      const node *const child = tree->node + tree->nodes;
      end = end_of_quarter(tree, from, to, 2 * (LEVELS - level - 1));
      plant(tree, from, end);
      here->x += child->weight / here->weight * child->x;
      here->y += child->weight / here->weight * child->y;
    }
  }
  here->next = tree->nodes;
}

void crd__math_quadtree_build(crd__math_quadtree *tree, const double *y, double angle) {
  tree->y = y;
  tree->nodes = 0;
  /* No two points of a square are farther apart than sqrt(2) sides. */
  tree->far = angle > 0 ? fmax(2, 1 / (angle * angle)) : INFINITY;
  sort_points(tree);
  if (tree->points > 0) plant(tree, 0, tree->points);
}

size_t crd__math_quadtree_point(const crd__math_quadtree *tree, size_t place) {
  return (size_t)tree->order[WORDS * place + POINT];
}

void crd__math_quadtree_repel(const crd__math_quadtree *tree, size_t place, double f[2],
                              double *z) {
  const double *const y = tree->y + 2 * crd__math_quadtree_point(tree, place);
  const size_t own =
      tree->leaf[place]; /* is always reached: no square around it acts as one point */
  double sum = 0, right = 0, up = 0;
  for (size_t i = 0; i < tree->nodes;) {
    const node *const n = tree->node + i;
    const double dx = y[0] - n->x, dy = y[1] - n->y, square = dx * dx + dy * dy;
    if (square > n->reach) {
      const double q = 1 / (1 + square), weighed = (n->weight - (i == own)) * q;
      sum += weighed;
      right += weighed * q * dx;
      up += weighed * q * dy;
      i = n->next;
    } else i++;
  }
  f[0] = right;
  f[1] = up;
  *z = sum;
}

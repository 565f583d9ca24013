/*
 * product_body.h -- the matrix product, compiled once for each instruction set.
 *
 * The including file defines LANE (doubles per register), TILE (rows of the result held in
 * registers), PRODUCT (the function's name), `lane` (the type of a register) and fuse (a * b + c,
 * rounded once). Both matrices are packed in the order in which they are read: a in tiles of TILE
 * rows, b in panels two registers wide, each padded with zeros. A block of a stays in the L2 cache
 * while the panels of b, which fit L1, stream through; tiles of the result are summed in registers.
 */
#include "math/product.h"

#include <string.h>

enum { WIDTH = 2 * LANE, DEPTH = 128, ROWS = 16 * TILE };

/* Computes c += tile * panel for a full tile of the result. */
static void add_tile(size_t depth, const double *tile, const double *panel, double *c,
                     size_t step) {
  lane low[TILE], high[TILE];
  for (size_t i = 0; i < TILE; i++) {
    memcpy(&low[i], c + i * step, sizeof *low);
    memcpy(&high[i], c + i * step + LANE, sizeof *high);
  }
  for (size_t k = 0; k < depth; k++, tile += TILE, panel += WIDTH) {
    lane left, right;
    memcpy(&left, panel, sizeof left);
    memcpy(&right, panel + LANE, sizeof right);
    for (size_t i = 0; i < TILE; i++) {
      low[i] = fuse(tile[i], left, low[i]);
      high[i] = fuse(tile[i], right, high[i]);
    }
  }
  for (size_t i = 0; i < TILE; i++) {
    memcpy(c + i * step, &low[i], sizeof *low);
    memcpy(c + i * step + LANE, &high[i], sizeof *high);
  }
}

/* Computes a partial tile at the edge of the result, through a copy. */
static void add_edge(size_t rows, size_t columns, size_t depth, const double *tile,
                     const double *panel, double *c, size_t step) {
  double copy[TILE * WIDTH] = { 0 };
  for (size_t i = 0; i < rows; i++) memcpy(copy + i * WIDTH, c + i * step, columns * sizeof *c);
  add_tile(depth, tile, panel, copy, WIDTH);
  for (size_t i = 0; i < rows; i++) memcpy(c + i * step, copy + i * WIDTH, columns * sizeof *c);
}

/* Packs a strip of `depth` columns of `side` elements: element i of column k is at[i * across + k *
 * along], or 0 from i = `count` on. */
static inline __attribute__((always_inline)) void copy_strip(size_t side, size_t count,
                                                             size_t depth, const double *at,
                                                             size_t across, size_t along,
                                                             double *strip) {
  if (count < side) memset(strip, 0, depth * side * sizeof *strip);
  if (across == 1 && count == side)
    for (size_t k = 0; k < depth; k++) memcpy(strip + k * side, at + k * along, side * sizeof *at);
  else
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < depth; k++) strip[k * side + i] = at[i * across + k * along];
}

/* Computes a block of at most ROWS rows and depth DEPTH. */
static void add_block(size_t rows, size_t columns, size_t depth, crd__math_matrix a,
                      crd__math_matrix b, double *c, size_t step) {
  double tiles[ROWS * DEPTH], panel[DEPTH * WIDTH];
  for (size_t i = 0; i < rows; i += TILE)
    copy_strip(TILE, rows - i < TILE ? rows - i : TILE, depth, a.at + i * a.row, a.row, a.column,
               tiles + i * depth);
  for (size_t j = 0; j < columns; j += WIDTH) {
    const size_t wide = columns - j < WIDTH ? columns - j : WIDTH;
    copy_strip(WIDTH, wide, depth, b.at + j * b.column, b.column, b.row, panel);
    for (size_t i = 0; i < rows; i += TILE) {
      const size_t high = rows - i < TILE ? rows - i : TILE;
      double *const at = c + i * step + j;
      if (high == TILE && wide == WIDTH) add_tile(depth, tiles + i * depth, panel, at, step);
      else add_edge(high, wide, depth, tiles + i * depth, panel, at, step);
    }
  }
}

void PRODUCT(size_t rows, size_t columns, size_t depth, crd__math_matrix a, crd__math_matrix b,
             double *c, size_t step) {
  for (size_t k = 0; k < depth; k += DEPTH)
    for (size_t i = 0; i < rows; i += ROWS) {
      const crd__math_matrix left = { a.at + i * a.row + k * a.column, a.row, a.column };
      const crd__math_matrix right = { b.at + k * b.row, b.row, b.column };
      add_block(rows - i < ROWS ? rows - i : ROWS, columns, depth - k < DEPTH ? depth - k : DEPTH,
                left, right, c + i * step, step);
    }
}

/*
 * product_body.h -- the product itself, compiled once for each instruction set.
 *
 * The file that includes it defines LANE (doubles of a register), TILE (rows of the result held in
 * registers) and PRODUCT (the function's name). A panel of b, two registers wide, is copied side by
 * side and padded with zeros; tiles of TILE rows and that width are then summed in registers.
 */
#include "math/product.h"

#include <string.h>

enum { WIDTH = 2 * LANE, DEPTH = 128 };

typedef double lane __attribute__((vector_size(LANE * sizeof(double))));

/* A tile of `rows` rows (a constant where it is inlined): c += a panel. */
static inline __attribute__((always_inline)) void add_tile(size_t rows, size_t depth,
                                                           const double *a, size_t row,
                                                           size_t column, const double *panel,
                                                           double *c, size_t step) {
  lane low[TILE], high[TILE];
  for (size_t i = 0; i < rows; i++) {
    memcpy(&low[i], c + i * step, sizeof *low);
    memcpy(&high[i], c + i * step + LANE, sizeof *high);
  }
  for (size_t k = 0; k < depth; k++, a += column, panel += WIDTH) {
    lane left, right;
    memcpy(&left, panel, sizeof left);
    memcpy(&right, panel + LANE, sizeof right);
    for (size_t i = 0; i < rows; i++) {
      low[i] += a[i * row] * left;
      high[i] += a[i * row] * right;
    }
  }
  for (size_t i = 0; i < rows; i++) {
    memcpy(c + i * step, &low[i], sizeof *low);
    memcpy(c + i * step + LANE, &high[i], sizeof *high);
  }
}

static void add_rows(size_t rows, size_t depth, crd__matrix a, const double *panel, double *c,
                     size_t step) {
  size_t i = 0;
  for (; i + TILE <= rows; i += TILE)
    add_tile(TILE, depth, a.at + i * a.row, a.row, a.column, panel, c + i * step, step);
  for (; i < rows; i++)
    add_tile(1, depth, a.at + i * a.row, a.row, a.column, panel, c + i * step, step);
}

/* The last columns, fewer than a panel: by way of a copy. */
static void add_edge(size_t rows, size_t columns, size_t depth, crd__matrix a, const double *panel,
                     double *c, size_t step) {
  double copy[TILE * WIDTH] = { 0 };
  for (size_t i = 0; i < rows; i += TILE) {
    const size_t count = rows - i < TILE ? rows - i : TILE;
    const crd__matrix part = { a.at + i * a.row, a.row, a.column };
    for (size_t r = 0; r < count; r++)
      memcpy(copy + r * WIDTH, c + (i + r) * step, columns * sizeof *c);
    add_rows(count, depth, part, panel, copy, WIDTH);
    for (size_t r = 0; r < count; r++)
      memcpy(c + (i + r) * step, copy + r * WIDTH, columns * sizeof *c);
  }
}

static void copy_panel(size_t columns, size_t depth, const double *b, size_t row, size_t column,
                       double *panel) {
  if (columns < WIDTH) memset(panel, 0, depth * WIDTH * sizeof *panel);
  for (size_t k = 0; k < depth; k++)
    for (size_t j = 0; j < columns; j++) panel[k * WIDTH + j] = b[k * row + j * column];
}

void PRODUCT(size_t rows, size_t columns, size_t depth, crd__matrix a, crd__matrix b, double *c,
             size_t step) {
  double panel[DEPTH * WIDTH];
  for (size_t k = 0; k < depth; k += DEPTH) {
    const size_t deep = depth - k < DEPTH ? depth - k : DEPTH;
    const crd__matrix left = { a.at + k * a.column, a.row, a.column };
    for (size_t j = 0; j < columns; j += WIDTH) {
      const size_t wide = columns - j < WIDTH ? columns - j : WIDTH;
      copy_panel(wide, deep, b.at + k * b.row + j * b.column, b.row, b.column, panel);
      if (wide == WIDTH) add_rows(rows, deep, left, panel, c + j, step);
      else add_edge(rows, wide, deep, left, panel, c + j, step);
    }
  }
}

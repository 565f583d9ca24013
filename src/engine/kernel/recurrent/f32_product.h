/*
 * f32_product.h -- the part of f32_body.h that multiplies matrices (panels.h).
 *
 * The including file defines LANE (floats per register), TILE (rows of the result held in
 * registers), `lane` (the type of a register) and fuse (a b + c, rounded once). Each element of a
 * result is a chain of fused multiply-adds over DEPTH rows of b, and the sum of these chains in
 * order: neither tiles, instruction sets nor other rows matter.
 */
enum { DEPTH = 256, PANEL = CRD__F32_PANEL, WIDTH = 2 * LANE };
_Static_assert(PANEL % WIDTH == 0, "a panel has pairs of registers");

/* c += a panel, for a number of rows that is known when this is compiled, and two registers of
 * columns, of which `columns` are stored. */
INLINE void add_tile(size_t rows, size_t columns, size_t depth, const float *a, size_t row,
                     size_t column, const float *panel, float *c, size_t step) {
  lane low[TILE], high[TILE];
  memset(low, 0, sizeof low);
  memset(high, 0, sizeof high);
  for (size_t k = 0; k < depth; k++) {
    lane left, right;
    memcpy(&left, panel + k * PANEL, sizeof left);
    memcpy(&right, panel + k * PANEL + LANE, sizeof right);
    for (size_t i = 0; i < rows; i++) {
      const float x = a[i * row + k * column];
      low[i] = fuse(x, left, low[i]);
      high[i] = fuse(x, right, high[i]);
    }
  }
  for (size_t i = 0; i < rows; i++) {
    float sums[WIDTH];
    memcpy(sums, &low[i], sizeof *low);
    memcpy(sums + LANE, &high[i], sizeof *high);
    for (size_t j = 0; j < columns; j++) c[i * step + j] += sums[j];
  }
}

/* The same for any number of rows. */
static void add_rows(size_t rows, size_t columns, size_t depth, const float *a, size_t row,
                     size_t column, const float *panel, float *c, size_t step) {
  size_t i = 0;
  for (; i + TILE <= rows; i += TILE)
    add_tile(TILE, columns, depth, a + i * row, row, column, panel, c + i * step, step);
  if (i + TILE / 2 <= rows) {
    add_tile(TILE / 2, columns, depth, a + i * row, row, column, panel, c + i * step, step);
    i += TILE / 2;
  }
  for (; i < rows; i++)
    add_tile(1, columns, depth, a + i * row, row, column, panel, c + i * step, step);
}

static void product(size_t rows, size_t columns, size_t depth, const float *a, size_t row,
                    size_t column, const float *panels, float *c, size_t step) {
  for (size_t k = 0; k < depth; k += DEPTH)
    for (size_t j = 0; j < columns; j += WIDTH) {
      const size_t left = columns - j, before = j / PANEL * PANEL;
      add_rows(rows, left < WIDTH ? left : WIDTH, depth - k < DEPTH ? depth - k : DEPTH,
               a + k * column, row, column, panels + before * depth + k * PANEL + (j - before),
               c + j, step);
    }
}

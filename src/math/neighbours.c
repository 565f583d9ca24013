/* neighbours.c -- nearest neighbours, blocks of queries against blocks of the bank. */
#include "math/neighbours.h"
#include "math/product.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { QUERIES = 32, BANK = 128, LANES = 8 };

/* Returns the sum of (a - b)^2, in lanes that any instruction set adds in the same order. */
static double square_distance(const double *a, const double *b, size_t width) {
  double lanes[LANES] = { 0 }, sum = 0;
  const size_t whole = width - width % LANES;
  for (size_t j = 0; j < whole; j += LANES)
    for (size_t l = 0; l < LANES; l++) {
      const double d = a[j + l] - b[j + l];
      lanes[l] += d * d;
    }
  for (size_t j = whole; j < width; j++) {
    const double d = a[j] - b[j];
    lanes[j - whole] += d * d;
  }
  for (size_t l = 0; l < LANES; l++) sum += lanes[l];
  return sum;
}

static void measure_lengths(const double *rows, size_t count, size_t width, double *out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = 0;
    for (size_t j = 0; j < width; j++) out[i] += rows[i * width + j] * rows[i * width + j];
  }
}

/* Inserts a row into the list of the nearest, after those at the same distance. */
static void insert(double *nearest, size_t *which, size_t wanted, double square, size_t row) {
  size_t i = wanted - 1;
  if (!(square < nearest[i])) return;
  for (; i > 0 && nearest[i - 1] > square; i--) {
    nearest[i] = nearest[i - 1];
    if (which) which[i] = which[i - 1];
  }
  nearest[i] = square;
  if (which) which[i] = row;
}

/*
 * With u = 2^-53, products, squares and sums of `width` terms have errors below (width + 2) u times
 * the sum of both squared lengths, twice that for the product, and so has the computed distance:
 * eight times covers all. If values overflow, nothing is excluded.
 */
static bool may_be_near(double lengths, double product, double slack, double worst) {
  const double square = lengths - 2 * product;
  return !(square - slack * lengths > worst);
}

static void search_block(const double *queries, size_t count, const double *bank, size_t rows,
                         size_t width, size_t wanted, double *out, size_t *which) {
  const double slack = 8 * (double)(width + 4) * DBL_EPSILON;
  double own[QUERIES], lengths[BANK], products[QUERIES * BANK];
  measure_lengths(queries, count, width, own);
  for (size_t from = 0; from < rows; from += BANK) {
    const size_t here = rows - from < BANK ? rows - from : BANK;
    const double *const block = bank + from * width;
    measure_lengths(block, here, width, lengths);
    memset(products, 0, sizeof products);
    crd__math_product_add(count, here, width, (crd__math_matrix){ queries, width, 1 },
                          (crd__math_matrix){ block, 1, width }, products, BANK);
    for (size_t i = 0; i < count; i++)
      for (size_t k = 0; k < here; k++) {
        double *const nearest = out + i * wanted;
        if (may_be_near(own[i] + lengths[k], products[i * BANK + k], slack, nearest[wanted - 1]))
          insert(nearest, which ? which + i * wanted : NULL, wanted,
                 square_distance(queries + i * width, block + k * width, width), from + k);
      }
  }
}

void crd__math_neighbours(const double *queries, size_t count, const double *bank, size_t rows,
                          size_t width, size_t wanted, double *out, size_t *which) {
  for (size_t i = 0; i < count * wanted; i++) out[i] = INFINITY;
  for (size_t from = 0; from < count; from += QUERIES)
    search_block(queries + from * width, count - from < QUERIES ? count - from : QUERIES, bank,
                 rows, width, wanted, out + from * wanted, which ? which + from * wanted : NULL);
}

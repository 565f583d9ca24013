/*
 * units.c -- the standard error of a mean over rows of which some vary together.
 *
 * Scans of one patient are not independent: the units are patients where the data has groups, else
 * rows. With weights w, differences e, m = sum of w e / sum of w, and G units g, the standard error
 * is that of linearisation, clustered by unit (Liang and Zeger, Biometrika 1986):
 *
 *   se^2 = G / (G - 1) * sum over g of (sum over rows of g of w (e - m))^2 / (sum of w)^2.
 *
 * Single rows of equal weight give the usual s / sqrt(n).
 */
#include "clamp/units.h"

#include "base/words.h"

#include <math.h>
#include <string.h>

crd_status crd__clamp_units(crd_context *ctx, const crd_dataset *data, int64_t first,
                            int64_t *unit_of, int64_t *end) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  crd__words names = { 0 };
  crd_status status = CRD_OK;
  int64_t alone = 0; /* rows without a group */
  for (size_t i = 0; status == CRD_OK && i < shape->rows; i++) {
    const char *const group = crd_dataset_group(data, i);
    size_t number = names.count;
    if (group) status = crd__words_add(ctx, &names, group, strlen(group), &number);
    unit_of[i] = group ? (int64_t)number : -++alone;
  }
  /* Groups come first, then rows without one. */
  for (size_t i = 0; status == CRD_OK && i < shape->rows; i++)
    unit_of[i] = first + (unit_of[i] < 0 ? (int64_t)names.count - unit_of[i] - 1 : unit_of[i]);
  *end = first + (int64_t)names.count + alone;
  crd__words_clear(&ctx->alloc, &names);
  return status;
}

void crd__clamp_spread_add(crd__clamp_spread *spread, double sum, double weight) {
  if (weight == 0) return;
  spread->sum += sum;
  spread->weight += weight;
  spread->sums += sum * sum;
  spread->both += sum * weight;
  spread->weights += weight * weight;
  spread->units++;
}

double crd__clamp_spread_mean(const crd__clamp_spread *spread) {
  return spread->sum / spread->weight;
}

double crd__clamp_spread_error(const crd__clamp_spread *spread) {
  const double mean = crd__clamp_spread_mean(spread), units = (double)spread->units;
  const double square = spread->sums - 2 * mean * spread->both + mean * mean * spread->weights;
  if (spread->units < 2) return (double)INFINITY;
  return sqrt(fmax(0, square) * units / (units - 1)) / spread->weight;
}

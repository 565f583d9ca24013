/* units.h -- rows that vary together: those of a group (patient), or single rows. */
#ifndef CRD_CLAMP_UNITS_H
#define CRD_CLAMP_UNITS_H

#include "base/context.h"
#include "credence/dataset.h"

/* Numbers the units of a dataset, beginning at `first`: groups, then rows without one. Sets the
 * unit of each row, and *end, one more than the last unit. */
crd_status crd__clamp_units(crd_context *ctx, const crd_dataset *data, int64_t first,
                            int64_t *unit_of, int64_t *end);

/* Sums over units of a weighted difference e of rows: with A = sum of w e and W = sum of w in a
 * unit. All zero is empty. */
typedef struct {
  double sum, weight;         /* of A, and of W */
  double sums, both, weights; /* of A^2, of A W, and of W^2 */
  size_t units;
} crd__clamp_spread;

/* Adds a unit; one without weight says nothing, and is left out. */
void crd__clamp_spread_add(crd__clamp_spread *spread, double sum, double weight);
/* Returns the mean of the differences. */
double crd__clamp_spread_mean(const crd__clamp_spread *spread);
/* Returns its standard error; infinity for a single unit. */
double crd__clamp_spread_error(const crd__clamp_spread *spread);

#endif

/* judge.c -- see judge.h. */
#include "network/judge.h"

#include <math.h>
#include <stdbool.h>

/* In standard deviations: a right gradient is called wrong once in 10^6 directions, and a wrong one
 * right once in 10^3 checks. */
static const double far = 6, near = 3;

static bool is_far(const crd_check_direction *d, double tolerance) {
  return d->error > tolerance && d->error > far * d->doubt;
}

static void count(double tolerance, crd_check *check) {
  check->failed = check->unsure = check->worst = 0;
  for (size_t i = 0; i < check->count; i++) {
    const crd_check_direction *const d = &check->directions[i];
    check->failed += is_far(d, tolerance);
    check->unsure += d->doubt > tolerance;
    if (d->error > check->directions[check->worst].error) check->worst = i;
  }
}

/* Computes E and its standard deviation; directions of large doubt have little weight. */
static void pool(double tolerance, const crd_check *check, double *mean, double *deviation) {
  double weights = 0, sum = 0, variance = 0;
  for (size_t i = 0; i < check->count; i++) {
    const crd_check_direction *const d = &check->directions[i];
    const double s = d->doubt * d->doubt, excess = d->error * d->error - s;
    if (!isfinite(s)) continue;
    const double weight = pow(s + tolerance * tolerance, -2);
    weights += weight;
    sum += weight * excess;
    variance += weight * weight * (2 * s * s + 4 * s * fmax(excess, 0));
  }
  *mean = weights > 0 ? sum / weights : 0;
  *deviation = weights > 0 ? sqrt(variance) / weights : INFINITY;
}

void crd__network_judge(double tolerance, crd_check *check) {
  const double square = tolerance * tolerance;
  double mean, deviation;
  count(tolerance, check);
  pool(tolerance, check, &mean, &deviation);
  check->error = sqrt(fmax(mean, 0));
  check->limit = sqrt(fmax(mean + near * deviation, 0));
  check->verdict = check->failed || mean - far * deviation > square ? CRD_CHECK_WRONG
                   : mean + near * deviation <= square              ? CRD_CHECK_RIGHT
                                                                    : CRD_CHECK_UNDECIDED;
}

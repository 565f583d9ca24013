/* judge.c -- see judge.h. */
#include "network/judge.h"

#include <math.h>

/* In standard deviations: a right gradient is called wrong once in 10^6 directions, and a wrong one
 * right once in 10^3 checks. */
static const double far = 6, near = 3;

static bool is_far(const crd_check_direction *d, double tolerance) {
  return d->error > tolerance && d->error > far * d->doubt;
}

static void count(double tolerance, crd__network_check *check) {
  check->shown.failed = check->shown.unsure = check->shown.worst = 0;
  for (size_t i = 0; i < check->shown.count; i++) {
    const crd_check_direction *const d = &check->directions[i];
    check->shown.failed += is_far(d, tolerance);
    check->shown.unsure += d->doubt > tolerance;
    if (d->error > check->directions[check->shown.worst].error) check->shown.worst = i;
  }
}

/* Computes E and its standard deviation; directions of large doubt have little weight. */
static void pool(double tolerance, const crd__network_check *check, double *mean,
                 double *deviation) {
  double weights = 0, sum = 0, variance = 0;
  for (size_t i = 0; i < check->shown.count; i++) {
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

void crd__network_judge(double tolerance, crd__network_check *check) {
  const double square = tolerance * tolerance;
  double mean, deviation;
  count(tolerance, check);
  pool(tolerance, check, &mean, &deviation);
  check->shown.error = sqrt(fmax(mean, 0));
  check->shown.limit = sqrt(fmax(mean + near * deviation, 0));
  check->shown.verdict = check->shown.failed || mean - far * deviation > square ? CRD_CHECK_WRONG
                         : mean + near * deviation <= square                    ? CRD_CHECK_RIGHT
                                                             : CRD_CHECK_UNDECIDED;
}

/* ---- Slopes with narrow peaks. */

/* Of a normal distribution, 38 % are below half of the standard deviation. */
double crd__network_typical(const crd__network_check *check, double typical) {
  enum { ENOUGH = 8 }; /* directions; few derivatives may all be small by chance */
  for (int round = 0; round < 100 && check->shown.count >= ENOUGH; round++) {
    size_t small = 0;
    for (size_t i = 0; i < check->shown.count; i++) {
      const crd_check_direction *const d = &check->directions[i];
      small += fmax(fabs(d->backward), fabs(d->difference)) < typical / 2;
    }
    if (small <= check->shown.count / 2) break;
    typical *= 0.75;
  }
  return typical;
}

/* Slopes that are mere noise have half the variance of the mean with twice the points; of 16
 * differences, its estimate is twice that of 8 in one line of fifty. */
void crd__network_peaks_see(double deviation, double closer, crd__network_peaks *peaks) {
  const bool rougher = closer * closer > 2 * deviation * deviation;
  peaks->looked++;
  peaks->rougher += rougher;
  peaks->ever += rougher;
}

bool crd__network_peaks_prevail(const crd__network_peaks *peaks) {
  enum { LEAST = 3, PART = 8 }; /* a single one may be kinks that cancelled between two points */
  return peaks->rougher >= LEAST && peaks->rougher > peaks->looked / PART;
}

bool crd__network_is_wrong(const crd__network_peaks *peaks, const crd__network_check *check) {
  return check->shown.verdict == CRD_CHECK_WRONG &&
         (!peaks->ever || check->shown.failed > peaks->ever);
}

void crd__network_judge_peaks(const crd__network_peaks *peaks, crd__network_check *check) {
  const bool stands =
      check->shown.verdict != CRD_CHECK_WRONG || crd__network_is_wrong(peaks, check);
  if (stands && !crd__network_peaks_prevail(peaks)) return;
  for (size_t i = 0; i < check->shown.count; i++) check->directions[i].doubt = INFINITY;
  check->shown.failed = 0;
  check->shown.unsure = check->shown.count;
  check->shown.error = check->shown.limit = INFINITY;
  check->shown.verdict = CRD_CHECK_UNDECIDED;
}

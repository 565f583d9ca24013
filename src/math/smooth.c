/*
 * smooth.c -- the reflected Gaussian as a cosine series; the triweight kernel as moving moments.
 *
 * Cosines of multiples are computed by rotation, in a few independent lanes. If many points are
 * added, cos((k+1)x) = 2 cos(x) cos(kx) - cos((k-1)x) is cheaper; its rounding error grows with the
 * square of the number of steps, so every 64 of them restart from a rotation by 64 x.
 */
#include "math/smooth.h"

#include <math.h>
#include <stdbool.h>

enum { LANES = 8, PASSES = 4, CELLS_PER_WIDTH = 16 };

static const double pi = 3.14159265358979323846;
static const double enough = 8.6; /* exp(-8.6^2 / 2) is below 2^-53 */

typedef struct {
  double cosine[LANES], sine[LANES];
} turn;

static turn turn_by(const double *points, double times) {
  turn t;
  for (size_t l = 0; l < LANES; l++) {
    t.cosine[l] = cos(times * pi * points[l]);
    t.sine[l] = sin(times * pi * points[l]);
  }
  return t;
}

static inline turn turn_on(turn at, turn by) {
  turn t;
  for (size_t l = 0; l < LANES; l++) {
    t.cosine[l] = at.cosine[l] * by.cosine[l] - at.sine[l] * by.sine[l];
    t.sine[l] = at.sine[l] * by.cosine[l] + at.cosine[l] * by.sine[l];
  }
  return t;
}

/* Adds one block of waves; `at` is its first, times the masses. */
static void add_block(double *amplitude, const turn *at, const turn *by) {
  double now[LANES], before[LANES], twice[LANES];
  for (size_t l = 0; l < LANES; l++) {
    now[l] = at->cosine[l];
    before[l] = at->cosine[l] * by->cosine[l] + at->sine[l] * by->sine[l];
    twice[l] = 2 * by->cosine[l];
  }
  for (size_t k = 0; k < CRD__WAVES_STEP; k++) {
    amplitude[k] +=
        ((now[0] + now[4]) + (now[2] + now[6])) + ((now[1] + now[5]) + (now[3] + now[7]));
    for (size_t l = 0; l < LANES; l++) {
      const double next = twice[l] * now[l] - before[l];
      before[l] = now[l];
      now[l] = next;
    }
  }
}

static void add_lanes(crd__math_waves *waves, size_t from, const double *points,
                      const double *masses) {
  const turn by = turn_by(points, 1), far = turn_by(points, CRD__WAVES_STEP);
  turn at = turn_by(points, (double)from);
  for (size_t l = 0; l < LANES; l++) {
    at.cosine[l] *= masses[l];
    at.sine[l] *= masses[l];
  }
  for (size_t k = from; k < waves->count; k += CRD__WAVES_STEP, at = turn_on(at, far))
    add_block(waves->amplitude + k, &at, &by);
}

void crd__math_waves_add(crd__math_waves *waves, size_t from, const double *points,
                         const double *masses, size_t count) {
  for (size_t i = 0; i < count; i += LANES) {
    double x[LANES] = { 0 }, mass[LANES] = { 0 };
    for (size_t l = 0; l < LANES && i + l < count; l++) {
      x[l] = points[i + l];
      mass[l] = masses[i + l];
    }
    add_lanes(waves, from, x, mass);
  }
}

size_t crd__math_waves_for(double width) {
  const double count = ceil(enough / (pi * width) / CRD__WAVES_STEP) * CRD__WAVES_STEP;
  return count < CRD__WAVES_MAX ? (size_t)count : CRD__WAVES_MAX;
}

double crd__math_waves_width(const crd__math_waves *waves) {
  return enough / (pi * (double)waves->count);
}

/* ---- The area under |f|. */

typedef struct {
  double factor[CRD__WAVES_MAX]; /* of cos(k pi t) */
  size_t count;
  double noise; /* |f| up to this may be rounding error */
} series;

static series damp(const crd__math_waves *waves, double width) {
  series s = { .count = waves->count };
  double size = 0;
  for (size_t k = 0; k < s.count; k++) {
    const double z = (double)k * pi * width;
    if (z > enough) s.count = k;
    s.factor[k] = (k ? 2 : 1) * waves->amplitude[k] * exp(-z * z / 2);
    size += fabs(s.factor[k]);
  }
  s.noise = 2e-16 * (double)(s.count * s.count) * size;
  return s;
}

/* Evaluates f at several points by Clenshaw's recurrence. */
static void evaluate(const series *s, const double *places, double *values) {
  double cosine[LANES], twice[LANES], now[LANES] = { 0 }, last[LANES] = { 0 };
  for (size_t l = 0; l < LANES; l++) {
    cosine[l] = cos(pi * places[l]);
    twice[l] = 2 * cosine[l];
  }
  for (size_t k = s->count - 1; k > 0; k--)
    for (size_t l = 0; l < LANES; l++) {
      const double next = s->factor[k] + (twice[l] * now[l] - last[l]);
      last[l] = now[l];
      now[l] = next;
    }
  for (size_t l = 0; l < LANES; l++) values[l] = s->factor[0] + (cosine[l] * now[l] - last[l]);
}

/* Returns the integral of f from 0 to t. */
static double integrate(const series *s, double t) {
  const double c = cos(pi * t), d = sin(pi * t);
  double cosine = c, sine = d, sum = 0;
  for (size_t k = 1; k < s->count; k++) {
    const double next = cosine * c - sine * d;
    sum += s->factor[k] / (double)k * sine;
    sine = sine * c + cosine * d;
    cosine = next;
  }
  return s->factor[0] * t + sum / pi;
}

/* Returns the zero of f between low and high; `negative` is its sign at low. The integral is flat
 * there, so half of the digits are enough. */
static double find_zero(const series *s, double low, double high, bool negative) {
  for (int pass = 0; pass < PASSES; pass++) {
    const double step = (high - low) / (LANES + 1);
    double places[LANES], values[LANES];
    for (size_t l = 0; l < LANES; l++) places[l] = low + step * (double)(l + 1);
    evaluate(s, places, values);
    size_t l = 0;
    while (l < LANES && (values[l] < 0) == negative) l++;
    if (l < LANES) high = places[l];
    if (l > 0) low = places[l - 1];
  }
  return (low + high) / 2;
}

double crd__math_waves_area(const crd__math_waves *waves, double width) {
  const series s = damp(waves, width);
  const double cells = ceil(CELLS_PER_WIDTH / width);
  double area = 0, before = 0; /* the integral up to the last zero */
  double last = 0;             /* the last point with a known sign */
  int sign = 0;
  if (s.noise == 0) return 0;
  for (size_t cell = 0; (double)cell <= cells; cell += LANES) {
    double places[LANES], values[LANES];
    for (size_t l = 0; l < LANES; l++) places[l] = fmin((double)(cell + l) / cells, 1);
    evaluate(&s, places, values);
    for (size_t l = 0; l < LANES; l++) {
      if (!(fabs(values[l]) > s.noise)) continue;
      const int here = values[l] < 0 ? -1 : 1;
      if (sign == -here) {
        const double sum = integrate(&s, find_zero(&s, last, places[l], sign < 0));
        area += fabs(sum - before);
        before = sum;
      }
      sign = here;
      last = places[l];
    }
  }
  return area + fabs(s.factor[0] - before);
}

/* ---- One kernel. */

static double bell(double distance, double width, double offset) {
  const double z = distance / width, power = offset - z * z / 2;
  return power < -enough * enough / 2 ? 0 : exp(power);
}

double crd__math_reflected_gaussian(double t, double c, double width, double offset) {
  const int images = (int)ceil(1 + enough * width / 2);
  double sum = 0;
  for (int k = -images; k <= images; k++)
    sum += bell(t - c - 2 * k, width, offset) + bell(t + c - 2 * k, width, offset);
  return sum;
}

/* ---- The triweight kernel. */

void crd__math_triweight_add(crd__math_triweight *kernel, double u, double mass) {
  for (size_t k = 0; k < 7; k++, mass *= u) kernel->moment[k] += mass;
}

void crd__math_triweight_move(crd__math_triweight *kernel, double step) {
  /* After pass p, moment k is that of u^(k - p) (u - step)^p. */
  for (size_t pass = 1; pass < 7; pass++)
    for (size_t k = 6; k >= pass; k--) kernel->moment[k] -= step * kernel->moment[k - 1];
}

double crd__math_triweight_value(const crd__math_triweight *kernel) {
  const double *const m = kernel->moment;
  return m[0] - 3 * (m[2] - m[4]) - m[6];
}

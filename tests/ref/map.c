/* map.c -- the operations of calibrator/map.h by definition; long double where digits cancel. */
#include "ref/map.h"

#include <math.h>
#include <string.h>

static size_t largest(const long double *x, size_t n) {
  size_t top = 0;
  for (size_t k = 1; k < n; k++)
    if (x[k] > x[top]) top = k;
  return top;
}

static void softmax(const long double *x, size_t n, long double scale, long double *out) {
  const long double top = x[largest(x, n)];
  long double mass = 0;
  for (size_t k = 0; k < n; k++) mass += expl(scale * (x[k] - top));
  for (size_t k = 0; k < n; k++) out[k] = expl(scale * (x[k] - top)) / mass;
}

/* log p - log(sum of the others' p), each from its own sum. */
static long double log_odds(const long double *x, size_t n, size_t k) {
  long double top = -INFINITY, mass = 0;
  for (size_t j = 0; j < n; j++)
    if (j != k) top = fmaxl(top, x[j]);
  for (size_t j = 0; j < n; j++)
    if (j != k) mass += expl(x[j] - top);
  return x[k] - top - logl(mass);
}

static long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }

static void run_row(const crd__calibrator_step *step, size_t n, long double *x) {
  const double *const a = step->a.values, *const b = step->b.values;
  long double y[REF_CLASSES_MAX] = { 0 }, z[REF_CLASSES_MAX];
  for (size_t k = 0; k < n; k++) {
    if (step->op == CRD__SCALE) y[k] = a[0] * x[k];
    if (step->op == CRD__DIAGONAL) y[k] = a[k] * x[k] + b[k];
    if (step->op == CRD__AFFINE) y[k] = b[k];
    for (size_t j = 0; step->op == CRD__AFFINE && j < n; j++) y[k] += a[k * n + j] * x[j];
  }
  for (size_t k = 0; step->op == CRD__BENT && k < n; k++) {
    size_t i = 1;
    while (i + 1 < step->a.start[1] && x[k] > a[i]) i++;
    y[k] = b[i - 1] + (long double)(b[i] - b[i - 1]) * (x[k] - a[i - 1]) / (a[i] - a[i - 1]);
  }
  if (step->op == CRD__SOFTMAX) softmax(x, n, 1, y);
  for (size_t k = 0; step->op == CRD__LOG && k < n; k++) y[k] = logl(x[k]);
  for (size_t j = 0; step->op == CRD__MIX && j < step->a.start[1]; j++) {
    softmax(x, n, b[j], z);
    for (size_t k = 0; k < n; k++) y[k] += a[j] * z[k];
  }
  memcpy(x, y, n * sizeof *x);
}

static long double run_event(const crd__calibrator_map *map, size_t e, long double s) {
  long double q = sigmoid(s);
  for (size_t i = 0; i < map->count; i++) {
    const crd__calibrator_step *const step = &map->steps[i];
    const double *const a = step->a.values + step->a.start[e];
    const double *const b = step->b.values + step->b.start[e];
    const size_t count = step->a.start[e + 1] - step->a.start[e];
    size_t below = 0;
    while (below < count && a[below] < q) below++;
    if (step->op == CRD__ODDS) q = s;
    if (step->op == CRD__LOGISTIC) q = sigmoid(a[0] * s + a[1]);
    if (step->op == CRD__BETA)
      q = sigmoid(-a[0] * log1pl(expl(-s)) + a[1] * log1pl(expl(s)) + a[2]);
    if (step->op == CRD__STEPS) q = b[below];
    if (step->op != CRD__LINES) continue;
    if (below == 0 || below == count) q = b[below ? count - 1 : 0];
    else
      q = b[below - 1] + (b[below] - b[below - 1]) * (q - a[below - 1]) / (a[below] - a[below - 1]);
    q = fminl(1, fmaxl(0, q));
  }
  return q;
}

static void run_all(const crd__calibrator_map *map, long double *x) {
  const size_t n = map->classes;
  const bool shared = map->reach == CRD__SHARED_EVENT;
  long double y[REF_CLASSES_MAX], sum = 0;
  for (size_t k = 0; k < n; k++) y[k] = run_event(map, n == 2 || shared ? 0 : k, log_odds(x, n, k));
  if (n == 2 && !shared) y[0] = 1 - y[1];
  for (size_t k = 0; k < n; k++) sum += y[k];
  for (size_t k = 0; k < n; k++) x[k] = sum > 0 ? y[k] / sum : 1.0L / (long double)n;
}

static size_t run_top(const crd__calibrator_map *map, long double *x) {
  const size_t n = map->classes, top = largest(x, n);
  const long double q = run_event(map, 0, log_odds(x, n, top));
  x[top] = -INFINITY;
  softmax(x, n, 1, x);
  for (size_t k = 0; k < n; k++) x[k] *= 1 - q;
  x[top] = q;
  return top;
}

static void read_row(const crd__calibrator_map *map, const double *given, long double *x) {
  const size_t n = map->classes;
  long double sum = 0;
  if (map->input == CRD_INPUT_PAIRS) {
    const double c = fmax(*given, map->floor.others), rest = fmax(1 - *given, 0);
    x[0] = rest < map->floor.first ? logl(map->floor.first) : log1pl(-c);
    x[1] = rest < map->floor.first ? log1pl(-map->floor.first) : logl(c);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const double least = k ? map->floor.others : map->floor.first;
    x[k] = map->input == CRD_INPUT_LOGITS ? given[k]
           : given[k] > 1 + 1e-6          ? 1
                                          : fmax(given[k], least);
    sum += x[k];
  }
  for (size_t k = 0; k < n && map->input != CRD_INPUT_LOGITS; k++) x[k] = logl(x[k]) - logl(sum);
  if (!map->normalise) return;
  const long double top = x[largest(x, n)];
  sum = 0;
  for (size_t k = 0; k < n; k++) sum += expl(x[k] - top);
  for (size_t k = 0; k < n; k++) x[k] -= top + logl(sum);
}

size_t ref_map(const crd__calibrator_map *map, const double *given, double *out) {
  const size_t n = map->classes;
  long double x[REF_CLASSES_MAX] = { 0 };
  size_t top = n;
  read_row(map, given, x);
  for (size_t i = 0; map->reach == CRD__ROWS && i < map->count; i++) run_row(&map->steps[i], n, x);
  if (map->reach == CRD__SHARED_EVENT) top = largest(x, n);
  if (map->reach == CRD__ALL_EVENTS || map->reach == CRD__SHARED_EVENT) run_all(map, x);
  if (map->reach == CRD__TOP_EVENT) top = run_top(map, x);
  if (map->input == CRD_INPUT_PAIRS) out[0] = (double)x[1];
  for (size_t k = 0; map->input != CRD_INPUT_PAIRS && k < n; k++) out[k] = (double)x[k];
  return top < n ? top : largest(x, n);
}

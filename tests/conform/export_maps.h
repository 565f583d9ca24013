/* export_maps.h -- maps of every step, reach and input, and rows to apply them to (export_test.c).
 */
#ifndef CRD_TESTS_CONFORM_EXPORT_MAPS_H
#define CRD_TESTS_CONFORM_EXPORT_MAPS_H

#include "support.h"

#include "calibrator/calibrator.h"

#include <math.h>
#include <string.h>

enum { ROWS = 200, STEPS_MAX = 3 };

/* ---- Maps of all steps. */

typedef struct {
  const char *name;
  size_t classes;
  crd_input input;
  bool normalise;
  crd__calibrator_reach reach;
  crd__calibrator_op ops[STEPS_MAX]; /* up to CRD__OPS */
} recipe;

typedef struct {
  recipe recipe;
  crd__data_floor floor;
} floored_recipe;

#define L CRD_INPUT_LOGITS
#define P CRD_INPUT_PROBABILITIES
#define C CRD_INPUT_PAIRS
static const recipe recipes[] = {
  { "softmax", 3, L, false, CRD__ROWS, { CRD__SOFTMAX, CRD__OPS } },
  { "softmax_p", 7, P, false, CRD__ROWS, { CRD__SOFTMAX, CRD__OPS } },
  { "scale", 5, L, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "scale_two", 2, P, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "scale_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
  { "diagonal", 4, L, false, CRD__ROWS, { CRD__DIAGONAL, CRD__SOFTMAX, CRD__OPS } },
  { "affine", 4, L, true, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } },
  { "affine_p", 3, P, false, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } },
  { "bent", 4, L, true, CRD__ROWS, { CRD__BENT, CRD__SOFTMAX, CRD__OPS } },
  { "bent_p", 3, P, false, CRD__ROWS, { CRD__BENT, CRD__SOFTMAX, CRD__OPS } },
  { "bent_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__BENT, CRD__SOFTMAX } },
  { "two_maps", 3, L, false, CRD__ROWS, { CRD__DIAGONAL, CRD__AFFINE, CRD__SOFTMAX } },
  { "mix", 6, L, false, CRD__ROWS, { CRD__MIX, CRD__OPS } },
  { "mix_pairs", 2, C, false, CRD__ROWS, { CRD__DIAGONAL, CRD__MIX, CRD__OPS } },
  { "mix_log", 4, L, false, CRD__ROWS, { CRD__MIX, CRD__LOG, CRD__SOFTMAX } },
  { "mix_log_p", 3, P, false, CRD__ROWS, { CRD__MIX, CRD__LOG, CRD__SOFTMAX } },
  { "mix_log_pairs", 2, C, false, CRD__ROWS, { CRD__MIX, CRD__LOG, CRD__SOFTMAX } },
  { "logistic", 3, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_two", 2, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__OPS } },
  { "logistic_top", 5, P, false, CRD__TOP_EVENT, { CRD__LOGISTIC, CRD__OPS } },
  { "beta", 4, P, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } },
  { "beta_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } },
  { "beta_top", 2, L, false, CRD__TOP_EVENT, { CRD__BETA, CRD__OPS } },
  { "steps", 3, L, false, CRD__ALL_EVENTS, { CRD__STEPS, CRD__OPS } },
  { "steps_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__STEPS, CRD__OPS } },
  { "steps_top", 6, L, false, CRD__TOP_EVENT, { CRD__STEPS, CRD__OPS } },
  { "lines", 4, L, false, CRD__ALL_EVENTS, { CRD__LINES, CRD__OPS } },
  { "lines_two", 2, P, false, CRD__ALL_EVENTS, { CRD__LINES, CRD__OPS } },
  { "lines_top", 3, L, false, CRD__TOP_EVENT, { CRD__LINES, CRD__OPS } },
  { "odds_steps", 3, L, false, CRD__ALL_EVENTS, { CRD__ODDS, CRD__STEPS, CRD__OPS } },
  { "odds_pairs", 2, C, false, CRD__ALL_EVENTS, { CRD__ODDS, CRD__STEPS, CRD__OPS } },
  { "odds_lines_top", 4, P, false, CRD__TOP_EVENT, { CRD__ODDS, CRD__LINES, CRD__OPS } },
  { "shared", 5, L, false, CRD__SHARED_EVENT, { CRD__LINES, CRD__OPS } },
  { "shared_two", 2, P, false, CRD__SHARED_EVENT, { CRD__LINES, CRD__OPS } },
  { "shared_beta", 3, L, false, CRD__SHARED_EVENT, { CRD__BETA, CRD__OPS } },
  { "shared_pairs", 2, C, false, CRD__SHARED_EVENT, { CRD__LOGISTIC, CRD__LINES, CRD__OPS } },
  { "shared_falls", 4, L, false, CRD__SHARED_EVENT, { CRD__LOGISTIC, CRD__STEPS, CRD__OPS } },
  { "binned", 3, L, false, CRD__ALL_EVENTS, { CRD__LOGISTIC, CRD__STEPS, CRD__OPS } },
  { "binned_top", 3, L, false, CRD__TOP_EVENT, { CRD__BETA, CRD__LINES, CRD__STEPS } },
};
static const floored_recipe floored_recipes[] = {
  { { "floor", 4, P, false, CRD__ROWS, { CRD__AFFINE, CRD__SOFTMAX, CRD__OPS } }, { 1e-3, 1e-3 } },
  { { "floor_two", 2, P, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 6e-8, 1e-300 } },
  { { "floor_odds", 3, P, false, CRD__ALL_EVENTS, { CRD__BETA, CRD__OPS } }, { 1e-9, 1e-9 } },
  { { "floor_top", 5, P, false, CRD__TOP_EVENT, { CRD__LOGISTIC, CRD__OPS } }, { 1e-4, 1e-4 } },
  { { "floor_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 1e-7, 1e-4 } },
  { { "tiny_pairs", 2, C, false, CRD__ROWS, { CRD__SCALE, CRD__SOFTMAX, CRD__OPS } },
    { 1e-22, 1e-9 } },
};
#undef L
#undef P
#undef C
enum { FLOORED = sizeof floored_recipes / sizeof *floored_recipes };
enum { RECIPES = sizeof recipes / sizeof *recipes };

/* Coefficients of one step of event e. Events of the last class have zeros only: where all are zero
 * a row becomes uniform. */
static void add_step(crd_context *ctx, crd__calibrator_map *map, crd__calibrator_op op, size_t e) {
  double a[256], b[256];
  const size_t n = map->classes, length = 3 + e;
  const bool rows = op <= CRD__LOG;
  static const size_t counts[CRD__OPS][2] = { [CRD__SCALE] = { 1, 0 },
                                              [CRD__MIX] = { 3, 3 },
                                              [CRD__LOGISTIC] = { 2, 0 },
                                              [CRD__BETA] = { 3, 0 } };
  size_t na = counts[op][0], nb = counts[op][1];
  if (op == CRD__AFFINE) na = n * n;
  if (op == CRD__DIAGONAL) na = n;
  if (op == CRD__AFFINE || op == CRD__DIAGONAL) nb = n;
  if (op == CRD__STEPS || op == CRD__LINES) na = nb = length;
  if (op == CRD__STEPS) nb++;
  if (op == CRD__BENT) na = nb = 5;
  for (size_t i = 0; i < 256; i++) {
    a[i] = .9 + .4 * sin(1.3 * (double)i + (double)e);
    b[i] = .5 * cos(2.1 * (double)i + (double)e);
  }
  for (size_t i = 0; op == CRD__AFFINE && i < na; i++)
    a[i] = (i % (n + 1) == 0 ? 1.1 : 0) + .1 * sin((double)i);
  for (size_t i = 0; !rows && na == length && i < length; i++)
    a[i] = ((double)i + .6 + .1 * (double)e) / ((double)length + 1.7);
  for (size_t i = 0; !rows && nb && i < nb; i++)
    b[i] = e == 0 && i == 0 ? 0 : ((double)i + .3 * sin((double)(i + e)) + .4) / ((double)nb + 1);
  for (size_t i = 0; op == CRD__BENT && i < na; i++) {
    a[i] = (double)(i * i) / 4 - 3; /* between rows' log p, and on both sides of 0 */
    b[i] = 1.5 * a[i] - .4 * cos((double)i);
  }
  for (size_t i = 0; op == CRD__LINES && i < nb; i++) b[i] = 1.5 * b[i] - .1; /* beyond [0, 1] */
  if (op == CRD__MIX) memcpy(a, (double[]){ .6, .3, .1 }, 3 * sizeof *a);
  if (op == CRD__MIX) memcpy(b, (double[]){ .8, 1.7, 0 }, 3 * sizeof *b);
  if (crd__calibrator_map_add(ctx, map, op, a, na, b, nb) != CRD_OK) fail_msg("no memory");
}

static crd__calibrator_map make_map(crd_context *ctx, const recipe *r) {
  crd__calibrator_map map = { .alloc = ctx->alloc,
                              .classes = r->classes,
                              .input = r->input,
                              .normalise = r->normalise,
                              .floor = crd__data_floor_standard(r->input),
                              .reach = r->reach };
  const size_t parts = r->reach == CRD__ALL_EVENTS && r->classes > 2 ? r->classes : 1;
  for (size_t e = 0; e < parts; e++) {
    for (size_t i = 0; i < STEPS_MAX && r->ops[i] != CRD__OPS; i++)
      add_step(ctx, &map, r->ops[i], e);
    crd__calibrator_map_next(&map);
  }
  return map;
}

/* ---- Rows: float32, so that formats of float32 read the same rows. */

static size_t inputs_of(const crd__calibrator_map *map) {
  return map->input == CRD_INPUT_PAIRS ? 1 : map->classes;
}

static size_t outputs_of(const crd__calibrator_map *map) { /* plus the predicted class */
  return map->input == CRD_INPUT_PAIRS ? 1 : map->classes + 1;
}

static void make_rows(const crd__calibrator_map *map, double *rows) {
  const size_t n = inputs_of(map);
  if (n == 0) fail_msg("a map of no classes");
  test_data data = make_data((test_recipe){ ROWS, n < 2 ? 2 : n, 5, 3, .7, 0, false, false });
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = rows + i * n, sum = 0;
    for (size_t k = 0; k < n; k++) row[k] = (float)data.scores[i * (n < 2 ? 2 : n) + k];
    if (i % 20 == 0) row[i / 20 % n] += 25; /* nearly certain */
    if (i % 20 == 1) row[n - 1] = row[0];   /* a tie */
    if (map->input == CRD_INPUT_LOGITS) continue;
    for (size_t k = 0; k < n; k++) sum += exp(row[k]);
    for (size_t k = 0; k < n; k++)
      row[k] = (float)(n < 2 ? 1 / (1 + exp(-row[k])) : exp(row[k]) / sum);
    if (i == 2) row[n - 1] = 0;
    if (i == 3 && n == 1) row[0] = 1;
    if (i == 40) row[i / 20 % n] = 1.00001F; /* rounded up from nearly 1 */
    for (size_t k = 0; i % 7 == 5 && k < n; k++) row[k] = (float)(rint(row[k] * 1000) / 1000);
  }
  free_data(&data);
}

#endif

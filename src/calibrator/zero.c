/*
 * zero.c -- detects calibrators that can return probabilities of exactly 0.
 *
 * Methods whose map is a table declare an event impossible that never occurred in the calibration
 * rows of a bin: one contradicting row costs an infinite negative log-likelihood. A softmax or a
 * sigmoid is above 0 for all logits; if it underflows, or rounds to 1, that is due to the number
 * format. So the map is examined, not the probabilities: a table (STEPS, LINES) gives 0 if it
 * reaches 0 within its domain, which is 0 < q <= 1 for probabilities (q = 1 by rounding is common,
 * q = 0 takes logits 745 apart) and all numbers for log-odds. With two classes, and for the event
 * that the predicted class is correct, a 1 leaves exactly 0 to the others.
 */
#include "calibrator/zero.h"

#include <math.h>

/* Returns whether a line over (low, high] reaches 0 or less; its left end is excluded. */
static bool reaches_zero(double left, double right) {
  return left < 0 || right <= 0 || (left == 0 && right == 0);
}

static bool table_gives_zero(const crd__calibrator_step *table, size_t event, bool odds,
                             bool two_sided) {
  for (size_t i = 0; i < crd__calibrator_step_segments(table, event); i++) {
    const crd__calibrator_segment s = crd__calibrator_step_segment(table, event, i);
    const double low = odds ? s.low : fmax(s.low, 0), high = odds ? s.high : fmin(s.high, 1);
    if (!(low < high)) continue;
    /* Constant segments may be unbounded. */
    const double left = s.slope == 0 ? s.value : s.value + s.slope * (low - s.at);
    const double right = s.slope == 0 ? s.value : s.value + s.slope * (high - s.at);
    if (reaches_zero(left, right) || (two_sided && reaches_zero(1 - left, 1 - right))) return true;
  }
  return false;
}

bool crd__calibrator_map_gives_zero(const crd__calibrator_map *map) {
  if (map->reach == CRD__ROWS || map->count == 0) return false;
  const crd__calibrator_step *const last = &map->steps[map->count - 1];
  const bool two_sided =
      map->reach == CRD__TOP_EVENT || (map->reach == CRD__ALL_EVENTS && map->classes == 2);
  const bool odds = map->count > 1 && map->steps[map->count - 2].op == CRD__ODDS;
  if (last->op != CRD__STEPS && last->op != CRD__LINES) return false;
  for (size_t event = 0; event < last->parts; event++)
    if (table_gives_zero(last, event, odds, two_sided)) return true;
  return false;
}

crd_status crd__calibrator_gives_zero(crd_context *ctx, const crd_calibrator *calibrator,
                                      const double *probabilities, size_t count, bool *out) {
  const crd__calibrator_method *const method = calibrator->method;
  crd__calibrator_map map;
  *out = false;
  if (method->event ? !method->event->describe : !method->describe) {
    for (size_t i = 0; i < count; i++)
      *out |= probabilities[i] == 0 || (calibrator->classes == 0 && probabilities[i] == 1);
    return CRD_OK;
  }
  const crd_status status = crd__calibrator_map_make(ctx, calibrator, &map);
  if (status == CRD_OK) *out = crd__calibrator_map_gives_zero(&map);
  crd__calibrator_map_clear(&map);
  return status;
}

/*
 * step.c -- a rate that falls at given shares of all steps, as torch's MultiStepLR:
 *
 *   factor = factor^k at step s, k: how many shares a have s >= a steps
 *
 * Shares, not epochs: at=0.5,0.75 is "divided by 10 at epochs 100 and 150 of 200". The shares count
 * from the first step, warm-up included.
 */
#include "train/schedule.h"

#include <math.h>

enum { AT = CRD__TRAIN_SCHEDULE_OWN, FACTOR };

static double step_factor(const crd__train_part *part, double step, double steps) {
  const crd__choice *const chosen = &part->chosen;
  const double warm_up = floor(chosen->values[CRD__TRAIN_WARM_UP] * steps + 0.5);
  size_t passed = 0;
  for (size_t i = 0; i < chosen->list_count; i++)
    passed += step >= floor(chosen->list[i] * steps + 0.5);
  const double factor = pow(chosen->values[FACTOR], (double)passed);
  return step < warm_up ? factor * (step + 1) / warm_up : factor;
}

static const crd_setting_info settings[] = {
  CRD__TRAIN_WARM_UP_SETTING("0"),
  { .name = "at",
    .help = "shares of the steps after which the rate falls",
    .standard = "0.5,0.75",
    .low = 0,
    .high = 1,
    .list = 1 },
  { .name = "factor", .help = "by which it falls", .standard = "0.1", .low = 0, .high = 1 },
};

const crd__train_schedule crd__train_schedule_step = {
  .info = { .name = "step",
            .summary = "falls by a factor at given shares of the steps",
            .reference = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .factor = step_factor,
  .own_warm_up = true,
};

/*
 * one_cycle.c -- the one-cycle policy, as torch's OneCycleLR: along half a cosine from 1 / start to
 * 1 at step warm-up * steps - 1, then along another to 1 / (start * end) at the last step. The
 * momentum stays as it is.
 *
 * Smith, Topin: Super-convergence: very fast training of neural networks using large learning rates
 * (2018).
 */
#include "train/schedule.h"

#include <math.h>

enum { START = CRD__TRAIN_SCHEDULE_OWN, END };
static const double pi = 3.141592653589793;

static double between(double from, double to, double share) {
  return to + (from - to) * (1 + cos(pi * share)) / 2;
}

static double one_cycle_factor(const crd__train_part *part, double step, double steps) {
  const double low = 1 / part->chosen.values[START],
               peak = part->chosen.values[CRD__TRAIN_WARM_UP] * steps - 1;
  if (step <= peak && peak > 0) return between(low, 1, step / peak);
  const double from = peak > 0 ? peak : 0, rest = steps - 1 - from;
  return between(1, low / part->chosen.values[END], rest > 0 ? (step - from) / rest : 1);
}

static const crd_setting_info settings[] = {
  { .name = "warm-up",
    .help = "share of the steps during which the rate rises, along half a cosine",
    .standard = "0.3",
    .low = 0,
    .high = 1 },
  { .name = "start",
    .help = "the first rate is the highest divided by it",
    .standard = "25",
    .low = 1,
    .high = 1e9 },
  { .name = "end",
    .help = "the last rate is the first divided by it",
    .standard = "1e4",
    .low = 1,
    .high = 1e12 },
};

const crd__train_schedule crd__train_schedule_one_cycle = {
  .info = { .name = "one-cycle",
            .summary = "rises to the full rate, then falls far below the first",
            .reference = "Smith, Topin: Super-convergence: very fast training of neural networks "
                         "using large learning rates (2018)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .factor = one_cycle_factor,
  .own_warm_up = true,
};

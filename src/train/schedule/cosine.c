/*
 * cosine.c -- cosine annealing, as torch's CosineAnnealingLR over the steps after the warm-up:
 *
 *   factor = least + (1 - least) (1 + cos(pi step / steps)) / 2
 *
 * Loshchilov, Hutter: SGDR: stochastic gradient descent with warm restarts (ICLR 2017); no
 * restarts here.
 */
#include "train/schedule.h"

#include <math.h>

enum { LEAST = CRD__TRAIN_SCHEDULE_OWN };
static const double pi = 3.141592653589793;

static double cosine_factor(const crd__train_part *part, double step, double steps) {
  const double least = part->chosen.values[LEAST];
  return least + (1 - least) * (1 + cos(pi * step / steps)) / 2;
}

static const crd_setting_info settings[] = {
  CRD__TRAIN_WARM_UP_SETTING("0.05"),
  { .name = "least", .help = "the factor at the end", .standard = "0", .low = 0, .high = 1 },
};

const crd__train_schedule crd__train_schedule_cosine = {
  .info = { .name = "cosine",
            .summary = "falls to 0 along half a cosine",
            .reference = "Loshchilov, Hutter: SGDR: stochastic gradient descent with warm restarts "
                         "(ICLR 2017)",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .factor = cosine_factor,
};

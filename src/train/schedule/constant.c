/* constant.c -- the same rate in every step after the warm-up. */
#include "train/schedule.h"

static double constant_factor(const crd__train_part *part, double step, double steps) {
  (void)part, (void)step, (void)steps;
  return 1;
}

static const crd_setting_info settings[] = { CRD__TRAIN_WARM_UP_SETTING("0") };

const crd__train_schedule crd__train_schedule_constant = {
  .info = { .name = "constant",
            .summary = "the same rate in every step",
            .reference = "",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .factor = constant_factor,
};

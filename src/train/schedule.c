/* schedule.c -- the table of schedules, made from list.h; warm-up. */
#include "train/schedule.h"
#include "base/table.h"

#include <math.h>

static const crd__train_schedule *const schedules[] = {
#define SCHEDULE(name) &crd__train_schedule_##name,
#include "train/schedule/list.h"
#undef SCHEDULE
};

const crd__train_schedule *crd__train_schedule_at(size_t index) {
  return index < sizeof schedules / sizeof *schedules ? schedules[index] : NULL;
}

CRD_TABLE(schedule, crd_training_part_info, sizeof schedules / sizeof *schedules,
          &schedules[index]->info)

static const crd__train_table table = { crd_schedule_at };
static const crd__names names = { .unknown = "no schedule is called",
                                  .lister = "crd_schedule_at",
                                  .at = crd__train_part_name,
                                  .self = &table };
const crd__choices crd__train_schedules = { .names = &names,
                                            .entry = "the name of a schedule",
                                            .settings = crd__train_part_settings };

double crd__train_schedule_factor(const crd__train_part *part, uint64_t step, uint64_t steps) {
  const crd__train_schedule *const schedule = schedules[part->chosen.index];
  const double warm_up = floor(part->chosen.values[CRD__TRAIN_WARM_UP] * (double)steps + 0.5);
  if (schedule->own_warm_up) return schedule->factor(part, (double)step, (double)steps);
  if ((double)step < warm_up)
    return schedule->factor(part, 0, (double)steps) * ((double)step + 1) / warm_up;
  return schedule->factor(part, (double)step - warm_up, (double)steps - warm_up);
}

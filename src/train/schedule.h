/*
 * schedule.h -- the interface of a schedule of the learning rate: one file of schedule/ each.
 *
 * The rate of a step is the optimiser's rate times a factor that depends on the index of the step
 * and the number of steps only: a resumed run needs no state of it.
 */
#ifndef CRD_TRAIN_SCHEDULE_H
#define CRD_TRAIN_SCHEDULE_H

#include "train/part.h"

/* The first setting of every schedule. */
enum { CRD__TRAIN_WARM_UP, CRD__TRAIN_SCHEDULE_OWN };
#define CRD__TRAIN_WARM_UP_SETTING(value)                                                          \
  {                                                                                                \
    .name = "warm-up", .help = "share of the steps during which the rate rises linearly from 0",   \
    .standard = value, .low = 0, .high = 1                                                         \
  }

typedef struct {
  crd_training_part_info info;
  /* Returns the factor of step 0 .. steps-1. */
  double (*factor)(const crd__train_part *part, double step, double steps);
  bool own_warm_up; /* `factor` includes the warm-up; else the frame multiplies it in */
} crd__train_schedule;

#define SCHEDULE(name) extern const crd__train_schedule crd__train_schedule_##name;
#include "train/schedule/list.h"
#undef SCHEDULE

extern const crd__choices crd__train_schedules;
const crd__train_schedule *crd__train_schedule_at(size_t index); /* NULL past the end */

/* Returns the factor of step 0 .. steps-1, warm-up included: during the first W = warm-up * steps,
 * rounded, (step + 1) / W of the schedule's own value after it. */
double crd__train_schedule_factor(const crd__train_part *part, uint64_t step, uint64_t steps);

#endif

/* list.h -- the schedules; <name>.c defines crd__train_schedule_<name>. */
SCHEDULE(cosine)
SCHEDULE(one_cycle)
SCHEDULE(step)
SCHEDULE(constant)

/*
 * spin.c -- limits how long idle threads of OpenMP wait busily (spin.h).
 *
 * Between two parallel loops libgomp's threads spin for about a millisecond. Where another process
 * wants the same cores, each of these loops then waits until a spinning thread's time slice ends:
 * two trainings side by side on two cores took up to a hundred times as long as one. With a limit
 * of some microseconds they share the machine, and alone they are as fast as before.
 *
 * libgomp reads its environment before main, so the program has to be started again.
 */
#include "spin.h"

#include <stdlib.h>
#include <unistd.h>

void cli_spin_limit(char **argv) {
  if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT")) return;
  if (setenv("GOMP_SPINCOUNT", "1000", 1) == 0) execv("/proc/self/exe", argv);
}

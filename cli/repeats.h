/* repeats.h -- the same comparison of calibration methods several times, with one seed after the
 * other. */
#ifndef CLI_REPEATS_H
#define CLI_REPEATS_H

#include "command.h"

enum { CLI_REPEATS_MAX = 1000 };

/* The entry of a table of options; `at` is the member, an unsigned. */
#define CLI_REPEATS_OPTION(at)                                                                     \
  {                                                                                                \
    CLI_COUNT, 0, "repeats", "N", at,                                                              \
        .standard = "1", .low = 1, .high = CLI_REPEATS_MAX,                                        \
        .help = "compare N times, with the seeds SEED, SEED+1 ..., and show mean and standard "    \
                "deviation over these runs"                                                        \
  }

/* What to run. */
typedef struct {
  unsigned count, seed;
  crd_series_kind kind;
  const char
      *what; /* differs between the runs, for the caption: "random splits of the same rows" */
  /* Runs the contest of an index from 0; the seed of the context is set. */
  crd_status (*run)(cli_session *session, void *self, unsigned index, const crd_contest **out);
  void *self;
} cli_repeats;

/* Runs all contests, with progress, and gathers them; *first is the first one. Sets both to NULL on
 * failure, also of an interrupt. */
crd_status cli_repeats_run(cli_session *session, const cli_repeats *repeats, crd_series **out,
                           const crd_contest **first);

#endif

/* floor.h -- the option --floor of commands that fit calibrators. */
#ifndef CLI_FLOOR_H
#define CLI_FLOOR_H

#include "command.h"

#define CLI_FLOOR_OPTION(at)                                                                       \
  {                                                                                                \
    CLI_TEXT, 0, "floor", "NUMBER", at,                                                            \
        .help = "read probabilities below NUMBER as NUMBER (default: values of exactly 0, as in "  \
                "rounded files, are read as a value fitted to the calibration rows)"               \
  }

/* Parses the option, 0 if it was not given; fails unless it is a number between 0 and 1. */
crd_status cli_floor_read(cli_session *session, const char *text, double *out);

#endif

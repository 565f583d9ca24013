/* floor.h -- --floor, of the commands that fit calibrators. */
#ifndef CLI_FLOOR_H
#define CLI_FLOOR_H

#include "command.h"

#define CLI_FLOOR_OPTION(at)                                                                       \
  {                                                                                                \
    CLI_TEXT, 0, "floor", "NUMBER", at,                                                            \
        .help = "read probabilities below NUMBER as NUMBER; without it, values of exactly 0 "      \
                "(rounded files) are read as what fits the calibration rows best"                  \
  }

/* The number, or why it is none; 0 where the option was not given. */
crd_status cli_floor_read(cli_session *session, const char *text, double *out);

#endif

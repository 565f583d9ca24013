/* targets.h -- options for operating points: target risks and coverages. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "command.h"

enum { CLI_TARGETS_MAX = 16 };

/* The options as typed, and their values. */
typedef struct {
  cli_joined risk, coverage;
} cli_targets;

typedef struct {
  crd_target items[CLI_TARGETS_MAX];
  size_t count;
} cli_target_list;

/* Entries of an option table that fill the member `targets` of a command's arguments. */
#define CLI_TARGET_OPTIONS(arguments)                                                              \
  { CLI_JOIN, .name = "target-risk", .argument = "LIST",                                           \
    .offset = offsetof(arguments, targets.risk),                                                   \
    .help = "operating points: the lowest confidence above which the error rate is at most this, " \
            "such as 0.02, and the fraction of rows above it; repeatable" },                       \
  {                                                                                                \
    CLI_JOIN, .name = "target-coverage", .argument = "LIST",                                       \
              .offset = offsetof(arguments, targets.coverage),                                     \
              .help = "operating points: the confidence above which this fraction of rows lies, "  \
                      "such as 0.9, and its error rate; repeatable"                                \
  }

/* Parses both options. Fails unless they are numbers in the range of their kind. */
crd_status cli_targets_read(cli_session *session, const cli_targets *targets, cli_target_list *out);

#endif

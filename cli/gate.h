/* gate.h -- the option --fail-if: conditions such as "ece > 0.05, accuracy.low < 0.9". */
#ifndef CLI_GATE_H
#define CLI_GATE_H

#include "command.h"

/* Help of --fail-if, the same for every command. */
#define CLI_GATE_HELP                                                                              \
  "exit with code 1 if a condition holds, such as 'ece.high > 0.05': METRIC, or an end of its "    \
  "95 % interval as METRIC.low or METRIC.high; >, >=, < or <=; a number. Of several conditions, "  \
  "separated by commas or 'or' or given in several options, one is enough; those joined by 'and' " \
  "must all hold"

enum { CLI_GATE_MAX = 64, CLI_GATE_METRICS = 2048 };

typedef struct {
  const crd_metric_info *metric;
  size_t part;       /* index into `parts` of gate.c: value, low, high ... */
  bool above, equal; /* > or <; with = */
  double limit;
  bool joined;   /* by "and" with the next condition */
  char text[64]; /* as typed, for error messages */
} cli_condition;

typedef struct {
  cli_condition conditions[CLI_GATE_MAX];
  size_t count;
} cli_gate;

/* Parses the option; "" has no condition. Fails on syntax errors and unknown metrics. */
crd_status cli_gate_read(cli_session *session, const char *text, cli_gate *out);
/* Fails if a condition needs an interval and `resamples` is 0. */
crd_status cli_gate_check_intervals(cli_session *session, const cli_gate *gate, unsigned resamples);
/* Adds the metrics of the gate to a list of metrics; NULL stays NULL if the default ones suffice.
 */
const char *cli_gate_metrics(const cli_gate *gate, const char *metrics,
                             char list[static CLI_GATE_METRICS]);
/* Reports the conditions that hold on standard error, and sets the exit code. A value that does not
 * exist fails the gate too. `model` is the name of one of several models; NULL: there is one. */
void cli_gate_judge(cli_session *session, const cli_gate *gate, const crd_result *result,
                    const char *model);

#endif

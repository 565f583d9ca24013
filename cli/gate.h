/* gate.h -- conditions on results: --fail-if "ece > 0.05, accuracy.low < 0.9". */
#ifndef CLI_GATE_H
#define CLI_GATE_H

#include "command.h"

/* What every command's option --fail-if does, for its table. */
#define CLI_GATE_HELP                                                                              \
  "end with exit code 1 if a condition holds: METRIC, or an end of its 95 % interval as "          \
  "METRIC.low or METRIC.high; then >, >=, < or <=; then a number, as in 'ece.high > 0.05'. One "   \
  "of several, separated by commas or 'or' or given one by one, is enough; those joined by 'and' " \
  "must hold together"

enum { CLI_GATE_MAX = 64, CLI_GATE_METRICS = 2048 };

typedef struct {
  const crd_metric_info *metric;
  size_t part;       /* which number of the metric: a row of the table in gate.c */
  bool above, equal; /* > or <; with = */
  double limit;
  bool joined;   /* the next condition must hold too */
  char text[64]; /* as typed, for messages */
} cli_condition;

typedef struct {
  cli_condition conditions[CLI_GATE_MAX];
  size_t count;
} cli_gate;

/* Read the option's text; "" has no condition. Refused: what cannot be read, and metrics that do
 * not exist. */
crd_status cli_gate_read(cli_session *session, const char *text, cli_gate *out);
/* Refuse conditions on ends of intervals where none will be computed. */
crd_status cli_gate_check_intervals(cli_session *session, const cli_gate *gate, unsigned resamples);
/* The list of metrics with those of the gate added; NULL stays NULL where it has them all. */
const char *cli_gate_metrics(const cli_gate *gate, const char *metrics,
                             char list[static CLI_GATE_METRICS]);
/* Report on standard error which conditions hold, and remember that one did. A number that does not
 * exist fails the gate too: what cannot be judged is not passed. */
void cli_gate_judge(cli_session *session, const cli_gate *gate, const crd_result *result);

#endif

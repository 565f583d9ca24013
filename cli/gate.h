/* gate.h -- conditions on results: --fail-if "ece>0.05,accuracy<0.9". */
#ifndef CLI_GATE_H
#define CLI_GATE_H

#include "command.h"

/* Is the list well written, and does it name metrics that exist? NULL is an empty list. */
crd_status cli_gate_check(cli_session *session, const char *list);
/* Report every condition that holds on standard error, and remember that one did. A metric that was
 * not measured, or has no value, fails the gate too: a gate that cannot be judged is not passed. */
void cli_gate_judge(cli_session *session, const char *list, const crd_result *result);

#endif

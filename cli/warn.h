/* warn.h -- warnings of a quick diagnosis, shown with the results of other commands. */
#ifndef CLI_WARN_H
#define CLI_WARN_H

#include "opening.h"

enum { CLI_WARNINGS_MAX = 16 };

typedef struct {
  char *items[CLI_WARNINGS_MAX];
  size_t count;
} cli_warnings;

/* Adds one line for each finding of a quick diagnosis of these predictions. */
crd_status cli_warnings_gather(crd_context *ctx, const cli_opening *opening,
                               const crd_predictions *predictions, cli_warnings *warnings);
void cli_warnings_clear(cli_warnings *warnings);

/* After a failure to evaluate, prints the findings of a quick diagnosis on standard error. Keeps
 * the error message of the failure. */
void cli_warn_of_failure(cli_session *session, const cli_opening *opening);

#endif

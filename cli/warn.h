/* warn.h -- what the doctor sees at a glance, told beside other numbers. */
#ifndef CLI_WARN_H
#define CLI_WARN_H

#include "opening.h"

enum { CLI_WARNINGS_MAX = 16 };

typedef struct {
  char *items[CLI_WARNINGS_MAX];
  size_t count;
  const char **notes; /* of the result, and these */
} cli_warnings;

/* Take in what is wrong with these predictions, one line each: usually nothing. */
crd_status cli_warnings_gather(crd_context *ctx, const cli_opening *opening,
                               const crd_predictions *predictions, cli_warnings *warnings);
/* They become notes of the result, before its own. */
crd_status cli_warnings_add(cli_warnings *warnings, crd_result *result);
void cli_warnings_clear(cli_warnings *warnings);

/* The input was refused: if the doctor sees why at a glance, say so on standard error. The message
 * of the failure stays. */
void cli_warn_of_failure(cli_session *session, const cli_opening *opening);

#endif

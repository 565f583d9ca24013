/* named_runs.h -- operands NAME=PRED or NAME=CALIBRATE,TEST: the predictions of trained networks.
 */
#ifndef CLI_NAMED_RUNS_H
#define CLI_NAMED_RUNS_H

#include "opening.h"

/* Predictions of all operands; equal names are seeds of one training method. */
typedef struct {
  crd_trained_run *runs;
  size_t count;
  char *text;                          /* the names, and the paths while they are opened */
  crd_predictions **test, **calibrate; /* owned; calibrate may be NULL */
} cli_named_runs;

/* Sets *name and *rest to the two sides of NAME=REST, which are parts of `text`: its '=' becomes a
 * NUL. Fails with EUSAGE unless both have characters. */
crd_status cli_named_split(cli_session *session, char *text, const char *what, char **name,
                           char **rest);

/* Opens the file of a figure; NULL: none. Fails with EUSAGE unless it is FILE.svg. */
crd_status cli_svg_open(cli_session *session, const char *path, crd_output **out);

/* Opens the predictions of all operands. Release with close, also after failure. */
crd_status cli_named_runs_open(cli_session *session, const cli_words *operands,
                               const cli_opening *opening, cli_named_runs *out);
void cli_named_runs_close(cli_named_runs *runs);

#endif

/* remedy.h -- commands to paste that fix the doctor's findings. */
#ifndef CLI_REMEDY_H
#define CLI_REMEDY_H

#include "opening.h"

enum { CLI_SUGGESTIONS_MAX = 12 };

typedef struct {
  crd_suggestion items[CLI_SUGGESTIONS_MAX]; /* lines are owned */
  size_t count;
} cli_suggestions;

/* Makes a command for each finding with a remedy; the last one evaluates the predictions, or
 * examines them again if there was a problem. Fails with ENOMEM. Release with clear. */
crd_status cli_suggest(const cli_opening *opening, const crd_predictions *predictions,
                       const crd_diagnosis *diagnosis, cli_suggestions *out);
void cli_suggestions_clear(cli_suggestions *suggestions);

#endif

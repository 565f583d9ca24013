/* remedy.h -- what to do about findings of the doctor, as commands that can be pasted. */
#ifndef CLI_REMEDY_H
#define CLI_REMEDY_H

#include "opening.h"

enum { CLI_SUGGESTIONS_MAX = 12 };

typedef struct {
  crd_suggestion items[CLI_SUGGESTIONS_MAX]; /* lines are owned */
  size_t count;
} cli_suggestions;

/* For each finding that something can be done about, how; last, what to do with the predictions as
 * they are, if nothing is wrong with them. Release with clear. */
crd_status cli_suggest(const cli_opening *opening, const crd_predictions *predictions,
                       const crd_diagnosis *diagnosis, cli_suggestions *out);
void cli_suggestions_clear(cli_suggestions *suggestions);

#endif

/* warn.c -- findings of a quick diagnosis as lines, each with the command that explains it. */
#include "warn.h"

#include <stdlib.h>
#include <string.h>

/* One finding, and the command to run; NULL: no memory. */
static char *line_of(const crd_finding *finding, const cli_opening *opening) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fprintf(out, "%s: %s What to do: ", finding->info->name, finding->found);
  cli_opening_spell(out, "doctor", opening->path, opening);
  const bool whole = !ferror(out);
  if (fclose(out) == 0 && whole) return text;
  free(text);
  return NULL;
}

crd_status cli_warnings_gather(crd_context *ctx, const cli_opening *opening,
                               const crd_predictions *predictions, cli_warnings *warnings) {
  const crd_diagnosis *diagnosis = NULL;
  if (crd_predictions_input(predictions) == CRD_INPUT_RANKING)
    return CRD_OK; /* nothing to look at */
  crd_status status = crd_diagnose_quickly(ctx, predictions, &diagnosis);
  for (size_t i = 0; status == CRD_OK && i < diagnosis->finding_count; i++) {
    if (warnings->count == CLI_WARNINGS_MAX) break;
    char *const line = line_of(&diagnosis->findings[i], opening);
    if (line) warnings->items[warnings->count++] = line;
    else status = CRD_ENOMEM;
  }
  crd_diagnosis_destroy(diagnosis);
  return status;
}

void cli_warnings_clear(cli_warnings *warnings) {
  for (size_t i = 0; i < warnings->count; i++) free(warnings->items[i]);
  *warnings = (cli_warnings){ .count = 0 };
}

void cli_warn_of_failure(cli_session *session, const cli_opening *opening) {
  crd_open_options how = cli_opening_options(opening);
  crd_predictions *predictions = NULL;
  cli_warnings warnings = { .count = 0 };
  if (strcmp(opening->path, "-") == 0) return; /* standard input cannot be read again */
  snprintf(session->message, sizeof session->message, "%s", crd_context_message(session->ctx));
  how.trusted = 1;
  crd_status status = crd_predictions_open(session->ctx, opening->path, &how, &predictions);
  if (status == CRD_OK) status = cli_warnings_gather(session->ctx, opening, predictions, &warnings);
  for (size_t i = 0; status == CRD_OK && i < warnings.count; i++)
    fprintf(stderr, "credence: warning: %s\n", warnings.items[i]);
  cli_warnings_clear(&warnings);
  crd_predictions_destroy(predictions);
}

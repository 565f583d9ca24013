/* show.c -- writes a result in the form that the options ask for. */
#include "show.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

crd_report_options cli_look_options(const cli_look *look, const cli_background *background) {
  return (crd_report_options){
    .size = sizeof(crd_report_options),
    .colour = strcmp(look->output, "-") == 0 && cli_terminal_colours(),
    .ascii = look->ascii || !cli_terminal_unicode(),
    .digits = look->digits,
    .percent = look->percent,
    .classes = 1, /* a result has a profile of classes only if it is to be shown */
    .diagnosis = background ? background->diagnosis : NULL,
    .provenance = background ? &background->provenance : NULL,
  };
}

/* A CSV table cannot hold notes. */
static void print_notes(const cli_look *look, const crd_result *result, const char *model) {
  for (size_t i = 0; !look->quiet && strcmp(look->form, "csv") == 0 && i < result->note_count; i++)
    fprintf(stderr, "credence: note: %s%s%s\n", model ? model : "", model ? ": " : "",
            result->notes[i]);
}

crd_status cli_show(cli_session *session, const cli_look *look, const crd_result *result,
                    const cli_background *background, crd_output *output) {
  crd_result shown = *result;
  const crd_report_options options = cli_look_options(look, background);
  if (look->quiet && strcmp(look->form, "text") == 0) shown.note_count = 0;
  print_notes(look, result, NULL);
  return crd_report_write(session->ctx, &shown, look->form, &options, output);
}

crd_status cli_show_models(cli_session *session, const cli_look *look,
                           const crd_named_result *models, size_t count, crd_output *output) {
  const crd_report_options options = cli_look_options(look, NULL);
  crd_named_result *const shown = calloc(count + 1, sizeof *shown);
  crd_result *const results = calloc(count + 1, sizeof *results);
  crd_status status = shown && results ? CRD_OK : CRD_ENOMEM;
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    shown[i] = models[i];
    results[i] = *models[i].result;
    shown[i].result = &results[i];
    if (look->quiet && strcmp(look->form, "text") == 0) results[i].note_count = 0;
    print_notes(look, models[i].result, models[i].name);
  }
  if (status == CRD_OK)
    status = crd_results_write(session->ctx, shown, count, look->form, &options, output);
  free(shown);
  free(results);
  return status;
}

/* show.c -- writes a result in the form that the options ask for. */
#include "show.h"
#include "terminal.h"

#include <string.h>

crd_report_options cli_look_options(const cli_look *look, const cli_background *background) {
  return (crd_report_options){
    .size = sizeof(crd_report_options),
    .colour = strcmp(look->output, "-") == 0 && cli_terminal_colours(),
    .ascii = look->ascii || !cli_terminal_unicode(),
    .quiet = look->quiet,
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
  const crd_report_options options = cli_look_options(look, background);
  print_notes(look, result, NULL);
  return crd_report_write(session->ctx, result, look->form, &options, output);
}

crd_status cli_show_models(cli_session *session, const cli_look *look,
                           const crd_named_result *models, size_t count, crd_output *output) {
  const crd_report_options options = cli_look_options(look, NULL);
  for (size_t i = 0; i < count; i++) print_notes(look, models[i].result, models[i].name);
  return crd_results_write(session->ctx, models, count, look->form, &options, output);
}

/* show.c -- writes a result in the form that the options ask for. */
#include "show.h"
#include "terminal.h"

#include <string.h>

crd_report_options cli_look_options(const cli_look *look, const cli_background *background) {
  return (crd_report_options){
    .colour = strcmp(look->output, "-") == 0 && cli_terminal_colours(),
    .ascii = look->ascii || !cli_terminal_unicode(),
    .diagnosis = background ? background->diagnosis : NULL,
    .provenance = background ? &background->provenance : NULL,
  };
}

crd_status cli_show(cli_session *session, const cli_look *look, const crd_result *result,
                    const cli_background *background, crd_output *output) {
  crd_result shown = *result;
  const crd_report_options options = cli_look_options(look, background);
  if (look->quiet && strcmp(look->form, "text") == 0) shown.note_count = 0;
  /* A CSV table cannot hold notes. */
  for (size_t i = 0; !look->quiet && strcmp(look->form, "csv") == 0 && i < result->note_count; i++)
    fprintf(stderr, "credence: note: %s\n", result->notes[i]);
  return crd_report_write(session->ctx, &shown, look->form, &options, output);
}

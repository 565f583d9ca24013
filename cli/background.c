/* background.c -- provenance and diagnosis of a result, and the outputs it goes to. */
#include "background.h"
#include "option.h"
#include "page.h"

#include <stdlib.h>
#include <string.h>

bool cli_story_wanted(const cli_story *story) { return story->html || story->full; }

crd_status cli_story_open(cli_session *session, const cli_story *story, const char *form,
                          crd_output **page) {
  if (story->full && strcmp(form, "json") != 0)
    return cli_refuse(session, "--full needs --json: no other form can hold it");
  if (story->title && !story->html)
    return cli_refuse(session, "--title needs --html: it is the heading of the page");
  return story->html ? crd_output_open(session->ctx, story->html, page) : CRD_OK;
}

crd_status cli_finish(cli_session *session, crd_status status, crd_output *output,
                      crd_output *page) {
  if (page) status = crd_output_finish(session->ctx, page, status);
  return crd_output_finish(session->ctx, output, status);
}

static char *spell_command(const cli_session *session) {
  char *text = NULL;
  size_t length = 0;
  FILE *const out = open_memstream(&text, &length);
  if (!out) return NULL;
  fputs("credence", out);
  for (int i = 1; i < session->argc; i++) {
    fputc(' ', out);
    cli_page_shell(out, session->argv[i]);
  }
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

crd_status cli_background_gather(cli_session *session, const crd_predictions *predictions,
                                 const char *const *paths, size_t count, uint64_t seed,
                                 cli_background *out) {
  *out = (cli_background){ .provenance = {
                               .version = crd_version(), .build = crd_build(), .seed = seed } };
  out->command = spell_command(session);
  out->provenance.command = out->command;
  if (!out->command) return CRD_ENOMEM;
  crd_status status = crd_diagnose(session->ctx, predictions, &out->diagnosis);
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    if (paths[i])
      status = crd_source_identify(session->ctx, paths[i],
                                   &out->sources[out->provenance.source_count++]);
  out->provenance.sources = out->sources;
  return status;
}

void cli_background_clear(cli_background *background) {
  crd_diagnosis_destroy(background->diagnosis);
  free(background->command);
  *background = (cli_background){ 0 };
}

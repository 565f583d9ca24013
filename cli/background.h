/* background.h -- what a report tells beside its numbers: how they came about, and what the doctor
 * says of the data. The options --html and --full, and who gathers for them. */
#ifndef CLI_BACKGROUND_H
#define CLI_BACKGROUND_H

#include "command.h"

/* What the options ask for. */
typedef struct {
  const char *html; /* write a page to this file; NULL: none */
  bool full;
} cli_story;

/* The rows of an option table that fill the member `story` of a command's arguments. */
#define CLI_STORY_OPTIONS(arguments)                                                               \
  { CLI_FILE,                                                                                      \
    .name = "html",                                                                                \
    .argument = "FILE",                                                                            \
    .offset = offsetof(arguments, story.html),                                                     \
    .writes = true,                                                                                \
    .help = "also write a page to FILE that shows all of it: verdict, table, figures, classes; "   \
            "it needs no network" },                                                               \
  {                                                                                                \
    CLI_FLAG, .name = "full", .offset = offsetof(arguments, story.full),                           \
              .help = "with --json: also what a page is drawn from, for 'credence report'"         \
  }

enum { CLI_SOURCES_MAX = 5 };

typedef struct {
  crd_provenance provenance;
  crd_diagnosis *diagnosis;
  crd_source sources[CLI_SOURCES_MAX];
  char *command;
} cli_background;

/* Is there need for a background, and a profile? */
bool cli_story_wanted(const cli_story *story);
/* Is what they ask for possible with this form of output? Opens the page's file, if there is to be
 * one: before the work, so that a wrong name does not cost the wait. */
crd_status cli_story_open(cli_session *session, const cli_story *story, const char *form,
                          crd_output **page);

/* `paths`: the files that were read, up to CLI_SOURCES_MAX; NULL among them is left out. Release
 * with clear, also after failure. */
crd_status cli_background_gather(cli_session *session, const crd_predictions *predictions,
                                 const char *const *paths, size_t count, uint64_t seed,
                                 cli_background *out);
void cli_background_clear(cli_background *background);

/* Commit outputs if all went well, else discard them; NULL among them is left out. */
crd_status cli_finish(cli_session *session, crd_status status, crd_output *output,
                      crd_output *page);

#endif

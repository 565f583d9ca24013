/* background.h -- the options --html, --title and --full, and what they add to a result: provenance
 * and the doctor's diagnosis. */
#ifndef CLI_BACKGROUND_H
#define CLI_BACKGROUND_H

#include "command.h"

/* Values of --html, --title and --full. */
typedef struct {
  const char *html;  /* write a page to this file; NULL: none */
  const char *title; /* heading of the page; NULL: the name of the predictions' file */
  bool full;
} cli_story;

/* Entries of an option table that fill the member `story` of a command's arguments. */
#define CLI_STORY_OPTIONS(arguments)                                                               \
  { CLI_FILE,                                                                                      \
    .name = "html",                                                                                \
    .argument = "FILE",                                                                            \
    .offset = offsetof(arguments, story.html),                                                     \
    .writes = true,                                                                                \
    .help = "also write an HTML page to FILE: verdict, table, figures, classes; it works "         \
            "offline" },                                                                           \
      { CLI_TEXT, .name = "title", .argument = "TEXT", .offset = offsetof(arguments, story.title), \
        .help = "with --html: heading of the page (default: name of the file)" },                  \
  {                                                                                                \
    CLI_FLAG, .name = "full", .offset = offsetof(arguments, story.full),                           \
              .help = "with --json: also store the data of the HTML page, for 'credence report'"   \
  }

enum { CLI_SOURCES_MAX = 5 + CLI_EACH_MAX };

typedef struct {
  crd_provenance provenance;
  const crd_diagnosis *diagnosis;
  crd_source sources[CLI_SOURCES_MAX];
  char *command;
} cli_background;

/* Returns whether the options need a background and a profile. */
bool cli_story_wanted(const cli_story *story);
/* Fails if --full is given without --json, or --title without --html. Opens the page's file, if
 * --html is given: before the work, so that a wrong name fails at once. */
crd_status cli_story_open(cli_session *session, const cli_story *story, const char *form,
                          crd_output **page);

/* Examines the predictions and hashes the files that were read: `paths`, at most CLI_SOURCES_MAX,
 * NULL is skipped. Release with clear, also after failure. */
crd_status cli_background_gather(cli_session *session, const crd_predictions *predictions,
                                 const char *const *paths, size_t count, uint64_t seed,
                                 cli_background *out);
void cli_background_clear(cli_background *background);

/* Commits both outputs if `status` is CRD_OK, else discards them; NULL is skipped. */
crd_status cli_finish(cli_session *session, crd_status status, crd_output *output,
                      crd_output *page);

#endif

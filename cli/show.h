/* show.h -- writing a result: which form, where to, how it looks; the same for every command. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "background.h"

typedef struct {
  const char *form, *output;
  bool quiet, ascii;
} cli_look;

/* The rows of an option table that fill the member `look` of a command's arguments. */
#define CLI_LOOK_OPTIONS(arguments)                                                                \
  { CLI_SELECT, .name = "json", .offset = offsetof(arguments, look.form), .standard = "text",      \
    .help = "write JSON: everything, for programs" },                                              \
      { CLI_SELECT, .name = "csv", .offset = offsetof(arguments, look.form),                       \
        .help = "write CSV: metric, value, interval, reason" },                                    \
      { CLI_SELECT, .name = "markdown", .offset = offsetof(arguments, look.form),                  \
        .help = "write a Markdown table" },                                                        \
      { CLI_SELECT, .name = "latex", .offset = offsetof(arguments, look.form),                     \
        .help = "write a LaTeX table (booktabs)" },                                                \
      { CLI_FILE,                                                                                  \
        'o',                                                                                       \
        "output",                                                                                  \
        "FILE",                                                                                    \
        .offset = offsetof(arguments, look.output),                                                \
        .writes = true,                                                                            \
        .standard = "-",                                                                           \
        .help = "write to FILE, whole or not at all; '-' is standard output" },                    \
      { CLI_FLAG, 'q', "quiet", .offset = offsetof(arguments, look.quiet),                         \
        .help = "no notes, no progress bar" },                                                     \
  {                                                                                                \
    CLI_FLAG, .name = "ascii", .offset = offsetof(arguments, look.ascii),                          \
              .help = "draw with ASCII characters only"                                            \
  }

/* How a result should look on this terminal, with its background (NULL: none). */
crd_report_options cli_look_options(const cli_look *look, const cli_background *background);
/* Write a result as it should look. */
crd_status cli_show(cli_session *session, const cli_look *look, const crd_result *result,
                    const cli_background *background, crd_output *output);

#endif

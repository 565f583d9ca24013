/* show.h -- options for writing a result (form, file, colours), the same for every command. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "background.h"

typedef struct {
  const char *form, *output;
  unsigned digits;
  bool quiet, ascii, percent;
} cli_look;

/* Entries of an option table that fill the member `look` of a command's arguments. */
#define CLI_LOOK_OPTIONS(arguments)                                                                \
  { CLI_SELECT, .name = "json", .offset = offsetof(arguments, look.form), .standard = "text",      \
    .help = "write JSON, with everything" },                                                       \
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
        .help = "write to FILE, all or nothing; '-' is standard output" },                         \
      { CLI_FLAG, 'q', "quiet", .offset = offsetof(arguments, look.quiet),                         \
        .help = "no notes and no progress bar" },                                                  \
      { CLI_COUNT,                                                                                 \
        .name = "digits",                                                                          \
        .argument = "N",                                                                           \
        .offset = offsetof(arguments, look.digits),                                                \
        .low = 1,                                                                                  \
        .high = 9,                                                                                 \
        .help = "significant digits of values, in tables of the largest value of a column; JSON "  \
                "and CSV have all" },                                                              \
  {                                                                                                \
    CLI_FLAG, .name = "ascii", .offset = offsetof(arguments, look.ascii),                          \
              .help = "draw with ASCII characters only"                                            \
  }

/* Of commands whose tables have metrics. */
#define CLI_PERCENT_OPTION(arguments)                                                              \
  {                                                                                                \
    CLI_FLAG, .name = "percent", .offset = offsetof(arguments, look.percent),                      \
              .help = "show metrics between 0 and 1 in per cent, except in JSON and CSV"           \
  }

/* Returns the report options for this terminal, with a background (NULL: none). */
crd_report_options cli_look_options(const cli_look *look, const cli_background *background);
/* Writes a result; notes that the form cannot hold go to standard error. */
crd_status cli_show(cli_session *session, const cli_look *look, const crd_result *result,
                    const cli_background *background, crd_output *output);
/* Writes a table of several models. */
crd_status cli_show_models(cli_session *session, const cli_look *look,
                           const crd_named_result *models, size_t count, crd_output *output);

#endif

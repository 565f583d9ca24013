/* cmd_report.c -- credence report: stored results as a page to look at, print, and hand on. */
#include "background.h"
#include "command.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct {
  cli_words results;
  const char *output, *title;
} report_args;

#define AT(member) .offset = offsetof(report_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "RESULT...", AT(results), .many = true,
    .help = "what 'credence evaluate' or 'credence compare' wrote with --json; with --full, the "
            "page has all its figures and choices" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "report.html",
    .help = "write the page to FILE, whole or not at all; '-' is standard output" },
  { CLI_TEXT, 't', "title", "TEXT", AT(title),
    .help = "what to write above it; without it, the name of the predictions" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "compare dump.npz --json --full -o result.json", "store a result with all that a page shows" },
  { "report result.json -o report.html", "the page about it" },
  { "report monday.json tuesday.json -t 'Two nightly runs' -o runs.html", "one page, two runs" },
  { "compare dump.npz --html report.html", "the same without a stored result" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const report_args *a = arguments;
  const size_t count = a->results.count;
  crd_stored **const stored = calloc(count, sizeof(crd_stored *));
  crd_page_part *const parts = calloc(count, sizeof *parts);
  const crd_page_options how = { .title = a->title };
  crd_output *output = NULL;
  crd_status status = stored && parts ? CRD_OK : CRD_ENOMEM;
  if (status == CRD_OK) status = crd_output_open(session->ctx, a->output, &output);
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    status = crd_stored_load(session->ctx, a->results.items[i], &stored[i]);
    if (status == CRD_OK) parts[i] = *crd_stored_part(stored[i]);
  }
  if (status == CRD_OK) status = crd_page_write(session->ctx, parts, count, &how, output);
  for (size_t i = 0; stored && i < count; i++) crd_stored_destroy(stored[i]);
  free(stored);
  free(parts);
  return cli_finish(session, status, output, NULL);
}

const cli_command cli_command_report = {
  .name = "report",
  .summary = "show stored results as one HTML page",
  .description =
      "Writes one HTML file about one or more stored results: the verdict in plain words, tables "
      "with intervals, figures, the classes and groups with the largest error, conventions, "
      "certificates, what the doctor found, and how to make the numbers again. Method, number of "
      "bins, class and temperature can be chosen on the page. It loads nothing from anywhere, and "
      "prints cleanly.",
  .options = options,
  .examples = examples,
  .size = sizeof(report_args),
  .run = run,
};

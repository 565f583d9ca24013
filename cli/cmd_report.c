/* cmd_report.c -- credence report: stored results as one HTML page. */
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
    .help = "results written by 'credence evaluate --json' or 'credence compare --json'; those "
            "with --full give all figures and choices" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "report.html",
    .help = "write the page to FILE, all or nothing; '-' is standard output" },
  { CLI_TEXT, 't', "title", "TEXT", AT(title),
    .help = "heading of the page (default: name of the predictions' file)" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "compare dump.npz --json --full -o result.json", "store a result with the data of the page" },
  { "report result.json -o report.html", "make the page" },
  { "report monday.json tuesday.json -t 'Two nightly runs' -o runs.html", "one page, two runs" },
  { "compare dump.npz --html report.html", "both in one step" },
  { .line = NULL },
};

static crd_status run(cli_session *session, const void *arguments) {
  const report_args *a = arguments;
  const size_t count = a->results.count;
  crd_stored **const stored = calloc(count, sizeof(crd_stored *));
  crd_page_part *const parts = calloc(count, sizeof *parts);
  const crd_page_options how = { .size = sizeof how, .title = a->title };
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
  .summary = "write stored results as one HTML page",
  .description =
      "Writes one HTML page about one or more stored results: what they mean, what to do and how "
      "sure that is, in plain words; tables with intervals, figures, the classes and groups with "
      "the largest error, conventions, "
      "certificates, findings of the doctor, and how to reproduce the results. Method, number of "
      "bins, class and temperature can be chosen on the page. It loads no external resources and "
      "can be printed.",
  .options = options,
  .examples = examples,
  .size = sizeof(report_args),
  .run = run,
};

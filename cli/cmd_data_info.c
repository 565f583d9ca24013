/*
 * cmd_data_info.c -- credence data info: counts, classes, groups, mean and std of a dataset, and a
 * contact sheet.
 */
#include "command.h"
#include "data_facts.h"
#include "data_options.h"
#include "option.h"
#include "terminal.h"

enum { MOST = 2 };

typedef struct {
  const char *data, *other, *sheet;
  cli_data how;
  bool json, quiet;
} info_args;

#define AT(member) .offset = offsetof(info_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "DATA", AT(data), .help = "the dataset" },
  { CLI_OPERAND, .argument = "OTHER", AT(other), .optional = true,
    .help = "another one, such as the test data: groups and samples in both are named" },
  { CLI_FILE, 'o', "output", "FILE", AT(sheet), .writes = true,
    .help = "write a contact sheet of DATA, some images of each class: .svg or .png" },
  CLI_DATA_OPTIONS(info_args, how),
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON, with all columns" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "data info fashion-mnist#train", "samples of each class, mean and standard deviation" },
  { "data info manifest:xrays.csv#train manifest:xrays.csv#test",
    "the same patient or an identical image on both sides" },
  { "data info 'csv:letter.csv%80:100'", "the last fifth of a random, stratified order" },
  { "data info folder:xrays#train -o sheet.svg", "the same, and a contact sheet" },
  { .line = NULL },
};

static crd_status gather(cli_session *session, const info_args *a, crd_dataset *datasets[MOST],
                         cli_facts facts[MOST], size_t *count) {
  const char *const names[MOST] = { a->data, a->other };
  crd_dataset_options how;
  crd_status status = cli_data_options(session, &a->how, &how);
  for (; status == CRD_OK && *count < MOST && names[*count]; ++*count) {
    status = crd_dataset_open(session->ctx, names[*count], &how, &datasets[*count]);
    if (status == CRD_OK) status = cli_facts_gather(session->ctx, datasets[*count], &facts[*count]);
  }
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const info_args *const a = arguments;
  crd_dataset *datasets[MOST] = { NULL };
  cli_facts facts[MOST] = { 0 };
  crd_overlap overlap;
  size_t count = 0;
  if (!a->quiet) cli_progress_show(session->ctx);
  crd_status status = gather(session, a, datasets, facts, &count);
  if (status == CRD_OK && count > 1)
    status = crd_dataset_compare(session->ctx, datasets[0], datasets[1], &overlap);
  if (status == CRD_OK && a->sheet)
    status = crd_dataset_draw(session->ctx, datasets[0], 0, a->sheet);
  cli_progress_hide(session->ctx);
  if (status == CRD_OK)
    (a->json ? cli_facts_json : cli_facts_text)(session->out, facts, count,
                                                count > 1 ? &overlap : NULL);
  for (size_t i = 0; i < MOST; i++) {
    cli_facts_clear(&facts[i]);
    crd_dataset_destroy(datasets[i]);
  }
  return status;
}

const cli_command cli_command_data_info = {
  .name = "data info",
  .group = "data",
  .summary = "show classes, groups and statistics of a dataset",
  .description =
      "Shows the number of samples and their shape, the samples of each class, the groups "
      "(patients), and mean and standard deviation of each channel of images or column of a "
      "table, as training would use them (1 instead of a deviation of 0). With two datasets, it "
      "also names groups and identical samples that are in both: training data must not occur in "
      "test data.\n" CLI_DATA_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(info_args),
  .run = run,
};

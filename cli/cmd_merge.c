/* cmd_merge.c -- credence merge: one result from the saved states of parts of a dataset. */
#include "command.h"
#include "gate.h"
#include "option.h"
#include "show.h"
#include "terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  cli_words states;
  const char *metrics;
  cli_joined gate;
  unsigned threads;
  cli_look look;
} merge_args;

#define AT(member) .offset = offsetof(merge_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "STATE...", AT(states), .many = true,
    .help = "states written by 'credence evaluate --state-out'" },
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = cli_metric_word,
    .help = "metrics to show, comma-separated, of those in the states (default: all)" },
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_JOIN, 0, "fail-if", "LIST", AT(gate), .help = CLI_GATE_HELP },
  CLI_PERCENT_OPTION(merge_args),
  CLI_LOOK_OPTIONS(merge_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "merge part-*.state", "the same result as one run over all parts" },
  { "merge part-*.state --fail-if 'ece > 0.05'", "exit code 1 if the whole is miscalibrated" },
  { "evaluate b.npz --first-row 50000 --state-out part-b.state",
    "make such a part: its first row is row 50000 of the dataset" },
  { .line = NULL },
};

/* Every name of the list must be in the result. */
static crd_status check_list(cli_session *session, const char *list, const crd_result *result) {
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    size_t i = 0;
    while (i < result->value_count && (strlen(result->values[i].metric->name) != length ||
                                       strncmp(result->values[i].metric->name, at, length) != 0))
      i++;
    if (i == result->value_count)
      return cli_refuse(session,
                        "the states do not hold the metric '%.*s'; 'credence evaluate --metrics' "
                        "decides what they hold",
                        (int)length, at);
  }
  return CRD_OK;
}

/* Fails if the gate needs metrics or intervals that the states do not hold. */
static crd_status check_gate(cli_session *session, const cli_gate *gate, const crd_result *result) {
  crd_status status = cli_gate_check_intervals(session, gate, result->resamples);
  for (size_t i = 0; status == CRD_OK && i < gate->count; i++)
    status = check_list(session, gate->conditions[i].metric->name, result);
  return status;
}

/* Writes the values of --metrics. */
static crd_status show(cli_session *session, const merge_args *a, const crd_result *result,
                       crd_output *output) {
  const bool all = !a->metrics || strcmp(a->metrics, "all") == 0;
  const crd_result_parts parts = { .size = sizeof parts, .metrics = a->metrics };
  const crd_result *shown = NULL;
  crd_status status = all ? CRD_OK : check_list(session, a->metrics, result);
  if (status == CRD_OK) status = crd_result_with(session->ctx, result, &parts, &shown);
  if (status == CRD_OK) status = cli_show(session, &a->look, shown, NULL, output);
  crd_result_destroy(shown);
  return status;
}

/* Merges all states into the first. */
static crd_status put_together(crd_context *ctx, const cli_words *states, crd_evidence **out) {
  crd_status status = crd_evidence_load(ctx, states->items[0], out);
  for (size_t i = 1; status == CRD_OK && i < states->count; i++) {
    crd_evidence *part = NULL;
    status = crd_evidence_load(ctx, states->items[i], &part);
    if (status == CRD_OK) status = crd_evidence_merge(ctx, *out, part);
    crd_evidence_destroy(part);
  }
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const merge_args *const a = arguments;
  crd_context *const ctx = session->ctx;
  crd_evidence *evidence = NULL;
  const crd_result *result = NULL;
  crd_output *output = NULL;
  cli_gate gate;
  crd_status status = cli_gate_read(session, a->gate.text, &gate);
  if (status == CRD_OK) status = crd_output_open(ctx, a->look.output, &output);
  if (status != CRD_OK) return status;
  crd_context_set_threads(ctx, a->threads);
  if (!a->look.quiet) cli_progress_show(ctx);
  status = put_together(ctx, &a->states, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, &result);
  cli_progress_hide(ctx);
  if (status == CRD_OK) status = check_gate(session, &gate, result);
  if (status == CRD_OK) status = show(session, a, result, output);
  if (status == CRD_OK) cli_gate_judge(session, &gate, result, NULL);
  crd_result_destroy(result);
  crd_evidence_destroy(evidence);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

const cli_command cli_command_merge = {
  .name = "merge",
  .summary = "merge results of parts of a dataset",
  .description =
      "Merges states that 'credence evaluate --state-out' wrote for parts of a dataset, in any "
      "order. The result is bit for bit that of one run over all rows.\n"
      "All parts must have the same metrics, bins, resamples and number of classes, and each must "
      "know the index of its first row in the whole dataset: by --first-row, or as a slice "
      "FILE@FROM:TO.",
  .options = options,
  .examples = examples,
  .size = sizeof(merge_args),
  .run = run,
};

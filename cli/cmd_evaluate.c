/* cmd_evaluate.c -- credence evaluate: metrics of calibration and refinement, with intervals. */
#include "background.h"
#include "command.h"
#include "gate.h"
#include "opening.h"
#include "option.h"
#include "shift.h"
#include "show.h"
#include "targets.h"
#include "terminal.h"
#include "warn.h"

#include <stddef.h>
#include <string.h>

typedef struct {
  cli_opening opening;
  const char *metrics, *state, *paired, *compat, *recalibrate, *accepted;
  cli_targets targets;
  cli_target_list goals; /* the targets, parsed */
  cli_joined gate;
  unsigned bins, resamples, interval, guarantee, threads, first_row;
  bool by_group;
  cli_shift shift;
  cli_story story;
  cli_look look;
} evaluate_args;

static const char *interval_word(size_t index) {
  return index <= CRD_INTERVAL_PERCENTILE ? crd_interval_name((crd_interval)index) : NULL;
}

static const char *guarantee_word(size_t index) { return crd_guarantee_name((crd_guarantee)index); }

static const char *peer_word(size_t index) {
  const crd_peer *const peer = crd_peer_at(index);
  return peer ? peer->name : NULL;
}

#define AT(member) .offset = offsetof(evaluate_args, member)
static const cli_option options[] = {
  CLI_OPENING_PATH(evaluate_args, opening),
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = cli_metric_word,
    .help = "metrics, comma-separated, or 'all' (default: those marked * in 'credence list "
            "metrics')" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 100000,
    .help = "number of confidence bins" },
  { CLI_COUNT, 'r', "resamples", "N", AT(resamples), .standard = "1000", .low = 0, .high = 1000000,
    .help = "bootstrap resamples for the 95 % intervals; 0: no intervals" },
  { CLI_WORD, 0, "interval", "KIND", AT(interval), .word = interval_word, .standard = "corrected",
    .help = "bootstrap interval: quantiles of the resamples (percentile), or the same without the "
            "bias of resampling (corrected)" },
  { CLI_TEXT, 0, "recalibrate", "METHOD", AT(recalibrate), .word = cli_method_word,
    .help = "method by which the metrics of refinement recalibrate rows, 5-fold cross-validated "
            "(default: temperature)" },
  CLI_CLUSTER_OPTION(evaluate_args, opening),
  CLI_OPENING_OPTIONS(evaluate_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_JOIN, 0, "fail-if", "LIST", AT(gate),
    .help = CLI_GATE_HELP "; metrics named here are computed too" },
  { CLI_FILE, 0, "paired", "PRED", AT(paired),
    .help = "compare with other predictions on the same rows: differences with intervals and "
            "paired tests" },
  CLI_SHIFT_OPTION(
      evaluate_args, shift,
      "also evaluate other data of the same classifier, and the differences: corrupted "
      "images, another hospital; repeatable; names such as jpeg:1, jpeg:2 are "
      "severities, drawn as a curve"),
  CLI_SHIFT_ROWS_OPTION(evaluate_args, shift),
  { CLI_TEXT, 0, "group-by", "LIST", AT(opening.group_by),
    .help = "also evaluate each group of rows, by these arrays or columns (comma-separated), one "
            "table each" },
  { CLI_FLAG, 0, "by-group", AT(by_group),
    .help = "the same by all known group columns: `groups` and those of --group-by" },
  { CLI_TEXT, 0, "compat", "PEER", AT(compat), .word = peer_word,
    .help = "also show the values that another package computes, and why they differ; see "
            "'credence list conventions'" },
  CLI_TARGET_OPTIONS(evaluate_args),
  { CLI_WORD, 0, "guarantee", "KIND", AT(guarantee), .word = guarantee_word, .standard = "held-out",
    .help = "operating points are chosen on one half of the rows and measured on the other "
            "(held-out), or both on all rows, with intervals that include the choice "
            "(bootstrap)" },
  { CLI_FILE, 0, "accepted", "FILE", AT(accepted), .writes = true,
    .help = "also write each row's confidence and whether the operating point accepts it" },
  { CLI_FILE, 0, "state-out", "FILE", AT(state), .writes = true,
    .help = "also write the collected statistics to FILE, for 'credence merge'" },
  { CLI_COUNT, 0, "first-row", "N", AT(first_row), .standard = "0", .low = 0, .high = 4294967295,
    .help = "index of the file's row 0 in the whole dataset, for 'credence merge'" },
  CLI_STORY_OPTIONS(evaluate_args),
  CLI_LOOK_OPTIONS(evaluate_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "evaluate dump.npz", "the default metrics and a reliability diagram" },
  { "evaluate dump.npz#val@0:5000 --json -o val.json",
    "the first 5000 rows of the arrays val_logits and val_labels, as JSON" },
  { "evaluate logits.npy --labels labels.npy --metrics ece,nll",
    "two metrics, labels in a separate file" },
  { "evaluate dump.npz --fail-if 'ece.high > 0.05, accuracy < 0.9' --json > today.json",
    "in a pipeline: exit code 1 if the calibration error may be too large or accuracy is too "
    "low" },
  { "evaluate dump.npz --html report.html", "also an interactive HTML page with figures" },
  { "evaluate old.npz --paired new.npz",
    "is the new model better, or is the difference due to chance?" },
  { "evaluate scans.csv --group-by site,sex",
    "is it as well calibrated at every site, and for either sex?" },
  { "evaluate scans.csv --cluster patient",
    "intervals by cluster bootstrap: scans of one patient are not independent" },
  { "evaluate clean.npz --shift jpeg=jpeg.npz --shift night=night.npz",
    "how much worse are accuracy, calibration and refinement on shifted data?" },
  { "evaluate dump.npz --target-risk 0.02 --accepted accepted.csv",
    "which cases can be decided automatically with an error of at most 2 %?" },
  { "evaluate dump.npz --compat torchmetrics", "with the values that torchmetrics computes" },
  { "evaluate dump.npz --metrics nll,nll-refinement,nll-calibration --recalibrate vector",
    "which part of the loss would recalibration remove?" },
  { "evaluate - --label-column target < scores.csv", "CSV from standard input" },
  { .line = NULL },
};

static crd_status save_state(crd_context *ctx, const char *path, const crd_evidence *evidence) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, path, &output);
  if (status != CRD_OK) return status;
  status = crd_evidence_save(ctx, evidence, output);
  if (status == CRD_OK) return crd_output_commit(ctx, output);
  crd_output_discard(output);
  return status;
}

/* Everything the command computes; release() frees it. */
typedef struct {
  crd_predictions *predictions;
  crd_evidence *evidence, *other;
  crd_result *result;
  crd_comparison *comparison;
  crd_group_table *groups;
  cli_shifted shifted;
  crd_shift_table *shift;
  crd_compat_table *compat;
  crd_profile *profile;
  crd_operating_table *operating, *shifted_operating[CLI_EACH_MAX];
  cli_background background;
  cli_warnings warnings; /* findings of the quick diagnosis */
} findings;

static void release(findings *f) {
  cli_background_clear(&f->background);
  cli_warnings_clear(&f->warnings);
  crd_profile_destroy(f->profile);
  crd_operating_destroy(f->operating);
  for (size_t i = 0; i < CLI_EACH_MAX; i++) crd_operating_destroy(f->shifted_operating[i]);
  crd_compat_destroy(f->compat);
  crd_group_table_destroy(f->groups);
  crd_shift_table_destroy(f->shift);
  cli_shift_close(&f->shifted);
  crd_comparison_destroy(f->comparison);
  crd_result_destroy(f->result);
  crd_evidence_destroy(f->evidence);
  crd_evidence_destroy(f->other);
  crd_predictions_destroy(f->predictions);
}

static crd_evaluate_options evaluate_options_of(const evaluate_args *a) {
  return (crd_evaluate_options){ .metrics = a->metrics, /* with those of the gate */
                                 .bins = a->bins,
                                 .resamples = a->resamples,
                                 .interval = (crd_interval)a->interval,
                                 .paired = a->paired || a->shift.sets.count,
                                 .group_by = a->by_group ? NULL : a->opening.group_by };
}

static crd_status gather(crd_context *ctx, const evaluate_args *a, crd_predictions *predictions,
                         crd_evidence **out) {
  const crd_evaluate_options what = evaluate_options_of(a);
  const crd_recalibration how = { .method = a->recalibrate };
  if (crd_metrics_recalibrated(what.metrics)) {
    const crd_status status = crd_predictions_recalibrate(ctx, predictions, &how);
    if (status != CRD_OK) return status;
  }
  const uint64_t first = a->first_row + crd_predictions_first_row(predictions);
  return crd_evidence_gather(ctx, predictions, &what, first, out);
}

/* The other model's file may lack the columns that describe the rows: groups are taken from the
 * first file, clusters from either. */
static crd_status gather_paired(crd_context *ctx, const evaluate_args *a, findings *f) {
  crd_open_options how = cli_opening_options(&a->opening);
  cli_opening opening = a->opening;
  crd_predictions *others = NULL;
  opening.path = a->paired;
  const bool named = how.cluster && strcmp(how.cluster, "none") != 0;
  how.group_by = NULL;
  if (named) how.cluster = NULL;
  crd_status status = crd_predictions_open(ctx, a->paired, &how, &others);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, others, f->predictions);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, f->predictions, others);
  if (status == CRD_OK) status = gather(ctx, a, others, &f->other);
  if (status == CRD_OK) status = cli_warnings_gather(ctx, &opening, others, &f->warnings);
  crd_predictions_destroy(others);
  return status;
}

/* Gather what the HTML page shows besides the metrics. */
static crd_status look_closer(cli_session *session, const evaluate_args *a, findings *f) {
  const crd_profile_options what = { .bins = a->bins, .resamples = a->resamples };
  const char *paths[CLI_SOURCES_MAX] = { a->opening.path, a->opening.labels, a->opening.class_names,
                                         a->paired };
  for (size_t i = 0; i < a->shift.sets.count; i++) paths[4 + i] = cli_shift_path(&a->shift, i);
  const crd_status status = crd_profile_make(session->ctx, f->predictions, &what, &f->profile);
  if (status != CRD_OK) return status;
  return cli_background_gather(session, f->predictions, paths, CLI_SOURCES_MAX, 0, &f->background);
}

/* Evaluates the shifted sets, which stay open until the end of the command. */
static crd_status measure_shift(crd_context *ctx, const evaluate_args *a, findings *f) {
  if (a->shift.sets.count == 0) return CRD_OK;
  const crd_status status = cli_shift_open(ctx, &a->shift, &a->opening, &f->shifted);
  if (status != CRD_OK) return status;
  return crd_evaluate_shift(ctx, f->predictions, f->evidence, f->shifted.sets, f->shifted.count,
                            (crd_shift_rows)a->shift.rows, &f->shift);
}

/* Measures the thresholds on the shifted sets: does the promised risk hold there? */
static crd_status operate_shifted(crd_context *ctx, const evaluate_args *a, findings *f) {
  crd_status status = CRD_OK;
  for (size_t i = 0; status == CRD_OK && i < f->shifted.count; i++) {
    if (!f->shift->items[i].labelled) continue;
    status = crd_operating_apply(ctx, f->operating, f->shifted.sets[i].predictions, a->resamples,
                                 &f->shifted_operating[i]);
    ((crd_result *)(uintptr_t)f->shift->items[i].result)->operating = f->shifted_operating[i];
  }
  return status;
}

/* Finds the operating points, and writes the rows that they accept. */
static crd_status operate(crd_context *ctx, const evaluate_args *a, findings *f) {
  const crd_operating_options what = { .targets = a->goals.items,
                                       .target_count = a->goals.count,
                                       .guarantee = (crd_guarantee)a->guarantee,
                                       .resamples = a->resamples };
  if (a->goals.count == 0) return CRD_OK;
  crd_status status = crd_operating_find(ctx, f->predictions, &what, &f->operating);
  if (status == CRD_OK) status = operate_shifted(ctx, a, f);
  if (status != CRD_OK || !a->accepted) return status;
  return crd_operating_save(ctx, f->operating, f->predictions, a->accepted);
}

static crd_status measure(crd_context *ctx, const evaluate_args *a, findings *f) {
  const crd_evaluate_options what = evaluate_options_of(a);
  const crd_open_options how = cli_opening_options(&a->opening);
  crd_status status = crd_predictions_open(ctx, a->opening.path, &how, &f->predictions);
  if (status == CRD_OK)
    status = cli_warnings_gather(ctx, &a->opening, f->predictions, &f->warnings);
  if (status == CRD_OK && a->paired) status = gather_paired(ctx, a, f);
  if (status == CRD_OK) status = gather(ctx, a, f->predictions, &f->evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, f->evidence, &f->result);
  if (status == CRD_OK && f->other)
    status = crd_evidence_compare(ctx, f->evidence, f->other, &f->comparison);
  if (status == CRD_OK) status = measure_shift(ctx, a, f);
  if (status == CRD_OK && (a->by_group || a->opening.group_by))
    status = crd_evaluate_groups(ctx, f->predictions, &what, &f->groups);
  if (status == CRD_OK && a->compat)
    status = crd_compat(ctx, f->predictions, a->compat, a->bins, &f->compat);
  if (status == CRD_OK) status = operate(ctx, a, f);
  if (status != CRD_OK) return status;
  f->result->paired = f->comparison;
  f->result->groups = f->groups;
  f->result->shift = f->shift;
  f->result->compat = f->compat;
  f->result->operating = f->operating;
  return cli_warnings_add(&f->warnings, f->result);
}

static crd_status tell(cli_session *session, const evaluate_args *a, findings *f,
                       crd_output *output, crd_output *page) {
  const bool full = a->story.full;
  crd_result brief = *f->result, whole = *f->result;
  whole.profile = f->profile;
  const crd_status status =
      cli_show(session, &a->look, full ? &whole : &brief, full ? &f->background : NULL, output);
  if (status != CRD_OK || !page) return status;
  const crd_page_part part = { .result = &whole,
                               .diagnosis = f->background.diagnosis,
                               .provenance = &f->background.provenance };
  const crd_page_options how = { .title = a->story.title };
  return crd_page_write(session->ctx, &part, 1, &how, page);
}

static crd_status evaluate(cli_session *session, const evaluate_args *a, const cli_gate *gate,
                           crd_output *output, crd_output *page) {
  crd_context *ctx = session->ctx;
  findings f = { 0 };
  crd_context_set_threads(ctx, a->threads);
  if (!a->look.quiet) cli_progress_show(ctx);
  crd_status status = measure(ctx, a, &f);
  if (status == CRD_OK && cli_story_wanted(&a->story)) status = look_closer(session, a, &f);
  cli_progress_hide(ctx);
  if (status == CRD_EINPUT && !a->look.quiet) cli_warn_of_failure(session, &a->opening);
  if (status == CRD_OK) status = tell(session, a, &f, output, page);
  if (status == CRD_OK && a->state) status = save_state(ctx, a->state, f.evidence);
  if (status == CRD_OK) cli_gate_judge(session, gate, f.result);
  release(&f);
  return status;
}

static crd_status check_targets(cli_session *session, evaluate_args *a) {
  const crd_status status = cli_targets_read(session, &a->targets, &a->goals);
  if (status != CRD_OK) return status;
  if (a->goals.count == 0 && (a->accepted || a->guarantee))
    return cli_refuse(session, "%s needs --target-risk or --target-coverage",
                      a->accepted ? "--accepted" : "--guarantee");
  if (a->guarantee == CRD_GUARANTEE_BOOTSTRAP && a->resamples == 0)
    return cli_refuse(session, "--guarantee bootstrap needs --resamples above 0");
  return CRD_OK;
}

static crd_status run(cli_session *session, const void *arguments) {
  evaluate_args a = *(const evaluate_args *)arguments;
  char metrics[CLI_GATE_METRICS];
  cli_gate gate;
  crd_output *output = NULL, *page = NULL;
  crd_status status = cli_gate_read(session, a.gate.text, &gate);
  if (status == CRD_OK) status = cli_gate_check_intervals(session, &gate, a.resamples);
  if (status == CRD_OK) status = cli_shift_check(session, &a.shift);
  if (status == CRD_OK) status = check_targets(session, &a);
  if (status != CRD_OK) return status;
  a.metrics = cli_gate_metrics(&gate, a.metrics, metrics);
  if (a.recalibrate && !crd_metrics_recalibrated(a.metrics))
    return cli_refuse(session, "--recalibrate needs metrics of refinement, such as "
                               "--metrics nll-refinement,nll-calibration");
  /* Opened before the work, so that a wrong name fails at once. */
  status = crd_output_open(session->ctx, a.look.output, &output);
  if (status == CRD_OK) status = cli_story_open(session, &a.story, a.look.form, &page);
  if (status == CRD_OK) status = evaluate(session, &a, &gate, output, page);
  return cli_finish(session, status, output, page);
}

const cli_command cli_command_evaluate = {
  .name = "evaluate",
  .summary = "measure how well calibrated a classifier is",
  .description =
      "Reads predictions and true labels, and measures how well confidence agrees with accuracy "
      "(calibration) and how well it separates correct from wrong predictions "
      "(refinement).\n" CLI_PRED_TEXT,
  .options = options,
  .examples = examples,
  .size = sizeof(evaluate_args),
  .run = run,
};

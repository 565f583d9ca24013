/* cmd_evaluate.c -- credence evaluate: metrics of calibration and refinement, with intervals. */
#include "command.h"
#include "evaluation.h"
#include "gate.h"
#include "option.h"
#include "preds.h"
#include "terminal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *interval_word(size_t index) {
  return index <= CRD_INTERVAL_PERCENTILE ? crd_interval_name((crd_interval)index) : NULL;
}

static const char *guarantee_word(size_t index) { return crd_guarantee_name((crd_guarantee)index); }

static const char *peer_word(size_t index) {
  const crd_peer *const peer = crd_peer_at(index);
  return peer ? peer->name : NULL;
}

#define AT(member) .offset = offsetof(cli_evaluate_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "PRED...", AT(operands), .many = true,
    .help = "the predictions: FILE[#GROUP][@FROM:TO], or '-' for standard input; several are "
            "several models, one line each, called NAME if given as NAME=PRED" },
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
  CLI_CLUSTER_OPTION(cli_evaluate_args, opening),
  CLI_OPENING_OPTIONS(cli_evaluate_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_JOIN, 0, "fail-if", "LIST", AT(gate),
    .help = CLI_GATE_HELP "; metrics named here are computed too" },
  { CLI_FILE, 0, "paired", "PRED", AT(paired),
    .help = "compare with other predictions on the same rows: differences with intervals and "
            "paired tests" },
  CLI_SHIFT_OPTION(
      cli_evaluate_args, shift,
      "also evaluate other data of the same classifier, and the differences: corrupted "
      "images, another hospital; repeatable; names such as jpeg:1, jpeg:2 are "
      "severities, drawn as a curve"),
  CLI_SHIFT_ROWS_OPTION(cli_evaluate_args, shift),
  { CLI_TEXT, 0, "group-by", "LIST", AT(opening.group_by),
    .help = "also evaluate each group of rows, by these arrays or columns (comma-separated), one "
            "table each" },
  { CLI_FLAG, 0, "by-group", AT(by_group),
    .help = "the same by all known group columns: `groups` and those of --group-by" },
  { CLI_FLAG, 0, "classes", AT(classes),
    .help = "also show the calibration of each class, in text and Markdown" },
  { CLI_TEXT, 0, "compat", "PEER", AT(compat), .word = peer_word,
    .help = "also show the values that another package computes, and why they differ; see "
            "'credence list conventions'" },
  CLI_TARGET_OPTIONS(cli_evaluate_args),
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
  CLI_STORY_OPTIONS(cli_evaluate_args),
  CLI_PERCENT_OPTION(cli_evaluate_args),
  CLI_LOOK_OPTIONS(cli_evaluate_args),
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
  { "evaluate resnet.npz vit.npz Ours=ours.npz --latex --percent",
    "a table for a paper: one line per model, the best value of each column bold" },
  { "evaluate dump.npz --html report.html", "also an interactive HTML page with figures" },
  { "evaluate old.npz --paired new.npz",
    "is the new model better, or is the difference due to chance?" },
  { "evaluate scans.csv --group-by site,sex",
    "is it as well calibrated at every site, and for either sex?" },
  { "evaluate dump.npz --classes", "which classes are badly calibrated?" },
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

/* Makes the results to show; rows of a table have their names from the table. */
static crd_status arrange(crd_context *ctx, const cli_evaluate_args *a, const cli_pred *pred,
                          bool table, cli_evaluation *f) {
  const bool classes = a->classes && strcmp(a->look.form, "json") != 0;
  crd_result_parts parts = { .size = sizeof parts,
                             .name = pred->named || table ? pred->name : NULL,
                             .profile = f->profile };
  const crd_status status = crd_result_with(ctx, f->result, &parts, &f->whole);
  if (status != CRD_OK) return status;
  if (table) parts.name = NULL;
  if (!a->story.full && !classes) parts.profile = NULL;
  return crd_result_with(ctx, f->result, &parts, &f->brief);
}

/* Writes one result, and the page about it. */
static crd_status tell_one(cli_session *session, const cli_evaluate_args *a, const cli_pred *pred,
                           cli_evaluation *f, crd_output *output, crd_output *page) {
  crd_status status = arrange(session->ctx, a, pred, false, f);
  if (status == CRD_OK)
    status = cli_show(session, &a->look, f->brief, a->story.full ? &f->background : NULL, output);
  if (status != CRD_OK || !page) return status;
  const crd_page_part part = { .result = f->whole,
                               .diagnosis = f->background.diagnosis,
                               .provenance = &f->background.provenance };
  const crd_page_options how = { .size = sizeof how, .title = a->story.title };
  return crd_page_write(session->ctx, &part, 1, &how, page);
}

/* The models, evaluated; release_all() frees them. */
typedef struct {
  cli_preds preds;
  cli_evaluation *found; /* one for each */
  double *p;             /* of the differences from the best model; NULL: one model */
  size_t metrics;        /* of each, once they were ranked */
  int paired;
} models;

static void release_all(models *m) {
  for (size_t i = 0; m->found && i < m->preds.count; i++) cli_evaluation_release(&m->found[i]);
  free(m->found);
  free(m->p);
  cli_preds_clear(&m->preds);
}

static crd_status measure_all(cli_session *session, const cli_evaluate_args *a, models *m) {
  crd_status status = CRD_OK;
  m->found = calloc(m->preds.count + 1, sizeof *m->found);
  if (!m->found) return CRD_ENOMEM;
  for (size_t i = 0; status == CRD_OK && i < m->preds.count; i++) {
    cli_evaluate_args one = *a;
    one.opening.path = m->preds.items[i].path;
    status = cli_evaluation_measure(session->ctx, &one, &m->found[i]);
    if (status == CRD_OK && cli_story_wanted(&a->story))
      status = cli_evaluation_look_closer(session, &one, &m->found[i]);
    if (status == CRD_EINPUT && !a->look.quiet) {
      cli_progress_hide(session->ctx);
      cli_warn_of_failure(session, &one.opening);
    }
  }
  return status;
}

/* Tests whether the models differ from the best one beyond chance. */
static crd_status rank(crd_context *ctx, models *m) {
  const size_t count = m->preds.count;
  if (count < 2) return CRD_OK;
  const size_t metrics = m->metrics = m->found[0].result->value_count;
  for (size_t i = 1; i < count; i++)
    if (m->found[i].result->value_count != metrics) return CRD_OK; /* the report refuses them */
  crd_ranked_model *const ranked = calloc(count + 1, sizeof *ranked);
  m->p = calloc(count * metrics + 1, sizeof *m->p);
  crd_status status = ranked && m->p ? CRD_OK : CRD_ENOMEM;
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    ranked[i] =
        (crd_ranked_model){ m->found[i].predictions, m->found[i].evidence, m->found[i].result };
  if (status == CRD_OK) status = crd_models_rank(ctx, ranked, count, m->p, &m->paired);
  free(ranked);
  return status;
}

/* Writes a table of all models, and a page with a part for each. */
static crd_status tell_several(cli_session *session, const cli_evaluate_args *a, models *m,
                               crd_output *output, crd_output *page) {
  const size_t count = m->preds.count;
  crd_named_result *const shown = calloc(count + 1, sizeof *shown);
  crd_page_part *const parts = calloc(count + 1, sizeof *parts);
  crd_status status = shown && parts ? CRD_OK : CRD_ENOMEM;
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    cli_evaluation *const f = &m->found[i];
    const cli_background *const background = &f->background;
    status = arrange(session->ctx, a, &m->preds.items[i], true, f);
    shown[i] = (crd_named_result){ .name = m->preds.items[i].name,
                                   .result = f->brief,
                                   .p = m->paired ? m->p + i * m->metrics : NULL,
                                   .diagnosis = a->story.full ? background->diagnosis : NULL,
                                   .provenance = a->story.full ? &background->provenance : NULL };
    parts[i] = (crd_page_part){ .result = f->whole,
                                .diagnosis = background->diagnosis,
                                .provenance = &background->provenance };
  }
  if (status == CRD_OK) status = cli_show_models(session, &a->look, shown, count, output);
  const crd_page_options how = { .size = sizeof how, .title = a->story.title };
  if (status == CRD_OK && page) status = crd_page_write(session->ctx, parts, count, &how, page);
  free(shown);
  free(parts);
  return status;
}

static crd_status evaluate(cli_session *session, const cli_evaluate_args *a, models *m,
                           crd_output *output, crd_output *page) {
  crd_context *ctx = session->ctx;
  crd_context_set_threads(ctx, a->threads);
  if (!a->look.quiet) cli_progress_show(ctx);
  crd_status status = measure_all(session, a, m);
  if (status == CRD_OK) status = rank(ctx, m);
  cli_progress_hide(ctx);
  if (status != CRD_OK) return status;
  status = m->preds.count == 1
               ? tell_one(session, a, &m->preds.items[0], &m->found[0], output, page)
               : tell_several(session, a, m, output, page);
  if (status == CRD_OK && a->state) status = save_state(ctx, a->state, m->found[0].evidence);
  return status;
}

/* Options about one model. */
static crd_status check_several(cli_session *session, const cli_evaluate_args *a, size_t count) {
  const struct {
    const char *option;
    bool given;
  } about_one[] = {
    { "paired", a->paired },
    { "shift", a->shift.sets.count > 0 },
    { "group-by", a->opening.group_by },
    { "by-group", a->by_group },
    { "classes", a->classes },
    { "compat", a->compat },
    { "target-risk", *a->targets.risk.text },
    { "target-coverage", *a->targets.coverage.text },
    { "state-out", a->state },
    { "first-row", a->first_row > 0 },
  };
  for (size_t i = 0; count > 1 && i < sizeof about_one / sizeof *about_one; i++)
    if (about_one[i].given)
      return cli_refuse(session, "--%s is about one PRED, found %zu", about_one[i].option, count);
  return CRD_OK;
}

static crd_status check_targets(cli_session *session, cli_evaluate_args *a) {
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
  cli_evaluate_args a = *(const cli_evaluate_args *)arguments;
  char metrics[CLI_GATE_METRICS];
  cli_gate gate;
  models m = { .found = NULL };
  crd_output *output = NULL, *page = NULL;
  crd_status status = check_several(session, &a, a.operands.count);
  if (status == CRD_OK) status = cli_gate_read(session, a.gate.text, &gate);
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
  if (status == CRD_OK) status = cli_preds_read(session, &a.operands, &m.preds);
  if (status == CRD_OK) status = evaluate(session, &a, &m, output, page);
  for (size_t i = 0; status == CRD_OK && i < m.preds.count; i++)
    cli_gate_judge(session, &gate, m.found[i].result,
                   m.preds.count > 1 ? m.preds.items[i].name : NULL);
  release_all(&m);
  return cli_finish(session, status, output, page);
}

const cli_command cli_command_evaluate = {
  .name = "evaluate",
  .summary = "measure how well calibrated a classifier is",
  .description =
      "Reads predictions and true labels, and measures how well confidence agrees with accuracy "
      "(calibration) and how well it separates correct from wrong predictions "
      "(refinement).",
  .options = options,
  .examples = examples,
  .size = sizeof(cli_evaluate_args),
  .run = run,
};

/* cmd_compare.c -- credence compare: which calibration method works best. */
#include "command.h"
#include "contest.h"
#include "floor.h"
#include "model_contest.h"
#include "option.h"
#include "repeats.h"
#include "shift.h"
#include "show.h"
#include "targets.h"
#include "terminal.h"

#include <stddef.h>

typedef struct {
  cli_contest contest;
  cli_model model;
  cli_shift shift;
  const char *metrics, *floor;
  cli_targets targets;
  unsigned bins, resamples, seed, repeats, threads;
  cli_story story;
  cli_look look;
} compare_args;

#define AT(member) .offset = offsetof(compare_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "PRED", AT(contest.opening.path), .optional = true,
    .help = "predictions to fit and test on, divided by --split or --folds; with --model, DATA" },
  CLI_CONTEST_OPTIONS(compare_args, contest),
  CLI_MODEL_OPTIONS(compare_args, model),
  CLI_SHIFT_OPTION(compare_args, shift,
                   "also apply the fitted calibrators, unchanged, to other data of the same "
                   "classifier: which still help there? Repeatable; names such as jpeg:1, jpeg:2 "
                   "are severities, drawn as a curve"),
  CLI_FLOOR_OPTION(AT(floor)),
  { CLI_LIST, 'm', "metrics", "LIST", AT(metrics), .word = cli_metric_word,
    .help = "metrics, comma-separated; accuracy, ece, nll and auroc are always included" },
  { CLI_COUNT, 'b', "bins", "N", AT(bins), .standard = "15", .low = 1, .high = 100000,
    .help = "number of confidence bins" },
  { CLI_COUNT, 'r', "resamples", "N", AT(resamples), .standard = "500", .low = 0, .high = 1000000,
    .help = "paired bootstrap resamples for intervals and tests; 0: none" },
  CLI_TARGET_OPTIONS(compare_args),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "seed of splits and everything else random" },
  CLI_REPEATS_OPTION(AT(repeats)),
  CLI_CLUSTER_OPTION(compare_args, contest.opening),
  CLI_OPENING_OPTIONS(compare_args, contest.opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  CLI_STORY_OPTIONS(compare_args),
  CLI_PERCENT_OPTION(compare_args),
  CLI_LOOK_OPTIONS(compare_args),
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "compare dump.npz",
    "the default methods, fitted on half of the rows and tested on the other half" },
  { "compare --calibrate val.npz --test test.npz --methods all --json",
    "all methods, with a file to fit on and a file to test on, as JSON" },
  { "compare dump.npz --folds 5 --methods 'temperature,platt(scope=top-1)'",
    "two methods, 5-fold cross-validation" },
  { "compare scans.csv --cluster patient --folds 5", "folds and bootstrap resamples by patient" },
  { "compare --model m.onnx --calibrate fashion-mnist#test@0:5000 --test fashion-mnist#test@5000:",
    "Neural Clamping too, which needs the network itself" },
  { "compare dump.npz --repeats 10 --latex",
    "a table for a paper: mean and standard deviation over ten random splits" },
  { "compare dump.npz --target-risk 0.02",
    "with which method can most cases be decided automatically at an error of 2 %?" },
  { "compare --calibrate val.npz --test test.npz --shift jpeg=jpeg.npz",
    "which calibrators, fitted on clean data, still help on shifted data?" },
  { "compare dump.npz --html report.html", "also an interactive HTML page with figures" },
  { .line = NULL },
};

/* Everything the command makes; release() frees it. */
typedef struct {
  cli_contest_rows rows;
  cli_shifted shifted;
  cli_model_contest model;
  const crd_contest *contest; /* the first run, if there are several */
  crd_series *series;         /* NULL: one run */
  cli_background background;
} findings;

static void release(findings *f) {
  cli_background_clear(&f->background);
  crd_series_destroy(f->series);
  crd_contest_destroy(f->contest);
  cli_contest_close(&f->rows);
  cli_shift_close(&f->shifted);
  cli_model_contest_clear(&f->model);
}

/* Diagnosis and provenance of the test rows. */
static crd_status look_behind(cli_session *session, const compare_args *a, findings *f) {
  const cli_contest *const c = &a->contest;
  const char *files[CLI_SOURCES_MAX] = { c->opening.path, c->calibrate, c->test, c->opening.labels,
                                         c->opening.class_names };
  const char *const model[CLI_SOURCES_MAX] = { a->model.path };
  const crd_predictions *const examined = a->model.path    ? f->model.tested
                                          : f->rows.second ? f->rows.second
                                                           : f->rows.first;
  for (size_t i = 0; i < a->shift.sets.count; i++) files[5 + i] = cli_shift_path(&a->shift, i);
  return cli_background_gather(session, examined, a->model.path ? model : files, CLI_SOURCES_MAX,
                               a->seed, &f->background);
}

/* What the runs have in common. */
typedef struct {
  const compare_args *args;
  double share;
  crd_contest_options what;
  findings *found;
} setting;

/* Pages show the first run in detail, so others need neither profiles nor a diagnosis. */
static crd_status run_one(cli_session *session, void *self, unsigned index,
                          const crd_contest **out) {
  const setting *const s = self;
  const compare_args *const a = s->args;
  crd_contest_options what = s->what;
  if (index) what.profile = 0;
  const crd_status status =
      a->model.path
          ? cli_model_contest_run(session, &s->found->model, (uint64_t)a->seed + index, &what, out)
          : cli_contest_run(session->ctx, &a->contest, &s->found->rows, s->share, &what, out);
  return status == CRD_OK && what.profile ? look_behind(session, a, s->found) : status;
}

static crd_status run_all(cli_session *session, setting *s) {
  const compare_args *const a = s->args;
  const bool splits = !a->contest.test;
  const cli_repeats repeats = {
    .count = a->repeats,
    .seed = a->seed,
    .kind = splits ? CRD_SERIES_SPLITS : CRD_SERIES_INDEPENDENT,
    .what = splits ? "random splits of the same rows"
                   : "the same rows, other starts of delta and orders of batches",
    .run = run_one,
    .self = s
  };
  if (a->repeats == 1) return run_one(session, s, 0, &s->found->contest);
  return cli_repeats_run(session, &repeats, &s->found->series, &s->found->contest);
}

static crd_status compete(cli_session *session, const compare_args *a, double share, findings *f) {
  double floor;
  cli_target_list goals;
  crd_status status = cli_floor_read(session, a->floor, &floor);
  if (status == CRD_OK) status = cli_targets_read(session, &a->targets, &goals);
  if (status != CRD_OK) return status;
  const crd_operating_options operating = { .size = sizeof operating,
                                            .targets = goals.items,
                                            .target_count = goals.count,
                                            .resamples = a->resamples };
  setting s = { .args = a,
                .share = share,
                .found = f,
                .what = { .size = sizeof s.what,
                          .methods = a->contest.methods,
                          .metrics = a->metrics,
                          .bins = a->bins,
                          .resamples = a->resamples,
                          .floor = floor,
                          .operating = goals.count ? &operating : NULL,
                          .profile = cli_story_wanted(&a->story) ? CRD_PROFILE_ALL : 0 } };
  status = a->model.path ? cli_model_contest_open(session, &a->contest, &a->model, share,
                                                  a->look.quiet, &f->model)
                         : cli_contest_open(session->ctx, &a->contest, &f->rows);
  if (status == CRD_OK)
    status = cli_shift_open(session->ctx, &a->shift, &a->contest.opening, &f->shifted);
  s.what.shift = f->shifted.sets;
  s.what.shift_count = f->shifted.count;
  return status == CRD_OK ? run_all(session, &s) : status;
}

static crd_status tell(cli_session *session, const compare_args *a, const findings *f,
                       crd_output *output, crd_output *page) {
  const crd_report_options look = cli_look_options(&a->look, a->story.full ? &f->background : NULL);
  const crd_series_summary *const series = f->series ? crd_series_describe(f->series) : NULL;
  const crd_status status =
      series ? crd_series_write(session->ctx, series, a->look.form, &look, output)
             : crd_contest_write(session->ctx, f->contest, a->look.form, &look, output);
  if (status != CRD_OK || !page) return status;
  const crd_page_part part = { .contest = f->contest,
                               .series = series,
                               .diagnosis = f->background.diagnosis,
                               .provenance = &f->background.provenance };
  const crd_page_options how = { .size = sizeof how, .title = a->story.title };
  return crd_page_write(session->ctx, &part, 1, &how, page);
}

/* Only random splits differ from run to run, and fits that begin at random. */
static crd_status check_repeats(cli_session *session, const compare_args *a) {
  if (a->repeats == 1) return CRD_OK;
  if (*a->targets.risk.text || *a->targets.coverage.text)
    return cli_refuse(session, "--repeats excludes --target-risk and --target-coverage: operating "
                               "points belong to one split");
  if (a->contest.test && !a->model.path)
    return cli_refuse(session,
                      "--repeats needs PRED, which every run splits anew: with --calibrate "
                      "and --test all %u runs would be the same",
                      a->repeats);
  if (a->contest.folds)
    return cli_refuse(session, "--repeats excludes --folds: it repeats random splits (--split)");
  return CRD_OK;
}

/* Shifted sets need one fit on clean predictions. */
static crd_status check_shift(cli_session *session, const compare_args *a) {
  if (a->shift.sets.count == 0) return CRD_OK;
  if (a->model.path)
    return cli_refuse(session, "--shift takes predictions, --model DATA: they exclude each other");
  if (a->contest.folds)
    return cli_refuse(
        session, "--shift excludes --folds, which fits a calibrator for each fold: use --split "
                 "or --calibrate and --test");
  if (a->repeats > 1)
    return cli_refuse(session, "--shift excludes --repeats: it shows the fits of one split");
  return cli_shift_check(session, &a->shift);
}

static crd_status run(cli_session *session, const void *arguments) {
  const compare_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_output *output = NULL, *page = NULL;
  findings f = { 0 };
  double share;
  crd_status status = cli_contest_check(session, &a->contest, &share);
  if (status == CRD_OK) status = cli_model_check(session, &a->contest, &a->model);
  if (status == CRD_OK) status = check_repeats(session, a);
  if (status == CRD_OK) status = check_shift(session, a);
  if (status == CRD_OK) status = crd_output_open(ctx, a->look.output, &output);
  if (status == CRD_OK) status = cli_story_open(session, &a->story, a->look.form, &page);
  if (status != CRD_OK) return cli_finish(session, status, output, page);
  crd_context_set_threads(ctx, a->threads);
  crd_context_set_seed(ctx, a->seed);
  if (!a->look.quiet) cli_progress_show(ctx);
  status = compete(session, a, share, &f);
  cli_progress_hide(ctx);
  if (status == CRD_OK) status = tell(session, a, &f, output, page);
  release(&f);
  return cli_finish(session, status, output, page);
}

const cli_command cli_command_compare = {
  .name = "compare",
  .summary = "find the best calibration method for some predictions",
  .description =
      "Fits several calibration methods on some rows, evaluates each on other rows, and "
      "recommends one. Calibration and refinement both count; differences are tested with paired "
      "bootstrap resamples, and compared with what chance alone would give. --repeats shows how "
      "much the numbers depend on the split.",
  .options = options,
  .examples = examples,
  .size = sizeof(compare_args),
  .run = run,
};

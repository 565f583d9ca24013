/* cmd_fit.c -- credence fit: fits a calibrator and shows its parameters and certificate. */
#include "command.h"
#include "floor.h"
#include "opening.h"
#include "page.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *method;
  cli_opening opening;
  cli_joined settings;
  const char *compat, *floor, *output;
  unsigned threads, seed;
  bool json, quiet;
} fit_args;

const char *cli_method_word(size_t index) {
  const crd_method_info *const method = crd_method_at(index);
  return method ? method->name : NULL;
}

static const char *compat_word(size_t index) {
  const crd_fit_convention *const row = crd_fit_convention_at(index);
  return row ? row->name : NULL;
}

#define AT(member) .offset = offsetof(fit_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "METHOD", AT(method), .word = cli_method_word,
    .help = "calibration method, see 'credence list methods'" },
  CLI_OPENING_PATH(fit_args, opening),
  { CLI_JOIN, 's', "set", "LIST", AT(settings),
    .help = "settings of the method, name=value, comma-separated or one --set each; see 'credence "
            "list methods METHOD'" },
  { CLI_TEXT, 0, "compat", "PEER", AT(compat), .word = compat_word,
    .help = "fit as another implementation does, which may stop before the optimum; short for "
            "--set compat=PEER; see 'credence list conventions'" },
  CLI_FLOOR_OPTION(AT(floor)),
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "write the calibrator to FILE, for 'credence apply'" },
  CLI_OPENING_OPTIONS(fit_args, opening),
  { CLI_COUNT, 0, "seed", "N", AT(seed), .standard = "0", .low = 0, .high = 4294967295,
    .help = "seed of everything random" },
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_FLAG, 0, "json", AT(json), .writes = true,
    .help = "write the calibrator to standard output, as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "fit temperature val.npz -o cal.json", "temperature scaling, fitted on a validation set" },
  { "fit platt val.npz --set scope=top-1 -o cal.json",
    "Platt scaling of the confidence of the predicted class only" },
  { "fit temperature dump.npz@0:5000 --json",
    "fitted on the first 5000 rows, with the result as JSON" },
  { "fit temperature val.npz --compat gpleiss50",
    "the temperature at which a widely used implementation stops" },
  { "fit temperature rounded.csv --floor 1e-6",
    "read probabilities of 0 as 1e-6 instead of a fitted value" },
  { "list methods histogram", "one method, with its settings" },
  { .line = NULL },
};

/* The first values of an array; the file has them all. */
static void show_learnt(FILE *out, const crd_learnt *item) {
  enum { SHOWN = 6 };
  const size_t count = item->start[item->parts];
  fprintf(out, "  %-16s", item->name);
  for (size_t i = 0; i < count && i < SHOWN; i++) fprintf(out, " %.6g", item->values[i]);
  if (count > SHOWN) fprintf(out, " ... (%zu values)", count);
  fputc('\n', out);
}

static void show_certificate(FILE *out, const crd_certificate *c) {
  fprintf(out, "\n  %s", c->converged ? "converged" : "NOT CONVERGED");
  if (c->iterations) fprintf(out, " after %u step%s", c->iterations, c->iterations == 1 ? "" : "s");
  if (isfinite(c->objective)) fprintf(out, ", objective %.9g", c->objective);
  if (isfinite(c->gradient_norm)) fprintf(out, ", largest derivative %.1e", c->gradient_norm);
  fputc('\n', out);
  if (*c->bounds) fprintf(out, "  at a bound: %s\n", c->bounds);
  if (c->values_floored)
    fprintf(out, "  %zu value%s in %zu row%s below the floor, read as the floor\n",
            c->values_floored, c->values_floored == 1 ? "" : "s", c->rows_clipped,
            c->rows_clipped == 1 ? "" : "s");
  else if (c->rows_clipped)
    fprintf(out, "  %zu row%s a probability of 0 or 1, read as the nearest representable value\n",
            c->rows_clipped, c->rows_clipped == 1 ? " has" : "s have");
  if (c->argmax_changes)
    fprintf(out, "  %zu predicted class%s changed\n", c->argmax_changes,
            c->argmax_changes == 1 ? "" : "es");
  if (*c->note) {
    fputs("  note: ", out);
    cli_page_wrap(out, c->note, 8, 8);
  }
}

static void show(FILE *out, const crd_calibrator *calibrator, const crd_predictions *predictions) {
  const crd_method_info *const method = crd_calibrator_method(calibrator);
  const size_t rows = crd_predictions_rows(predictions);
  fprintf(out, "%s, fitted on %zu row%s\n\n", method->name, rows, rows == 1 ? "" : "s");
  for (size_t i = 0; i < method->setting_count; i++)
    fprintf(out, "  %-16s %s\n", method->settings[i].name, crd_calibrator_setting(calibrator, i));
  for (size_t i = 0; crd_calibrator_learnt(calibrator, i); i++)
    show_learnt(out, crd_calibrator_learnt(calibrator, i));
  show_certificate(out, crd_calibrator_certificate(calibrator));
}

static crd_status save(crd_context *ctx, const crd_calibrator *calibrator, const char *path) {
  crd_output *output = NULL;
  crd_status status = crd_output_open(ctx, path, &output);
  if (status == CRD_OK) status = crd_calibrator_save(ctx, calibrator, output);
  return crd_output_finish(ctx, output, status);
}

/* The settings, with those of --compat appended; NULL: no memory. */
static char *join_settings(const fit_args *a) {
  static const char setting[] = "compat=";
  const char *const settings = a->settings.text;
  const char *const compat = a->compat ? a->compat : "";
  const size_t size = strlen(settings) + sizeof "," + sizeof setting + strlen(compat);
  char *const text = malloc(size);
  if (text)
    snprintf(text, size, "%s%s%s%s", settings, *settings && *compat ? "," : "",
             *compat ? setting : "", compat);
  return text;
}

static crd_status run(cli_session *session, const void *arguments) {
  const fit_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_predictions *predictions = NULL;
  crd_calibrator *calibrator = NULL;
  crd_fit_options fitting = { .size = sizeof fitting };
  crd_status status = cli_floor_read(session, a->floor, &fitting.floor);
  if (status != CRD_OK) return status;
  char *const settings = join_settings(a);
  if (!settings) return CRD_ENOMEM;
  const crd_method_info *const method = crd_method_find(a->method);
  crd_open_options how = cli_opening_options(&a->opening);
  how.features = method && method->needs_features;
  crd_context_set_threads(ctx, a->threads);
  crd_context_set_seed(ctx, a->seed);
  if (!a->quiet) cli_progress_show(ctx);
  status = crd_predictions_open(ctx, a->opening.path, &how, &predictions);
  if (status == CRD_OK)
    status = crd_calibrator_fit_with(ctx, a->method, settings, &fitting, predictions, &calibrator);
  cli_progress_hide(ctx);
  if (status == CRD_OK && a->output) status = save(ctx, calibrator, a->output);
  if (status == CRD_OK && a->json) status = save(ctx, calibrator, "-");
  else if (status == CRD_OK && !(a->output && strcmp(a->output, "-") == 0))
    show(session->out, calibrator, predictions);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(predictions);
  free(settings);
  return status;
}

const cli_command cli_command_fit = {
  .name = "fit",
  .summary = "fit a calibrator",
  .description =
      "Fits a calibrator on predictions that were not used for training, and shows its "
      "certificate: whether it converged, the objective, parameters at a bound, and how many "
      "predicted classes changed.",
  .options = options,
  .examples = examples,
  .size = sizeof(fit_args),
  .run = run,
};

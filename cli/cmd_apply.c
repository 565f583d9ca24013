/* cmd_apply.c -- credence apply: writes calibrated probabilities to a file for evaluate. */
#include "command.h"
#include "opening.h"
#include "option.h"
#include "page.h"
#include "terminal.h"

typedef struct {
  const char *calibrator;
  cli_opening opening;
  const char *output;
  unsigned dtype, threads;
  bool json, quiet;
} apply_args;

static const crd_dtype dtypes[] = { CRD_F64, CRD_F32 };

static const char *dtype_word(size_t index) {
  return index < sizeof dtypes / sizeof *dtypes ? crd_dtype_name(dtypes[index]) : NULL;
}

#define AT(member) .offset = offsetof(apply_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "CAL", AT(calibrator),
    .help = "the calibrator, a file written by 'credence fit -o'" },
  CLI_OPENING_PATH(apply_args, opening),
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write: .npz, .safetensors, .csv or .tsv, optionally with .gz; .npy holds "
            "the probabilities only" },
  { CLI_WORD, 0, "dtype", "TYPE", AT(dtype), .word = dtype_word, .standard = "f64",
    .help = "type of the probabilities: f64 or f32" },
  CLI_OPENING_OPTIONS(apply_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "fit temperature val.npz -o cal.json", "fit a calibrator first" },
  { "apply cal.json test.npz -o out.npz", "calibrated probabilities, with the labels" },
  { "evaluate out.npz", "how well calibrated they are now" },
  { "apply cal.json new.csv -o new.npy --dtype f32", "predictions without labels" },
  { .line = NULL },
};

static void show_text(FILE *out, const apply_args *a, const crd_calibrator *calibrator,
                      const crd_predictions *predictions) {
  const size_t classes = crd_predictions_classes(predictions);
  fprintf(out, "%s: %zu rows", a->output, crd_predictions_rows(predictions));
  if (classes) fprintf(out, " of %zu classes", classes);
  fprintf(out, ", calibrated by %s\n", crd_calibrator_method(calibrator)->name);
  for (size_t i = 0; crd_predictions_note(predictions, i); i++) {
    fputs("  note: ", out);
    cli_page_wrap(out, crd_predictions_note(predictions, i), 8, 8);
  }
}

static void show_json(FILE *out, const apply_args *a, const crd_calibrator *calibrator,
                      const crd_predictions *predictions) {
  cli_page_begin(out, "applied");
  fputs(",\n  \"output\": ", out);
  cli_page_json(out, a->output);
  fputs(",\n  \"method\": ", out);
  cli_page_json(out, crd_calibrator_method(calibrator)->name);
  fprintf(out, ",\n  \"rows\": %zu,\n  \"classes\": %zu,\n  \"notes\": [",
          crd_predictions_rows(predictions), crd_predictions_classes(predictions));
  for (size_t i = 0; crd_predictions_note(predictions, i); i++) {
    fputs(i ? ", " : "", out);
    cli_page_json(out, crd_predictions_note(predictions, i));
  }
  fputs("]\n}\n", out);
}

static crd_status run(cli_session *session, const void *arguments) {
  const apply_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_predictions *predictions = NULL;
  crd_calibrator *calibrator = NULL;
  crd_open_options how = cli_opening_options(&a->opening);
  if (!a->output) return cli_refuse(session, "apply needs an output file: -o FILE");
  how.labels_optional = how.keep_ignored = 1;
  crd_context_set_threads(ctx, a->threads);
  if (!a->quiet) cli_progress_show(ctx);
  crd_status status = crd_calibrator_load(ctx, a->calibrator, &calibrator);
  if (status == CRD_OK) {
    how.features = crd_calibrator_method(calibrator)->needs_features;
    status = crd_predictions_open(ctx, a->opening.path, &how, &predictions);
  }
  if (status == CRD_OK)
    status = crd_calibrator_apply_to(ctx, calibrator, predictions, dtypes[a->dtype], a->output);
  cli_progress_hide(ctx);
  if (status == CRD_OK) (a->json ? show_json : show_text)(session->out, a, calibrator, predictions);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(predictions);
  return status;
}

const cli_command cli_command_apply = {
  .name = "apply",
  .summary = "calibrate predictions with a fitted calibrator",
  .description =
      "Writes calibrated probabilities with the labels, weights and groups of the predictions, "
      "ready for 'credence evaluate'. Labels may be missing. A calibrator of the predicted class "
      "only (scope=top-1) also writes confidence and pred_label, from which metrics of the "
      "predicted class are computed.\n"
      "Rows are read, calibrated and written in blocks: memory use does not depend on their "
      "number.",
  .options = options,
  .examples = examples,
  .size = sizeof(apply_args),
  .run = run,
};

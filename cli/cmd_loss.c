/* cmd_loss.c -- credence loss: value, terms and gradient of a training loss on predictions. */
#include "command.h"
#include "opening.h"
#include "option.h"
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *expression;
  cli_opening opening;
  const char *ignored, *gradient, *output;
  unsigned reduction, dtype, threads;
  bool allow_negative, json, quiet;
} loss_args;

/* What to show. */
typedef struct {
  const loss_args *arguments;
  const crd_predictions *predictions;
  const crd_loss *loss;
  crd_loss_value value;
} finding;

static const char *reduction_word(size_t index) {
  static const char *const words[] = {
    [CRD_REDUCTION_MEAN] = "mean", [CRD_REDUCTION_SUM] = "sum", NULL
  };
  return words[index];
}

static const char *dtype_word(size_t index) {
  static const char *const words[] = { "f64", "f32", NULL };
  return words[index];
}

#define AT(member) .offset = offsetof(loss_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "EXPR", AT(expression),
    .help = "a weighted sum of losses: 'ce + 10*dca', 'focal(gamma=3) + 0.1*entropy'" },
  CLI_OPENING_PATH(loss_args, opening),
  { CLI_WORD, 0, "reduction", "HOW", AT(reduction), .word = reduction_word, .standard = "mean",
    .help = "weighted mean over the rows, or sum" },
  { CLI_TEXT, 0, "ignore-label", "N", AT(ignored),
    .help = "leave out rows with this label (default: -100)" },
  { CLI_FLAG, 0, "allow-negative", AT(allow_negative),
    .help = "allow factors and settings below 0" },
  { CLI_FILE, 'g', "gradient", "FILE", AT(gradient), .writes = true,
    .help =
        "write the gradient with respect to the logits: .npy, .npz, .safetensors, .csv or .tsv" },
  { CLI_WORD, 0, "dtype", "TYPE", AT(dtype), .word = dtype_word, .standard = "f64",
    .help = "type of the gradient: f64 or f32" },
  CLI_OPENING_OPTIONS(loss_args, opening),
  { CLI_COUNT, 'j', "threads", "N", AT(threads), .low = 1, .high = 4096,
    .help = "use N threads (default: all); results do not depend on N" },
  { CLI_FLAG, 0, "json", AT(json), .help = "write JSON: value, terms, gradient_norm, warnings" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true, .standard = "-",
    .help = "write to FILE, all or nothing; '-' is standard output" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no notes" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "loss ce val.npz", "cross-entropy (negative log-likelihood)" },
  { "loss 'ce + 10*dca' val.npz --json", "a sum, and each of its terms without its factor" },
  { "loss 'focal(gamma=3)' batch.npz --reduction sum --gradient g.npy",
    "value and gradient of one batch, to check your own training code against" },
  { "list losses", "the names of the losses" },
  { .line = NULL },
};

/* ---- Showing. */

enum { NOTE_SIZE = 96 };

/* Notes of the predictions and of the loss; NULL past the end. */
static const char *note_at(const finding *f, size_t index, char text[static NOTE_SIZE]) {
  if (f->value.floored && index-- == 0) {
    snprintf(text, NOTE_SIZE, "%zu rows have a probability of 0, which is read as 1e-300",
             f->value.floored);
    return text;
  }
  size_t read = 0;
  while (crd_predictions_note(f->predictions, read)) read++;
  return index < read ? crd_predictions_note(f->predictions, index)
                      : crd_loss_note(f->loss, index - read);
}

static void show_notes(FILE *out, const finding *f) {
  char text[NOTE_SIZE];
  const char *note;
  for (size_t i = 0; (note = note_at(f, i, text)); i++) {
    fputs(i ? "  note: " : "\n  note: ", out);
    cli_page_wrap(out, note, 8, 8);
  }
}

static void add_warnings(FILE *out, const finding *f) {
  char text[NOTE_SIZE];
  const char *note;
  fputs(",\n  \"warnings\": [", out);
  for (size_t i = 0; (note = note_at(f, i, text)); i++) {
    if (i) fputs(", ", out);
    cli_page_json(out, note);
  }
  fputs("]", out);
}

static void show_text(FILE *out, const finding *f) {
  size_t width = strlen("gradient norm");
  for (size_t i = 0; i < f->value.term_count; i++) {
    const size_t length = strlen(crd_loss_term(f->loss, i));
    if (length > width) width = length;
  }
  fprintf(out, "%s: %zu rows of %zu classes, %s\n\n", crd_predictions_name(f->predictions),
          crd_predictions_rows(f->predictions), crd_predictions_classes(f->predictions),
          reduction_word(f->arguments->reduction));
  fprintf(out, "  %-*s  %.8g\n", (int)width, "value", f->value.value);
  fprintf(out, "  %-*s  %.8g\n\n", (int)width, "gradient norm", f->value.gradient_norm);
  for (size_t i = 0; i < f->value.term_count; i++)
    fprintf(out, "  %-*s  %.8g\n", (int)width, crd_loss_term(f->loss, i), f->value.terms[i]);
  if (!f->arguments->quiet) show_notes(out, f);
}

/* The number of earlier terms with the same text: the second "ce" is "ce#2". */
static size_t alike(const crd_loss *loss, size_t index) {
  size_t count = 0;
  for (size_t i = 0; i < index; i++)
    count += strcmp(crd_loss_term(loss, i), crd_loss_term(loss, index)) == 0;
  return count;
}

static void show_json(FILE *out, const finding *f) {
  cli_page_begin(out, "loss");
  fputs(",\n  \"value\": ", out);
  cli_page_number(out, f->value.value, 17);
  fputs(",\n  \"terms\": {", out);
  for (size_t i = 0; i < f->value.term_count; i++) {
    const size_t before = alike(f->loss, i);
    fprintf(out, "%s\"%s", i ? ", " : "", crd_loss_term(f->loss, i)); /* nothing to escape in it */
    if (before) fprintf(out, "#%zu", before + 1);
    fputs("\": ", out);
    cli_page_number(out, f->value.terms[i], 17);
  }
  fputs("},\n  \"gradient_norm\": ", out);
  cli_page_number(out, f->value.gradient_norm, 17);
  fprintf(out, ",\n  \"rows\": %zu,\n  \"classes\": %zu", crd_predictions_rows(f->predictions),
          crd_predictions_classes(f->predictions));
  cli_page_member(out, ",\n  ", "reduction", reduction_word(f->arguments->reduction));
  add_warnings(out, f);
  fputs("\n}\n", out);
}

static crd_status show(cli_session *session, const finding *f) {
  char *bytes = NULL;
  size_t count = 0;
  crd_output *output = NULL;
  FILE *const text = open_memstream(&bytes, &count);
  if (!text) return CRD_ENOMEM;
  (f->arguments->json ? show_json : show_text)(text, f);
  const bool whole = !ferror(text);
  crd_status status = fclose(text) == 0 && whole ? CRD_OK : CRD_ENOMEM;
  if (status == CRD_OK) status = crd_output_open(session->ctx, f->arguments->output, &output);
  if (status == CRD_OK) status = crd_output_write(session->ctx, output, bytes, count);
  status = crd_output_finish(session->ctx, output, status);
  free(bytes);
  return status;
}

/* ---- Reading. */

static crd_status read_ignored(cli_session *session, const loss_args *a, int64_t *label,
                               crd_loss_reading *how) {
  char *end;
  *label = CRD_IGNORE_LABEL;
  how->ignored = label;
  if (!a->ignored) return CRD_OK;
  errno = 0;
  const long long number = strtoll(a->ignored, &end, 10);
  if (*end || end == a->ignored || errno)
    return cli_refuse(session, "--ignore-label takes an integer, found '%s'", a->ignored);
  *label = number;
  return CRD_OK;
}

/* Creates the loss; class weights may come from the labels of the predictions. */
static crd_status create(crd_context *ctx, const loss_args *a, const crd_predictions *predictions,
                         const int64_t *ignored, crd_loss **out) {
  crd_loss_options how = { .size = sizeof how,
                           .reduction = (crd_reduction)a->reduction,
                           .allow_negative = a->allow_negative,
                           .classes = crd_predictions_classes(predictions) };
  double *const counts = calloc(how.classes + 1, sizeof *counts);
  if (!counts) return CRD_ENOMEM;
  how.class_counts = counts;
  crd_status status = crd_predictions_class_counts(ctx, predictions, ignored, counts);
  if (status == CRD_OK) status = crd_loss_create(ctx, a->expression, &how, out);
  free(counts);
  return status;
}

static crd_status run(cli_session *session, const void *arguments) {
  const loss_args *a = arguments;
  crd_context *ctx = session->ctx;
  crd_predictions *predictions = NULL;
  crd_loss *loss = NULL;
  int64_t label;
  finding f = { .arguments = a };
  crd_loss_reading how = { .size = sizeof how, .gradient = a->gradient, .float32 = a->dtype == 1 };
  crd_open_options opening = cli_opening_options(&a->opening);
  opening.keep_ignored = 1; /* the gradient has a row for each of the batch */
  crd_context_set_threads(ctx, a->threads);
  crd_status status = read_ignored(session, a, &label, &how);
  if (status == CRD_OK) status = crd_predictions_open(ctx, a->opening.path, &opening, &predictions);
  if (status == CRD_OK) status = create(ctx, a, predictions, how.ignored, &loss);
  if (status == CRD_OK) status = crd_loss_predictions(ctx, loss, predictions, &how, &f.value);
  f.predictions = predictions;
  f.loss = loss;
  if (status == CRD_OK) status = show(session, &f);
  crd_loss_destroy(loss);
  crd_predictions_destroy(predictions);
  return status;
}

const cli_command cli_command_loss = {
  .name = "loss",
  .summary = "value and gradient of a training loss",
  .description =
      "Computes a training loss with all predictions as one batch: its value, each term without "
      "its factor, and the norm of the gradient with respect to the logits. Probabilities are "
      "turned into logits by the logarithm. The class weights of weighted-ce come from the labels "
      "of PRED. In JSON, the second of two identical terms is called 'ce#2'.",
  .options = options,
  .examples = examples,
  .size = sizeof(loss_args),
  .run = run,
};

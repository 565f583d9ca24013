/* cmd_predict.c -- credence predict: runs a classifier and writes predictions for evaluate. */
#include "clamping.h"
#include "option.h"
#include "page.h"
#include "terminal.h"

typedef struct {
  const char *model, *input, *output, *features, *clamp;
  cli_feeding feeding;
  cli_data data;
  bool json, quiet;
} predict_args;

#define AT(member) .offset = offsetof(predict_args, member)
static const cli_option options[] = {
  { CLI_OPERAND, .argument = "MODEL", AT(model), .help = "the classifier: an .onnx file" },
  { CLI_OPERAND, .argument = "DATA", AT(input),
    .help = "its input: a dataset, or FILE[#GROUP][@FROM:TO] with an array images, inputs, x or "
            "features, or with a single array; labels, weights and groups are copied" },
  { CLI_FILE, 'o', "output", "FILE", AT(output), .writes = true,
    .help = "file to write: .npz, .safetensors, .csv or .tsv, optionally with .gz; .npy holds the "
            "logits only" },
  { CLI_TEXT, 0, "features", "TENSOR", AT(features),
    .help = "also write this tensor of the model, such as penultimate, as features" },
  { CLI_FILE, 0, "clamp", "FILE", AT(clamp),
    .help = "add the perturbation of 'credence clamp', and write the probabilities at its "
            "temperature" },
  CLI_FEEDING_OPTIONS(predict_args, feeding),
  CLI_DATA_OPTIONS(predict_args, data),
  { CLI_FLAG, 0, "json", AT(json), .help = "write the summary as JSON" },
  { CLI_FLAG, 'q', "quiet", AT(quiet), .help = "no progress bar" },
  { .kind = CLI_END },
};

static const cli_example examples[] = {
  { "predict model.onnx test.npz -o preds.npz", "logits, with the labels of test.npz" },
  { "evaluate preds.npz", "how well calibrated the model is" },
  { "predict model.onnx photos.npz -o preds.npz --layout nhwc --scale --mean 0.485,0.456,0.406 "
    "--std 0.229,0.224,0.225",
    "8-bit images with channels last, normalised as in training" },
  { "predict m.onnx fashion-mnist#test -o preds.npz --features penultimate",
    "a dataset, read as in training, with the features of the penultimate layer" },
  { "predict m.onnx test.npz -o preds.npz --clamp clamp.json",
    "calibrated probabilities, by Neural Clamping" },
  { .line = NULL },
};

static const char *note_at(const crd_dataset *data, size_t index) {
  return data ? crd_dataset_note(data, index) : NULL;
}

static void show_text(FILE *out, const predict_args *a, const crd_dataset *data,
                      const crd_feed_summary *done) {
  fprintf(out, "%s: %s of %zu rows and %zu classes, %s", a->output, done->scores, done->rows,
          done->classes == 1 ? 2 : done->classes, done->labelled ? "with labels" : "no labels");
  if (done->features) fprintf(out, ", %zu features", done->features);
  if (done->confidence) fputs(", learned confidences", out);
  fputs("\n", out);
  for (size_t i = 0; note_at(data, i); i++) {
    fputs("  note: ", out);
    cli_page_wrap(out, note_at(data, i), 8, 8);
  }
}

static void show_json(FILE *out, const predict_args *a, const crd_dataset *data,
                      const crd_feed_summary *done) {
  cli_page_begin(out, "predicted");
  cli_page_member(out, ",\n  ", "output", a->output);
  cli_page_member(out, ",\n  ", "scores", done->scores);
  fprintf(out, ",\n  \"rows\": %zu,\n  \"batch\": %zu,\n  \"classes\": %zu,\n  \"labelled\": %s",
          done->rows, done->batch, done->classes, done->labelled ? "true" : "false");
  if (done->features) fprintf(out, ",\n  \"features\": %zu", done->features);
  if (done->confidence) fputs(",\n  \"confidence\": true", out);
  for (size_t i = 0; note_at(data, i); i++) {
    fputs(i ? ", " : ",\n  \"notes\": [", out);
    cli_page_json(out, note_at(data, i));
  }
  fputs(note_at(data, 0) ? "]\n}\n" : "\n}\n", out);
}

/* ---- Which way the input is read. */

/* What the run needs, beside the arguments. */
typedef struct {
  cli_session *session;
  crd_context *ctx;
  crd_feed_options how;
  crd_dataset_options opening;
  crd_model *model;
  crd_clamp *clamp;       /* NULL: none */
  crd_encoding *encoding; /* of the model; NULL: none */
  crd_dataset *data;      /* NULL: a file */
} job;

static bool has_data_options(const crd_dataset_options *o) {
  return o->height || o->channels || o->skip_corrupt || o->label_column || o->label_map ||
         o->group_pattern;
}

/* A file for a model without encoding needs no dataset. */
static crd_status open_data(job *j, const predict_args *a) {
  int file = 0;
  const crd_status status = crd_dataset_is_file(j->ctx, a->input, &file);
  if (status != CRD_OK) return status;
  if (file && !j->encoding && !has_data_options(&j->opening)) return CRD_OK;
  return crd_dataset_open(j->ctx, a->input, &j->opening, &j->data);
}

/* Makes the model that computes the probabilities alone, with the encoding. */
static crd_status clamp_model(job *j, crd_model **out) {
  crd_model *whole, *part = NULL;
  size_t count = 0;
  *out = NULL;
  crd_status status = crd_clamp_into(j->ctx, j->clamp, j->model, NULL, j->how.output, &whole);
  if (status != CRD_OK) return status;
  while (crd_model_output(whole, count)) count++;
  const char *const probabilities = crd_model_output(whole, count - 2)->name;
  status = crd_model_cut(j->ctx, whole, probabilities, CRD_PART_BEFORE, &part);
  if (status == CRD_OK && j->encoding)
    status = crd_model_set_encoding(j->ctx, part, j->encoding, out);
  if (*out || status != CRD_OK) crd_model_destroy(part);
  else *out = part;
  crd_model_destroy(whole);
  return status;
}

/* The clamp's mean and standard deviation count unless options give others. */
static crd_status put_clamp(job *j, const predict_args *a) {
  crd_model *clamped = NULL;
  if (!a->clamp) return CRD_OK;
  crd_status status = cli_clamp_open(j->session, a->clamp, &j->clamp);
  if (status == CRD_OK) status = cli_clamp_check_model(j->session, j->clamp, j->model, a->model);
  if (status == CRD_OK) status = clamp_model(j, &clamped);
  if (status != CRD_OK) return status;
  crd_model_destroy(j->model);
  j->model = clamped;
  j->how.output = NULL;
  const crd_clamp_summary *const s = crd_clamp_describe(j->clamp);
  if (j->how.mean || j->how.std || j->how.scale != 0 || !s->channels) return CRD_OK;
  j->how.mean = s->mean;
  j->how.std = s->std;
  j->how.channels = s->channels;
  return CRD_OK;
}

static crd_status predict(job *j, const predict_args *a, crd_feed_summary *done) {
  crd_status status = crd_model_open(j->ctx, a->model, &j->model);
  if (status == CRD_OK) status = crd_model_encoding(j->ctx, j->model, &j->encoding);
  if (status == CRD_OK) status = put_clamp(j, a);
  if (status == CRD_OK) status = open_data(j, a);
  if (status != CRD_OK) return status;
  if (!j->data) return crd_model_predict_to(j->ctx, j->model, a->input, &j->how, a->output, done);
  return crd_dataset_predict_to(j->ctx, j->model, j->data, &j->how, a->output, done);
}

static crd_status run(cli_session *session, const void *arguments) {
  const predict_args *a = arguments;
  cli_channels channels;
  crd_feed_summary done;
  job j = { .session = session, .ctx = session->ctx };
  if (!a->output) return cli_refuse(session, "predict needs an output file: -o FILE");
  crd_status status = cli_feeding_options(session, &a->feeding, &channels, &j.how);
  if (status == CRD_OK) status = cli_data_options(session, &a->data, &j.opening);
  if (status != CRD_OK) return status;
  j.how.features = a->features;
  if (!a->quiet) cli_progress_show(j.ctx);
  status = predict(&j, a, &done);
  cli_progress_hide(j.ctx);
  if (status == CRD_OK) (a->json ? show_json : show_text)(session->out, a, j.data, &done);
  crd_dataset_destroy(j.data);
  crd_encoding_destroy(j.encoding);
  crd_model_destroy(j.model);
  crd_clamp_destroy(j.clamp);
  return status;
}

const cli_command cli_command_predict = {
  .name = "predict",
  .summary = "run a classifier and write its predictions",
  .description =
      "Runs an ONNX classifier on images or other inputs and writes its logits (probabilities, if "
      "it ends with a softmax) with the labels, weights and groups of the input, ready for "
      "'credence evaluate'. The model must have one output of two dimensions (or name it with "
      "--output-name); inputs and outputs must be finite.\n"
      "Rows are read, run and written in batches: memory use does not depend on their number.\n" //
  CLI_DATA_TEXT "\n"
      "A model written by 'credence train' stores mean and standard deviation, classes and "
      "vocabulary of its training data: other data are normalised and encoded in the same way, and "
      "labels are mapped by name. --mean and --std override. For datasets, 'indices' in the output "
      "holds the index of each sample.",
  .options = options,
  .examples = examples,
  .size = sizeof(predict_args),
  .run = run,
};

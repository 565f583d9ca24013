/* training.c -- opens data, builds or opens the network, creates the trainer (training.h). */
#include "training.h"

#include "option.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *cli_decay_word(size_t index) {
  static const char *const words[] = {
    [CRD_DECAY_WEIGHTS] = "weights", [CRD_DECAY_ALL] = "all", NULL
  };
  return words[index];
}

/* ---- Texts and numbers. */

static crd_status read_number(cli_session *session, const char *name, const char *text,
                              double *out) {
  char *end = NULL;
  errno = 0;
  *out = text ? strtod(text, &end) : 0;
  if (!text || (end != text && *end == '\0' && !errno && *out >= 0 && isfinite(*out)))
    return CRD_OK;
  return cli_refuse(session, "--%s takes a number from 0 on, found '%.60s'", name, text);
}

/* Puts a setting into the brackets of an expression; the last one of a name counts. */
static crd_status add_setting(cli_session *session, char expression[static CLI_PART_SIZE],
                              const char *name, const char *value) {
  size_t length = strlen(expression);
  const bool open = length && expression[length - 1] == ')';
  if (!value) return CRD_OK;
  if (open) expression[--length] = '\0';
  const char *const before = !open ? "(" : expression[length - 1] == '(' ? "" : ",";
  const int added =
      snprintf(expression + length, CLI_PART_SIZE - length, "%s%s=%s)", before, name, value);
  if (added > 0 && (size_t)added < CLI_PART_SIZE - length && !strpbrk(value, "(),=")) return CRD_OK;
  return cli_refuse(session, "--%s takes a number, found '%.60s'", name, value);
}

/* "m.onnx" gives "m.checkpoint". */
static char *beside(const char *path, const char *ending) {
  const size_t stem = strlen(path) - strlen(".onnx"), room = stem + strlen(ending) + 1;
  char *const name = malloc(room);
  if (name) snprintf(name, room, "%.*s%s", (int)stem, path, ending);
  return name;
}

static bool ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), end = strlen(ending);
  return length > end && strcmp(path + length - end, ending) == 0;
}

static crd_status name_files(cli_session *session, cli_training *t) {
  const char *const path = t->args->output, *const learned = t->args->learned;
  if (!path) return cli_refuse(session, "train needs an output file: -o FILE.onnx");
  if (!ends_with(path, ".onnx"))
    return cli_refuse(session, "-o takes FILE.onnx, found '%.200s'", path);
  if (learned && !ends_with(learned, ".csv") && !ends_with(learned, ".npz") &&
      !ends_with(learned, ".safetensors"))
    return cli_refuse(session, "--learned takes FILE.csv, .npz or .safetensors, found '%.200s'",
                      learned);
  t->checkpoint = beside(path, ".checkpoint");
  t->record = beside(path, ".run.json");
  return t->checkpoint && t->record ? CRD_OK : CRD_ENOMEM;
}

/* ---- Data. */

static void note_all(const cli_training *t, const crd_dataset *data) {
  const char *note;
  for (size_t i = 0; !t->args->quiet && (note = crd_dataset_note(data, i)); i++)
    fprintf(stderr, "note: %s: %s\n", crd_dataset_describe(data)->name, note);
}

static crd_status open_data(cli_session *session, const cli_training *t, const char *data,
                            crd_dataset **out) {
  crd_dataset_options options;
  crd_status status = cli_data_options(session, &t->args->opening, &options);
  if (status == CRD_OK) status = crd_dataset_open(session->ctx, data, &options, out);
  if (status == CRD_OK) note_all(t, *out);
  return status;
}

/* Is --validate a share of DATA, 0.1, rather than a dataset? */
static bool is_share(const char *text, double *share) {
  char *end;
  *share = strtod(text, &end);
  return end != text && *end == '\0';
}

static crd_status split(cli_session *session, cli_training *t, double share) {
  crd_context *const ctx = session->ctx;
  const uint64_t seed = t->args->opening.split_seed;
  const double cut = 100 * (1 - share);
  if (!(share > 0 && share < 1))
    return cli_refuse(session, "--validate takes a share between 0 and 1, or DATA, found '%s'",
                      t->args->validate);
  crd_status status =
      crd_dataset_part(ctx, t->opened, 0, cut, CRD_SPLIT_STRATIFIED, seed, &t->training);
  if (status == CRD_OK)
    status = crd_dataset_part(ctx, t->opened, cut, 100, CRD_SPLIT_STRATIFIED, seed,
                              &t->monitored[t->monitor_count++]);
  return status;
}

/* A patient on both sides makes the validation data tell too much. */
static crd_status compare(cli_session *session, const cli_training *t, const crd_dataset *data) {
  crd_overlap overlap;
  if (!crd_dataset_describe(t->training)->has_groups || !crd_dataset_describe(data)->has_groups)
    return CRD_OK;
  const crd_status status = crd_dataset_compare(session->ctx, t->training, data, &overlap);
  if (status != CRD_OK || overlap.group_count == 0) return status;
  snprintf(session->message, sizeof session->message,
           "%.200s and %.200s have %zu groups in common, such as '%.100s'", t->args->data,
           crd_dataset_describe(data)->name, overlap.group_count, overlap.group);
  return CRD_EINPUT;
}

static crd_status open_monitor(cli_session *session, cli_training *t, const char *name,
                               size_t length, const char *data) {
  if (!length || length >= sizeof *t->names)
    return cli_refuse(session, "--monitor takes NAME=DATA, found '%.100s'", name);
  snprintf(t->names[t->monitor_count], sizeof *t->names, "%.*s", (int)length, name);
  for (size_t i = 0; i < t->monitor_count; i++)
    if (strcmp(t->names[i], t->names[t->monitor_count]) == 0)
      return cli_refuse(session, "two monitors are called '%s'", t->names[i]);
  crd_status status = open_data(session, t, data, &t->monitored[t->monitor_count]);
  if (status == CRD_OK) status = compare(session, t, t->monitored[t->monitor_count++]);
  return status;
}

static crd_status open_all(cli_session *session, cli_training *t) {
  static const char validation[] = "validation";
  const cli_train_args *const a = t->args;
  double share;
  if (a->monitors.count >= CLI_MONITORS_MAX)
    return cli_refuse(session, "--monitor was given more than %d times", CLI_MONITORS_MAX - 1);
  crd_status status = open_data(session, t, a->data, &t->opened);
  t->training = t->opened;
  if (status == CRD_OK && a->validate && is_share(a->validate, &share)) {
    snprintf(t->names[0], sizeof *t->names, "%s", validation);
    status = split(session, t, share);
  } else if (status == CRD_OK && a->validate)
    status = open_monitor(session, t, validation, strlen(validation), a->validate);
  for (size_t i = 0; status == CRD_OK && i < a->monitors.count; i++) {
    const char *const text = a->monitors.items[i], *const equals = strchr(text, '=');
    status = open_monitor(session, t, text, equals ? (size_t)(equals - text) : 0,
                          equals ? equals + 1 : "");
  }
  return status;
}

/* ---- The network. */

static crd_status make_model(cli_session *session, cli_training *t) {
  const cli_train_args *const a = t->args;
  const crd_encoding_options reading = {
    .size = sizeof reading, .word_count = a->words, .length = a->length, .keep_scale = a->keep_scale
  };
  crd_model *given = NULL;
  if (!a->model)
    t->network =
        a->network ? a->network : crd_architecture_usual(crd_dataset_describe(t->training)->type);
  crd_status status = a->model ? crd_model_open(session->ctx, a->model, &given) : CRD_OK;
  const crd_setup_options how = { .size = sizeof how,
                                  .network = t->network,
                                  .model = given,
                                  .freeze = a->freeze,
                                  .head = a->head,
                                  .encoding = &reading };
  if (status == CRD_OK)
    status = crd_train_setup(session->ctx, t->training, t->monitored, t->monitor_count, &how,
                             &t->encoding, &t->model);
  if (t->model || status != CRD_OK) crd_model_destroy(given);
  else t->model = given;
  return status;
}

/* ---- The trainer. */

static crd_status read_options(cli_session *session, cli_training *t) {
  const cli_train_args *const a = t->args;
  t->options = (crd_train_options){ .size = sizeof(crd_train_options),
                                    .loss = a->loss,
                                    .allow_negative = a->allow_negative,
                                    .optimiser = t->optimiser,
                                    .schedule = t->schedule,
                                    .decay = (crd_decay)a->decay,
                                    .epochs = a->epochs,
                                    .batch = a->batch,
                                    .keep_last = a->keep_last,
                                    .augment = a->augment,
                                    .monitors = t->monitors,
                                    .best = a->best,
                                    .patience = a->patience,
                                    .evaluate_train = a->evaluate_train || a->learned,
                                    .freeze = a->freeze,
                                    .cache = a->cache,
                                    .logits = a->logits };
  snprintf(t->optimiser, sizeof t->optimiser, "%s", a->optimiser);
  snprintf(t->schedule, sizeof t->schedule, "%s", a->schedule);
  crd_status status = add_setting(session, t->optimiser, "rate", a->rate);
  if (status == CRD_OK)
    status = add_setting(session, t->optimiser, "weight-decay", a->weight_decay);
  if (status == CRD_OK) status = add_setting(session, t->schedule, "warm-up", a->warm_up);
  if (status == CRD_OK) status = read_number(session, "clip", a->clip, &t->options.clip);
  if (status == CRD_OK) status = read_number(session, "mixup", a->mixup, &t->options.mixup);
  if (status == CRD_OK && !a->freeze && (a->head || a->cache))
    status = cli_refuse(session, "--%s needs --freeze TENSOR", a->head ? "head" : "cache");
  if (status == CRD_OK && a->best && !a->validate)
    status = cli_refuse(session, "--best needs --validate: the metric of which data?");
  return status;
}

crd_status cli_training_make(cli_session *session, const cli_train_args *args, cli_training *out) {
  cli_training *const t = out;
  *t = (cli_training){ .args = args };
  crd_status status = name_files(session, t);
  if (status == CRD_OK) status = read_options(session, t);
  if (status == CRD_OK) status = open_all(session, t);
  if (status == CRD_OK) status = make_model(session, t);
  for (size_t i = 0; i < t->monitor_count; i++)
    t->monitors[i] = (crd_monitor){ .name = t->names[i], .data = t->monitored[i] };
  t->options.monitor_count = t->monitor_count;
  if (status == CRD_OK)
    status = crd_trainer_create(session->ctx, t->model, t->training, t->encoding, &t->options,
                                &t->trainer);
  return status;
}

const char *cli_training_unit(const cli_training *t) {
  static const char *const units[] = {
    [CRD_SAMPLES_IMAGES] = "images", [CRD_SAMPLES_VECTORS] = "rows", [CRD_SAMPLES_TEXTS] = "texts"
  };
  return units[crd_dataset_describe(t->training)->type];
}

void cli_training_clear(cli_training *t) {
  crd_trainer_destroy(t->trainer);
  crd_model_destroy(t->model);
  for (size_t i = 0; i < CLI_MONITORS_MAX; i++) crd_dataset_destroy(t->monitored[i]);
  if (t->training != t->opened) crd_dataset_destroy(t->training);
  crd_dataset_destroy(t->opened);
  crd_encoding_destroy(t->encoding);
  free(t->checkpoint);
  free(t->record);
}

/* clamping.c -- a fit of `credence clamp`, from its arguments (clamping.h). */
#include "clamping.h"

#include "option.h"
#include "signals.h"
#include "terminal.h"

#include <string.h>

enum {
  BATCH = 128,
  MEMORY = 2048 /* MB */,
  SIGNAL_WAIT = 120 /* seconds after Ctrl-C, until the result is measured */
};

/* ---- The model. */

/* An output that cannot be logits: names one that can. */
static crd_status check_output(cli_session *session, const cli_clamping *c) {
  const crd_port *const first = crd_model_output(c->model, 0);
  const crd_port *other = NULL;
  if (!first || first->dtype == CRD_F32) return CRD_OK;
  for (size_t i = 1; !other && crd_model_output(c->model, i); i++)
    if (crd_model_output(c->model, i)->dtype == CRD_F32) other = crd_model_output(c->model, i);
  snprintf(session->message, sizeof session->message,
           "%.300s: the output '%.60s' is %s, so it cannot be logits%s%.60s%s", c->args->model,
           first->name, crd_dtype_name(first->dtype),
           other ? "; choose another (--output-name), such as '" : "", other ? other->name : "",
           other ? "'" : "");
  return CRD_EINPUT;
}

/* Replaces the classifier by its part before a tensor. */
static crd_status cut(cli_session *session, cli_clamping *c, const char *tensor) {
  crd_model *part;
  const crd_status status = crd_model_cut(session->ctx, c->classifier ? c->classifier : c->model,
                                          tensor, CRD_PART_BEFORE, &part);
  if (status != CRD_OK) return status;
  crd_model_destroy(c->classifier);
  c->classifier = part;
  return CRD_OK;
}

/* Cuts off outputs that are not needed, then a softmax at the end. */
static crd_status find_logits(cli_session *session, cli_clamping *c) {
  const char *const wanted = c->args->feeding.output_name;
  const crd_port *const output = crd_model_output(c->model, 0);
  crd_status status = wanted ? CRD_OK : check_output(session, c);
  if (status == CRD_OK && output && (wanted || crd_model_output(c->model, 1)))
    status = cut(session, c, wanted ? wanted : output->name);
  if (status != CRD_OK || !output) return status;
  const char *const name = wanted ? wanted : output->name;
  const char *const logits = crd_clamp_logits(c->classifier ? c->classifier : c->model);
  if (!logits || strcmp(name, logits) == 0) return CRD_OK;
  if (!c->args->quiet)
    fprintf(stderr, "note: %s: '%s' comes from a softmax, which is left out: the logits are '%s'\n",
            c->args->model, name, logits);
  return cut(session, c, logits);
}

static crd_status open_model(cli_session *session, cli_clamping *c) {
  crd_status status = crd_model_open(session->ctx, c->args->model, &c->model);
  if (status == CRD_OK) status = cli_clamp_check_input(session, c);
  if (status == CRD_OK) status = crd_model_encoding(session->ctx, c->model, &c->own);
  if (status == CRD_OK) status = find_logits(session, c);
  if (status == CRD_OK && c->args->tensor) status = cli_clamp_cut(session, c);
  return status;
}

/* Where no batch is given, halves it until a forward and backward pass takes little enough memory.
 */
static crd_status limit_batch(cli_session *session, const cli_clamping *c, size_t *batch) {
  const crd_model *const model = c->after ? c->after : c->classifier ? c->classifier : c->model;
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const crd_port *const tensor = c->after ? crd_model_input(c->after, 0) : NULL;
  const size_t rank = tensor ? tensor->rank - 1 : data->rank, wanted = *batch;
  crd_array input = { .dtype = CRD_F32, .rank = rank + 1, .dims = { (int64_t)wanted } };
  const crd_compile_options how = { .size = sizeof how,
                                    .batch = wanted,
                                    .inputs = &input,
                                    .input_count = 1,
                                    .winograd = c->args->feeding.winograd,
                                    .mode = CRD_MODE_INPUT_GRADIENT,
                                    .shared_gradient =
                                        !strstr(c->args->settings.text, "project=yes") };
  if (c->args->feeding.batch) return CRD_OK;
  memcpy(input.dims + 1, tensor ? tensor->dims + 1 : data->dims, rank * sizeof *input.dims);
  const crd_status status =
      crd_survey_batch(session->ctx, model, &how, (uint64_t)MEMORY << 20, batch);
  if (status == CRD_OK && *batch < wanted && !c->args->quiet)
    fprintf(stderr, "note: batches of %zu rows: %zu would take more than %d MB (--batch)\n", *batch,
            wanted, MEMORY);
  return status;
}

static crd_status compile(cli_session *session, cli_clamping *c) {
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const crd_port *const port = crd_model_input(c->model, 0);
  const bool fixed = port && port->known && port->rank && port->dims[0] > 0;
  const size_t wanted = c->args->feeding.batch ? c->args->feeding.batch : BATCH;
  size_t batch = fixed ? (size_t)port->dims[0] : wanted < data->rows ? wanted : data->rows;
  crd_status status = fixed ? CRD_OK : limit_batch(session, c, &batch);
  if (status == CRD_OK) status = cli_clamp_compile(session, c, batch);
  return status == CRD_EUSAGE ? CRD_EINPUT : status;
}

/* ---- The data. */

/* Mean and standard deviation: of the options, or else of the model. --scale divides by 255 first:
 * (x / 255 - mean) / std = (x - 255 mean) / (255 std). */
static crd_status read_scale(cli_session *session, cli_clamping *c) {
  crd_feed_options how;
  const crd_status status = cli_feeding_options(session, &c->args->feeding, &c->channels, &how);
  if (status != CRD_OK) return status;
  if (how.channels_last)
    return cli_refuse(session, "--layout nhwc is not needed: the data says where its channels are");
  if (c->own) c->scale = *c->own;
  if (!how.mean && !how.std && how.scale == 0) return CRD_OK;
  const size_t channels = how.channels ? how.channels : 1;
  const double factor = how.scale != 0 ? 1 / how.scale : 1;
  for (size_t i = 0; i < channels; i++) {
    c->channels.mean[i] = factor * (how.mean ? c->channels.mean[i] : 0);
    c->channels.std[i] = factor * (how.std ? c->channels.std[i] : 1);
  }
  c->scale.channels = channels;
  c->scale.mean = c->channels.mean;
  c->scale.std = c->channels.std;
  return CRD_OK;
}

/* One value of --scale, --mean or --std counts for every channel, or column, of the data. */
static crd_status widen_scale(cli_session *session, cli_clamping *c) {
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const size_t channels = data->rank ? (size_t)data->dims[0] : 1;
  if (c->scale.mean != c->channels.mean || c->scale.channels != 1) return CRD_OK;
  if (channels > CLI_CHANNELS_MAX)
    return cli_refuse(session,
                      "--scale, --mean and --std take data of at most %d columns, found %zu",
                      CLI_CHANNELS_MAX, channels);
  for (size_t i = 1; i < channels; i++) {
    c->channels.mean[i] = c->channels.mean[0];
    c->channels.std[i] = c->channels.std[0];
  }
  c->scale.channels = channels;
  return CRD_OK;
}

static crd_status open_data(cli_session *session, cli_clamping *c) {
  crd_dataset_options opening;
  crd_status status = cli_data_options(session, &c->args->opening, &opening);
  if (status == CRD_OK) status = crd_dataset_open(session->ctx, c->args->data, &opening, &c->data);
  if (status == CRD_OK && c->args->tensor) status = cli_clamp_read_texts(session, c);
  if (status == CRD_OK) status = cli_clamp_check_data(session, c);
  return status;
}

/* ---- The fit. */

/* A temperature at which calibrators of 'credence fit' are called suspicious too. */
static void note_temperature(const cli_clamping *c) {
  static const double least = 0.05, most = 20;
  const double temperature = crd_clamp_describe(c->clamp)->temperature;
  if (c->args->quiet || (temperature >= least && temperature <= most)) return;
  fprintf(stderr,
          "note: T is %.4g: are these the right labels, and inputs scaled as in training? "
          "(--scale, --mean, --std)\n",
          temperature);
}

crd_status cli_clamping_open(cli_session *session, const cli_clamp_args *args, cli_clamping *out) {
  *out = (cli_clamping){ .args = args };
  crd_status status = open_model(session, out);
  if (status == CRD_OK) status = read_scale(session, out);
  if (status == CRD_OK) status = open_data(session, out);
  if (status == CRD_OK) status = widen_scale(session, out);
  if (status == CRD_OK) status = compile(session, out);
  return status;
}

crd_status cli_clamping_open_more(cli_session *session, const cli_clamping *clamping,
                                  const char *data, crd_dataset **out) {
  cli_clamp_args args = *clamping->args;
  cli_clamping other = *clamping;
  args.data = data;
  other.args = &args;
  other.data = NULL;
  const crd_status status = open_data(session, &other);
  *out = other.data;
  return status;
}

static void note(void *self, crd_log_level level, const char *message) {
  (void)self, (void)level;
  cli_progress_erase();
  fprintf(stderr, "note: %s\n", message);
}

crd_status cli_clamping_fit(cli_session *session, const cli_clamp_args *args, cli_clamping *out) {
  crd_context *const ctx = session->ctx;
  crd_clamp_options how = { .size = sizeof how,
                            .settings = args->settings.text,
                            .recipe = args->recipe,
                            .select = args->select,
                            .augment = args->augment,
                            .encoding = &out->scale,
                            .name = args->model,
                            .tensor = args->tensor };
  *out = (cli_clamping){ .args = args };
  crd_status status = cli_clamp_check_settings(session, args);
  if (status == CRD_OK) status = cli_clamping_open(session, args, out);
  if (status != CRD_OK) return status;
  how.encoder = out->encoder;
  crd_context_set_seed(ctx, args->seed);
  cli_signals_wait(SIGNAL_WAIT);
  crd_context_set_log(ctx, args->quiet ? NULL : note, NULL);
  if (!args->quiet) cli_progress_show_work(ctx, "rows");
  status = crd_clamp_fit(ctx, out->network, out->data, &how, &out->clamp);
  cli_progress_hide(ctx);
  crd_context_set_log(ctx, NULL, NULL);
  cli_signals_wait(0);
  if (status == CRD_OK) note_temperature(out);
  return status;
}

void cli_clamping_clear(cli_clamping *clamping) {
  crd_clamp_destroy(clamping->clamp);
  crd_network_destroy(clamping->network);
  crd_network_destroy(clamping->encoder);
  crd_dataset_destroy(clamping->data);
  crd_encoding_destroy(clamping->own);
  crd_model_destroy(clamping->before);
  crd_model_destroy(clamping->after);
  crd_model_destroy(clamping->classifier);
  crd_model_destroy(clamping->model);
}

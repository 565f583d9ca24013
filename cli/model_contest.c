/* model_contest.c -- Neural Clamping beside calibrators of predictions (model_contest.h). */
#include "model_contest.h"

#include "option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Neural Clamping as a method of the contest: its settings, and recipe=NAME. */

typedef struct {
  char *text; /* owned; what the options point to */
  crd_clamp_options options;
} setup;

/* Options without settings. */
static crd_clamp_options options_of(const cli_model_contest *c) {
  return (crd_clamp_options){ .size = sizeof(crd_clamp_options),
                              .encoding = &c->clamping.scale,
                              .encoder = c->clamping.encoder,
                              .name = c->args.model };
}

/* Takes "recipe=NAME" out of a list of settings. Release `text` with free. */
static crd_status read_setup(const cli_model_contest *c, const char *settings, setup *out) {
  static const char key[] = "recipe=";
  *out = (setup){ .text = strdup(settings ? settings : "") };
  if (!out->text) return CRD_ENOMEM;
  out->options = options_of(c);
  out->options.settings = out->text;
  char *at = strstr(out->text, key);
  if (!at || (at > out->text && at[-1] != ',')) return CRD_OK;
  const size_t length = strcspn(at, ",");
  char *const rest = at + length + (at[length] == ',');
  char *const name = strndup(at + sizeof key - 1, length - (sizeof key - 1));
  if (!name) return CRD_ENOMEM;
  for (size_t i = 0; crd_clamp_recipe_at(i); i++)
    if (strcmp(crd_clamp_recipe_at(i)->name, name) == 0)
      out->options.recipe = crd_clamp_recipe_at(i)->name;
  if (!out->options.recipe)
    snprintf(c->session->message, sizeof c->session->message,
             "clamping: recipe is '%.60s', allowed are paper and reference", name);
  free(name);
  memmove(at, rest, strlen(rest) + 1);
  const size_t left = strlen(out->text);
  if (left && out->text[left - 1] == ',') out->text[left - 1] = '\0';
  return out->options.recipe ? CRD_OK : CRD_EUSAGE;
}

static crd_status clamping_check(void *self, crd_context *ctx, const char *settings) {
  setup s;
  crd_status status = read_setup(self, settings, &s);
  if (status == CRD_OK) status = crd_clamp_check(ctx, &s.options);
  free(s.text);
  return status;
}

static const crd_dataset *calibration_rows(const cli_model_contest *c) {
  return c->test ? c->clamping.data : c->parts[0];
}

static const crd_dataset *test_rows(const cli_model_contest *c) {
  return c->test ? c->test : c->parts[1];
}

static crd_status predict(crd_context *ctx, const cli_model_contest *c, const crd_clamp *clamp,
                          const crd_dataset *data, crd_predictions **out) {
  const crd_clamp_options options = options_of(c);
  return crd_clamp_predict(ctx, clamp, c->clamping.network, data, &options, out);
}

static crd_certificate certify(const crd_clamp_summary *s) {
  return (crd_certificate){ .converged = s->converged,
                            .objective = s->objective,
                            .gradient_norm = s->gradient_norm,
                            .iterations = s->passes,
                            .bounds = "",
                            .argmax_changes = s->argmax_changes,
                            .note = s->candidate_count && isinf(s->lambda)
                                        ? "no lambda is better than temperature scaling by more "
                                          "than its standard error, so that delta is 0"
                                        : "" };
}

/* Shows the temperature; where there is a perturbation also its norm, not its elements. */
static void show(cli_model_contest *c, const crd_clamp_summary *s, crd_external_fit *out) {
  static const size_t start[] = { 0, 1 };
  static const char *const names[CLI_CLAMP_SHOWN] = { "temperature", "delta_norm", "lambda" };
  const double values[CLI_CLAMP_SHOWN] = { s->temperature, s->delta_norm, s->lambda };
  const bool shifted = s->delta_norm > 0;
  for (size_t i = 0; i < CLI_CLAMP_SHOWN; i++) {
    c->shown[i] = values[i];
    c->learnt[i] = (crd_learnt){ names[i], 1, start, &c->shown[i] };
  }
  *out = (crd_external_fit){ .certificate = certify(s),
                             .learnt_count = shifted ? CLI_CLAMP_SHOWN : 1,
                             .learnt = c->learnt,
                             .parameters = 1 + (shifted ? s->count : 0) };
}

/* An interrupted fit has a result, but the contest ends. */
static crd_status clamping_fit(void *self, crd_context *ctx, const char *settings,
                               crd_external_fit *out) {
  cli_model_contest *const c = self;
  crd_clamp *clamp = NULL;
  setup s;
  crd_status status = read_setup(c, settings, &s);
  if (status == CRD_OK)
    status = crd_clamp_fit(ctx, c->clamping.network, calibration_rows(c), &s.options, &clamp);
  free(s.text);
  if (status != CRD_OK) return status;
  const crd_clamp_summary *const about = crd_clamp_describe(clamp);
  show(c, about, out);
  status = about->interrupted ? CRD_EINTERRUPTED
                              : predict(ctx, c, clamp, test_rows(c), &out->calibrated);
  crd_clamp_destroy(clamp);
  return status;
}

/* ---- The contest. */

crd_status cli_model_check(cli_session *session, const cli_contest *contest,
                           const cli_model *model) {
  const cli_opening *const o = &contest->opening;
  const cli_feeding *const f = &model->feeding;
  if (!model->path) {
    if (f->batch || f->winograd || f->scale || f->mean || f->std || f->output_name ||
        model->tensor || model->data.size || model->data.split_seed)
      return cli_refuse(
          session, "--batch, --winograd, --scale, --mean, --std, --output-name, --tensor, --size "
                   "and --split-seed need --model");
    if (contest->methods && strstr(contest->methods, "clamping"))
      return cli_refuse(session, "clamping needs the network itself: --model FILE, with data in "
                                 "place of predictions");
    return CRD_OK;
  }
  if (contest->folds)
    return cli_refuse(session, "--folds excludes --model: each fold would clamp the network anew; "
                               "use --split with --repeats");
  if (o->labels || o->scores || o->label_key || o->columns || o->class_names || o->group_by ||
      o->cluster)
    return cli_refuse(session, "--model reads data, not predictions: of the options of PRED it "
                               "takes --label-column only");
  return CRD_OK;
}

crd_status cli_model_contest_open(cli_session *session, const cli_contest *contest,
                                  const cli_model *model, double share, bool quiet,
                                  cli_model_contest *out) {
  *out = (cli_model_contest){ .session = session, .share = share };
  out->args = (cli_clamp_args){
    .model = model->path,
    .data = contest->opening.path ? contest->opening.path : contest->calibrate,
    .feeding = model->feeding,
    .opening = model->data,
    .quiet = quiet,
  };
  /* A projection needs the gradient of every row. */
  if (contest->methods && strstr(contest->methods, "project=yes"))
    snprintf(out->args.settings.text, sizeof out->args.settings.text, "project=yes");
  out->args.tensor = model->tensor;
  out->args.opening.label_column = contest->opening.label_column;
  crd_status status = cli_clamping_open(session, &out->args, &out->clamping);
  if (status == CRD_OK && contest->test)
    status = cli_clamping_open_more(session, &out->clamping, contest->test, &out->test);
  return status;
}

static void forget_run(cli_model_contest *c) {
  crd_predictions_destroy(c->calibrate);
  crd_predictions_destroy(c->tested);
  c->calibrate = c->tested = NULL;
  for (size_t i = 0; i < 2; i++) {
    crd_dataset_destroy(c->parts[i]);
    c->parts[i] = NULL;
  }
}

static crd_status split(crd_context *ctx, cli_model_contest *c, uint64_t seed) {
  const double at = 100 * c->share;
  if (c->test) return CRD_OK;
  const crd_status status =
      crd_dataset_part(ctx, c->clamping.data, 0, at, CRD_SPLIT_STRATIFIED, seed, &c->parts[0]);
  if (status != CRD_OK) return status;
  return crd_dataset_part(ctx, c->clamping.data, at, 100, CRD_SPLIT_STRATIFIED, seed, &c->parts[1]);
}

crd_status cli_model_contest_run(cli_session *session, cli_model_contest *c, uint64_t seed,
                                 const crd_contest_options *what, const crd_contest **out) {
  crd_context *const ctx = session->ctx;
  const crd_external_method clamping = { .name = "clamping",
                                         .standard = "clamping,clamping(gamma=1)",
                                         .self = c,
                                         .check = clamping_check,
                                         .fit = clamping_fit };
  crd_contest_options how = *what;
  how.external = &clamping;
  how.external_count = 1;
  forget_run(c);
  *out = NULL;
  crd_status status = split(ctx, c, seed);
  if (status == CRD_OK) status = predict(ctx, c, NULL, calibration_rows(c), &c->calibrate);
  if (status == CRD_OK) status = predict(ctx, c, NULL, test_rows(c), &c->tested);
  if (status == CRD_OK) status = crd_contest_run(ctx, c->calibrate, c->tested, &how, out);
  return status;
}

void cli_model_contest_clear(cli_model_contest *contest) {
  forget_run(contest);
  crd_dataset_destroy(contest->test);
  cli_clamping_clear(&contest->clamping);
}

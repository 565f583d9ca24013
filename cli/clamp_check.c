/* clamp_check.c -- files of `credence clamp`, and whether models and data fit them (clamping.h). */
#include "clamping.h"

#include "net_page.h"
#include "option.h"

#include <stdarg.h>
#include <string.h>

enum { ROWS = 4 }; /* two in each half of a cross-validation */

static crd_status fail(cli_session *session, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(session->message, sizeof session->message, format, args);
  va_end(args);
  return CRD_EINPUT;
}

/* ---- The file. */

bool cli_clamp_is_file(const char *path) {
  static const char kind[] = "\"credence\"";
  char head[64] = "";
  FILE *const file = fopen(path, "rb");
  if (!file) return false;
  head[fread(head, 1, sizeof head - 1, file)] = '\0';
  fclose(file);
  const char *value = strstr(head, kind);
  if (!value) return false;
  value += sizeof kind - 1;
  value += strspn(value, " \t\r\n:");
  return strncmp(value, "\"clamp\"", 7) == 0;
}

crd_status cli_clamp_open(cli_session *session, const char *path, crd_clamp **out) {
  FILE *const file = fopen(path, "rb");
  *out = NULL;
  if (file) fclose(file);
  if (file && !cli_clamp_is_file(path))
    return fail(session,
                "%.300s: not a file of 'credence clamp' (calibrators of 'credence fit' are used by "
                "'credence apply')",
                path);
  return crd_clamp_load(session->ctx, path, out);
}

/* ---- The model. */

static crd_status check_count(cli_session *session, const crd_model *model, const char *path) {
  const crd_port *const first = crd_model_input(model, 0);
  const crd_port *const second = first ? crd_model_input(model, 1) : NULL;
  size_t count = 0;
  while (crd_model_input(model, count)) count++;
  if (second)
    return fail(session,
                "%.300s: the model has %zu inputs ('%.60s', '%.60s'%s); a perturbation needs "
                "exactly one",
                path, count, first->name, second->name, count > 2 ? ", ..." : "");
  return first ? CRD_OK : fail(session, "%.300s: the model has no input", path);
}

crd_status cli_clamp_check_input(cli_session *session, const cli_clamping *c) {
  const crd_port *const port = crd_model_input(c->model, 0);
  const char *const path = c->args->model, *const near = crd_clamp_embedding(c->model);
  const crd_status status = check_count(session, c->model, path);
  if (status != CRD_OK || c->args->tensor || port->dtype == CRD_F32) return status;
  return fail(session,
              "%.300s: the input '%.60s' is %s, and a perturbation needs f32: choose a tensor "
              "inside the model (--tensor)%s%.60s%s",
              path, port->name, crd_dtype_name(port->dtype), near ? ", such as '" : "",
              near ? near : "", near ? "'" : "");
}

/* Returns whether samples of a shape fit an input whose first dimension is the batch. */
static bool takes(const crd_port *port, size_t rank, const int64_t *dims) {
  if (!port->known) return true;
  if (port->rank != rank + 1) return false;
  for (size_t i = 0; i < rank; i++)
    if (port->dims[i + 1] >= 0 && port->dims[i + 1] != dims[i]) return false;
  return true;
}

static const char *sample_of(const crd_port *port, char text[static CLI_SHAPE_TEXT]) {
  if (port->rank < 2) return "no samples in batches";
  return cli_net_shape(text, port->rank - 1, port->dims + 1, port->dim_names + 1);
}

crd_status cli_clamp_check_model(cli_session *session, const crd_clamp *clamp,
                                 const crd_model *model, const char *path) {
  if (crd_model_metadata(model, "credence.clamp"))
    return fail(session, "%.300s: the model has a perturbation inside already (credence.clamp)",
                path);
  return crd_clamp_describe(clamp)->tensor ? CRD_OK : check_count(session, model, path);
}

/* ---- The data. */

crd_status cli_clamp_check_data(cli_session *session, const cli_clamping *c) {
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const crd_port *const port = crd_model_input(c->model, 0);
  char found[CLI_SHAPE_TEXT], taken[CLI_SHAPE_TEXT];
  if (data->type == CRD_SAMPLES_TEXTS && port->dtype == CRD_F32)
    return fail(session, "%.300s: the samples are texts, the input '%.60s' of %.200s is f32",
                c->args->data, port->name, c->args->model);
  if (!data->classes)
    return fail(session, "%.300s: there are no labels, which a fit needs%s", c->args->data,
                data->type == CRD_SAMPLES_VECTORS ? " (--label-column chooses their column)" : "");
  if (data->rows < ROWS)
    return fail(session, "%.300s: found %zu rows, a fit needs at least %d", c->args->data,
                data->rows, ROWS);
  if (takes(port, data->rank, data->dims)) return CRD_OK;
  return fail(session, "%.200s: its samples have the shape %s; the input '%.60s' of %.200s has %s",
              c->args->data, cli_net_shape(found, data->rank, data->dims, NULL), port->name,
              c->args->model, sample_of(port, taken));
}

/* ---- Settings, which the library checks too: with a suggestion for an unknown name. */

static const char *setting_name(const void *self, size_t index) {
  const crd_setting_info *const setting = crd_clamp_setting_at(index);
  (void)self;
  return setting ? setting->name : NULL;
}

static bool is_setting(const char *name) {
  for (size_t i = 0; setting_name(NULL, i); i++)
    if (strcmp(setting_name(NULL, i), name) == 0) return true;
  return false;
}

/* Images are transformed in mini-batches only. */
static bool has_batches(const cli_clamp_args *a) {
  const char *const text = a->settings.text;
  if (strstr(text, "optimiser=sgd") || strstr(text, "optimiser=adam")) return true;
  return a->recipe && !strstr(text, "optimiser=");
}

crd_status cli_clamp_check_settings(cli_session *session, const cli_clamp_args *a) {
  const bool known = crd_clamp_setting_at(0) != NULL; /* not without networks */
  for (const char *pair = a->settings.text; known && *pair;) {
    const size_t length = strcspn(pair, ","), whole = strcspn(pair, "=,");
    char name[64], hint[CLI_HINT_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)(whole < 60 ? whole : 60), pair);
    if (!is_setting(name))
      return cli_refuse(session,
                        "clamp has no setting '%s'%s ('credence list clamp-settings' shows all)",
                        name, cli_hint(hint, "", crd_nearest(name, setting_name, NULL)));
    pair += length + (pair[length] == ',');
  }
  if (a->augment && !has_batches(a))
    return cli_refuse(session, "--augment needs mini-batches: --set optimiser=sgd or "
                               "optimiser=adam, or --recipe");
  return CRD_OK;
}

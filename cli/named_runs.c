/* named_runs.c -- opens the predictions that operands NAME=PRED name. */
#include "named_runs.h"
#include "option.h"

#include <stdlib.h>
#include <string.h>

crd_status cli_named_split(cli_session *session, char *text, const char *what, char **name,
                           char **rest) {
  char *const equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1])
    return cli_refuse(session, "expected %s, found '%.200s'", what, text);
  *equals = '\0';
  *name = text;
  *rest = equals + 1;
  return CRD_OK;
}

crd_status cli_svg_open(cli_session *session, const char *path, crd_output **out) {
  static const char ending[] = ".svg";
  const size_t length = path ? strlen(path) : 0, end = strlen(ending);
  *out = NULL;
  if (!path) return CRD_OK;
  if (length <= end || strcmp(path + length - end, ending) != 0)
    return cli_refuse(session, "--plot takes FILE.svg, found '%.200s'", path);
  return crd_output_open(session->ctx, path, out);
}

void cli_named_runs_close(cli_named_runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    crd_predictions_destroy(runs->test[i]);
    crd_predictions_destroy(runs->calibrate[i]);
  }
  free(runs->runs);
  free(runs->text);
  free(runs->test);
  free(runs->calibrate);
}

static bool allocate(const cli_words *operands, cli_named_runs *out) {
  size_t bytes = 0;
  for (size_t i = 0; i < operands->count; i++) bytes += strlen(operands->items[i]) + 1;
  out->text = calloc(bytes + 1, 1);
  out->runs = calloc(operands->count + 1, sizeof *out->runs);
  out->test = calloc(operands->count + 1, sizeof(crd_predictions *));
  out->calibrate = calloc(operands->count + 1, sizeof(crd_predictions *));
  return out->text && out->runs && out->test && out->calibrate;
}

static crd_status open_one(cli_session *session, char *text, const crd_open_options *how,
                           cli_named_runs *out) {
  const size_t at = out->count;
  char *name = NULL, *rest = NULL;
  crd_status status =
      cli_named_split(session, text, "NAME=PRED or NAME=CALIBRATE,TEST", &name, &rest);
  if (status != CRD_OK) return status;
  char *const comma = strchr(rest, ',');
  out->count++;
  if (comma) {
    *comma = '\0';
    status = crd_predictions_open(session->ctx, rest, how, &out->calibrate[at]);
  }
  if (status == CRD_OK)
    status = crd_predictions_open(session->ctx, comma ? comma + 1 : rest, how, &out->test[at]);
  out->runs[at] =
      (crd_trained_run){ .name = name, .test = out->test[at], .calibrate = out->calibrate[at] };
  return status;
}

crd_status cli_named_runs_open(cli_session *session, const cli_words *operands,
                               const cli_opening *opening, cli_named_runs *out) {
  const crd_open_options how = cli_opening_options(opening);
  *out = (cli_named_runs){ 0 };
  if (!allocate(operands, out)) return cli_refuse(session, "out of memory");
  crd_status status = CRD_OK;
  char *text = out->text;
  for (size_t i = 0; status == CRD_OK && i < operands->count; i++) {
    const size_t length = strlen(operands->items[i]) + 1;
    memcpy(text, operands->items[i], length);
    status = open_one(session, text, &how, out);
    text += length;
  }
  return status;
}

/* trust_model.c -- runs a network for `credence trust` as `credence predict --features` does. */
#include "trust_model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_trust_files_clear(const cli_trust_files *files) {
  for (size_t i = 0; i < files->count; i++) unlink(files->files[i].path);
  if (files->folder[0]) rmdir(files->folder);
}

static crd_status next_file(cli_session *session, cli_trust_files *files, const char **out) {
  const char *const parent = getenv("TMPDIR");
  if (!files->folder[0]) {
    snprintf(files->folder, sizeof files->folder, "%.200s/credence-trust-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(files->folder)) {
      snprintf(session->message, sizeof session->message,
               "%s: cannot create a folder for temporary files", files->folder);
      files->folder[0] = '\0';
      return CRD_ESYSTEM;
    }
  }
  char folder[sizeof files->folder]; /* a copy: the path is in the same struct */
  const size_t number = files->count++;
  memcpy(folder, files->folder, sizeof folder);
  snprintf(files->files[number].path, sizeof files->files[number].path, "%s/%zu.npz", folder,
           number);
  *out = files->files[number].path;
  return CRD_OK;
}

/* What a run needs, beside the arguments. */
typedef struct {
  crd_feed_options how;
  crd_dataset_options opening;
  crd_model *model;
  crd_encoding *encoding;
  crd_dataset *data;
} job;

static crd_status predict(crd_context *ctx, const cli_trust_model *m, const char *data, job *j,
                          const char *path) {
  crd_feed_summary done;
  int file = 0;
  crd_status status = crd_model_open(ctx, m->model, &j->model);
  if (status == CRD_OK) status = crd_model_encoding(ctx, j->model, &j->encoding);
  if (status == CRD_OK) status = crd_dataset_is_file(ctx, data, &file);
  if (status != CRD_OK) return status;
  if (file && !j->encoding) return crd_model_predict_to(ctx, j->model, data, &j->how, path, &done);
  status = crd_dataset_open(ctx, data, &j->opening, &j->data);
  if (status != CRD_OK) return status;
  return crd_dataset_predict_to(ctx, j->model, j->data, &j->how, path, &done);
}

crd_status cli_trust_predict(cli_session *session, const cli_trust_model *m, const char *data,
                             cli_trust_files *files, const char **out) {
  cli_channels channels;
  job j = { 0 };
  crd_status status = cli_feeding_options(session, &m->feeding, &channels, &j.how);
  if (status == CRD_OK) status = cli_data_options(session, &m->data, &j.opening);
  if (status == CRD_OK) status = next_file(session, files, out);
  if (status != CRD_OK) return status;
  j.how.features = m->tensor;
  status = predict(session->ctx, m, data, &j, *out);
  crd_dataset_destroy(j.data);
  crd_encoding_destroy(j.encoding);
  crd_model_destroy(j.model);
  return status;
}

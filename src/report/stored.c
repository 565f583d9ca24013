/*
 * stored.c -- reads results and contests from the JSON that the form `json` writes.
 *
 * Strings point into the parsed JSON, which lives as long as the structs. Unknown keys are errors:
 * otherwise reading and writing again would silently lose data.
 */
#include "report/stored/stored.h"
#include "base/arena.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

struct crd_stored {
  crd_page_part part;
};

const crd_page_part *crd_stored_part(const crd_stored *stored) { return &stored->part; }

void crd_stored_destroy(crd_stored *stored) { crd__arena_free(stored); }

/* Fails with the kind of the file, if it is another JSON file of this program. */
static crd_status refuse_kind(crd__report_reader *r, const json_t *root) {
  const char *const kind = json_string_value(json_object_get(root, "credence"));
  const char *const older = json_object_get(root, "findings") ? "a diagnosis" : NULL;
  char what[80] = "an unknown kind of file";
  if (kind) snprintf(what, sizeof what, "JSON of the kind '%.40s'", kind);
  else if (older) snprintf(what, sizeof what, "%s", older);
  return crd__report_reader_fail(r, "found %s, allowed is JSON written by %s or %s", what,
                                 crd__spell(r->ctx, "crd_report_write"),
                                 crd__spell(r->ctx, "crd_contest_write"));
}

/* Files of version 0.1 do not name their kind: it follows from their keys. */
static const char *kind_of(const json_t *root) {
  const json_t *const kind = json_object_get(root, "credence");
  if (kind) return json_is_string(kind) ? json_string_value(kind) : "";
  return json_object_get(root, "methods")   ? "contest"
         : json_object_get(root, "metrics") ? "result"
                                            : "";
}

static crd_status read_result(crd__report_reader *r, const json_t *root, crd_page_part *out) {
  return crd__report_result_read(r, root, &out->result);
}

static crd_status read_contest(crd__report_reader *r, const json_t *root, crd_page_part *out) {
  return crd__report_contest_read(r, root, &out->contest);
}

static const struct {
  const char *kind;
  crd_status (*read)(crd__report_reader *r, const json_t *root, crd_page_part *out);
} readers[] = { { "result", read_result }, { "contest", read_contest } };

static crd_status read_part(crd__report_reader *r, const json_t *root, crd_page_part *out) {
  if (!root) return refuse_kind(r, NULL);
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
    if (strcmp(kind_of(root), readers[i].kind) != 0) continue;
    CRD_TRY(crd__report_version_check(r, root));
    CRD_TRY(readers[i].read(r, root, out));
    CRD_TRY(crd__report_diagnosis_read(r, root, &out->diagnosis));
    return crd__report_provenance_read(r, root, &out->provenance);
  }
  return refuse_kind(r, root);
}

crd_status crd__report_stored_read(crd_context *ctx, const char *bytes, size_t length,
                                   crd_stored **out) {
  crd_stored *stored;
  json_t *root;
  *out = NULL;
  CRD_TRY(crd__arena_new(ctx, sizeof *stored, "a stored result", &stored));
  crd__report_reader r = { .ctx = ctx, .owner = stored };
  crd_status status = crd__report_json_parse(&r, bytes, length, &root);
  if (status == CRD_OK) status = read_part(&r, root, &stored->part);
  if (status == CRD_OK) *out = stored;
  else crd__arena_free(stored);
  return status;
}

crd_status crd_stored_load_memory(crd_context *ctx, const char *name, const void *bytes,
                                  size_t length, crd_stored **out) {
  const crd_status status = crd__report_stored_read(ctx, bytes, length, out);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, name);
}

crd_status crd_stored_load(crd_context *ctx, const char *path, crd_stored **out) {
  crd__blob blob;
  *out = NULL;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  const crd_status status = crd_stored_load_memory(ctx, path, blob.bytes, blob.length, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status;
}

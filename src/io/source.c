/*
 * source.c -- lists the files of predictions and identifies them by length and SHA-256, and the
 * library by its compiler and the libraries behind it.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "credence/predictions.h"
#include "io/files.h"
#include "io/pred.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#ifdef CREDENCE_LEAN
#define ARCHIVES ", lean"
#define HASHES ""
#else
#include <archive.h>
#include <nettle/version.h>
#define ARCHIVES ", libarchive " ARCHIVE_VERSION_ONLY_STRING
#define HASHES ", nettle " NUMBER(NETTLE_VERSION_MAJOR) "." NUMBER(NETTLE_VERSION_MINOR)
#endif

const char *crd_build(void) { return COMPILER ARCHIVES ", jansson " JANSSON_VERSION HASHES; }

/* Hashes in pieces, to check for interrupts between them. */
enum { PIECE = 1 << 24 };

static crd_status add_file(crd_context *ctx, const char *path, crd__sha256 *state,
                           uint64_t *bytes) {
  crd__blob blob;
  CRD_TRY(crd__blob_open(ctx, path, &blob));
  crd_status status = CRD_OK;
  for (size_t at = 0; status == CRD_OK && at < blob.length; at += PIECE) {
    const size_t left = blob.length - at;
    status = crd__check_interrupt(ctx);
    if (status == CRD_OK) crd__sha256_add(state, blob.bytes + at, left < PIECE ? left : PIECE);
  }
  *bytes += blob.length;
  crd__blob_close(&ctx->alloc, &blob);
  return status;
}

/* Several files are hashed one after the other, in the order of their rows. */
static crd_status digest(crd_context *ctx, const char *path, crd_source *out) {
  unsigned char sum[CRD__SHA256_SIZE];
  crd__sha256 state;
  crd__io_files files;
  crd__sha256_begin(&state);
  crd_status status = crd__io_files_list_all(ctx, path, &files);
  for (size_t i = 0; status == CRD_OK && i < files.count; i++)
    status = add_file(ctx, files.items[i], &state, &out->bytes);
  crd__io_files_clear(&ctx->alloc, &files);
  if (status != CRD_OK) return status;
  crd__sha256_end(&state, sum);
  for (size_t i = 0; i < sizeof sum; i++) snprintf(out->sha256 + 2 * i, 3, "%02x", sum[i]);
  return CRD_OK;
}

crd_status crd_source_identify(crd_context *ctx, const char *path, crd_source *out) {
  crd_source source = { .name = path };
  crd__io_specifier pred;
  crd_status status = crd__io_specifier_parse(ctx, path, &pred);
  /* Standard input cannot be read again. */
  if (status == CRD_OK && strcmp(pred.file, "-") != 0) status = digest(ctx, pred.file, &source);
  crd__io_specifier_clear(&ctx->alloc, &pred);
  if (status == CRD_OK) *out = source;
  return status;
}

/* ---- Lists of files. */

struct crd_files {
  crd_allocator alloc;
  crd__io_files list;
};

crd_status crd_files_list(crd_context *ctx, const char *path, crd_files **out) {
  crd_files *files = NULL;
  crd__io_specifier pred;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *files, "the names of files", (void *)&files));
  files->alloc = ctx->alloc;
  crd_status status = crd__io_specifier_parse(ctx, path, &pred);
  if (status == CRD_OK) status = crd__io_files_list_all(ctx, pred.file, &files->list);
  crd__io_specifier_clear(&ctx->alloc, &pred);
  if (status == CRD_OK) *out = files;
  else crd_files_destroy(files);
  return status;
}

const char *crd_files_at(const crd_files *files, size_t index) {
  return index < files->list.count ? files->list.items[index] : NULL;
}

void crd_files_destroy(crd_files *files) {
  if (!files) return;
  const crd_allocator alloc = files->alloc;
  crd__io_files_clear(&alloc, &files->list);
  crd__free(&alloc, files);
}

/*
 * source.c -- identifies the file of predictions by its length and SHA-256, and the library by its
 * compiler and the libraries behind it.
 */
#include "base/file.h"
#include "base/sha256.h"
#include "credence/predictions.h"
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

static crd_status digest(crd_context *ctx, const crd__blob *blob, char out[static 65]) {
  unsigned char sum[CRD__SHA256_SIZE];
  crd__sha256 state;
  crd__sha256_begin(&state);
  for (size_t at = 0; at < blob->length; at += PIECE) {
    const size_t left = blob->length - at;
    CRD_TRY(crd__check_interrupt(ctx));
    crd__sha256_add(&state, blob->bytes + at, left < PIECE ? left : PIECE);
  }
  crd__sha256_end(&state, sum);
  for (size_t i = 0; i < sizeof sum; i++) snprintf(out + 2 * i, 3, "%02x", sum[i]);
  return CRD_OK;
}

crd_status crd_source_identify(crd_context *ctx, const char *path, crd_source *out) {
  crd_source source = { .name = path };
  crd__io_specifier pred;
  crd__blob blob;
  crd_status status = crd__io_specifier_parse(ctx, path, &pred);
  /* Standard input cannot be read again. */
  if (status == CRD_OK && strcmp(pred.file, "-") != 0) {
    status = crd__blob_open(ctx, pred.file, &blob);
    if (status == CRD_OK) {
      source.bytes = blob.length;
      status = digest(ctx, &blob, source.sha256);
      crd__blob_close(&ctx->alloc, &blob);
    }
  }
  crd__io_specifier_clear(&ctx->alloc, &pred);
  if (status == CRD_OK) *out = source;
  return status;
}

/*
 * pred.c -- any text as FILE[#group][@from:to]: joining the parsed parts gives the text again, and
 * FILE is one file or several different ones, in byte order.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "io/files.h"
#include "io/pred.h"

#include <string.h>

static void check_parts(const char *text, const crd__io_specifier *pred) {
  const size_t file = strlen(pred->file);
  HOLDS(file > 0 && strncmp(text, pred->file, file) == 0);
  const char *at = text + file;
  if (pred->group) {
    HOLDS(*at == '#' && strncmp(at + 1, pred->group, strlen(pred->group)) == 0);
    at += 1 + strlen(pred->group);
  }
  const bool rows = pred->has_from || pred->has_to;
  HOLDS(rows ? *at == '@' && strspn(at + 1, "0123456789:") == strlen(at + 1) : *at == '\0');
}

static void check_files(crd_context *ctx, const char *file) {
  crd__io_files files;
  const crd_status status = crd__io_files_list_all(ctx, file, &files);
  HOLDS(status == CRD_OK ? files.count > 0 : status == CRD_EUSAGE || status == CRD_EINPUT);
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0] != '\0');
  for (size_t i = 1; status == CRD_OK && i < files.count; i++)
    HOLDS(strcmp(files.items[i - 1], files.items[i]) < 0);
  crd__io_files_clear(&ctx->alloc, &files);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__io_specifier pred;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  char *text = crd__calloc(&ctx->alloc, length + 1, 1);
  HOLDS(text != NULL);
  memcpy(text, bytes, length);
  const crd_status status = crd__io_specifier_parse(ctx, text, &pred);
  if (status == CRD_OK) {
    check_parts(text, &pred);
    check_files(ctx, pred.file);
  } else HOLDS(status == CRD_EUSAGE && crd_context_message(ctx)[0] != '\0');
  crd__io_specifier_clear(&ctx->alloc, &pred);
  crd__free(&ctx->alloc, text);
  crd_context_destroy(ctx);
  return 0;
}

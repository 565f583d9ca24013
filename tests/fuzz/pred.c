/* pred.c -- any text as FILE[#group][@from:to]: joining the parsed parts gives the text again. */
#include "fuzz.h"

#include "base/memory.h"
#include "io/pred.h"

#include <string.h>

static void check_parts(const char *text, const crd__io_pred *pred) {
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__io_pred pred;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  char *text = crd__calloc(&ctx->alloc, length + 1, 1);
  HOLDS(text != NULL);
  memcpy(text, bytes, length);
  const crd_status status = crd__io_pred_parse(ctx, text, &pred);
  if (status == CRD_OK) check_parts(text, &pred);
  else HOLDS(status == CRD_EUSAGE && crd_context_message(ctx)[0] != '\0');
  crd__io_pred_clear(&ctx->alloc, &pred);
  crd__free(&ctx->alloc, text);
  crd_context_destroy(ctx);
  return 0;
}

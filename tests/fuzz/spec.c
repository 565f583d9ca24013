/*
 * spec.c -- any text as DATA: it fails with an error message, or joining the parsed parts gives the
 * text again, and all of them are in their ranges.
 */
#include "fuzz.h"

#include "base/memory.h"
#include "dataset/spec.h"

#include <string.h>

/* Returns where the text continues after `part`, which it must begin with. */
static const char *skip(const char *at, const char *part) {
  HOLDS(strncmp(at, part, strlen(part)) == 0);
  return at + strlen(part);
}

/* Returns where the suffix that begins with `mark` ends: at the next one, or the end. */
static const char *skip_suffix(const char *at, char mark, const char *next) {
  HOLDS(*at == mark);
  return at + 1 + strcspn(at + 1, next);
}

static void check_parts(const char *text, const crd__dataset_spec *s) {
  const char *at = text;
  if (s->kind) {
    at = skip(at, s->kind->info.name);
    if (s->path) at = skip(skip(at, ":"), s->path);
  } else at = skip(at, s->path);
  for (size_t i = 0; i < s->split_count; i++) at = skip(skip(at, i ? "+" : "#"), s->splits[i]);
  if (s->has_part) {
    HOLDS(s->part_from >= 0 && s->part_from < s->part_to && s->part_to <= 100);
    at = skip_suffix(at, '%', "@~");
  }
  if (s->has_from || s->has_to) at = skip_suffix(at, '@', "~");
  if (s->corruption) {
    HOLDS(s->severity >= 1 && s->severity <= 5);
    at = skip(skip(at, "~"), s->corruption->info.name);
    at += strlen(at);
  }
  HOLDS(*at == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__dataset_spec spec;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  char *const text = crd__calloc(&ctx->alloc, length + 1, 1);
  HOLDS(text != NULL);
  memcpy(text, bytes, length);
  const crd_status status = crd__dataset_spec_parse(ctx, text, &spec);
  if (status == CRD_OK) check_parts(text, &spec);
  else HOLDS(status == CRD_EUSAGE && crd_context_message(ctx)[0] != '\0');
  crd__dataset_spec_clear(&ctx->alloc, &spec);
  crd__free(&ctx->alloc, text);
  crd_context_destroy(ctx);
  return 0;
}

/* encoding.c -- encodings as objects: copied and destroyed. */
#include "dataset/encoding.h"

#include "base/memory.h"

#include <string.h>

/* What a crd_encoding * of this library points to. */
typedef struct {
  crd_encoding open; /* the first member */
  crd_allocator alloc;
} encoding;

static void free_strings(const crd_allocator *alloc, char **strings, size_t count) {
  for (size_t i = 0; strings && i < count; i++) crd__free(alloc, strings[i]);
  crd__free(alloc, strings);
}

void crd_encoding_destroy(crd_encoding *pointer) {
  encoding *const e = (encoding *)pointer;
  if (!e) return;
  const crd_allocator alloc = e->alloc;
  free_strings(&alloc, e->open.class_names, e->open.class_count);
  free_strings(&alloc, e->open.words, e->open.word_count);
  crd__free(&alloc, e->open.mean);
  crd__free(&alloc, e->open.std);
  crd__free(&alloc, e);
}

static crd_status copy_strings(crd_context *ctx, char *const *from, size_t count, char ***out) {
  if (count == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, count, sizeof **out, "an encoding", out));
  for (size_t i = 0; i < count; i++) {
    (*out)[i] = crd__strdup(&ctx->alloc, from[i]);
    if (!(*out)[i]) return crd__fail(ctx, CRD_ENOMEM, "no memory for an encoding");
  }
  return CRD_OK;
}

static crd_status copy_numbers(crd_context *ctx, const double *from, size_t count, double **out) {
  if (count == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, count, sizeof **out, "an encoding", out));
  memcpy(*out, from, count * sizeof **out);
  return CRD_OK;
}

static crd_status copy(crd_context *ctx, const crd_encoding *from, crd_encoding *to) {
  CRD_TRY(copy_strings(ctx, from->class_names, from->class_count, &to->class_names));
  CRD_TRY(copy_strings(ctx, from->words, from->word_count, &to->words));
  CRD_TRY(copy_numbers(ctx, from->mean, from->channels, &to->mean));
  return copy_numbers(ctx, from->std, from->channels, &to->std);
}

crd_status crd__dataset_encoding_copy(crd_context *ctx, const crd_encoding *from,
                                      crd_encoding **out) {
  encoding *e;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *e, "an encoding", &e));
  e->alloc = ctx->alloc;
  e->open.class_count = from->class_count;
  e->open.word_count = from->word_count;
  e->open.length = from->length;
  e->open.channels = from->channels;
  const crd_status status = copy(ctx, from, &e->open);
  if (status == CRD_OK) *out = &e->open;
  else crd_encoding_destroy(&e->open);
  return status;
}

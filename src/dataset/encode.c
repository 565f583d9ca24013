/* encode.c -- applies an encoding to a dataset: labels to classes by name, words to tokens. */
#include "dataset/dataset.h"
#include "dataset/tokens.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

enum { TEXTS_AT_ONCE = 64 };

typedef struct {
  crd_context *ctx;
  const crd_dataset *dataset;
  const crd_encoding *encoding;
  crd__dataset_code *code;
  crd__dataset_names known; /* classes or words of the encoding */
} work;

static crd_status know(work *w, char *const *names, size_t count) {
  crd__dataset_names_clear(&w->ctx->alloc, &w->known);
  for (size_t i = 0; i < count; i++)
    CRD_TRY(crd__dataset_names_add(w->ctx, &w->ctx->alloc, &w->known, names[i], NULL));
  return CRD_OK;
}

/* ---- Classes. */

static const char *class_name(const void *self, size_t index) {
  const crd_encoding *const encoding = self;
  return index < encoding->class_count ? encoding->class_names[index] : NULL;
}

/* Names the label, its row and file, and the classes. */
static crd_status refuse_label(const work *w, size_t row, const char *label) {
  const crd_encoding *const e = w->encoding;
  char place[CRD__DATASET_ROW_TEXT], known[400] = "";
  const char *const near = crd_nearest(label, class_name, e);
  for (size_t k = 0, at = 0; k < e->class_count && at < sizeof known - 1; k++)
    at += (size_t)snprintf(known + at, sizeof known - at, "%s'%.60s'", k ? ", " : "",
                           e->class_names[k]);
  if (strlen(known) == sizeof known - 1) memcpy(known + sizeof known - 4, "...", 3);
  return crd__fail(w->ctx, CRD_EINPUT,
                   "%s: %s has the label '%.60s', which is none of the %zu classes: %s%s%.60s%s",
                   crd__dataset_title(w->dataset), crd__dataset_row_text(w->dataset, row, place),
                   label, e->class_count, known, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

static crd_status encode_labels(work *w) {
  const crd__dataset_names *const labels = &w->dataset->store->labels;
  crd__dataset_code *const code = w->code;
  if (!labels->of || w->encoding->class_count == 0) return CRD_OK;
  CRD_TRY(know(w, w->encoding->class_names, w->encoding->class_count));
  CRD_TRY(crd__new(w->ctx, labels->count, sizeof *code->class_of, "labels", &code->class_of));
  for (size_t k = 0; k < labels->count; k++)
    code->class_of[k] = crd__dataset_names_find(&w->known, labels->names[k]);
  for (size_t row = 0; row < w->dataset->shape.rows; row++) {
    const int64_t label = labels->of[w->dataset->rows[row]];
    if (label >= 0 && code->class_of[label] < 0) return refuse_label(w, row, labels->names[label]);
  }
  code->class_count = w->encoding->class_count;
  CRD_TRY(crd__new(w->ctx, code->class_count, sizeof *code->class_names, "class names",
                   &code->class_names));
  for (size_t k = 0; k < code->class_count; k++) {
    code->class_names[k] = crd__strdup(&code->alloc, w->encoding->class_names[k]);
    if (!code->class_names[k]) return crd__fail(w->ctx, CRD_ENOMEM, "no memory for class names");
  }
  return CRD_OK;
}

/* ---- Tokens. */

static crd__dataset_words words_of(const work *w, size_t index) {
  const crd__dataset_store *const store = w->dataset->store;
  return crd__dataset_words_of(store->kind->text(store, index));
}

/* Counts the tokens of samples; `count` is 1 where they are wanted, and 0 elsewhere. */
static crd_status count_tokens(crd_context *local, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const work *const w = arg;
  (void)local, (void)worker;
  for (size_t index = from; index < to; index++) {
    size_t *const count = &w->code->count[index];
    if (!*count) continue;
    crd__dataset_words words = words_of(w, index);
    *count = 0;
    while (*count < w->code->length && crd__dataset_words_next(&words)) ++*count;
  }
  return CRD_OK;
}

static crd_status fill_tokens(crd_context *local, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const work *const w = arg;
  (void)local, (void)worker;
  for (size_t index = from; index < to; index++) {
    crd__dataset_words words = words_of(w, index);
    int32_t *const tokens = w->code->tokens + w->code->from[index];
    for (size_t i = 0; i < w->code->count[index] && crd__dataset_words_next(&words); i++) {
      const int64_t word = crd__dataset_names_find(&w->known, words.word);
      tokens[i] = word < 0 ? CRD__TOKEN_UNKNOWN : (int32_t)(word + CRD__TOKENS_SPECIAL);
    }
  }
  return CRD_OK;
}

static crd_status encode_texts(work *w) {
  const size_t samples = w->dataset->store->count;
  crd__dataset_code *const code = w->code;
  size_t total = 0;
  if (w->dataset->store->type != CRD_SAMPLES_TEXTS) return CRD_OK;
  if (w->encoding->length == 0 || w->encoding->word_count > INT32_MAX - CRD__TOKENS_SPECIAL)
    return crd__fail(w->ctx, CRD_EINPUT, "%s: the samples are texts, and the encoding has no words",
                     crd__dataset_title(w->dataset));
  code->length = w->encoding->length;
  CRD_TRY(know(w, w->encoding->words, w->encoding->word_count));
  CRD_TRY(crd__new(w->ctx, samples, sizeof *code->from, "tokens", &code->from));
  CRD_TRY(crd__new(w->ctx, samples, sizeof *code->count, "tokens", &code->count));
  for (size_t row = 0; row < w->dataset->shape.rows; row++) code->count[w->dataset->rows[row]] = 1;
  CRD_TRY(crd__parallel_for(w->ctx, NULL, samples, TEXTS_AT_ONCE, count_tokens, w));
  for (size_t i = 0; i < samples; total += code->count[i++]) code->from[i] = total;
  CRD_TRY(crd__new(w->ctx, total, sizeof *code->tokens, "tokens", &code->tokens));
  return crd__parallel_for(w->ctx, "tokens", samples, TEXTS_AT_ONCE, fill_tokens, w);
}

crd_status crd_dataset_encode(crd_context *ctx, crd_dataset *dataset,
                              const crd_encoding *encoding) {
  work w = { .ctx = ctx, .dataset = dataset, .encoding = encoding };
  CRD_TRY(crd__new(ctx, 1, sizeof *w.code, "an encoded dataset", &w.code));
  w.code->alloc = ctx->alloc;
  atomic_init(&w.code->users, 1);
  crd_status status = encode_labels(&w);
  if (status == CRD_OK) status = encode_texts(&w);
  crd__dataset_names_clear(&ctx->alloc, &w.known);
  if (status != CRD_OK) {
    crd__dataset_code_release(w.code);
    return status;
  }
  crd__dataset_code_release(dataset->code);
  dataset->code = w.code;
  crd__dataset_update_shape(dataset);
  return CRD_OK;
}

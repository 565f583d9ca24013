/*
 * learn.c -- learns an encoding from training data: classes, vocabulary, mean and deviation.
 *
 * Classes are the labels that occur, in the order of their kind: numbers by value, before text by
 * bytes, or an order of its own where the kind knows all classes in advance.
 */
#include "dataset/encoding.h"
#include "dataset/statistics.h"
#include "dataset/tokens.h"

#include "base/memory.h"
#include "base/options.h"

enum { WORDS = 20000, LENGTH = 500 };

typedef struct {
  crd_context *ctx;
  const crd_dataset *training;
  crd_encoding_options options;
  crd__dataset_counts counts;
  crd_encoding found; /* names are borrowed, arrays are not */
} lesson;

static crd_status learn_classes(lesson *l) {
  const crd_dataset_shape *const shape = &l->training->shape;
  const crd__dataset_code *const code = l->training->code;
  char *const *const names =
      code && code->class_of ? code->class_names : l->training->store->labels.names;
  const bool all = l->training->store->all_classes;
  unsigned char *seen;
  if (shape->classes == 0) return CRD_OK;
  CRD_TRY(crd__new(l->ctx, shape->classes, sizeof *l->found.class_names, "classes",
                   &l->found.class_names));
  CRD_TRY(crd__new(l->ctx, shape->classes, 1, "classes", &seen));
  for (size_t row = 0; row < shape->rows; row++) {
    const int64_t label = crd_dataset_label(l->training, row);
    if (label >= 0) seen[label] = 1;
  }
  for (size_t k = 0; k < shape->classes; k++)
    if (all || seen[k]) l->found.class_names[l->found.class_count++] = names[k];
  crd__free(&l->ctx->alloc, seen);
  return CRD_OK;
}

static crd_status learn_words(lesson *l) {
  const crd__dataset_store *const store = l->training->store;
  const size_t rows = l->training->shape.rows;
  if (store->type != CRD_SAMPLES_TEXTS) return CRD_OK;
  for (size_t row = 0; row < rows; row++) {
    CRD_TRY(crd__check_interrupt(l->ctx));
    CRD_TRY(crd__dataset_counts_add(l->ctx, &l->counts,
                                    store->kind->text(store, l->training->rows[row])));
    crd__progress(l->ctx, "vocabulary", row + 1, rows);
  }
  l->found.length = l->options.length ? l->options.length : LENGTH;
  return crd__dataset_counts_best(l->ctx, &l->counts,
                                  l->options.word_count ? l->options.word_count : WORDS,
                                  &l->found.words, &l->found.word_count);
}

static crd_status learn_scale(lesson *l) {
  const size_t channels = crd__dataset_channels(l->training);
  if (l->options.keep_scale || channels == 0) return CRD_OK;
  CRD_TRY(crd__new(l->ctx, channels, sizeof(double), "mean", &l->found.mean));
  CRD_TRY(crd__new(l->ctx, channels, sizeof(double), "standard deviation", &l->found.std));
  l->found.channels = channels;
  return crd__dataset_statistics(l->ctx, l->training, l->found.mean, l->found.std);
}

crd_status crd_encoding_learn(crd_context *ctx, const crd_dataset *training,
                              const crd_encoding_options *options, crd_encoding **out) {
  lesson l = { .ctx = ctx, .training = training };
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_encoding_options, options, &l.options));
  crd_status status = learn_classes(&l);
  if (status == CRD_OK) status = learn_words(&l);
  if (status == CRD_OK) status = learn_scale(&l);
  if (status == CRD_OK) status = crd__dataset_encoding_copy(ctx, &l.found, out);
  crd__dataset_counts_clear(&ctx->alloc, &l.counts);
  crd__free(&ctx->alloc, l.found.class_names);
  crd__free(&ctx->alloc, l.found.words);
  crd__free(&ctx->alloc, l.found.mean);
  crd__free(&ctx->alloc, l.found.std);
  return status;
}

/* chunk_labels.c -- labels in arrays: class indices, one-hot rows, or strings. */
#include "base/number.h"
#include "data/array.h"
#include "dataset/chunks.h"

#include <stdio.h>

typedef struct {
  crd_context *ctx;
  crd__dataset_store *store;
  const char *const *names; /* fixed classes, or NULL */
  size_t count;
  const crd__dataset_chunk *chunk;
  crd_array matrix; /* its labels */
  size_t first;     /* index of its first sample in the store */
} labeller;

static crd_status set(const labeller *l, size_t row, const char *name) {
  return crd__dataset_names_set(l->ctx, &l->store->alloc, &l->store->labels, l->store->count,
                                l->first + row, name);
}

/* Sets the class of an index: its fixed name, or the number. */
static crd_status set_class(const labeller *l, size_t row, int64_t label) {
  char text[24];
  if (!l->names) {
    snprintf(text, sizeof text, "%lld", (long long)label);
    return set(l, row, text);
  }
  if (label >= 0 && (uint64_t)label < l->count) return set(l, row, l->names[label]);
  return crd__fail(l->ctx, CRD_EINPUT, "%.300s: row %zu: found class %lld, allowed are 0 .. %zu",
                   l->chunk->label_file, row, (long long)label, l->count - 1);
}

static crd_status read_index(const labeller *l, size_t row) {
  int64_t label;
  char text[CRD__NUMBER_SIZE];
  if (crd__data_array_integer(&l->matrix, row, 0, &label)) return set_class(l, row, label);
  return crd__fail(l->ctx, CRD_EINPUT, "%.300s: row %zu: found %s, expected an integer",
                   l->chunk->label_file, row,
                   crd__number_format(text, crd__data_array_number(&l->matrix, row, 0)));
}

static crd_status read_one_hot(const labeller *l, size_t row) {
  size_t ones = 0;
  int64_t class = 0;
  for (size_t k = 0; k < crd__data_cols(&l->matrix); k++) {
    const double value = crd__data_array_number(&l->matrix, row, k);
    char text[CRD__NUMBER_SIZE];
    if (value == 0) continue;
    if (value != 1)
      return crd__fail(l->ctx, CRD_EINPUT,
                       "%.300s: row %zu, class %zu: found %s, expected 0 or 1 (one-hot)",
                       l->chunk->label_file, row, k, crd__number_format(text, value));
    ones++;
    class = (int64_t)k;
  }
  if (ones == 1) return set_class(l, row, class);
  return crd__fail(l->ctx, CRD_EINPUT,
                   "%.300s: row %zu: %zu classes are marked, expected exactly one (one-hot)",
                   l->chunk->label_file, row, ones);
}

static crd_status read_word(const labeller *l, size_t row) {
  const char *const word = l->chunk->words[row];
  if (*word && (!l->names || crd__dataset_names_find(&l->store->labels, word) >= 0))
    return set(l, row, word);
  return crd__fail(l->ctx, CRD_EINPUT, "%.300s: row %zu: found '%.60s', expected the name of a %s",
                   l->chunk->label_file, row, word, l->names ? "known class" : "class");
}

static crd_status check_count(const labeller *l, size_t labels) {
  const size_t rows = (size_t)l->chunk->samples.dims[0];
  if (labels == rows) return CRD_OK;
  return crd__fail(l->ctx, CRD_EINPUT, "%.300s: %zu labels for %zu samples of %.300s",
                   l->chunk->label_file, labels, rows, l->chunk->file);
}

/* Absent classes of one-hot rows are classes, too. */
static crd_status begin_one_hot(const labeller *l) {
  const size_t classes = crd__data_cols(&l->matrix);
  if (l->names && classes != l->count)
    return crd__fail(l->ctx, CRD_EINPUT, "%.300s: one-hot labels of %zu classes, allowed are %zu",
                     l->chunk->label_file, classes, l->count);
  l->store->all_classes = true;
  for (size_t k = 0; !l->names && k < classes; k++) {
    char text[24];
    snprintf(text, sizeof text, "%zu", k);
    CRD_TRY(crd__dataset_names_add(l->ctx, &l->store->alloc, &l->store->labels, text, NULL));
  }
  return CRD_OK;
}

static crd_status read_chunk(labeller *l) {
  const size_t rows = (size_t)l->chunk->samples.dims[0];
  crd_status (*read)(const labeller *, size_t) = read_word;
  if (l->chunk->words) CRD_TRY(check_count(l, l->chunk->word_count));
  else if (!l->chunk->labels.data) return CRD_OK;
  else {
    l->matrix = l->chunk->labels;
    CRD_TRY(crd__data_matrix(l->ctx, l->chunk->label_file, "labels", &l->matrix));
    CRD_TRY(check_count(l, crd__data_cols(&l->matrix) ? crd__data_rows_of(&l->matrix) : 0));
    read = crd__data_cols(&l->matrix) > 1 ? read_one_hot : read_index;
    if (read == read_one_hot) CRD_TRY(begin_one_hot(l));
  }
  for (size_t row = 0; row < rows; row++) CRD_TRY(read(l, row));
  return CRD_OK;
}

crd_status crd__dataset_chunks_label(crd_context *ctx, crd__dataset_store *store,
                                     const char *const *names, size_t count) {
  const crd__dataset_chunks *const chunks = store->self;
  labeller l = { .ctx = ctx, .store = store, .names = names, .count = count };
  store->all_classes = names != NULL;
  for (size_t k = 0; names && k < count; k++)
    CRD_TRY(crd__dataset_names_add(ctx, &store->alloc, &store->labels, names[k], NULL));
  for (size_t i = 0; i < chunks->count; i++) {
    l.chunk = &chunks->items[i];
    CRD_TRY(read_chunk(&l));
    l.first += (size_t)l.chunk->samples.dims[0];
  }
  if (names) return CRD_OK;
  return crd__dataset_names_sort(ctx, &store->alloc, &store->labels, store->count);
}

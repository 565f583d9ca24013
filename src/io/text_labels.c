/*
 * text_labels.c -- converts labels that are strings to class indices.
 *
 * If all strings are integers, these are the indices. Else they are class names; without class
 * names, the sorted distinct strings are the classes, as in NumPy's unique and scikit-learn's
 * classes_ (by code point, which is the order of UTF-8's bytes), if their number is that of the
 * classes.
 */
#include "io/text_labels.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  const char *file;
  const crd__io_label_names *spelling;
  crd__words words; /* class names, or distinct labels in order of appearance */
  size_t *rank;     /* the class of each word; NULL: its index */
} numbering;

static bool are_whole(const crd__io_entry *entry) {
  int64_t number;
  for (size_t i = 0; entry && entry->names && i < entry->shape[0]; i++)
    if (!crd__integer_parse(entry->names[i], strlen(entry->names[i]), &number)) return false;
  return true;
}

static crd_status add_words(numbering *n, const char *const *names, size_t count) {
  size_t number;
  for (size_t i = 0; i < count; i++)
    CRD_TRY(crd__words_add(n->ctx, &n->words, names[i], strlen(names[i]), &number));
  return CRD_OK;
}

static int compare(const void *a, const void *b) {
  const crd__word *const x = *(const crd__word *const *)a, *const y = *(const crd__word *const *)b;
  const size_t least = x->length < y->length ? x->length : y->length;
  const int order = memcmp(x->text, y->text, least);
  return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Sorts the words: rank[i] is the class of words.items[i], *sorted the names of the classes. */
static crd_status sort_words(numbering *n, char ***sorted) {
  const crd__word **order;
  const size_t count = n->words.count;
  crd__text text;
  CRD_TRY(crd__new(n->ctx, count, sizeof *n->rank, "labels", &n->rank));
  CRD_TRY(crd__new(n->ctx, count, sizeof *order, "labels", &order));
  for (size_t i = 0; i < count; i++) order[i] = &n->words.items[i];
  qsort(order, count, sizeof *order, compare);
  crd__text_init(&text, &n->ctx->alloc);
  for (size_t k = 0; k < count; k++) {
    n->rank[order[k] - n->words.items] = k;
    crd__text_add_bytes(&text, order[k]->text, order[k]->length);
    crd__text_add_bytes(&text, "", 1);
  }
  crd__free(&n->ctx->alloc, (void *)(uintptr_t)order);
  crd_status status = crd__text_status(n->ctx, &text);
  if (status == CRD_OK) status = crd__text_strings(n->ctx, &text, count, sorted);
  crd__text_clear(&text);
  return status;
}

static crd_status note_order(const numbering *n, char **sorted, crd__notes *notes) {
  enum { SHOWN = 6 };
  crd__text text;
  crd__text_init(&text, &n->ctx->alloc);
  for (size_t k = 0; k < n->words.count && k < SHOWN; k++) {
    char brief[41];
    crd__text_addf(&text, "%s%zu %s", k ? ", " : "", k,
                   crd__utf8_brief(sorted[k], brief, sizeof brief));
  }
  if (n->words.count > SHOWN) crd__text_add(&text, " ...");
  crd_status status = crd__text_status(n->ctx, &text);
  if (status == CRD_OK)
    status = crd__notes_add(n->ctx, &n->ctx->alloc, notes,
                            "labels are strings, classes are taken in their sorted order: %s "
                            "(an array class_names, or a file given as %s, sets another order)",
                            text.bytes, crd__spell(n->ctx, "class_names"));
  crd__text_clear(&text);
  return status;
}

/* Collects the class names: as given, if they are distinct; else all labels, sorted. */
static crd_status learn_names(numbering *n, char ***sorted, crd__notes *notes) {
  const crd__io_label_names *const s = n->spelling;
  if (s->names) {
    CRD_TRY(add_words(n, s->names, s->name_count));
    if (n->words.count == s->name_count) return CRD_OK;
    return crd__fail(n->ctx, CRD_EINPUT,
                     "%s: labels are strings, but two classes have the same name", n->file);
  }
  const crd__io_entry *const entries[] = { s->labels, s->predicted };
  for (size_t i = 0; i < 2; i++)
    if (entries[i] && entries[i]->names)
      CRD_TRY(add_words(n, (const char *const *)entries[i]->names, entries[i]->shape[0]));
  if (s->classes && n->words.count != s->classes)
    return crd__fail(n->ctx, CRD_EINPUT,
                     "%s: labels are %zu different strings for %zu classes: an array class_names, "
                     "or a file given as %s, must name the classes in order",
                     n->file, n->words.count, s->classes, crd__spell(n->ctx, "class_names"));
  CRD_TRY(sort_words(n, sorted));
  return note_order(n, *sorted, notes);
}

static crd_status number_entry(const numbering *n, crd__io_entry *entry, bool whole) {
  const size_t rows = entry->shape[0];
  CRD_TRY(crd__new(n->ctx, rows, sizeof *entry->numbers, "labels", &entry->numbers));
  for (size_t i = 0; i < rows; i++) {
    const char *const name = entry->names[i];
    size_t word;
    if (whole && crd__integer_parse(name, strlen(name), &entry->numbers[i])) continue;
    if (!crd__words_find(&n->words, name, strlen(name), &word)) {
      char brief[61], first[61];
      return crd__fail(n->ctx, CRD_EINPUT,
                       "%s: %s row %zu: found '%s', expected the name of a class: %s ...", n->file,
                       entry->name, i, crd__utf8_brief(name, brief, sizeof brief),
                       crd__utf8_brief(n->spelling->names[0], first, sizeof first));
    }
    entry->numbers[i] = (int64_t)(n->rank ? n->rank[word] : word);
  }
  entry->view = crd_array_matrix(entry->numbers, CRD_I64, rows, 1);
  return CRD_OK;
}

static crd_status number_all(numbering *n, char ***sorted, crd__notes *notes) {
  crd__io_entry *const entries[] = { n->spelling->labels, n->spelling->predicted };
  const bool whole = are_whole(entries[0]) && are_whole(entries[1]);
  if (!whole) CRD_TRY(learn_names(n, sorted, notes));
  for (size_t i = 0; i < 2; i++)
    if (entries[i] && entries[i]->names && !entries[i]->numbers)
      CRD_TRY(number_entry(n, entries[i], whole));
  return CRD_OK;
}

crd_status crd__io_labels_to_indices(crd_context *ctx, const char *file,
                                     const crd__io_label_names *spelling, char ***sorted,
                                     crd__notes *notes) {
  numbering n = { .ctx = ctx, .file = file, .spelling = spelling };
  const bool strings = (spelling->labels && spelling->labels->names) ||
                       (spelling->predicted && spelling->predicted->names);
  *sorted = NULL;
  if (!strings) return CRD_OK;
  const crd_status status = number_all(&n, sorted, notes);
  crd__words_clear(&ctx->alloc, &n.words);
  crd__free(&ctx->alloc, n.rank);
  if (status == CRD_OK) return CRD_OK;
  crd__free(&ctx->alloc, *sorted);
  *sorted = NULL;
  return status;
}

/*
 * labels.c -- true classes: indices or one-hot rows, checked when read, and compared between models
 * that are evaluated on the same rows.
 */
#include "base/number.h"
#include "data/array.h"
#include "data/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

crd_status crd__data_row_fail(crd_context *ctx, const crd_predictions *predictions,
                              const char *array, size_t row, const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  const crd_predictions_parts *const parts = &predictions->parts;
  return crd__fail(ctx, CRD_EINPUT, "%.400s: %.100s row %llu%s", parts->name, array,
                   (unsigned long long)(parts->first_row + crd__data_row_at(predictions, row)),
                   what);
}

static crd_status read_number(crd_context *ctx, const crd_predictions *p, size_t row, size_t *out) {
  const size_t at = crd__data_row_at(p, row);
  int64_t label;
  char text[CRD__NUMBER_SIZE];
  if (!crd__data_array_integer(&p->parts.labels, at, 0, &label))
    return crd__data_row_fail(
        ctx, p, p->parts.labels_name, row, ": found %s, expected an integer 0 .. %zu",
        crd__number_format(text, crd__data_array_number(&p->parts.labels, at, 0)), p->classes - 1);
  if (label < 0 || (uint64_t)label >= p->classes)
    return crd__data_row_fail(ctx, p, p->parts.labels_name, row,
                              ": found class %lld, allowed are 0 .. %zu", (long long)label,
                              p->classes - 1);
  *out = (size_t)label;
  return CRD_OK;
}

static crd_status read_one_hot(crd_context *ctx, const crd_predictions *p, size_t row,
                               size_t *out) {
  const crd_array *const labels = &p->parts.labels;
  size_t ones = 0;
  for (size_t k = 0; k < crd__data_cols(labels); k++) {
    char text[CRD__NUMBER_SIZE], class[CRD__CLASS_TEXT];
    const double value = crd__data_array_number(labels, crd__data_row_at(p, row), k);
    if (value == 0) continue;
    if (value != 1)
      return crd__data_row_fail(ctx, p, p->parts.labels_name, row,
                                ", class %s: found %s, expected 0 or 1 (one-hot)",
                                crd__data_class_text(p, k, class), crd__number_format(text, value));
    ones++;
    *out = k;
  }
  if (ones == 1) return CRD_OK;
  return crd__data_row_fail(ctx, p, p->parts.labels_name, row,
                            ": %zu classes are marked, expected exactly one (one-hot)", ones);
}

crd_status crd__data_labels_require(crd_context *ctx, const crd_predictions *predictions) {
  const crd_predictions_parts *const parts = &predictions->parts;
  const bool pairs = crd__data_is_top_only(predictions);
  if (pairs ? parts->correct.data || (parts->labels.data && parts->predicted.data)
            : parts->labels.data != NULL)
    return CRD_OK;
  if (!pairs) return crd__fail(ctx, CRD_EINPUT, "%s: no labels", parts->name);
  return crd__fail(ctx, CRD_EINPUT, "%s: %s need `correct`, or true labels and predicted labels",
                   parts->name, parts->input == CRD_INPUT_PAIRS ? "confidences" : "rankings");
}

crd_status crd__data_labels_read(crd_context *ctx, const crd_predictions *predictions, size_t first,
                                 size_t count, size_t *out) {
  CRD_TRY(crd__data_labels_require(ctx, predictions));
  const bool one_hot = crd__data_cols(&predictions->parts.labels) > 1;
  for (size_t i = 0; i < count; i++)
    CRD_TRY(one_hot ? read_one_hot(ctx, predictions, first + i, &out[i])
                    : read_number(ctx, predictions, first + i, &out[i]));
  return CRD_OK;
}

/* ---- Names of the classes of two sets of rows. */

uint64_t crd__data_class_names_key(const crd_predictions *predictions) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  bool named = false;
  for (size_t k = 0; k < predictions->classes; k++) {
    const char *const name = crd_predictions_class_name(predictions, k);
    named = named || name;
    for (const char *at = name ? name : ""; *at; at++)
      hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    hash = (hash ^ 0xff) * UINT64_C(0x100000001b3); /* the end of a name */
  }
  return !named ? 0 : hash ? hash : 1;
}

crd_status crd__data_class_names_match(crd_context *ctx, const crd_predictions *predictions,
                                       const crd_predictions *other) {
  const uint64_t mine = crd__data_class_names_key(predictions),
                 theirs = crd__data_class_names_key(other);
  char found[CRD__CLASS_TEXT], expected[CRD__CLASS_TEXT];
  size_t k = 0;
  if (!mine || !theirs || mine == theirs || predictions->classes != other->classes) return CRD_OK;
  while (k + 1 < other->classes && strcmp(crd__data_class_text(other, k, found),
                                          crd__data_class_text(predictions, k, expected)) == 0)
    k++;
  return crd__fail(
      ctx, CRD_EINPUT,
      "%s: found class %s, expected class %s as in %s: the classes need the same names "
      "in the same order",
      other->parts.name, crd__data_class_text(other, k, found),
      crd__data_class_text(predictions, k, expected), predictions->parts.name);
}

/* ---- Two models on the same rows. */

size_t crd__data_row_in_file(const crd_predictions *predictions, size_t row) {
  return predictions->numbered ? crd__data_row_at(predictions, row) : row;
}

/* Reads the label of a row; of confidence pairs, any integer. */
static crd_status read_label(crd_context *ctx, const crd_predictions *p, size_t row, int64_t *out) {
  size_t label = 0;
  if (crd__data_is_top_only(p)) {
    if (crd__data_array_integer(&p->parts.labels, crd__data_row_at(p, row), 0, out)) return CRD_OK;
    return crd__data_row_fail(ctx, p, p->parts.labels_name, row, " is not an integer");
  }
  CRD_TRY(crd__data_labels_read(ctx, p, row, 1, &label));
  *out = (int64_t)label;
  return CRD_OK;
}

static const char *name_of(const crd_predictions *p, int64_t label) {
  return label < 0 ? NULL : crd_predictions_class_name(p, (size_t)label);
}

/* Returns whether both call their classes by the same names, in any order: whether the name of
 * class 0 is one of the other's. */
static bool share_names(const crd_predictions *a, const crd_predictions *b) {
  const char *const first = name_of(a, 0);
  if (!first) return false;
  for (size_t k = 0; k < b->classes; k++) {
    const char *const name = crd_predictions_class_name(b, k);
    if (name && strcmp(name, first) == 0) return true;
  }
  return false;
}

static bool same_label(const crd_predictions *a, int64_t mine, const crd_predictions *b,
                       int64_t theirs, bool by_name) {
  const char *const name = name_of(a, mine), *const other = name_of(b, theirs);
  return by_name && name && other ? strcmp(name, other) == 0 : mine == theirs;
}

crd_status crd__data_labels_compare(crd_context *ctx, const crd_predictions *a,
                                    const crd_predictions *b, bool *same, size_t *row) {
  *same = a->rows == b->rows && a->parts.labels.data && b->parts.labels.data;
  *row = SIZE_MAX;
  const bool by_name = share_names(a, b);
  for (size_t i = 0; *same && i < a->rows; i++) {
    int64_t mine, theirs;
    CRD_TRY(read_label(ctx, a, i, &mine));
    CRD_TRY(read_label(ctx, b, i, &theirs));
    const bool together = crd__data_row_in_file(a, i) == crd__data_row_in_file(b, i);
    *same = together && same_label(a, mine, b, theirs, by_name);
    if (together && !*same) *row = i;
  }
  return CRD_OK;
}

/* Writes "1 (dog)". */
static const char *label_text(const crd_predictions *p, int64_t label,
                              char out[static CRD__CLASS_TEXT]) {
  if (name_of(p, label)) return crd__data_class_text(p, (size_t)label, out);
  snprintf(out, CRD__CLASS_TEXT, "%" PRId64, label);
  return out;
}

crd_status crd_predictions_match_labels(crd_context *ctx, const crd_predictions *predictions,
                                        const crd_predictions *other) {
  char found[CRD__CLASS_TEXT], expected[CRD__CLASS_TEXT];
  int64_t mine, theirs;
  bool same;
  size_t row;
  CRD_TRY(crd__data_labels_compare(ctx, predictions, other, &same, &row));
  if (row == SIZE_MAX) return CRD_OK;
  CRD_TRY(read_label(ctx, predictions, row, &mine));
  CRD_TRY(read_label(ctx, other, row, &theirs));
  return crd__data_row_fail(
      ctx, other, other->parts.labels_name, row,
      ": found class %s, expected %s as in %.60s: pairs must be the same rows in the same order",
      label_text(other, theirs, found), label_text(predictions, mine, expected),
      predictions->parts.name);
}

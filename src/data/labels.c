/* labels.c -- true classes: indices or one-hot rows, checked when read. */
#include "base/number.h"
#include "data/array.h"
#include "data/rows.h"

#include <stdio.h>

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

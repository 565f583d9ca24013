/*
 * ignored.c -- leave out rows with the label -100.
 *
 * They are removed before anything else is checked: padding may have scores that are not
 * probabilities, and its weights must not set a scale. The rows that stay keep their row numbers in
 * the file, so that messages name them, and resamples are the same for any partition of it.
 */
#include "base/memory.h"
#include "data/array.h"
#include "data/rows.h"

static bool is_ignored(const crd_array *labels, size_t row) {
  int64_t label;
  return crd__data_array_integer(labels, row, 0, &label) && label == CRD_IGNORE_LABEL;
}

bool crd__data_label_is_ignored(const crd_predictions *p, size_t row) {
  const crd_array *const labels = &p->parts.labels;
  return labels->data && crd__data_cols(labels) == 1 &&
         is_ignored(labels, crd__data_row_at(p, row));
}

crd_status crd__data_predictions_drop_ignored(crd_context *ctx, crd_predictions *p) {
  const crd_array *const labels = &p->parts.labels;
  const size_t rows = p->rows;
  size_t ignored = 0, kept = 0;
  if (!labels->data || crd__data_cols(labels) != 1) return CRD_OK;
  for (size_t i = 0; i < rows; i++) ignored += is_ignored(labels, i);
  if (ignored == 0) return CRD_OK;
  if (p->parts.keep_ignored)
    return crd__notes_add(ctx, &p->alloc, &p->notes,
                          "%zu of %zu rows have the label %d: they count as unlabelled", ignored,
                          rows, CRD_IGNORE_LABEL);
  if (ignored == rows)
    return crd__fail(ctx, CRD_EINPUT, "%s: all %zu rows have the label %d (ignored)", p->parts.name,
                     rows, CRD_IGNORE_LABEL);
  CRD_TRY(crd__new(ctx, rows - ignored, sizeof *p->picked, "rows", &p->picked));
  for (size_t i = 0; i < rows; i++)
    if (!is_ignored(labels, i)) p->picked[kept++] = i;
  p->rows = kept;
  p->numbered = true;
  return crd__notes_add(ctx, &p->alloc, &p->notes,
                        "%zu of %zu rows have the label %d (ignored) and are left out", ignored,
                        rows, CRD_IGNORE_LABEL);
}

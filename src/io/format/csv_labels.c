/*
 * csv_labels.c -- tables with a column of labels for each class: label_cat, label_dog and prob_cat,
 * prob_dog. Classes must be evaluated one at a time, and a note gives the options.
 */
#include "io/format/csv.h"

#include <string.h>
#include <strings.h>

/* Returns the class in the name of a column of labels, which must hold 0 and 1 only; length 0: it
 * is not such a column. */
static crd__word class_of(const crd__io_csv_planner *p, size_t column) {
  static const char *const words[] = { "label", "labels", "target", "targets", "y_true",
                                       "true",  "truth",  "gt",     "y" };
  const crd__word name = p->plan->names[column];
  const crd__io_csv_sample *const sample = p->plan->sample;
  for (size_t row = 0; row < sample->rows; row++) {
    const double value = sample->values[row * sample->columns + column];
    if (value != 0 && value != 1) return (crd__word){ NULL, 0 };
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t length = strlen(words[i]);
    if (name.length > length + 1 && strncasecmp(name.text, words[i], length) == 0 &&
        strchr("_-. :", name.text[length]))
      return (crd__word){ name.text + length + 1, name.length - length - 1 };
  }
  return (crd__word){ NULL, 0 };
}

/* Finds the score of a class: a column whose name ends with the class. */
static size_t score_of(const crd__io_csv_planner *p, const crd__word *class) {
  for (size_t i = 0; i < p->plan->columns; i++) {
    const crd__word name = p->plan->names[i];
    if (p->is[i] == CRD__SCORES && name.length >= class->length && class_of(p, i).length == 0 &&
        memcmp(name.text + name.length - class->length, class->text, class->length) == 0)
      return i;
  }
  return CRD__NOWHERE;
}

crd_status crd__io_csv_note_labels(const crd__io_csv_planner *p, crd__notes *notes) {
  size_t count = 0, first = 0;
  crd__word class = { NULL, 0 };
  if (!p->plan->names || p->plan->sample->rows == 0 || p->plan->key[CRD__LABELS]) return CRD_OK;
  for (size_t i = 0; i < p->plan->columns; i++) {
    const crd__word here = class_of(p, i);
    if (here.length == 0) continue;
    if (count++ == 0) {
      first = i;
      class = here;
    }
  }
  if (count < 2) return CRD_OK;
  const crd__word label = p->plan->names[first];
  const size_t score = score_of(p, &class);
  const crd__word scores =
      score == CRD__NOWHERE ? (crd__word){ "SCORE", 5 } : p->plan->names[score];
  return crd__notes_add(
      p->ctx, &p->ctx->alloc, notes,
      "%zu columns of labels, one for each class: evaluate one at a time, with "
      "%s '%.*s' %s '%.*s' %s",
      count, crd__spell(p->ctx, "columns"), scores.length < 40 ? (int)scores.length : 40,
      scores.text, crd__spell(p->ctx, "label_column"), label.length < 40 ? (int)label.length : 40,
      label.text, crd__spell(p->ctx, "binary=pos"));
}

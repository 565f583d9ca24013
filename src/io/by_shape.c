/*
 * by_shape.c -- finds scores and labels among arrays with names such as arr_0 and arr_1.
 *
 * Scores are (n, k) floating-point numbers, k > 1. Labels are n strings, n integers below k (or
 * -100), or (n, k) one-hot rows. Arrays with a known name keep its role, and arrays named like
 * predictions are not labels. If exactly one reading fits, it is taken, with a note. n
 * floating-point numbers could be scores of class 1 or confidences: they are scores only if the
 * labels have a known name.
 */
#include "io/by_shape.h"

#include "data/array.h"

#include <string.h>
#include <strings.h>

/* Files with more arrays are not searched. */
enum { ARRAYS_MAX = 64 };

const char *crd__io_by_shape_name(const char *name, const char *group) {
  const size_t length = group ? strlen(group) : 0;
  if (!group) return name;
  if (strncmp(name, group, length) != 0 || !name[length] || !strchr("_/.", name[length]))
    return NULL;
  return name + length + 1;
}

typedef struct {
  const crd__io_choice_query *c;
  size_t count, scores, labels; /* number of interpretations that fit; the arrays of the last one */
  crd_status status;            /* why the search stopped; unreadable arrays do not stop it */
} search;

static bool went_well(search *s, crd_status status) {
  if (status != CRD_OK && status != CRD_EINPUT) s->status = status;
  return status == CRD_OK;
}

/* Returns whether the array's name gives it no role, and its shape can be read. */
static bool is_open(search *s, size_t index) {
  const crd__io_choice_query *const c = s->c;
  const char *const name = crd__io_by_shape_name(c->bundle->entries[index].name, c->group);
  if (!name || strcmp(name, "class_names") == 0) return false;
  return !crd__io_key_find_in_any_case(name, strlen(name)) &&
         went_well(s, crd__io_bundle_peek(c->ctx, c->bundle, index));
}

static bool is_real(const crd__io_entry *entry) {
  return !entry->strings && !crd__data_array_is_integral(&entry->view);
}

static bool is_column(const crd__io_entry *entry) {
  return entry->rank == 1 || (entry->rank == 2 && entry->shape[1] == 1);
}

static bool is_scores(search *s, size_t index, bool columns) {
  const crd__io_entry *const entry = &s->c->bundle->entries[index];
  if (!is_open(s, index) || !is_real(entry) || entry->rank == 0 || entry->shape[0] == 0)
    return false;
  return columns ? is_column(entry) : entry->rank == 2 && entry->shape[1] > 1;
}

static bool are_classes(const crd_array *view, size_t classes) {
  for (size_t i = 0; i < crd__data_rows_of(view); i++) {
    int64_t label;
    if (!crd__data_array_integer(view, i, 0, &label)) return false;
    if (label != CRD_IGNORE_LABEL && (label < 0 || (uint64_t)label >= classes)) return false;
  }
  return true;
}

static bool are_one_hot(const crd_array *view) {
  for (size_t i = 0; i < crd__data_rows_of(view); i++) {
    size_t ones = 0;
    for (size_t k = 0; k < crd__data_cols(view); k++) {
      const double value = crd__data_array_number(view, i, k);
      if (value != 0 && value != 1) return false;
      ones += value == 1;
    }
    if (ones != 1) return false;
  }
  return true;
}

/* Predicted labels are not true labels: with `pred_class` the accuracy would be 1. */
static bool is_called_predicted(const char *name) {
  static const char *const words[] = { "pred", "argmax", "top", "guess", "hat" };
  for (; *name; name++)
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (strncasecmp(name, words[i], strlen(words[i])) == 0) return true;
  return false;
}

static bool is_labels(search *s, size_t index, const crd__io_entry *scores) {
  const crd__io_entry *const entry = &s->c->bundle->entries[index];
  const size_t classes = is_column(scores) ? 2 : scores->shape[1];
  crd_array view;
  if (entry == scores || is_called_predicted(entry->name) || !is_open(s, index) ||
      entry->rank == 0 || entry->rank > 2 || entry->shape[0] != scores->shape[0])
    return false;
  if (entry->strings) return entry->rank == 1;
  if (!is_column(entry) && (entry->shape[1] != classes || is_column(scores))) return false;
  if (!went_well(s, crd__io_bundle_matrix(s->c->ctx, s->c->bundle, index, &view))) return false;
  return is_column(entry) ? are_classes(&view, classes) : are_one_hot(&view);
}

/* ---- Readings. */

static void add_reading(search *s, size_t scores, size_t labels) {
  s->count++;
  s->scores = scores;
  s->labels = labels;
}

/* Adds the readings with these scores: with the known labels, else without labels if they are not
 * wanted, else with each array that fits. */
static void read_labels(search *s, const crd__io_choice *choice, size_t scores, bool wanted) {
  crd__io_bundle *const bundle = s->c->bundle;
  const crd__io_entry *const entry = &bundle->entries[scores];
  if (choice->labels < bundle->count) {
    const crd__io_entry *const labels = &bundle->entries[choice->labels];
    if (!went_well(s, crd__io_bundle_peek(s->c->ctx, bundle, choice->labels))) return;
    if (labels->rank > 0 && labels->shape[0] == entry->shape[0])
      add_reading(s, scores, choice->labels);
  } else if (!wanted) add_reading(s, scores, bundle->count);
  else
    for (size_t i = 0; i < bundle->count; i++)
      if (is_labels(s, i, entry)) add_reading(s, scores, i);
}

static void read_scores(search *s, const crd__io_choice *choice, bool wanted, bool columns) {
  const size_t none = s->c->bundle->count;
  for (size_t i = 0; i < none; i++)
    if (choice->scores == none ? is_scores(s, i, columns) : i == choice->scores)
      read_labels(s, choice, i, wanted);
}

static crd_status note(const search *r, const crd__io_choice *before) {
  const crd__io_choice_query *const c = r->c;
  const size_t none = c->bundle->count;
  const bool scores = before->scores == none, labels = before->labels == none && r->labels < none;
  const char *const other_scores = crd__spell(c->ctx, "scores");
  const char *const other_labels = crd__spell(c->ctx, "label_key");
  const char *const first = c->bundle->entries[scores ? r->scores : r->labels].name;
  if (scores && labels)
    return crd__notes_add(c->ctx, &c->ctx->alloc, c->notes,
                          "by shape and type, the scores are %s and the labels %s (%s and %s "
                          "choose others)",
                          first, c->bundle->entries[r->labels].name, other_scores, other_labels);
  return crd__notes_add(c->ctx, &c->ctx->alloc, c->notes,
                        "by shape and type, the %s are %s (%s chooses others)",
                        scores ? "scores" : "labels", first, scores ? other_scores : other_labels);
}

crd_status crd__io_choose_by_shape(const crd__io_choice_query *c, crd__io_choice *choice) {
  const size_t none = c->bundle->count;
  const bool wanted = !c->options->labels;
  const crd__io_choice before = *choice;
  search s = { .c = c, .scores = none, .labels = none };
  if (choice->scores < none && (choice->labels < none || !wanted)) return CRD_OK;
  if (none > ARRAYS_MAX || crd__io_bundle_is_table(c->bundle)) return CRD_OK;
  if (choice->scores < none) {
    const crd__io_entry *const entry = &c->bundle->entries[choice->scores];
    CRD_TRY(crd__io_bundle_peek(c->ctx, c->bundle, choice->scores));
    if (entry->strings || entry->rank == 0 || entry->rank > 2) return CRD_OK;
  }
  read_scores(&s, choice, wanted, false);
  if (s.count == 0 && choice->labels < none) read_scores(&s, choice, wanted, true);
  if (s.count == 0 && c->options->labels_optional) read_scores(&s, choice, false, false);
  CRD_TRY(s.status);
  if (s.count != 1 || (choice->scores < none && s.labels == none)) return CRD_OK;
  choice->scores = s.scores;
  choice->labels = s.labels;
  return note(&s, &before);
}

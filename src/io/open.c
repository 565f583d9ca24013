/*
 * open.c -- opens predictions FILE[#group][@from:to]: chooses arrays, slices rows, joins the parts.
 */
#include "io/open.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/utf8.h"
#include "base/words.h"
#include "data/array.h"
#include "data/predictions.h"
#include "io/advice.h"
#include "io/bundle.h"
#include "io/choose.h"
#include "io/grouping.h"
#include "io/keys.h"
#include "io/pred.h"
#include "io/text_labels.h"

#include <assert.h>
#include <string.h>

typedef struct {
  crd_context *ctx;
  const char *path; /* as given */
  const crd_open_options *options;
  crd__io_specifier pred;
  crd__io_bundle *bundle;
  crd__io_choice choice;
  crd_predictions_parts parts;
  crd__io_grouping grouping;
  crd__notes notes;
} opening;

static const char names_key[] = "class_names";

/* ---- Parts. */

static crd__io_choice_query choosing_of(opening *o, crd__io_bundle *bundle,
                                        const crd__io_specifier *pred) {
  return (crd__io_choice_query){ o->ctx, bundle, pred->file, pred->group, o->options, &o->notes };
}

static crd_status take_role(opening *o, crd__io_role role, crd_array *out,
                            const crd__io_key **key) {
  size_t index;
  *key = crd__io_key_in(o->bundle, o->pred.group, role, crd__io_keys, &index);
  return *key ? crd__io_bundle_matrix(o->ctx, o->bundle, index, out) : CRD_OK;
}

/* Loads labels and predicted labels, and converts strings to class indices. */
static crd_status load_labels(opening *o, crd__io_bundle *bundle, size_t labels, size_t predicted) {
  crd_predictions_parts *const parts = &o->parts;
  const size_t none = bundle->count, columns = crd__data_cols(&parts->scores);
  const bool pairs = crd__io_input_is_top(parts->input);
  const crd__io_label_names spelling = {
    .labels = labels < none ? &bundle->entries[labels] : NULL,
    .predicted = predicted < none ? &bundle->entries[predicted] : NULL,
    .names = pairs ? NULL : parts->class_names,
    .name_count = parts->class_name_count,
    .classes = pairs          ? 0
               : columns == 1 ? 2
                              : columns,
  };
  char **sorted;
  if (labels < none) CRD_TRY(crd__io_bundle_load(o->ctx, bundle, labels));
  if (predicted < none) CRD_TRY(crd__io_bundle_load(o->ctx, bundle, predicted));
  CRD_TRY(crd__io_labels_to_indices(o->ctx, bundle->name, &spelling, &sorted, &o->notes));
  if (!sorted || pairs || bundle->class_names) {
    crd__free(&o->ctx->alloc, sorted);
    return CRD_OK;
  }
  bundle->class_names = sorted;
  bundle->class_name_count = spelling.classes;
  parts->class_names = (const char *const *)sorted;
  parts->class_name_count = spelling.classes;
  return CRD_OK;
}

/* The view of an entry after its strings, if any, were converted. */
static crd_status take_entry(const opening *o, crd__io_bundle *bundle, size_t index,
                             crd_array *out) {
  if (!bundle->entries[index].numbers) return crd__io_bundle_matrix(o->ctx, bundle, index, out);
  *out = bundle->entries[index].view;
  return CRD_OK;
}

static crd_status take_predicted(opening *o, crd_array *out) {
  const crd__io_choice_query c = choosing_of(o, o->bundle, &o->pred);
  size_t index;
  CRD_TRY(crd__io_choose_predicted(&c, &index));
  if (index == o->bundle->count) return CRD_OK;
  CRD_TRY(load_labels(o, o->bundle, o->choice.labels, index));
  return take_entry(o, o->bundle, index, out);
}

/* Takes confidences and predicted labels that accompany scores of all classes, as `apply` writes
 * them if only the predicted class was calibrated; not if an option chooses the scores or makes
 * logits of them. */
static crd_status take_top(opening *o) {
  crd_predictions_parts *const parts = &o->parts;
  const size_t index = crd__io_bundle_find_in(o->bundle, o->pred.group, "confidence");
  const crd__io_key *key;
  const crd_open_options *const options = o->options;
  if (options->scores || options->columns || options->input == CRD_INPUT_LOGITS) return CRD_OK;
  if (crd__io_input_is_top(parts->input)) return CRD_OK;
  if (index == o->bundle->count || index == o->choice.scores) return CRD_OK;
  CRD_TRY(take_role(o, CRD__PREDICTED, &parts->predicted, &key));
  if (!key) return CRD_OK;
  CRD_TRY(crd__notes_add(o->ctx, &o->ctx->alloc, &o->notes,
                         "the predicted classes are %s and their confidences %s, not the largest "
                         "scores",
                         key->name, o->bundle->entries[index].name));
  return crd__io_bundle_matrix(o->ctx, o->bundle, index, &parts->confidence);
}

static crd_status take_scores(opening *o) {
  const crd__io_choice_query c = choosing_of(o, o->bundle, &o->pred);
  CRD_TRY(crd__io_choose_arrays(&c, &o->choice));
  const crd__io_key *const key = o->choice.key, *next = NULL;
  const char *const name = o->bundle->entries[o->choice.scores].name;
  size_t other;
  o->parts.scores_name = key ? key->name : name;
  o->parts.input = o->options->input ? o->options->input : key ? key->input : CRD_INPUT_AUTO;
  const bool ranking = key && key->input == CRD_INPUT_RANKING;
  if (key && !o->options->scores)
    CRD_TRY(crd__io_choose_next(&c, ranking ? crd__io_keys : key + 1, &next, &other));
  if (next == key) next = NULL;
  CRD_TRY(take_top(o));
  if (next && !(crd__io_key_is_pairs(next) && o->parts.confidence.data))
    CRD_TRY(crd__notes_add(o->ctx, &o->ctx->alloc, &o->notes,
                           "the scores are %s; %s exists too and was not used", name,
                           o->bundle->entries[other].name));
  return crd__io_bundle_matrix(o->ctx, o->bundle, o->choice.scores, &o->parts.scores);
}

/* The only array of a file besides class names; `count`: there is none, or more than one. */
static size_t only_array(const crd__io_bundle *bundle) {
  const size_t names = crd__io_bundle_find(bundle, names_key);
  const size_t others = bundle->count - (names < bundle->count);
  return others == 1 ? names == 0 : bundle->count;
}

/* Finds the labels in a file of labels, where a single array may have any name. */
static crd_status find_labels(opening *o, const crd__io_specifier *pred, crd__io_bundle *bundle,
                              crd_array *out) {
  const crd_open_options options = { .size = sizeof options, .label_key = o->options->label_key };
  crd__io_choice_query c = choosing_of(o, bundle, pred);
  size_t index;
  c.options = &options;
  CRD_TRY(crd__io_choose_labels_named(&c, &index));
  if (index == bundle->count && !pred->group && o->pred.group) {
    c.group = o->pred.group;
    CRD_TRY(crd__io_choose_labels_named(&c, &index));
    c.group = NULL;
  }
  if (index == bundle->count) index = only_array(bundle);
  if (index == bundle->count) return crd__io_refuse_missing(&c, CRD__LABELS);
  CRD_TRY(load_labels(o, bundle, index, bundle->count));
  return take_entry(o, bundle, index, out);
}

/* Takes labels from a separate file: for all rows, which are sliced, or for the sliced rows only.
 */
static crd_status cut_labels(opening *o, const crd__io_specifier *pred, size_t rows) {
  crd_array *labels = &o->parts.labels;
  const bool own_rows = pred->has_from || pred->has_to;
  size_t from = 0, to = 0;
  CRD_TRY(find_labels(o, pred, o->bundle->next, labels));
  o->parts.labels_name = o->options->labels;
  if (!own_rows && crd__data_rows_of(labels) != rows) return CRD_OK;
  CRD_TRY(crd__io_specifier_rows(o->ctx, o->options->labels, own_rows ? pred : &o->pred,
                                 crd__data_rows_of(labels), &from, &to));
  *labels = crd_array_slice(*labels, from, to);
  return CRD_OK;
}

static crd_status open_labels(opening *o, size_t rows) {
  crd__io_specifier pred;
  /* The option `columns` applies to the file of scores only. */
  const crd_open_options options = { .size = sizeof options,
                                     .label_column = o->options->label_column,
                                     .label_key = o->options->label_key,
                                     .class_names = o->options->class_names };
  crd_status status = crd__io_specifier_parse(o->ctx, o->options->labels, &pred);
  if (status == CRD_OK) status = crd__io_bundle_open(o->ctx, pred.file, &options, &o->bundle->next);
  if (status == CRD_OK) status = cut_labels(o, &pred, rows);
  crd__io_specifier_clear(&o->ctx->alloc, &pred);
  return status;
}

/* Slices an array; fails with EINPUT unless it has as many rows as the scores. */
static crd_status cut_view(const opening *o, crd_array *view, const char *what, size_t from,
                           size_t to) {
  const size_t rows = crd__data_rows_of(&o->parts.scores);
  if (!view->data) return CRD_OK;
  if (crd__data_rows_of(view) != rows)
    return crd__fail(o->ctx, CRD_EINPUT, "%s: %zu %s for %zu rows", o->path,
                     crd__data_rows_of(view), what, rows);
  *view = crd_array_slice(*view, from, to);
  return CRD_OK;
}

static crd_status cut_all(opening *o) {
  crd_predictions_parts *parts = &o->parts;
  size_t from = 0, to = 0;
  CRD_TRY(crd__io_specifier_rows(o->ctx, o->path, &o->pred, crd__data_rows_of(&parts->scores),
                                 &from, &to));
  CRD_TRY(cut_view(o, &parts->labels, "labels", from, to));
  CRD_TRY(cut_view(o, &parts->predicted, "predicted labels", from, to));
  CRD_TRY(cut_view(o, &parts->confidence, "confidences", from, to));
  CRD_TRY(cut_view(o, &parts->correct, "values of correct", from, to));
  CRD_TRY(cut_view(o, &parts->weights, "weights", from, to));
  for (size_t i = 0; i < o->grouping.count; i++)
    CRD_TRY(cut_view(o, &o->grouping.columns[i].ids, o->grouping.columns[i].name, from, to));
  CRD_TRY(cut_view(o, &parts->features, "rows of features", from, to));
  const size_t rows = crd__data_rows_of(&parts->scores);
  parts->scores = crd_array_slice(parts->scores, from, to);
  parts->first_row = from;
  const bool enough = parts->labels.data || parts->correct.data;
  if (enough || !o->options->labels) return CRD_OK;
  return open_labels(o, rows);
}

/* ---- Class names. */

static crd_status note_twins(opening *o) {
  const crd_predictions_parts *const parts = &o->parts;
  crd__words words = { 0 };
  crd_status status = CRD_OK;
  size_t twins = 0, first = 0, last = 0;
  assert(parts->class_names || parts->class_name_count == 0);
  for (size_t k = 0; k < parts->class_name_count && status == CRD_OK; k++) {
    const char *const name = parts->class_names[k];
    if (!*name) continue;
    const size_t before = words.count;
    size_t number;
    status = crd__words_add(o->ctx, &words, name, strlen(name), &number);
    if (status != CRD_OK || words.count > before || twins++) continue;
    last = k;
    while (strcmp(parts->class_names[first], name) != 0) first++;
  }
  crd__words_clear(&o->ctx->alloc, &words);
  if (status != CRD_OK || twins == 0) return status;
  char brief[61];
  return crd__notes_add(o->ctx, &o->ctx->alloc, &o->notes,
                        "classes %zu and %zu are both called '%s'%s", first, last,
                        crd__utf8_brief(parts->class_names[last], brief, sizeof brief),
                        twins > 1 ? ", and there are more such" : "");
}

/* Names of the options take precedence over those of the group, then of the file. */
static crd_status take_class_names(opening *o) {
  crd_predictions_parts *const parts = &o->parts;
  crd__io_bundle *const bundle = o->bundle;
  if (crd__io_input_is_top(parts->input)) return CRD_OK;
  parts->class_names = (const char *const *)bundle->class_names;
  parts->class_name_count = bundle->class_name_count;
  size_t index = crd__io_bundle_find_in(bundle, o->pred.group, names_key);
  if (index == bundle->count) index = crd__io_bundle_find_in(bundle, NULL, names_key);
  if (!parts->class_names && index < bundle->count) {
    CRD_TRY(crd__io_bundle_strings(o->ctx, bundle, index));
    parts->class_names = (const char *const *)bundle->entries[index].names;
    parts->class_name_count = bundle->entries[index].shape[0];
  }
  const size_t classes = crd__data_cols(&parts->scores) == 1 ? 2 : crd__data_cols(&parts->scores);
  if (o->options->class_names && parts->class_name_count != classes)
    return crd__fail(o->ctx, CRD_EINPUT, "%s: found %zu names, %s has %zu classes",
                     o->options->class_names, parts->class_name_count, o->path, classes);
  return note_twins(o);
}

/* Takes labels of the file itself, if it has any. */
static crd_status take_labels(opening *o) {
  crd_predictions_parts *const parts = &o->parts;
  const size_t index = o->choice.labels;
  const bool pairs = crd__io_input_is_top(parts->input);
  if (index == o->bundle->count) {
    const crd__io_choice_query c = choosing_of(o, o->bundle, &o->pred);
    const bool needed = !pairs && !o->options->labels_optional && !o->options->labels;
    return needed ? crd__io_refuse_missing(&c, CRD__LABELS) : CRD_OK;
  }
  CRD_TRY(load_labels(o, o->bundle, index, o->bundle->count));
  if (!pairs) CRD_TRY(crd__io_refuse_multi_hot(o->ctx, o->bundle, o->choice.scores, index));
  CRD_TRY(take_entry(o, o->bundle, index, &parts->labels));
  const char *const name = o->bundle->entries[index].name;
  const crd__io_key *const key =
      crd__io_key_in(o->bundle, o->pred.group, CRD__LABELS, crd__io_keys, &(size_t){ 0 });
  parts->labels_name = key ? key->name : name;
  if (!o->options->labels) return CRD_OK;
  return crd__notes_add(o->ctx, &o->ctx->alloc, &o->notes,
                        "%s brings its own labels; %s was not used", o->path, o->options->labels);
}

static crd_status take_groups(opening *o) {
  crd__io_grouping *const g = &o->grouping;
  *g = (crd__io_grouping){ .bundle = o->bundle,
                           .group = o->pred.group,
                           .options = o->options,
                           .rows = crd__data_rows_of(&o->parts.scores) };
  CRD_TRY(crd__io_grouping_take(o->ctx, g));
  for (size_t i = 0; i < g->notes.count; i++)
    CRD_TRY(crd__notes_add(o->ctx, &o->ctx->alloc, &o->notes, "%s", g->notes.items[i]));
  o->parts.group_columns = g->columns;
  o->parts.group_column_count = g->count;
  o->parts.cluster = g->cluster;
  return CRD_OK;
}

static crd_status take_parts(opening *o) {
  crd_predictions_parts *parts = &o->parts;
  const crd__io_key *key;
  CRD_TRY(take_scores(o));
  CRD_TRY(take_role(o, CRD__WEIGHTS, &parts->weights, &key));
  CRD_TRY(take_groups(o));
  if (o->options->features) CRD_TRY(take_role(o, CRD__FEATURES, &parts->features, &key));
  CRD_TRY(take_class_names(o));
  const bool pairs = crd__io_input_is_top(parts->input);
  if (pairs) CRD_TRY(take_role(o, CRD__CORRECT, &parts->correct, &key));
  if (pairs && parts->correct.data) return cut_all(o);
  if (pairs) CRD_TRY(take_predicted(o, &parts->predicted));
  CRD_TRY(take_labels(o));
  return cut_all(o);
}

/* ---- Opening. */

static crd_status keep_notes(opening *o, const crd__notes *from, crd_predictions *to) {
  for (size_t i = 0; i < from->count; i++)
    CRD_TRY(crd__notes_add(o->ctx, &to->alloc, &to->notes, "%s", from->items[i]));
  return CRD_OK;
}

/* Notes about the file of labels begin with its name. */
static crd_status keep_notes_of(opening *o, const crd__io_bundle *other, crd_predictions *to) {
  for (size_t i = 0; i < other->notes.count; i++)
    CRD_TRY(crd__notes_add(o->ctx, &to->alloc, &to->notes, "%s: %s", other->name,
                           other->notes.items[i]));
  return CRD_OK;
}

static crd_status keep_all_notes(opening *o, crd_predictions *to) {
  CRD_TRY(keep_notes(o, &o->bundle->notes, to));
  if (o->bundle->next) CRD_TRY(keep_notes_of(o, o->bundle->next, to));
  return keep_notes(o, &o->notes, to);
}

static void release(const crd_allocator *alloc, void *keeper) {
  (void)alloc;
  crd__io_bundle_destroy(keeper);
}

static crd_status open_all(opening *o, crd_predictions **out) {
  o->parts.name = o->path;
  o->parts.binary = o->options->binary;
  o->parts.trusted = o->options->trusted;
  o->parts.labels_optional = o->options->labels_optional;
  o->parts.keep_ignored = o->options->keep_ignored;
  CRD_TRY(crd__io_specifier_parse(o->ctx, o->path, &o->pred));
  if (!o->bundle) CRD_TRY(crd__io_bundle_open(o->ctx, o->pred.file, o->options, &o->bundle));
  CRD_TRY(take_parts(o));
  crd_predictions *predictions;
  CRD_TRY(crd_predictions_create(o->ctx, &o->parts, &predictions));
  const crd_status status = keep_all_notes(o, predictions);
  if (status != CRD_OK) {
    crd_predictions_destroy(predictions);
    return status;
  }
  predictions->keeper = o->bundle;
  predictions->release = release;
  o->bundle = NULL;
  *out = predictions;
  return CRD_OK;
}

crd_status crd__io_predictions_of(crd_context *ctx, crd__io_bundle *bundle, const char *path,
                                  const crd_open_options *options, crd_predictions **out) {
  static const crd_open_options defaults = { .size = sizeof defaults };
  opening o = { .ctx = ctx,
                .path = path,
                .options = options ? options : &defaults,
                .bundle = bundle,
                .parts = { .size = sizeof o.parts } };
  *out = NULL;
  const crd_status status = open_all(&o, out);
  crd__io_bundle_destroy(o.bundle);
  crd__io_grouping_clear(&ctx->alloc, &o.grouping);
  crd__notes_clear(&ctx->alloc, &o.notes);
  crd__io_specifier_clear(&ctx->alloc, &o.pred);
  return status;
}

crd_status crd_predictions_open(crd_context *ctx, const char *path, const crd_open_options *options,
                                crd_predictions **out) {
  crd_open_options own;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_open_options, options, &own));
  return crd__io_predictions_of(ctx, NULL, path, &own, out);
}

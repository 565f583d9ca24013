/*
 * predictions.c -- assemble scores, labels, weights, groups and features, and check their shapes.
 *
 * Values are checked when they are read (rows.c), so that a file of gigabytes is not read twice;
 * only weights are read here, for their scale, and scores if their kind must be inferred.
 */
#include "data/predictions.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/table.h"
#include "base/utf8.h"
#include "data/array.h"
#include "data/clusters.h"
#include "data/recognise.h"
#include "data/rows.h"

#include <math.h>
#include <stdio.h>

static const char *const input_names[] = {
#define X(name, text) text,
  CRD_INPUT_LIST(X)
#undef X
};

const char *crd_input_name(crd_input input) { return CRD_NAME_AT(input_names, input); }

static crd_status check_column(crd_context *ctx, const crd_predictions *p, const crd_array *view,
                               const char *what) {
  const crd_predictions_parts *const parts = &p->parts;
  if (!view->data) return CRD_OK;
  if (crd__data_cols(view) != 1)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s have %zu columns, expected one", parts->name, what,
                     crd__data_cols(view));
  if (crd__data_rows_of(view) != crd__data_rows_of(&parts->scores))
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu %s for %zu rows", parts->name,
                     crd__data_rows_of(view), what, crd__data_rows_of(&parts->scores));
  return CRD_OK;
}

static crd_status check_features(crd_context *ctx, const crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (!parts->features.data) return CRD_OK;
  if (crd__data_rows_of(&parts->features) != crd__data_rows_of(&parts->scores))
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu rows of features for %zu rows", parts->name,
                     crd__data_rows_of(&parts->features), crd__data_rows_of(&parts->scores));
  if (crd__data_cols(&parts->features) == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: features have no columns, expected at least one",
                     parts->name);
  return CRD_OK;
}

static crd_status check_labels(crd_context *ctx, const crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (!parts->labels.data)
    return parts->labels_optional ? CRD_OK : crd__data_labels_require(ctx, p);
  if (crd__data_rows_of(&parts->labels) != crd__data_rows_of(&parts->scores))
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu labels for %zu rows", parts->name,
                     crd__data_rows_of(&parts->labels), crd__data_rows_of(&parts->scores));
  if (crd__data_cols(&parts->labels) != 1 && crd__data_cols(&parts->labels) != p->classes)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: labels have %zu columns, expected 1 (class indices) or %zu (one-hot)",
                     parts->name, crd__data_cols(&parts->labels), p->classes);
  return CRD_OK;
}

static crd_status check_pairs(crd_context *ctx, const crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (crd__data_cols(&parts->scores) != 1)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s has %zu columns, expected one", parts->name,
                     parts->scores_name, crd__data_cols(&parts->scores));
  if (!parts->labels_optional) CRD_TRY(crd__data_labels_require(ctx, p));
  CRD_TRY(check_column(ctx, p, &parts->correct, "marks of correctness"));
  CRD_TRY(check_column(ctx, p, &parts->predicted, "predicted labels"));
  return check_column(ctx, p, &parts->labels, "labels");
}

static crd_status check_class_names(crd_context *ctx, const crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (!parts->class_names || parts->class_name_count == p->classes) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: %zu class names for %zu classes", parts->name,
                   parts->class_name_count, p->classes);
}

static crd_status check_shapes(crd_context *ctx, crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (!parts->scores.data || crd__data_rows_of(&parts->scores) == 0 ||
      crd__data_cols(&parts->scores) == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s is empty, expected at least one row", parts->name,
                     parts->scores_name);
  CRD_TRY(check_column(ctx, p, &parts->weights, "weights"));
  for (size_t i = 0; i < parts->group_column_count; i++)
    CRD_TRY(check_column(ctx, p, &parts->group_columns[i].ids, parts->group_columns[i].name));
  CRD_TRY(check_features(ctx, p));
  if (crd__data_is_top_only(p)) return check_pairs(ctx, p);
  p->classes = crd__data_cols(&parts->scores) == 1 ? 2 : crd__data_cols(&parts->scores);
  CRD_TRY(check_column(ctx, p, &parts->confidence, "confidences"));
  CRD_TRY(check_column(ctx, p, &parts->predicted, "predicted labels"));
  return check_labels(ctx, p);
}

/*
 * Weights near 1 are used unchanged, so that parts of a data set agree on their scale. Others are
 * scaled by a power of two, which changes no digit of any result.
 */
static crd_status scale_weights(crd_context *ctx, crd_predictions *p) {
  const crd_array *const weights = &p->parts.weights;
  double least = INFINITY, most = 0;
  char text[CRD__NUMBER_SIZE], other[CRD__NUMBER_SIZE];
  for (size_t i = 0; weights->data && i < p->rows; i++) {
    const double weight = crd__data_array_number(weights, crd__data_row_at(p, i), 0);
    if (!(weight >= 0 && weight <= 0x1p1000))
      return crd__data_row_fail(ctx, p, "weights", i, ": found %s, expected a number %s",
                                crd__number_format(text, weight),
                                weight > 0 ? "of at most 2^1000" : "not below 0");
    if (weight == 0) continue;
    least = fmin(least, weight);
    most = fmax(most, weight);
  }
  if (!weights->data) return CRD_OK;
  if (most == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: all weights are 0, expected at least one above 0",
                     p->parts.name);
  if (most < 0x1p-16 || most > 0x1p16) p->weight_shift = -ilogb(most);
  if (ldexp(least, p->weight_shift) < 0x1p-32)
    return crd__fail(
        ctx, CRD_EINPUT, "%s: weights range from %s to %s, allowed is a ratio of 2^32 = 4.3e9",
        p->parts.name, crd__number_format(text, least), crd__number_format(other, most));
  return CRD_OK;
}

static crd_status own_names(crd_context *ctx, crd_predictions *p,
                            const crd_predictions_parts *parts) {
  const struct {
    const char **at;
    const char *given, *otherwise;
  } names[] = {
    { &p->parts.name, parts->name, "predictions" },
    { &p->parts.scores_name, parts->scores_name, "scores" },
    { &p->parts.labels_name, parts->labels_name, "labels" },
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) *names[i].at = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    *names[i].at = crd__strdup(&p->alloc, names[i].given ? names[i].given : names[i].otherwise);
    if (!*names[i].at) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  }
  return CRD_OK;
}

static crd_status add_group_column(crd_context *ctx, crd_predictions *p,
                                   const crd_group_column *given) {
  crd_group_column *const column = &p->columns[p->parts.group_column_count++];
  *column = *given;
  column->name = crd__strdup(&p->alloc, given->name ? given->name : "groups");
  return column->name ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
}

/* Copies all group columns, including `groups`, into one owned list. */
static crd_status own_group_columns(crd_context *ctx, crd_predictions *p,
                                    const crd_predictions_parts *parts) {
  const crd_group_column unnamed = { "groups", parts->groups, parts->group_names,
                                     parts->group_name_count };
  p->parts.groups = (crd_array){ 0 };
  p->parts.group_names = NULL;
  p->parts.group_name_count = p->parts.group_column_count = 0;
  CRD_TRY(crd__new(ctx, parts->group_column_count + 1, sizeof *p->columns, "groups", &p->columns));
  p->parts.group_columns = p->columns;
  if (parts->groups.data) CRD_TRY(add_group_column(ctx, p, &unnamed));
  for (size_t i = 0; i < parts->group_column_count; i++)
    CRD_TRY(add_group_column(ctx, p, &parts->group_columns[i]));
  return CRD_OK;
}

/* Makes matrices of all arrays: users may give vectors, and leave strides out. */
static crd_status take_matrices(crd_context *ctx, crd_predictions *p) {
  crd_predictions_parts *const parts = &p->parts;
  const struct {
    const char *what;
    crd_array *array;
  } arrays[] = {
    { parts->scores_name, &parts->scores },    { parts->labels_name, &parts->labels },
    { "predicted labels", &parts->predicted }, { "marks of correctness", &parts->correct },
    { "confidences", &parts->confidence },     { "weights", &parts->weights },
    { "features", &parts->features },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    CRD_TRY(crd__data_matrix(ctx, parts->name, arrays[i].what, arrays[i].array));
  for (size_t i = 0; i < parts->group_column_count; i++)
    CRD_TRY(crd__data_matrix(ctx, parts->name, p->columns[i].name, &p->columns[i].ids));
  return CRD_OK;
}

crd_status crd_predictions_create(crd_context *ctx, const crd_predictions_parts *parts,
                                  crd_predictions **out) {
  crd_predictions_parts own;
  crd_predictions *p;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_predictions_parts, parts, &own));
  CRD_TRY(crd__new(ctx, 1, sizeof *p, "predictions", &p));
  p->alloc = ctx->alloc;
  p->parts = own;
  p->parts.cluster = NULL;
  crd_status status = own_names(ctx, p, &own);
  p->tolerance = CRD__PROBABILITY_SLACK;
  if (status == CRD_OK) status = own_group_columns(ctx, p, &own);
  if (status == CRD_OK) status = take_matrices(ctx, p);
  p->rows = crd__data_rows_of(&p->parts.scores);
  if (status == CRD_OK) status = check_shapes(ctx, p);
  if (status == CRD_OK) status = crd__data_clusters_resolve(ctx, p, own.cluster);
  if (status == CRD_OK) status = check_class_names(ctx, p);
  if (status == CRD_OK) status = crd__data_predictions_drop_ignored(ctx, p);
  if (status == CRD_OK) status = scale_weights(ctx, p);
  if (status == CRD_OK) status = crd__data_recognise(ctx, p);
  if (status == CRD_OK) *out = p;
  else crd_predictions_destroy(p);
  return status;
}

static void free_description(const crd_allocator *alloc, const crd_predictions *p) {
  crd__free(alloc, (void *)(uintptr_t)p->parts.name);
  crd__free(alloc, (void *)(uintptr_t)p->parts.scores_name);
  crd__free(alloc, (void *)(uintptr_t)p->parts.labels_name);
  for (size_t i = 0; p->columns && i < p->parts.group_column_count; i++)
    crd__free(alloc, (void *)(uintptr_t)p->columns[i].name);
  crd__free(alloc, p->columns);
}

void crd_predictions_destroy(crd_predictions *predictions) {
  if (!predictions) return;
  const crd_allocator alloc = predictions->alloc;
  if (predictions->release) predictions->release(&alloc, predictions->keeper);
  crd__notes_clear(&alloc, &predictions->notes);
  crd__free(&alloc, predictions->picked);
  if (!predictions->borrows) free_description(&alloc, predictions);
  crd__data_clusters_clear(predictions);
  if (predictions->owns_recalibrated) crd__free(&alloc, predictions->recalibrated);
  crd__free(&alloc, predictions);
}

size_t crd_predictions_rows(const crd_predictions *predictions) { return predictions->rows; }
uint64_t crd_predictions_first_row(const crd_predictions *predictions) {
  return predictions->parts.first_row;
}
size_t crd_predictions_classes(const crd_predictions *predictions) { return predictions->classes; }
const char *crd_predictions_class_name(const crd_predictions *predictions, size_t k) {
  const crd_predictions_parts *const parts = &predictions->parts;
  const bool named = parts->class_names && k < predictions->classes;
  return named && parts->class_names[k][0] ? parts->class_names[k] : NULL;
}
const char *crd__data_class_text(const crd_predictions *predictions, size_t k,
                                 char out[static CRD__CLASS_TEXT]) {
  const char *const name = crd_predictions_class_name(predictions, k);
  char brief[61];
  if (name)
    snprintf(out, CRD__CLASS_TEXT, "%zu (%s)", k, crd__utf8_brief(name, brief, sizeof brief));
  else snprintf(out, CRD__CLASS_TEXT, "%zu", k);
  return out;
}
crd_status crd__data_ranking_refuse(crd_context *ctx, const crd_predictions *predictions,
                                    const char *what) {
  if (predictions->parts.input != CRD_INPUT_RANKING) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%s: a ranking is not a probability: %s needs logits, probabilities or "
                   "confidences in [0, 1]",
                   predictions->parts.name, what);
}
crd_input crd_predictions_input(const crd_predictions *predictions) {
  return predictions->parts.input;
}
int crd_predictions_has_weights(const crd_predictions *predictions) {
  return predictions->parts.weights.data != NULL;
}
size_t crd_predictions_features(const crd_predictions *predictions) {
  return predictions->parts.features.data ? crd__data_cols(&predictions->parts.features) : 0;
}
const char *crd_predictions_group_column(const crd_predictions *predictions, size_t index) {
  const crd_predictions_parts *const parts = &predictions->parts;
  return index < parts->group_column_count ? parts->group_columns[index].name : NULL;
}
const char *crd_predictions_name(const crd_predictions *predictions) {
  return predictions->parts.name;
}
const char *crd_predictions_scores_name(const crd_predictions *predictions) {
  return predictions->parts.scores_name;
}

const char *crd_predictions_labels_name(const crd_predictions *predictions) {
  return predictions->parts.labels_name;
}

const char *crd_predictions_note(const crd_predictions *predictions, size_t index) {
  return index < predictions->notes.count ? predictions->notes.items[index] : NULL;
}

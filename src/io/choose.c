/*
 * choose.c -- finds arrays by name: the names of the options, or the table of keys.
 *
 * Some names mean scores or predicted labels, depending on the array: y_pred of (n, k) numbers is
 * scores, y_pred of n integers or strings is predicted labels.
 */
#include "io/choose.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/advice.h"
#include "io/by_shape.h"

#include <math.h>
#include <string.h>

/* ---- By option. */

/* Finds the array that an option names, first in the group; fails with EINPUT if there is none. In
 * tables the option has already chosen columns. */
static crd_status find_asked(const crd__io_choice_query *c, const char *name, const char *option,
                             size_t *out) {
  *out = crd__io_bundle_find_in(c->bundle, c->group, name);
  if (*out == c->bundle->count) *out = crd__io_bundle_find(c->bundle, name);
  if (*out < c->bundle->count || crd__io_bundle_is_table(c->bundle)) return CRD_OK;
  crd__text text;
  crd__text_init(&text, &c->ctx->alloc);
  crd__io_bundle_describe(c->ctx, c->bundle, &text);
  crd_status status = crd__text_status(c->ctx, &text);
  if (status == CRD_OK)
    status = crd__fail(c->ctx, CRD_EINPUT, "%.200s: no array '%.60s' for %s: found %s", c->file,
                       name, crd__spell(c->ctx, option), text.bytes);
  crd__text_clear(&text);
  return status;
}

/* ---- By name. */

static bool are_whole(const crd_array *view) {
  for (size_t i = 0; i < crd__data_rows_of(view); i++) {
    const double value = crd__data_array_number(view, i, 0);
    if (value != floor(value)) return false; /* also NaN */
  }
  return true;
}

/* Sets *out to whether the array is one column of integers or strings. */
static crd_status is_labels(const crd__io_choice_query *c, size_t index, bool *out) {
  const crd__io_entry *const entry = &c->bundle->entries[index];
  crd_array view;
  *out = false;
  CRD_TRY(crd__io_bundle_peek(c->ctx, c->bundle, index));
  if (entry->rank == 0 || entry->rank > 2 || (entry->rank == 2 && entry->shape[1] != 1))
    return CRD_OK;
  *out = entry->strings || crd__data_array_is_integral(&entry->view);
  if (*out) return CRD_OK;
  CRD_TRY(crd__io_bundle_matrix(c->ctx, c->bundle, index, &view));
  *out = are_whole(&view);
  return CRD_OK;
}

crd_status crd__io_choose_next(const crd__io_choice_query *c, const crd__io_key *from,
                               const crd__io_key **key, size_t *index) {
  for (*key = from;; ++*key) {
    bool labels = false;
    *key = crd__io_key_in(c->bundle, c->group, CRD__SCORES, *key, index);
    if (!*key || !(*key)->labels_if_whole) return CRD_OK;
    CRD_TRY(is_labels(c, *index, &labels));
    if (!labels) return CRD_OK;
  }
}

/* Finds "Logits" if there is no "logits". */
static size_t find_in_any_case(const crd__io_choice_query *c, crd__io_role role,
                               const crd__io_key **key) {
  for (size_t i = 0; i < c->bundle->count; i++) {
    const char *const name = crd__io_by_shape_name(c->bundle->entries[i].name, c->group);
    *key = name ? crd__io_key_find_in_any_case(name, strlen(name)) : NULL;
    if (*key && (*key)->role == role && !(*key)->labels_if_whole && !crd__io_key_is_pairs(*key))
      return i;
  }
  *key = NULL;
  return c->bundle->count;
}

/* Confidences or a ranking without `correct` and predicted labels: scores of all classes take
 * precedence. */
static bool is_bare(const crd__io_choice_query *c, const crd__io_key *key) {
  size_t index;
  return crd__io_key_is_pairs(key) && !crd__io_input_is_top(c->options->input) &&
         !crd__io_key_in(c->bundle, c->group, CRD__CORRECT, crd__io_keys, &index) &&
         !crd__io_key_in(c->bundle, c->group, CRD__PREDICTED, crd__io_keys, &index);
}

/* A kind other than a ranking that an option declares is not that of the array `ranking`. */
static bool is_excluded(const crd__io_choice_query *c, const crd__io_key *key) {
  return key && key->input == CRD_INPUT_RANKING && crd__io_input_other(c->options->input);
}

/* A ranking with predicted labels takes precedence over all other scores. */
static bool find_ranking(const crd__io_choice_query *c, crd__io_choice *out) {
  const crd__io_key *const key = crd__io_key_find("ranking", strlen("ranking"));
  const size_t index = crd__io_bundle_find_in(c->bundle, c->group, key->name);
  if (index == c->bundle->count || is_excluded(c, key) || is_bare(c, key)) return false;
  out->key = key;
  out->scores = index;
  return true;
}

static crd_status find_scores_named(const crd__io_choice_query *c, crd__io_choice *out) {
  const crd__io_key *const confidence = crd__io_key_find("confidence", strlen("confidence"));
  if (c->options->input == CRD_INPUT_PAIRS)
    out->key = crd__io_key_in(c->bundle, c->group, CRD__SCORES, confidence, &out->scores);
  if (out->key || find_ranking(c, out)) return CRD_OK;
  crd__io_choice bare = *out;
  CRD_TRY(crd__io_choose_next(c, crd__io_keys, &out->key, &out->scores));
  while (is_excluded(c, out->key) || is_bare(c, out->key)) {
    if (!bare.key && !is_excluded(c, out->key)) bare = *out;
    CRD_TRY(crd__io_choose_next(c, out->key + 1, &out->key, &out->scores));
  }
  if (!out->key) *out = bare;
  return CRD_OK;
}

/* An array `predictions` of integers counts as scores if there are no others. */
static crd_status find_scores(const crd__io_choice_query *c, crd__io_choice *out) {
  if (c->options->scores) {
    CRD_TRY(find_asked(c, c->options->scores, "scores", &out->scores));
    out->key = crd__io_key_find(c->options->scores, strlen(c->options->scores));
    if (out->key && out->key->role != CRD__SCORES) out->key = NULL;
    if (out->scores < c->bundle->count) return CRD_OK;
    out->key = NULL;
  }
  CRD_TRY(find_scores_named(c, out));
  if (out->key) return CRD_OK;
  out->scores = crd__io_bundle_find_in(c->bundle, c->group, "predictions");
  if (out->scores < c->bundle->count) {
    out->key = crd__io_key_find("predictions", strlen("predictions"));
    return crd__io_bundle_peek(c->ctx, c->bundle, out->scores);
  }
  out->scores = find_in_any_case(c, CRD__SCORES, &out->key);
  return CRD_OK;
}

/* If the option `labels` is set, only keys that do not yield take precedence over it. */
crd_status crd__io_choose_labels_named(const crd__io_choice_query *c, size_t *out) {
  const bool elsewhere = c->options->labels != NULL;
  const crd__io_key *key;
  if (c->options->label_key) {
    *out = crd__io_bundle_find_in(c->bundle, c->group, c->options->label_key);
    if (*out < c->bundle->count || elsewhere) return CRD_OK;
    CRD_TRY(find_asked(c, c->options->label_key, "label_key", out));
    if (*out < c->bundle->count) return CRD_OK;
  }
  key = crd__io_key_in(c->bundle, c->group, CRD__LABELS, crd__io_keys, out);
  if (key && !(elsewhere && key->yields)) return CRD_OK;
  *out = elsewhere ? c->bundle->count : find_in_any_case(c, CRD__LABELS, &key);
  return CRD_OK;
}

crd_status crd__io_choose_predicted(const crd__io_choice_query *c, size_t *out) {
  if (crd__io_key_in(c->bundle, c->group, CRD__PREDICTED, crd__io_keys, out)) return CRD_OK;
  for (const crd__io_key *key = crd__io_keys; key->name; key++) {
    bool labels = false;
    if (!key->labels_if_whole) continue;
    *out = crd__io_bundle_find_in(c->bundle, c->group, key->name);
    if (*out < c->bundle->count) CRD_TRY(is_labels(c, *out, &labels));
    if (labels) return CRD_OK;
  }
  *out = c->bundle->count;
  return CRD_OK;
}

crd_status crd__io_choose_arrays(const crd__io_choice_query *c, crd__io_choice *out) {
  const size_t none = c->bundle->count;
  *out = (crd__io_choice){ none, none, NULL };
  CRD_TRY(find_scores(c, out));
  CRD_TRY(crd__io_choose_labels_named(c, &out->labels));
  const bool pairs = crd__io_input_is_top(c->options->input) || crd__io_key_is_pairs(out->key);
  if (!pairs) CRD_TRY(crd__io_choose_by_shape(c, out));
  return out->scores < none ? CRD_OK : crd__io_refuse_missing(c, CRD__SCORES);
}

/* ---- Error messages for missing arrays. */

static void list_keys(crd__text *text, crd__io_role role) {
  const char *before = "";
  for (const crd__io_key *key = crd__io_keys; key->name; key++) {
    if (key->role != role) continue;
    crd__text_addf(text, "%s%s", before, key->name);
    before = ", ";
  }
}

/* Suggests FILE#val if there is an array val_logits. */
static void suggest_group(crd__text *text, const crd__io_bundle *bundle, const char *file) {
  for (size_t i = 0; i < bundle->count; i++) {
    const char *name = bundle->entries[i].name;
    if (crd__io_key_find(name, strlen(name))) continue; /* y_pred is not `pred` of a group y */
    for (const crd__io_key *key = crd__io_keys; key->name && key->role == CRD__SCORES; key++) {
      const size_t length = strlen(name), tail = strlen(key->name);
      if (length < tail + 2 || strcmp(name + length - tail, key->name) != 0) continue;
      const size_t group = length - tail - 1;
      if (group > 40 || !strchr("_/.", name[group])) continue;
      crd__text_addf(text, "; try %.100s#%.*s", file, (int)group, name);
      return;
    }
  }
}

static void suggest_scores(const crd__io_choice_query *c, crd__text *text) {
  size_t predicted = c->bundle->count, labels = c->bundle->count;
  const size_t before = text->length;
  suggest_group(text, c->bundle, c->file);
  if (crd__io_choose_predicted(c, &predicted) == CRD_OK && predicted < c->bundle->count)
    crd__text_addf(
        text,
        "; %.40s holds predicted labels: calibration needs probabilities or logits, such "
        "as model.predict_proba(X)",
        c->bundle->entries[predicted].name);
  crd__io_advise_reshape(c->ctx, c->bundle, text);
  if (text->length > before) return;
  const bool table = crd__io_bundle_is_table(c->bundle);
  crd__text_addf(text, "; choose with %s", crd__spell(c->ctx, table ? "columns" : "scores"));
  if (table) return;
  if (crd__io_choose_labels_named(c, &labels) != CRD_OK || labels == c->bundle->count)
    crd__text_addf(text, " and %s", crd__spell(c->ctx, "label_key"));
}

crd_status crd__io_refuse_missing(const crd__io_choice_query *c, crd__io_role role) {
  const bool scores = role == CRD__SCORES, table = crd__io_bundle_is_table(c->bundle);
  crd__text text;
  crd__text_init(&text, &c->ctx->alloc);
  crd__text_addf(&text, "%.200s: no %s", c->file, scores ? "scores" : "labels");
  if (c->group) crd__text_addf(&text, " of group '%.60s'", c->group);
  crd__text_add(&text, ": found ");
  crd__io_bundle_describe(c->ctx, c->bundle, &text);
  for (size_t i = 0; table && i < c->bundle->notes.count; i++)
    crd__text_addf(&text, " (%.200s)", c->bundle->notes.items[i]);
  if (scores) suggest_scores(c, &text);
  else
    crd__text_addf(&text, "; choose with %s, or name a file of labels with %s",
                   crd__spell(c->ctx, table ? "label_column" : "label_key"),
                   crd__spell(c->ctx, "labels"));
  crd__text_add(&text, "; recognised names are ");
  list_keys(&text, role);
  if (c->bundle->remark) crd__text_addf(&text, "; %s", c->bundle->remark);
  crd_status status = crd__text_status(c->ctx, &text);
  if (status == CRD_OK) status = crd__fail(c->ctx, CRD_EINPUT, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

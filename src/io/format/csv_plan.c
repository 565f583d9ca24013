/*
 * csv_plan.c -- assigns roles to the columns of a table.
 *
 * With a header, names decide: known keys are the label, weights, groups, pred_label, correct,
 * confidence and ranking; patients and subjects are groups; text columns and the index that pandas
 * writes are ignored, with a note; all others are scores in file order, unless their names separate
 * scores from other numbers (csv_family.c). Without a header, the first column is the label.
 * `columns`, `label_column`, `group_by` and `cluster` (names, or indices from 0) override. Columns
 * without a role are not parsed.
 */
#include "io/format/csv.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/grouping.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char index_reason[] = "row index", text_reason[] = "text";

static crd_status choose_label(crd__io_csv_planner *p) {
  const char *name = p->options->label_column;
  size_t column;
  CRD_TRY(crd__io_csv_find(p, name, strlen(name), &column));
  if (p->is[column] != CRD__CSV_UNUSED)
    return crd__fail(p->ctx, CRD_EUSAGE, "column '%s' cannot be both a score and the label", name);
  p->is[column] = CRD__LABELS;
  p->plan->key[CRD__LABELS] = "label";
  return CRD_OK;
}

static void add_group(crd__io_csv_planner *p, size_t column, crd__word name) {
  p->is[column] = CRD__GROUPS;
  p->plan->group_names[p->plan->group_count] = name;
  p->plan->to[column] = p->plan->group_count++; /* index among groups, until all scores are known */
}

/* Marks the listed columns as groups; names may repeat. */
static crd_status choose_groups(crd__io_csv_planner *p, const char *list) {
  for (const char *at = list; at;) {
    const size_t length = strcspn(at, ",");
    size_t column = 0;
    CRD_TRY(crd__io_csv_find(p, at, length, &column));
    if (p->is[column] == CRD__CSV_UNUSED) add_group(p, column, (crd__word){ at, length });
    else if (p->is[column] != CRD__GROUPS)
      return crd__fail(p->ctx, CRD_EUSAGE,
                       "column '%.*s' cannot be both a group column and a score or the label",
                       length < 60 ? (int)length : 60, at);
    at = at[length] ? at + length + 1 : NULL;
  }
  return CRD_OK;
}

/* Assigns the role of a column whose name is a key. */
static crd_status place_key(crd__io_csv_planner *p, size_t column, const crd__io_key *key) {
  const char **taken = &p->plan->key[key->role];
  if (key->role == CRD__LABELS && p->options->label_column) return CRD_OK;
  if (*taken)
    return crd__fail(p->ctx, CRD_EINPUT,
                     "columns '%s' and '%s' have the same role, expected only one%s%s", *taken,
                     key->name, key->role == CRD__LABELS ? ", or choose with " : "",
                     key->role == CRD__LABELS ? crd__spell(p->ctx, "label_column") : "");
  *taken = key->name;
  if (key->role == CRD__GROUPS) add_group(p, column, (crd__word){ key->name, strlen(key->name) });
  else p->is[column] = (int)key->role;
  return CRD_OK;
}

static void ignore(crd__io_csv_planner *p, size_t column, const char *why) {
  p->is[column] = CRD__CSV_IGNORED;
  p->why[column] = why;
}

/* pandas writes its index without a name, reads it as "Unnamed: 0" and writes that again. A column
 * named like an index is one if it counts 0, 1, 2 ... */
static bool is_index(const crd__io_csv_planner *p, size_t column) {
  static const char *const names[] = { "index", "idx", "id", "row", "row_id", "sample_id" };
  const crd__word name = p->plan->names[column];
  const crd__io_csv_column *const holds = &p->plan->sample->column[column];
  if (column > 0 || !holds->whole || p->plan->sample->rows == 0) return false;
  if (name.length == 0 || (name.length > 9 && memcmp(name.text, "Unnamed: ", 9) == 0)) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == name.length && strncasecmp(names[i], name.text, name.length) == 0)
      return holds->counts;
  return false;
}

/* A class may have such a name, too: but its scores are not all integers. */
static bool is_person(const crd__io_csv_planner *p, size_t column) {
  const crd__word name = p->plan->names[column];
  const crd__io_csv_sample *const sample = p->plan->sample;
  if (!crd__io_grouping_is_patient(name.text, name.length)) return false;
  for (size_t row = 0; row < sample->rows; row++) {
    const double value = sample->values[row * sample->columns + column];
    if (!isnan(value) && value != floor(value)) return false;
  }
  return true;
}

static crd_status place_by_name(crd__io_csv_planner *p, size_t column) {
  const crd__word name = p->plan->names[column];
  const crd__io_key *key = crd__io_key_find(name.text, name.length);
  const bool text = crd__io_csv_is_text(p->plan->sample, column);
  if (key && key->role != CRD__SCORES) return place_key(p, column, key);
  if (!key && is_person(p, column)) add_group(p, column, name);
  else if (crd__io_key_is_pairs(key)) p->is[column] = CRD__CSV_PAIRS;
  else if (p->options->columns) return CRD_OK;
  else if (key && key->labels_if_whole && (text || p->plan->sample->column[column].whole))
    p->is[column] = CRD__CSV_PREDICTED;
  else if (is_index(p, column)) ignore(p, column, index_reason);
  else if (text) ignore(p, column, text_reason);
  else if (name.length == 0)
    return crd__fail(p->ctx, CRD_EINPUT,
                     "column %zu has no name in the first line: name it, or choose the scores "
                     "with %s",
                     column + 1, crd__spell(p->ctx, "columns"));
  else p->is[column] = CRD__SCORES;
  return CRD_OK;
}

/* Without a header, 0, 1, 2 ... in the first column are labels, unless they exceed the number of
 * classes and the second column could be labels: then they are an index of pandas. */
static bool starts_with_index(const crd__io_csv_planner *p) {
  const crd__io_csv_sample *const sample = p->plan->sample;
  const size_t columns = p->plan->columns;
  if (p->options->columns || p->options->label_column || columns < 3) return false;
  if (!sample->column[0].counts || !sample->column[1].whole) return false;
  const double classes = columns == 3 ? 2 : (double)columns - 2;
  const double last = sample->values[(sample->rows - 1) * columns];
  for (size_t row = 0; row < sample->rows; row++) {
    const double label = sample->values[row * columns + 1];
    if (label != CRD_IGNORE_LABEL && !(label >= 0 && label < classes)) return false;
  }
  return last >= (double)columns;
}

static void place_by_position(crd__io_csv_planner *p, size_t column, size_t label) {
  if (column < label) ignore(p, column, index_reason);
  else if (column == label && !p->options->label_column) {
    p->is[column] = CRD__LABELS;
    p->plan->key[CRD__LABELS] = "label";
  } else if (!p->options->columns) {
    p->is[column] = CRD__SCORES;
  }
}

/* Finds "Label" if there is no "label" and labels must come from this file. */
static void find_label_in_any_case(crd__io_csv_planner *p) {
  const crd__io_csv_plan *const plan = p->plan;
  for (size_t i = 0; i < plan->columns; i++) {
    const crd__io_key *const key = crd__io_key_find(plan->names[i].text, plan->names[i].length);
    if (key && key->role == CRD__LABELS) return;
  }
  for (size_t i = 0; i < plan->columns; i++) {
    const crd__io_key *const key =
        crd__io_key_find_in_any_case(plan->names[i].text, plan->names[i].length);
    if (!key || key->role != CRD__LABELS || p->is[i] != CRD__CSV_UNUSED) continue;
    p->is[i] = CRD__LABELS;
    p->plan->key[CRD__LABELS] = key->name;
    return;
  }
}

static crd_status place_rest(crd__io_csv_planner *p) {
  const size_t label = !p->plan->names && starts_with_index(p) ? 1 : 0;
  const bool elsewhere =
      p->options->label_column || p->options->labels || p->options->labels_optional;
  if (p->plan->names && !elsewhere) find_label_in_any_case(p);
  for (size_t i = 0; i < p->plan->columns; i++) {
    if (p->is[i] != CRD__CSV_UNUSED) continue;
    if (!p->plan->names) place_by_position(p, i, label);
    else CRD_TRY(place_by_name(p, i));
  }
  return CRD_OK;
}

static size_t count_of(const crd__io_csv_planner *p, int what) {
  size_t count = 0;
  for (size_t i = 0; i < p->plan->columns; i++) count += p->is[i] == what;
  return count;
}

/* y_pred and the like, integers or text: predicted labels if there are confidences; else ignored if
 * there are scores; else the scores. */
static void place_predicted(crd__io_csv_planner *p) {
  const bool scores = count_of(p, CRD__SCORES) > 0, pairs = count_of(p, CRD__CSV_PAIRS) > 0;
  for (size_t i = 0; i < p->plan->columns; i++) {
    if (p->is[i] != CRD__CSV_PREDICTED) continue;
    if (pairs && !p->plan->key[CRD__PREDICTED]) {
      p->is[i] = CRD__PREDICTED;
      p->plan->key[CRD__PREDICTED] = "pred_label";
    } else if (scores || pairs) ignore(p, i, "predicted labels");
    else if (crd__io_csv_is_text(p->plan->sample, i)) ignore(p, i, text_reason);
    else p->is[i] = CRD__SCORES;
  }
}

/* Returns whether the column is called `ranking`. */
static bool is_ranking(const crd__io_csv_planner *p, size_t column) {
  const crd__word *const name = p->plan->names ? &p->plan->names[column] : NULL;
  const crd__io_key *const key = name ? crd__io_key_find(name->text, name->length) : NULL;
  return p->is[column] == CRD__CSV_PAIRS && key && key->input == CRD_INPUT_RANKING;
}

/* A ranking takes precedence over scores and confidences if predicted labels or `correct` go with
 * it; else these do. */
static void place_ranking(crd__io_csv_planner *p) {
  const bool whole = p->plan->key[CRD__CORRECT] || p->plan->key[CRD__PREDICTED] ||
                     count_of(p, CRD__CSV_PREDICTED) > 0;
  const bool wanted = whole && !p->options->columns && !crd__io_input_other(p->options->input);
  const size_t others = count_of(p, CRD__SCORES) + count_of(p, CRD__CSV_PAIRS);
  size_t ranking = 0;
  while (ranking < p->plan->columns && !is_ranking(p, ranking)) ranking++;
  if (ranking == p->plan->columns || others == 1) return;
  if (!wanted) {
    ignore(p, ranking, "a ranking");
    return;
  }
  for (size_t i = 0; i < p->plan->columns; i++)
    if (i != ranking && (p->is[i] == CRD__SCORES || p->is[i] == CRD__CSV_PAIRS))
      ignore(p, i, "the ranking is read");
}

/* If all columns are text, keep them as scores, so that parsing fails with an error message. */
static void fall_back(crd__io_csv_planner *p) {
  if (count_of(p, CRD__SCORES) + count_of(p, CRD__CSV_PAIRS) + count_of(p, CRD__LABELS) > 0) return;
  for (size_t i = 0; i < p->plan->columns; i++)
    if (p->is[i] == CRD__CSV_IGNORED) p->is[i] = CRD__SCORES;
}

/* Scores come first. A confidence counts as score if there is no other; else it is that of the
 * predicted label, if there is one. */
static void number_columns(crd__io_csv_planner *p) {
  crd__io_csv_plan *plan = p->plan;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] == CRD__SCORES && plan->to[i] == CRD__NOWHERE) plan->to[i] = plan->scores++;
  plan->key[CRD__SCORES] = "scores";
  for (size_t i = 0; i < plan->columns; i++) {
    if (p->is[i] != CRD__CSV_PAIRS) continue;
    if (plan->scores > 0) {
      p->is[i] = plan->key[CRD__PREDICTED] ? (int)CRD__TOP : CRD__CSV_UNUSED;
      plan->key[CRD__TOP] = "confidence";
      continue;
    }
    plan->to[i] = plan->scores++;
    plan->key[CRD__SCORES] = is_ranking(p, i) ? "ranking" : "confidence";
  }
  plan->width = plan->scores;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] > CRD__SCORES && p->is[i] < CRD__CSV_PAIRS && p->is[i] != CRD__GROUPS)
      plan->to[i] = plan->at[p->is[i]] = plan->width++;
  plan->groups = plan->width;
  plan->width += plan->group_count;
  for (size_t i = 0; i < plan->columns; i++)
    if (p->is[i] == CRD__GROUPS) plan->to[i] += plan->groups;
}

/* ---- Notes. */

static crd_status note_ignored(const crd__io_csv_planner *p, crd__notes *notes) {
  enum { SHOWN = 8 };
  const size_t count = count_of(p, CRD__CSV_IGNORED);
  size_t shown = 0;
  crd__text text;
  if (count == 0) return CRD_OK;
  crd__text_init(&text, &p->ctx->alloc);
  for (size_t i = 0; i < p->plan->columns && shown < SHOWN; i++) {
    if (p->is[i] != CRD__CSV_IGNORED) continue;
    const crd__word name = p->plan->names ? p->plan->names[i] : (crd__word){ "", 0 };
    crd__text_add(&text, shown++ ? ", " : "");
    if (name.length == 0) crd__text_addf(&text, "column %zu (%s)", i, p->why[i]);
    else
      crd__text_addf(&text, "'%.*s' (%s)", name.length < 40 ? (int)name.length : 40, name.text,
                     p->why[i]);
  }
  if (count > SHOWN) crd__text_addf(&text, " and %zu more", count - SHOWN);
  crd_status status = crd__text_status(p->ctx, &text);
  if (status == CRD_OK)
    status =
        crd__notes_add(p->ctx, &p->ctx->alloc, notes, "columns not used: %s; %s chooses the scores",
                       text.bytes, crd__spell(p->ctx, "columns"));
  crd__text_clear(&text);
  return status;
}

static crd_status fill(crd__io_csv_planner *p, crd__notes *notes) {
  if (p->options->columns) CRD_TRY(crd__io_csv_choose_scores(p));
  if (p->options->label_column) CRD_TRY(choose_label(p));
  CRD_TRY(choose_groups(p, p->options->group_by));
  CRD_TRY(choose_groups(p, crd__io_grouping_named(p->options->cluster)));
  CRD_TRY(place_rest(p));
  place_ranking(p);
  place_predicted(p);
  fall_back(p);
  if (p->plan->names && !p->options->columns) CRD_TRY(crd__io_csv_narrow_scores(p));
  CRD_TRY(crd__io_csv_note_labels(p, notes));
  number_columns(p);
  return note_ignored(p, notes);
}

crd_status crd__io_csv_plan_make(crd_context *ctx, const crd_open_options *options,
                                 crd__io_csv_plan *plan, crd__notes *notes) {
  crd__io_csv_planner p = { .ctx = ctx, .options = options, .plan = plan };
  for (size_t i = 0; i < CRD__ROLE_COUNT; i++) plan->at[i] = CRD__NOWHERE;
  CRD_TRY(crd__new(ctx, plan->columns, sizeof *plan->to, "columns", &plan->to));
  CRD_TRY(crd__new(ctx, plan->columns, sizeof *plan->group_names, "columns", &plan->group_names));
  crd_status status = crd__new(ctx, plan->columns, sizeof *p.is, "columns", &p.is);
  if (status == CRD_OK) status = crd__new(ctx, plan->columns, sizeof *p.why, "columns", &p.why);
  for (size_t i = 0; status == CRD_OK && i < plan->columns; i++) {
    plan->to[i] = CRD__NOWHERE;
    p.is[i] = CRD__CSV_UNUSED;
  }
  if (status == CRD_OK) status = fill(&p, notes);
  crd__free(&ctx->alloc, p.is);
  crd__free(&ctx->alloc, (void *)(uintptr_t)p.why);
  return status;
}

void crd__io_csv_plan_clear(const crd_allocator *alloc, crd__io_csv_plan *plan) {
  crd__free(alloc, plan->to);
  crd__free(alloc, plan->group_names);
  plan->to = NULL;
  plan->group_names = NULL;
}

/*
 * csv_family.c -- separates scores from other columns of numbers: prob_cat, prob_dog from age,
 * fold.
 *
 * If all columns together are probabilities, all are scores. Else the scores are the columns whose
 * names share a word for scores, such as prob or logit (logits first); else those that share any
 * prefix and are probabilities, if there is one such set; else a single column named y_prob or the
 * like. A reading in which labels exceed the number of classes is rejected. Linear in the number of
 * columns.
 */
#include "io/format/csv.h"

#include "base/memory.h"
#include "data/predictions.h"
#include "io/format/csv_names.h"

#include <math.h>
#include <string.h>

typedef struct {
  size_t count;
  bool strong, logits;
  double sum; /* of the first row */
} family;

typedef struct {
  const crd__io_csv_planner *p;
  crd__words words;
  size_t *of; /* family of each column, or NOWHERE */
  family *families;
  bool *chosen; /* for each column */
} families;

static bool is_score(const crd__io_csv_planner *p, size_t column) {
  return p->is[column] == CRD__SCORES;
}

static crd_status gather(families *f) {
  const crd__io_csv_plan *const plan = f->p->plan;
  for (size_t i = 0; i < plan->columns; i++) {
    const crd__io_affix affix = crd__io_affix_of(&plan->names[i]);
    f->of[i] = CRD__NOWHERE;
    if (!is_score(f->p, i) || affix.text.length == 0) continue;
    CRD_TRY(crd__words_add(f->p->ctx, &f->words, affix.text.text, affix.text.length, &f->of[i]));
    family *const mine = &f->families[f->of[i]];
    mine->count++;
    mine->strong = affix.strong;
    mine->logits = crd__io_affix_is_logits(&affix);
    if (plan->sample->rows > 0) mine->sum += plan->sample->values[i];
  }
  return CRD_OK;
}

/* Returns whether all numeric labels of the first rows are below the number of classes. */
static bool labels_fit(const crd__io_csv_planner *p, size_t scores) {
  const crd__io_csv_sample *const sample = p->plan->sample;
  const double classes = scores == 1 ? 2 : (double)scores;
  for (size_t i = 0; i < p->plan->columns; i++)
    for (size_t row = 0; p->is[i] == CRD__LABELS && row < sample->rows; row++)
      if (sample->values[row * sample->columns + i] >= classes) return false;
  return true;
}

static bool choose(const families *f, size_t wanted) {
  for (size_t i = 0; i < f->p->plan->columns; i++) f->chosen[i] = f->of[i] == wanted;
  return labels_fit(f->p, f->families[wanted].count);
}

static bool choose_strong(const families *f, bool logits) {
  for (size_t k = 0; k < f->words.count; k++) {
    const family *const each = &f->families[k];
    if (each->count > 1 && each->strong && each->logits == logits && choose(f, k)) return true;
  }
  return false;
}

static bool choose_probable(const families *f) {
  size_t found = CRD__NOWHERE;
  for (size_t k = 0; k < f->words.count; k++) {
    if (f->families[k].count < 2 || !(fabs(f->families[k].sum - 1) <= CRD__PROBABILITY_SLACK))
      continue;
    if (found != CRD__NOWHERE) return false;
    found = k;
  }
  return found != CRD__NOWHERE && choose(f, found) &&
         crd__io_csv_are_probabilities(f->p->plan->sample, f->chosen);
}

/* The first key of scores that is a column's name. */
static bool choose_single(const families *f) {
  const crd__io_csv_plan *const plan = f->p->plan;
  for (const crd__io_key *key = crd__io_keys; key->name; key++) {
    if (key->role != CRD__SCORES || crd__io_key_is_pairs(key)) continue;
    for (size_t i = 0; i < plan->columns; i++) {
      if (!is_score(f->p, i) || plan->names[i].length != strlen(key->name) ||
          memcmp(plan->names[i].text, key->name, plan->names[i].length) != 0)
        continue;
      for (size_t j = 0; j < plan->columns; j++) f->chosen[j] = j == i;
      return labels_fit(f->p, 1);
    }
  }
  return false;
}

static void ignore_others(crd__io_csv_planner *p, const bool *chosen) {
  for (size_t i = 0; i < p->plan->columns; i++) {
    if (!is_score(p, i) || chosen[i]) continue;
    p->is[i] = CRD__CSV_IGNORED;
    p->why[i] = "not named like the scores";
  }
}

static crd_status narrow(crd__io_csv_planner *p, families *f) {
  const size_t columns = p->plan->columns;
  CRD_TRY(crd__new(p->ctx, columns, sizeof *f->chosen, "columns", &f->chosen));
  for (size_t i = 0; i < columns; i++) f->chosen[i] = is_score(p, i);
  if (crd__io_csv_are_probabilities(p->plan->sample, f->chosen)) return CRD_OK;
  CRD_TRY(crd__new(p->ctx, columns, sizeof *f->of, "columns", &f->of));
  CRD_TRY(crd__new(p->ctx, columns, sizeof *f->families, "columns", &f->families));
  CRD_TRY(gather(f));
  if (choose_strong(f, true) || choose_strong(f, false) || choose_probable(f) || choose_single(f))
    ignore_others(p, f->chosen);
  return CRD_OK;
}

crd_status crd__io_csv_narrow_scores(crd__io_csv_planner *p) {
  families f = { .p = p };
  size_t scores = 0;
  for (size_t i = 0; i < p->plan->columns; i++) scores += is_score(p, i);
  if (scores < 2) return CRD_OK;
  const crd_status status = narrow(p, &f);
  crd__words_clear(&p->ctx->alloc, &f.words);
  crd__free(&p->ctx->alloc, f.of);
  crd__free(&p->ctx->alloc, f.families);
  crd__free(&p->ctx->alloc, f.chosen);
  return status;
}

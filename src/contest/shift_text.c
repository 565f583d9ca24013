/*
 * shift_text.c -- writes the verdict on a shifted set: how many methods still lower the score there
 * beyond chance, which one most, which raise it, and what the method chosen on clean data does to
 * ECE and AUROC.
 */
#include "contest/shift.h"

#include <math.h>
#include <string.h>

static const crd_difference *difference_of(const crd_shifted_candidate *c, const char *metric) {
  for (size_t i = 0; c->against_identity && i < c->against_identity->count; i++)
    if (strcmp(c->against_identity->items[i].metric->name, metric) == 0)
      return &c->against_identity->items[i];
  return NULL;
}

static double value_of(const crd_shifted_candidate *c, const char *metric) {
  const crd_metric_value *const v = crd_result_value(c->result, metric);
  return v ? v->value : (double)NAN;
}

/* -1: the score is lower beyond chance (p < 0.05), 1: higher, 0: neither. Without p, its sign. */
static int effect(const crd_shifted_candidate *c, const char *score) {
  const crd_difference *const d = difference_of(c, score);
  if (!d || isnan(d->value) || d->value == 0 || d->p >= 0.05) return 0;
  return d->value < 0 ? -1 : 1;
}

static size_t count_of(const crd__contest *t, const crd_contest_shift *set, int wanted) {
  size_t count = 0;
  for (size_t i = 1; i < t->contest.count; i++)
    count += effect(&set->candidates[i], t->contest.score) == wanted;
  return count;
}

static size_t lowest(const crd__contest *t, const crd_contest_shift *set) {
  size_t best = 0;
  for (size_t i = 1; i < t->contest.count; i++)
    if (value_of(&set->candidates[i], t->contest.score) <
        value_of(&set->candidates[best], t->contest.score))
      best = i;
  return best;
}

static void add_score(const crd__contest *t, const crd_contest_shift *set, size_t method,
                      crd__text *out) {
  crd__text_add(out, " (");
  crd__contest_verdict_number(out, value_of(&set->candidates[0], t->contest.score));
  crd__text_add(out, " -> ");
  crd__contest_verdict_number(out, value_of(&set->candidates[method], t->contest.score));
  crd__text_add(out, ")");
}

/* A contest of one method needs no counts. */
static void say_method(const crd__contest *t, const crd_contest_shift *set, crd__text *out) {
  static const char *const words[] = { "still lowers", "does not change", "raises" };
  const int found = effect(&set->candidates[1], t->contest.score);
  if (!set->candidates[1].result) {
    crd__text_addf(out, "%s has no result.", t->items[1].name);
    return;
  }
  crd__text_addf(out, "%s %s %s", t->items[1].name, words[found + 1],
                 crd__contest_score_name(t->contest.score));
  crd__text_add(out, found ? "" : " beyond chance");
  add_score(t, set, 1, out);
  crd__text_add(out, ".");
}

static void say_methods(const crd__contest *t, const crd_contest_shift *set, crd__text *out) {
  const size_t methods = t->contest.count - 1, helping = count_of(t, set, -1),
               harming = count_of(t, set, 1), best = lowest(t, set);
  const char *const name = crd__contest_score_name(t->contest.score);
  if (helping == 0) crd__text_addf(out, "none of %zu methods lowers %s", methods, name);
  else if (helping == methods) crd__text_addf(out, "all %zu methods still lower %s", methods, name);
  else
    crd__text_addf(out, "%zu of %zu methods still lower%s %s", helping, methods,
                   helping == 1 ? "s" : "", name);
  if (helping) {
    crd__text_addf(out, ", %s most", t->items[best].name);
    add_score(t, set, best, out);
  }
  const char *before = "; ";
  for (size_t i = 1; harming && i < t->contest.count; i++) {
    if (effect(&set->candidates[i], t->contest.score) != 1) continue;
    crd__text_addf(out, "%s%s", before, t->items[i].name);
    before = ", ";
  }
  if (harming) crd__text_addf(out, " raise%s it", harming == 1 ? "s" : "");
  crd__text_add(out, ".");
}

static void add_change(crd__text *out, const crd_contest_shift *set, size_t chosen,
                       const char *metric, const char *name) {
  const crd_difference *const d = difference_of(&set->candidates[chosen], metric);
  if (!d || isnan(d->value)) return;
  crd__text_addf(out, " %s ", name);
  crd__contest_verdict_number(out, value_of(&set->candidates[0], metric));
  crd__text_add(out, " -> ");
  crd__contest_verdict_number(out, value_of(&set->candidates[chosen], metric));
  crd__text_add(out, d->p >= 0.05 ? " (not beyond chance)" : "");
}

static void say_chosen(const crd__contest *t, const crd_contest_shift *set, crd__text *out) {
  const size_t chosen = (size_t)(t->contest.chosen - t->items);
  if (chosen == 0) return;
  crd__text_addf(out, " %s, chosen on clean data:", t->items[chosen].name);
  if (!set->candidates[chosen].result) {
    crd__text_add(out, " no result here.");
    return;
  }
  add_change(out, set, chosen, "ece", "ECE");
  crd__text_add(out, ",");
  add_change(out, set, chosen, "auroc", "AUROC");
  crd__text_add(out, ".");
}

void crd__contest_shift_say(const crd__contest *t, const crd_contest_shift *set, crd__text *out) {
  crd__text_addf(out, "On %s, ", set->name);
  if (t->contest.count == 2) say_method(t, set, out);
  else if (t->contest.count > 2) say_methods(t, set, out);
  else crd__text_add(out, "there is no method to compare.");
  say_chosen(t, set, out);
}

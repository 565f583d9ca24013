/*
 * verdict_text.c -- writes the verdict: the chosen method and its effect, why it is preferred to
 * the method with the best score, and why not the one with the lowest ECE.
 */
#include "base/number.h"
#include "contest/contest.h"

#include <math.h>

/* A smaller advantage in ECE needs no explanation. */
static const double ece_gain = 0.002;

void crd__contest_verdict_number(crd__text *out, double value) {
  char text[CRD__NUMBER_SIZE];
  crd__text_add(out, crd__number_brief(text, value, 3));
}

static void add_change(crd__text *out, const char *name, double before, double after) {
  crd__text_addf(out, "%s ", name);
  crd__contest_verdict_number(out, before);
  crd__text_add(out, " -> ");
  crd__contest_verdict_number(out, after);
}

static void add_interval(crd__text *out, const crd_metric_value *ece) {
  if (isnan(ece->low)) return;
  crd__text_add(out, " (95 % interval ");
  crd__contest_verdict_number(out, ece->low);
  crd__text_add(out, " to ");
  crd__contest_verdict_number(out, ece->high);
  crd__text_add(out, ")");
}

static void add_floor(crd__text *out, const crd_metric_value *ece) {
  if (!(ece->noise_floor > 0)) return;
  crd__text_add(out, "; a perfectly calibrated model shows about ");
  crd__contest_verdict_number(out, ece->noise_floor);
}

static void add_value(crd__text *out, const crd_candidate *c, const char *metric) {
  crd__text_add(out, "(");
  crd__contest_verdict_number(out, crd__contest_candidate_number(c, metric));
  crd__text_add(out, ")");
}

static void say_chosen(const crd__contest *t, const crd__contest_choice *c, crd__text *out) {
  const crd_candidate *const identity = t->items, *const chosen = &t->items[c->chosen];
  const crd_metric_value *const ece = crd_result_value(chosen->result, "ece");
  crd__text_addf(out, "Choose %s: ", chosen->name);
  add_change(out, "ECE", crd__contest_candidate_number(identity, "ece"), ece->value);
  add_interval(out, ece);
  add_floor(out, ece);
  crd__text_add(out, ". ");
  add_change(out, crd__contest_score_name(c->score),
             crd__contest_candidate_number(identity, c->score),
             crd__contest_candidate_number(chosen, c->score));
  crd__text_add(out, ", ");
  add_change(out, "AUROC", crd__contest_candidate_number(identity, "auroc"),
             crd__contest_candidate_number(chosen, "auroc"));
  crd__text_add(out, ".");
}

/* Why the chosen method is preferred to the one with the best score. */
static void say_preference(const crd__contest *t, const crd__contest_choice *c, crd__text *out) {
  const crd_candidate *const chosen = &t->items[c->chosen], *const best = &t->items[c->best];
  const char *const score = crd__contest_score_name(c->score);
  if (c->chosen == c->best) {
    if (c->best == c->lowest_score) crd__text_addf(out, " No method has a better %s.", score);
    return;
  }
  const size_t mine = chosen->parameters, others = best->parameters;
  crd__text_addf(out, " It is preferred to %s, which has the best %s ", best->name, score);
  add_value(out, best, c->score);
  crd__text_addf(out,
                 ", as the simplest method (%zu parameter%s against %zu) that is not "
                 "significantly worse.",
                 mine, mine == 1 ? "" : "s", others);
}

static void say_unchanged(const crd__contest *t, const crd__contest_choice *c, crd__text *out) {
  const crd_candidate *const identity = t->items, *const best = &t->items[c->best];
  const crd_metric_value *const ece = crd_result_value(identity->result, "ece");
  crd__text_add(out, "Keep the probabilities uncalibrated: ");
  if (c->best > 0) {
    crd__text_addf(out, "no method is significantly better (the best, %s: ", best->name);
    add_change(out, crd__contest_score_name(c->score),
               crd__contest_candidate_number(identity, c->score),
               crd__contest_candidate_number(best, c->score));
    crd__text_add(out, "). ");
  } else
    crd__text_add(out, c->lowest_score > 0 ? "every better method was rejected. "
                                           : "no method is better. ");
  crd__text_add(out, "Their ECE is ");
  crd__contest_verdict_number(out, ece->value);
  add_interval(out, ece);
  add_floor(out, ece);
  crd__text_add(out, ".");
}

/* Why the method with the lowest ECE was not chosen. */
static void say_lowest_ece(const crd__contest *t, const crd__contest_choice *c, crd__text *out) {
  const crd_candidate *const tempting = &t->items[c->lowest_ece];
  const double mine = crd__contest_candidate_number(&t->items[c->chosen], c->score);
  const double its = crd__contest_candidate_number(tempting, c->score);
  const char *const reason = crd__contest_rejection_of(t, c->lowest_ece);
  crd__text_addf(out, " %s has the lowest ECE ", tempting->name);
  add_value(out, tempting, "ece");
  if (reason) crd__text_addf(out, " but %s.", reason);
  else if (its > mine) {
    crd__text_addf(out, " but is worse in %s (", crd__contest_score_name(c->score));
    crd__contest_verdict_number(out, its);
    crd__text_add(out, " against ");
    crd__contest_verdict_number(out, mine);
    crd__text_add(out, ").");
  } else
    crd__text_addf(out, " but is not significantly better in %s.",
                   crd__contest_score_name(c->score));
}

/* Why the methods with the lowest score and the lowest ECE were not chosen. */
static void say_tempting(const crd__contest *t, const crd__contest_choice *c, crd__text *out) {
  const char *const reason = crd__contest_rejection_of(t, c->lowest_score);
  const bool by_ece = crd__contest_candidate_number(&t->items[c->lowest_ece], "ece") <
                      crd__contest_candidate_number(&t->items[c->chosen], "ece") - ece_gain;
  if (reason) {
    const crd_candidate *const tempting = &t->items[c->lowest_score];
    crd__text_addf(out, " %s has a lower %s ", tempting->name, crd__contest_score_name(c->score));
    add_value(out, tempting, c->score);
    if (by_ece && c->lowest_ece == c->lowest_score) {
      crd__text_add(out, " and the lowest ECE ");
      add_value(out, tempting, "ece");
    }
    crd__text_addf(out, " but %s.", reason);
  }
  if (by_ece && !(reason && c->lowest_ece == c->lowest_score)) say_lowest_ece(t, c, out);
}

static void say_absent(const crd__contest *t, crd__text *out) {
  for (size_t i = 0; i < t->contest.count; i++) {
    const crd_candidate *const c = &t->items[i];
    if (c->failure) crd__text_addf(out, " %s failed.", c->name);
    else if (!c->certificate->converged)
      crd__text_addf(out, " %s did not converge and was left out.", c->name);
  }
}

void crd__contest_verdict_say(const crd__contest *t, const crd__contest_choice *choice,
                              crd__text *out) {
  if (choice->chosen == 0) say_unchanged(t, choice, out);
  else {
    say_chosen(t, choice, out);
    say_preference(t, choice, out);
  }
  say_tempting(t, choice, out);
  say_absent(t, out);
}

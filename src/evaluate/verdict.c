/*
 * verdict.c -- which method to take, in words.
 *
 * The judge is a proper score (NLL; for pairs the Brier score of the confidence), since it counts
 * calibration and refinement together and cannot be bought with either. Among the methods that
 * converged and give up neither accuracy nor AUROC, the best score sets the mark; the first in the
 * order of the list, simple ones first, that is not worse than it by more than chance is chosen. So
 * identity wins where nothing helps, and temperature where more numbers do not help more.
 */
#include "base/memory.h"
#include "base/number.h"
#include "evaluate/contest.h"

#include <math.h>
#include <string.h>

/* Differences worth a word, when they are beyond chance. */
static const double accuracy_loss = 0.005, auroc_loss = 0.01, ece_gain = 0.002;

static const crd_metric_value *value_of(const crd_candidate *c, const char *metric) {
  for (size_t i = 0; c->result && i < c->result->value_count; i++)
    if (strcmp(c->result->values[i].metric->name, metric) == 0) return &c->result->values[i];
  return NULL;
}

static double number_of(const crd_candidate *c, const char *metric) {
  const crd_metric_value *const v = value_of(c, metric);
  return v ? v->value : (double)NAN;
}

static const crd_difference *difference_of(const crd_comparison *c, const char *metric) {
  for (size_t i = 0; c && i < c->count; i++)
    if (strcmp(c->items[i].metric->name, metric) == 0) return &c->items[i];
  return NULL;
}

/* What a candidate gives up against identity, more than `allowed` and more than chance; else 0. */
static double loss(const crd_candidate *c, const char *metric, double allowed) {
  const crd_difference *const d = difference_of(c->against_identity, metric);
  if (!d || !(d->value < -allowed) || d->high >= 0) return 0;
  return -d->value;
}

static bool took_part(const crd_candidate *c) {
  return c->result && crd_calibrator_certificate(c->calibrator)->converged;
}

static bool acceptable(const crd_candidate *c, const char *score) {
  return took_part(c) && isfinite(number_of(c, score)) && loss(c, "accuracy", accuracy_loss) == 0 &&
         loss(c, "auroc", auroc_loss) == 0;
}

/* The acceptable candidate with the lowest value. */
static size_t lowest(const crd__contest *t, const char *metric, const char *score, bool any) {
  size_t best = 0;
  for (size_t i = 1; i < t->contest.count; i++) {
    const crd_candidate *const c = &t->items[i];
    if (any ? !took_part(c) : !acceptable(c, score)) continue;
    if (number_of(c, metric) < number_of(&t->items[best], metric)) best = i;
  }
  return best;
}

/* The first acceptable one whose score is not worse than the best's by more than chance. */
static crd_status choose(crd_context *ctx, const crd__contest *t, const char *score, size_t best,
                         size_t *out) {
  for (*out = 0; *out < best; (*out)++) {
    crd_comparison *c = NULL;
    if (!acceptable(&t->items[*out], score)) continue;
    CRD_TRY(crd_evidence_compare(ctx, t->evidence[best], t->evidence[*out], &c));
    const crd_difference *const d = difference_of(c, score);
    const bool as_good = d && (isnan(d->low) ? d->value <= 0 : d->low <= 0);
    crd_comparison_destroy(c);
    if (as_good) return CRD_OK;
  }
  return CRD_OK;
}

/* ---- Words. */

static void add_number(crd__text *out, double value) {
  char text[CRD__NUMBER_SIZE];
  crd__text_add(out, crd__number_brief(text, value, 3));
}

static void add_change(crd__text *out, const char *name, double before, double after) {
  crd__text_addf(out, "%s ", name);
  add_number(out, before);
  crd__text_add(out, " -> ");
  add_number(out, after);
}

static void add_interval(crd__text *out, const crd_metric_value *ece) {
  if (isnan(ece->low)) return;
  crd__text_add(out, " (95 % interval ");
  add_number(out, ece->low);
  crd__text_add(out, " to ");
  add_number(out, ece->high);
  crd__text_add(out, ")");
}

static void add_floor(crd__text *out, const crd_metric_value *ece) {
  if (!(ece->noise_floor > 0)) return;
  crd__text_add(out, "; a perfectly calibrated model shows about ");
  add_number(out, ece->noise_floor);
}

static void say_chosen(crd__text *out, const crd_candidate *identity, const crd_candidate *chosen,
                       const char *score) {
  const crd_metric_value *const ece = value_of(chosen, "ece");
  crd__text_addf(out, "Choose %s: ", chosen->name);
  add_change(out, "ECE", number_of(identity, "ece"), ece->value);
  add_interval(out, ece);
  add_floor(out, ece);
  crd__text_add(out, ". ");
  add_change(out, strcmp(score, "nll") == 0 ? "NLL" : "Brier", number_of(identity, score),
             number_of(chosen, score));
  crd__text_add(out, ", ");
  add_change(out, "AUROC", number_of(identity, "auroc"), number_of(chosen, "auroc"));
  crd__text_add(out, ".");
}

static void say_unchanged(crd__text *out, const crd_candidate *identity, const crd_candidate *best,
                          const char *score) {
  const crd_metric_value *const ece = value_of(identity, "ece");
  crd__text_add(out, "Leave the probabilities as they are: ");
  if (best != identity) {
    crd__text_addf(out, "no method is better by more than chance (the best, %s: ", best->name);
    add_change(out, strcmp(score, "nll") == 0 ? "NLL" : "Brier", number_of(identity, score),
               number_of(best, score));
    crd__text_add(out, "). ");
  } else crd__text_add(out, "no method is better. ");
  crd__text_add(out, "Their ECE is ");
  add_number(out, ece->value);
  add_interval(out, ece);
  add_floor(out, ece);
  crd__text_add(out, ".");
}

/* The method with the lowest ECE is what many would take: why it was not. */
static void say_tempting(crd__text *out, const crd_candidate *tempting, const crd_candidate *chosen,
                         const char *score) {
  const double accuracy = loss(tempting, "accuracy", accuracy_loss);
  const double auroc = loss(tempting, "auroc", auroc_loss);
  crd__text_addf(out, " %s has the lowest ECE (", tempting->name);
  add_number(out, number_of(tempting, "ece"));
  crd__text_add(out, ") but ");
  if (auroc > 0 || accuracy > 0) {
    crd__text_add(out, "gives up ");
    add_number(out, 100 * (auroc > accuracy ? auroc : accuracy));
    crd__text_addf(out, " points of %s.", auroc > accuracy ? "AUROC" : "accuracy");
    return;
  }
  const double mine = number_of(chosen, score), its = number_of(tempting, score);
  if (its > mine) {
    crd__text_addf(out, "a %s of ", strcmp(score, "nll") == 0 ? "NLL" : "Brier score");
    add_number(out, its);
    crd__text_add(out, " against ");
    add_number(out, mine);
    crd__text_add(out, ".");
  } else crd__text_add(out, "is not better by more than chance.");
}

static void say_absent(crd__text *out, const crd__contest *t) {
  for (size_t i = 0; i < t->contest.count; i++) {
    const crd_candidate *const c = &t->items[i];
    if (c->failure) crd__text_addf(out, " %s failed.", c->name);
    else if (!took_part(c)) crd__text_addf(out, " %s did not converge and was left out.", c->name);
  }
}

crd_status crd__contest_judge(crd_context *ctx, crd__contest *t) {
  const char *const score = isfinite(number_of(&t->items[0], "nll")) ? "nll" : "brier-top1";
  const size_t best = lowest(t, score, score, false);
  const size_t tempting = lowest(t, "ece", score, true);
  size_t chosen;
  crd__text text;
  CRD_TRY(choose(ctx, t, score, best, &chosen));
  crd__text_init(&text, &ctx->alloc);
  if (chosen == 0) say_unchanged(&text, &t->items[0], &t->items[best], score);
  else say_chosen(&text, &t->items[0], &t->items[chosen], score);
  if (number_of(&t->items[tempting], "ece") < number_of(&t->items[chosen], "ece") - ece_gain)
    say_tempting(&text, &t->items[tempting], &t->items[chosen], score);
  say_absent(&text, t);
  const crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) t->verdict = text.bytes; /* taken over */
  else crd__text_clear(&text);
  t->contest.verdict = t->verdict;
  t->contest.chosen = &t->items[chosen];
  return status;
}

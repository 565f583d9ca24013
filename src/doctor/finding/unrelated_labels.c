/*
 * unrelated_labels.c -- labels that are independent of the predictions.
 *
 * Accuracy within four standard errors of that of independent labels, and a probability of the true
 * class within a few of what such labels get, mean that rows or classes are out of order if the
 * model is confident, else that it has learnt nothing.
 */
#include "doctor/finding.h"

#include <math.h>

/* Standard errors above chance from which labels count as related. Few rows of a good model may
 * come close to chance: there, missing a shuffled file is preferred to a false alarm. */
static double errors(const crd__doctor_examination *x) { return x->usable < 200 ? 1.5 : 2.5; }

/* Returns whether true classes have more probability than independent labels would. */
static bool is_related(const crd__doctor_examination *x) {
  const crd__doctor_relation *const r = &x->relation;
  return r->known && r->own > r->expected + errors(x) * r->error + 1e-12;
}

/* Returns whether the model is confident although its labels do not support it. */
static bool is_confident(const crd__doctor_examination *x, const crd__doctor_chance *c) {
  const crd__doctor_relation *const r = &x->relation;
  const double confidence = x->confidence / (double)x->usable;
  if (!x->positive && confidence - c->accuracy > 0.15) return true;
  return r->known && r->claimed - r->expected > 0.01 && r->claimed - r->own > 4 * r->error;
}

static void say_constant(const crd__doctor_examination *x, crd__doctor_finding_text *out,
                         size_t only) {
  /* If one class has most labels, always predicting it may be optimal. */
  const bool plausible = 2 * x->labelled[only] > x->usable && is_related(x);
  out->severity = plausible ? CRD_NOTE : CRD_WARNING;
  crd__text_add(&out->found, "Every row predicts ");
  crd__doctor_say_class(&out->found, x, only);
  if (x->copies.rows + 1 == x->usable) crd__text_add(&out->found, ", with the same scores");
  crd__text_addf(&out->found, "; ");
  crd__doctor_say_share(&out->found, (double)x->labelled[only], (double)x->usable);
  crd__text_add(&out->found, " of the labels are that class.");
  if (plausible)
    crd__text_addf(&out->advice, "Evaluate the scores themselves: %s, auroc.",
                   crd__spell(x->ctx, "binary=pos"));
  else
    crd__text_add(&out->advice, "Check that the model was trained, that its inputs differ, and "
                                "that the scores belong to this data.");
  if (plausible && x->classes == 2) out->remedy = "judge-class-1";
}

static void say_chance(const crd__doctor_examination *x, crd__doctor_finding_text *out,
                       const crd__doctor_chance *c) {
  const bool confident = is_confident(x, c);
  out->severity = confident ? CRD_PROBLEM : CRD_WARNING;
  crd__text_addf(&out->found,
                 "Accuracy %s is what labels unrelated to the predictions would give (%s)",
                 crd__doctor_brief(c->accuracy, 3).text, crd__doctor_brief(c->expected, 3).text);
  if (confident && !x->positive)
    crd__text_addf(&out->found, ", yet the mean confidence is %s",
                   crd__doctor_brief(x->confidence / (double)x->usable, 3).text);
  crd__text_add(&out->found, ".");
  crd__text_add(&out->advice,
                confident ? "Check that labels and scores are in the same order (was one of "
                            "them shuffled?) and use the same class indices."
                          : "The model does no better than chance: check the order of rows, "
                            "then the training.");
}

bool crd__doctor_labels_unrelated(const crd__doctor_examination *x) {
  return crd__doctor_at_chance(x) && !is_related(x);
}

static void unrelated_labels_judge(const crd__doctor_examination *x,
                                   crd__doctor_finding_text *out) {
  if (x->classes == 0 || x->usable < CRD__CHANCE_ROWS) return;
  const crd__doctor_chance c = crd__doctor_chance_of(x);
  const size_t only = crd__doctor_largest(x->predicted, x->classes);
  if (x->predicted[only] == x->usable && x->labelled[only] < x->usable) say_constant(x, out, only);
  else if (c.accuracy < c.expected - c.slack) {
    out->severity = CRD_PROBLEM;
    crd__text_addf(&out->found,
                   "Accuracy %s is below the %s that labels unrelated to the predictions would "
                   "give.",
                   crd__doctor_brief(c.accuracy, 3).text, crd__doctor_brief(c.expected, 3).text);
    crd__text_add(&out->advice, "Check that columns and labels use the same class indices; the "
                                "order may be reversed or shifted.");
  } else if (crd__doctor_labels_unrelated(x)) say_chance(x, out, &c);
  else {
    out->severity = CRD_FINE;
    crd__text_addf(&out->found, "Accuracy %s; labels unrelated to the predictions would give %s.",
                   crd__doctor_brief(c.accuracy, 4).text, crd__doctor_brief(c.expected, 3).text);
  }
}

const crd__doctor_finding crd__doctor_finding_unrelated_labels = {
  .info = { .name = "unrelated-labels",
            .summary = "accuracy at chance level: shuffled rows, classes out of order",
            .cheap = 1 },
  .heed = CRD_PROBLEM,
  .judge = unrelated_labels_judge,
};

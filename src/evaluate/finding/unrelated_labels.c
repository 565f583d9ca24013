/*
 * unrelated_labels.c -- labels that have nothing to do with the predictions.
 *
 * If they were drawn apart, accuracy would be e = sum_k P(label k) P(predicted k), with a standard
 * error of sqrt(e (1 - e) / n). Accuracy within four of these, from a model that is sure of
 * itself, means that rows or classes are out of order. This holds for unbalanced classes too, where
 * "accuracy 1/K" does not.
 */
#include "evaluate/finding/finding.h"

#include <math.h>

enum { ROWS_MIN = 20 };
static const double errors = 4;

static void say_constant(const crd__examination *x, crd__saying *out, size_t only) {
  out->severity = CRD_WARNING;
  crd__text_add(&out->found, "Every row predicts ");
  crd__say_class(&out->found, x, only);
  if (x->copies.rows + 1 == x->usable) crd__text_add(&out->found, ", with the same scores");
  crd__text_addf(&out->found, "; ");
  crd__say_share(&out->found, (double)x->labelled[only], (double)x->usable);
  crd__text_add(&out->found, " of the labels are that class.");
  crd__text_add(&out->advice, "Check that the model was trained, that its inputs differ, and that "
                              "the scores are those of this data.");
}

static void say_chance(const crd__examination *x, crd__saying *out, double accuracy,
                       double expected) {
  const double confidence = x->confidence / (double)x->usable;
  const bool sure = !x->positive && confidence - accuracy > 0.15;
  out->severity = sure ? CRD_PROBLEM : CRD_WARNING;
  crd__text_addf(&out->found,
                 "Accuracy %s is what labels unrelated to the predictions would give (%s)",
                 crd__brief(accuracy, 3).text, crd__brief(expected, 3).text);
  if (sure)
    crd__text_addf(&out->found, ", yet the mean confidence is %s", crd__brief(confidence, 3).text);
  crd__text_add(&out->found, ".");
  crd__text_add(&out->advice, sure ? "Check that labels and scores are in the same order (was one "
                                     "of them shuffled?) and that classes are numbered alike."
                                   : "The model knows nothing of these labels: check the order of "
                                     "rows, then the training.");
}

typedef struct {
  double accuracy, expected, error; /* expected if unrelated, with its standard error */
} chance;

static chance weigh(const crd__examination *x) {
  const double n = (double)x->usable;
  chance c = { .accuracy = (double)x->hits / n };
  for (size_t k = 0; k < x->classes; k++)
    c.expected += (double)x->labelled[k] / n * ((double)x->predicted[k] / n);
  c.error = sqrt(fmax(c.expected * (1 - c.expected), 0) / n);
  return c;
}

bool crd__labels_unrelated(const crd__examination *x) {
  if (x->classes == 0 || x->usable < ROWS_MIN) return false;
  const chance c = weigh(x);
  return c.accuracy <= c.expected + errors * c.error && c.expected < 1;
}

static void judge(const crd__examination *x, crd__saying *out) {
  if (x->classes == 0 || x->usable < ROWS_MIN) return;
  const chance c = weigh(x);
  const size_t only = crd__largest(x->predicted, x->classes);
  if (x->predicted[only] == x->usable && x->labelled[only] < x->usable) say_constant(x, out, only);
  else if (c.accuracy < c.expected - errors * c.error) {
    out->severity = CRD_PROBLEM;
    crd__text_addf(&out->found,
                   "Accuracy %s is below the %s that labels unrelated to the predictions would "
                   "give.",
                   crd__brief(c.accuracy, 3).text, crd__brief(c.expected, 3).text);
    crd__text_add(&out->advice, "Check that columns and labels number the classes alike; the order "
                                "may be reversed or shifted.");
  } else if (crd__labels_unrelated(x)) say_chance(x, out, c.accuracy, c.expected);
  else {
    out->severity = CRD_FINE;
    crd__text_addf(&out->found, "Accuracy %s; labels unrelated to the predictions would give %s.",
                   crd__brief(c.accuracy, 4).text, crd__brief(c.expected, 3).text);
  }
}

const crd__finding crd__finding_unrelated_labels = {
  .info = { "unrelated-labels", "accuracy at chance level: shuffled rows, classes out of order" },
  .judge = judge,
};

/*
 * confidence.c -- over- or underconfidence: mean confidence minus accuracy, with its standard
 * error.
 *
 * The gap is the mean of d = confidence - correct; its standard error is sqrt(var d / n), and the
 * smallest gap that n rows can show is twice that. ECE also sees errors that cancel in the mean; it
 * is compared with its noise floor, the value of a perfectly calibrated model on n rows.
 */
#include "doctor/finding.h"
#include "metric/top_bins.h"

#include <math.h>

/* Above this multiple of its noise floor, ECE counts as miscalibration. */
static const double real = 2;

typedef struct {
  double accuracy, confidence, gap, error;
  bool shifted; /* the mean gap is beyond two standard errors */
  bool uneven;  /* ECE is above its noise */
} state;

static state weigh(const crd__doctor_examination *x) {
  const double n = (double)x->usable;
  state s = { .accuracy = (double)x->right / n, .confidence = x->confidence / n };
  s.gap = s.confidence - s.accuracy;
  /* Few rows that are all correct have hardly any variance: the standard error is at least that of
   * a calibrated model, and 0.5 / n. */
  s.error = sqrt(fmax(x->gap_square / n - s.gap * s.gap, x->spread / n) / n);
  s.error = fmax(s.error, 0.5 / n);
  s.shifted = fabs(s.gap) > 2 * s.error;
  s.uneven = x->ece > real * x->noise_floor && x->ece > 1 / n;
  return s;
}

static void say_means(const crd__doctor_examination *x, const state *s, crd__text *out) {
  crd__text_addf(out,
                 x->positive ? "class 1 has mean probability %s and frequency %s: "
                             : "mean confidence %s, accuracy %s: ",
                 crd__doctor_brief(s->confidence, 4).text, crd__doctor_brief(s->accuracy, 4).text);
  crd__text_addf(out, "gap %s%s, standard error %s. ", s->gap > 5e-6 ? "+" : "",
                 crd__doctor_brief(rint(1e5 * s->gap) / 1e5, 3).text,
                 crd__doctor_brief(s->error, 2).text);
  crd__text_addf(out, "ECE %s, ", crd__doctor_brief(rint(1e5 * x->ece) / 1e5, 3).text);
  const double times = x->ece / x->noise_floor;
  if (x->noise_floor > 0)
    crd__text_addf(out, "%s times its noise floor of %s",
                   crd__doctor_brief(times < 10 ? times : rint(times), times < 10 ? 2 : 9).text,
                   crd__doctor_brief(x->noise_floor, 2).text);
  else crd__text_add(out, "with a noise floor of 0");
  crd__text_add(out, ".");
}

/* The bin that contributes most to ECE. */
static void say_worst_bin(const crd__doctor_examination *x, crd__text *out) {
  size_t worst = 0;
  for (size_t m = 1; m < CRD__DOCTOR_BINS; m++)
    if (crd__metric_top_bin_at(x->bins, m).gap > crd__metric_top_bin_at(x->bins, worst).gap)
      worst = m;
  const crd__metric_top_bin bin = crd__metric_top_bin_at(x->bins, worst);
  crd__text_addf(out, " It comes mostly from (%s, %s]: %zu row%s, ",
                 crd__doctor_brief((double)worst / CRD__DOCTOR_BINS, 2).text,
                 crd__doctor_brief((double)(worst + 1) / CRD__DOCTOR_BINS, 2).text, bin.rows,
                 bin.rows == 1 ? "" : "s");
  crd__text_addf(out, "confidence %s, accuracy %s.", crd__doctor_brief(bin.confidence, 3).text,
                 crd__doctor_brief(bin.accuracy, 3).text);
}

/* The advice depends on the kind of error, and on whether the labels are usable. */
static const char *advice(const crd__doctor_examination *x, const state *s) {
  if (crd__doctor_labels_unrelated(x)) return "Fix the labels first.";
  if (!s->shifted)
    return "Temperature scaling will hardly help; use a calibrator with more parameters and test "
           "it "
           "on held-out rows.";
  if (x->positive)
    return "Calibrate with a scale and an offset (Platt scaling), fitted on held-out rows.";
  return s->gap > 0 ? "Divide the logits by a temperature above 1, fitted on held-out rows."
                    : "Divide the logits by a temperature below 1, fitted on held-out rows.";
}

static void say_wrong(const crd__doctor_examination *x, const state *s,
                      crd__doctor_finding_text *out) {
  out->severity = CRD_WARNING;
  if (!s->shifted)
    crd__text_add(&out->found, "Calibrated on average, but not at every confidence: ");
  else if (x->positive)
    crd__text_addf(&out->found,
                   "Probabilities of class 1 are too %s: ", s->gap > 0 ? "high" : "low");
  else crd__text_add(&out->found, s->gap > 0 ? "Overconfident: " : "Underconfident: ");
  say_means(x, s, &out->found);
  if (s->uneven) say_worst_bin(x, &out->found);
  crd__text_add(&out->advice, advice(x, s));
  if (!crd__doctor_labels_unrelated(x)) out->remedy = "calibrate";
}

/* Rounds 12345 to 12000. */
static unsigned long long two_digits(double count) {
  const double unit = pow(10, fmax(floor(log10(count)) - 1, 0));
  return (unsigned long long)(rint(count / unit) * unit);
}

static void confidence_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  if (x->usable == 0) {
    crd__doctor_say(out, CRD_PROBLEM, "No row could be evaluated.", "See the problems above.");
    return;
  }
  const state s = weigh(x);
  const bool few = 2 * s.error > 0.02;
  if (s.shifted || s.uneven) {
    say_wrong(x, &s, out);
    return;
  }
  out->severity = few ? CRD_NOTE : CRD_FINE;
  crd__text_add(&out->found, few ? "No miscalibration detected, but only a large one would be: "
                                 : "Calibrated, as far as these rows can show: ");
  say_means(x, &s, &out->found);
  crd__text_addf(&out->found, " With %llu row%s, gaps from %s on are detectable.",
                 (unsigned long long)x->usable, x->usable == 1 ? "" : "s",
                 crd__doctor_brief(2 * s.error, 2).text);
  /* The error shrinks with the root of the number of rows. */
  if (few)
    crd__text_addf(&out->advice, "Evaluate more rows: about %llu show a gap of 0.01.",
                   two_digits((double)x->usable * pow(2 * s.error / 0.01, 2)));
}

const crd__doctor_finding crd__doctor_finding_confidence = {
  .info = { .name = "confidence", .summary = "over- and underconfidence, compared with chance" },
  .judge = confidence_judge,
};

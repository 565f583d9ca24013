/*
 * confidence.c -- over- or underconfident: mean confidence less accuracy, with its standard error.
 *
 * The gap is the mean of d = confidence - correct; its standard error is sqrt(var d / n), and two
 * of them are the smallest gap that n rows can show. ECE sees errors that cancel in the mean; it is
 * compared with its noise floor, the value of a perfectly calibrated model with so many rows.
 */
#include "doctor/finding.h"
#include "metric/top_bins.h"

#include <math.h>

/* Beyond this multiple of its noise floor ECE is taken for real. */
static const double real = 2;

typedef struct {
  double accuracy, confidence, gap, error;
  bool shifted; /* the mean gap is beyond two standard errors */
  bool uneven;  /* ECE is real */
} state;

static state weigh(const crd__doctor_examination *x) {
  const double n = (double)x->usable;
  state s = { .accuracy = (double)x->right / n, .confidence = x->confidence / n };
  s.gap = s.confidence - s.accuracy;
  /* A few rows that are all right have hardly a spread of their own: the error is at least that of
   * a calibrated model, and half a row's worth. */
  s.error = sqrt(fmax(x->gap_square / n - s.gap * s.gap, x->spread / n) / n);
  s.error = fmax(s.error, 0.5 / n);
  s.shifted = fabs(s.gap) > 2 * s.error;
  s.uneven = x->ece > real * x->noise_floor && x->ece > 1 / n;
  return s;
}

static void say_means(const crd__doctor_examination *x, const state *s, crd__text *out) {
  crd__text_addf(out,
                 x->positive ? "class 1 has a mean score of %s and a share of %s: "
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
  else crd__text_add(out, "without any noise");
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

/* What to do depends on the shape of the error, and on whether there is anything to calibrate. */
static const char *advice(const crd__doctor_examination *x, const state *s) {
  if (crd__doctor_labels_unrelated(x)) return "Nothing, before the labels are right.";
  if (!s->shifted)
    return "A temperature will hardly help; use a calibrator with more freedom and check it on "
           "rows it was not fitted on.";
  if (x->positive)
    return "Calibrate with a scale and an offset (Platt scaling), on rows apart from these.";
  return s->gap > 0
             ? "Divide the logits by a temperature above 1, fitted on rows apart from these."
             : "Divide the logits by a temperature below 1, fitted on rows apart from these.";
}

static void say_wrong(const crd__doctor_examination *x, const state *s, crd__doctor_saying *out) {
  out->severity = CRD_WARNING;
  if (!s->shifted) crd__text_add(&out->found, "Right on average, but not at every level: ");
  else if (x->positive)
    crd__text_addf(&out->found, "Scores of class 1 are too %s: ", s->gap > 0 ? "high" : "low");
  else crd__text_add(&out->found, s->gap > 0 ? "Overconfident: " : "Underconfident: ");
  say_means(x, s, &out->found);
  if (s->uneven) say_worst_bin(x, &out->found);
  crd__text_add(&out->advice, advice(x, s));
  if (!crd__doctor_labels_unrelated(x)) out->remedy = "calibrate";
}

/* 12345 is said as 12000. */
static unsigned long long two_digits(double count) {
  const double unit = pow(10, fmax(floor(log10(count)) - 1, 0));
  return (unsigned long long)(rint(count / unit) * unit);
}

static void confidence_judge(const crd__doctor_examination *x, crd__doctor_saying *out) {
  if (x->usable == 0) {
    crd__doctor_say(out, CRD_PROBLEM, "No row could be judged.", "See the problems above.");
    return;
  }
  const state s = weigh(x);
  const bool few = 2 * s.error > 0.02;
  if (s.shifted || s.uneven) {
    say_wrong(x, &s, out);
    return;
  }
  out->severity = few ? CRD_NOTE : CRD_FINE;
  crd__text_add(&out->found, few ? "No miscalibration can be seen, but it would have to be large: "
                                 : "As well calibrated as can be seen: ");
  say_means(x, &s, &out->found);
  crd__text_addf(&out->found, " With %llu row%s a gap shows from %s on.",
                 (unsigned long long)x->usable, x->usable == 1 ? "" : "s",
                 crd__doctor_brief(2 * s.error, 2).text);
  /* The error shrinks with the root of the number of rows. */
  if (few)
    crd__text_addf(&out->advice, "Judge more rows: some %llu show a gap of 0.01.",
                   two_digits((double)x->usable * pow(2 * s.error / 0.01, 2)));
}

const crd__doctor_finding crd__doctor_finding_confidence = {
  .info = { .name = "confidence",
            .summary = "over- and underconfidence, beside what chance alone would show" },
  .judge = confidence_judge,
};

/*
 * exact_zeros.c -- probabilities of exactly 0, as in a softmax stored with few decimals or in
 * float16: if the true class has one, its -log is infinite, and any finite substitute dominates the
 * mean NLL. Calibrators fit a floor (data/floor.h).
 */
#include "doctor/finding.h"

#include <math.h>

static void say_impossible(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const double floored = -log(CRD__LEAST_PROBABILITY);
  const double lost = (double)x->impossible.count, n = (double)x->usable;
  out->severity = CRD_WARNING;
  crd__text_add(&out->found, "In ");
  crd__doctor_say_spots(&out->found, &x->impossible);
  crd__text_addf(&out->found,
                 " the true class has probability 0: the mean NLL is %s with them, %s without; ",
                 crd__doctor_brief((x->nll + floored * lost) / n, 4).text,
                 crd__doctor_brief(x->nll / fmax(n - lost, 1), 4).text);
  crd__doctor_say_share(&out->found, (double)x->zeros, n * (double)x->classes);
  crd__text_add(&out->found, " of all probabilities are 0.");
  crd__text_addf(&out->advice,
                 "Store logits: what was rounded to 0 is lost. If there are none, calibrators read "
                 "0 as a floor that they fit to the calibration rows (%s sets it); NLL stays as it "
                 "is.",
                 crd__spell(x->ctx, "floor"));
}

static void exact_zeros_judge(const crd__doctor_examination *x, crd__doctor_saying *out) {
  if (x->classes == 0 || x->input == CRD_INPUT_LOGITS || x->usable == 0) return;
  if (x->impossible.count > 0) say_impossible(x, out);
  else if (x->zeros > 0) {
    out->severity = CRD_NOTE;
    crd__doctor_say_share(&out->found, (double)x->zeros, (double)x->usable * (double)x->classes);
    crd__text_add(&out->found, " of all probabilities are exactly 0, but none of a true class.");
    crd__text_addf(&out->advice,
                   "Store logits: calibrators take logarithms, and read 0 as a floor that they fit "
                   "(%s sets it).",
                   crd__spell(x->ctx, "floor"));
  } else crd__doctor_say(out, CRD_FINE, "No probability is exactly 0.", "");
}

const crd__doctor_finding crd__doctor_finding_exact_zeros = {
  .info = { .name = "exact-zeros",
            .summary = "probabilities of exactly 0, above all of true classes" },
  .judge = exact_zeros_judge,
};

/* imbalance.c -- one class has nearly all labels, so that accuracy means little. */
#include "doctor/finding.h"

static void imbalance_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  if (x->classes == 0 || x->usable == 0) return;
  const size_t largest = crd__doctor_largest(x->labelled, x->classes);
  const double n = (double)x->usable, share = (double)x->labelled[largest] / n;
  const double accuracy = (double)x->hits / n;
  const bool heavy = share > 0.9 && x->usable > 1;
  out->severity = heavy ? CRD_WARNING : CRD_FINE;
  crd__text_add(&out->found, "The most frequent label is ");
  crd__doctor_say_class(&out->found, x, largest);
  crd__text_add(&out->found, " with ");
  crd__doctor_say_share(&out->found, share, 1);
  crd__text_add(&out->found, " of the rows");
  if (heavy)
    crd__text_addf(&out->found, ": always predicting it would give accuracy %s, the model has %s",
                   crd__doctor_brief(share, 4).text, crd__doctor_brief(accuracy, 4).text);
  crd__text_add(&out->found, ".");
  if (heavy)
    crd__text_addf(&out->advice,
                   "Look at classwise errors (sce, ace) beside ece, and with two classes at %s.",
                   crd__spell(x->ctx, "binary=pos"));
  if (heavy && x->classes == 2 && !x->positive) out->remedy = "judge-class-1";
}

const crd__doctor_finding crd__doctor_finding_imbalance = {
  .info = { .name = "imbalance", .summary = "one class that has nearly all labels" },
  .judge = imbalance_judge,
};

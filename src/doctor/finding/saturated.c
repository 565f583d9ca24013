/*
 * saturated.c -- confidences of exactly 1. In float32 everything above 1 - 3e-8 rounds to 1: these
 * rows cannot be ranked any more, so AUROC, AURC and bins of equal mass see ties.
 */
#include "doctor/finding.h"

static void saturated_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  const bool logits = x->input == CRD_INPUT_LOGITS;
  if (x->usable == 0) return;
  if (x->full == 0) {
    crd__doctor_say(out, CRD_FINE, "No confidence is exactly 1.", "");
    return;
  }
  const double share = (double)x->full / (double)x->usable;
  out->severity = share >= 0.01 && x->full > 1 && !logits ? CRD_WARNING : CRD_NOTE;
  crd__text_addf(&out->found, "%llu of %llu confidences are exactly 1 (",
                 (unsigned long long)x->full, (unsigned long long)x->usable);
  crd__doctor_say_share(&out->found, (double)x->full, (double)x->usable);
  crd__text_addf(&out->found, "; scores are %s), so that they are tied in rankings.",
                 crd_dtype_name(x->predictions->parts.scores.dtype));
  crd__text_add(&out->advice,
                logits ? "The logits keep their order: a temperature above 1 breaks the ties."
                       : "Save logits, or the softmax in float64.");
}

const crd__doctor_finding crd__doctor_finding_saturated = {
  .info = { .name = "saturated",
            .summary = "confidences of exactly 1, which are tied in rankings" },
  .judge = saturated_judge,
};

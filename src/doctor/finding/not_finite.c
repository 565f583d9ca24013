/* not_finite.c -- scores that are not finite: NaN from a diverged network, infinity from masks. */
#include "doctor/finding.h"

static void not_finite_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  if (x->not_finite.count == 0) {
    crd__doctor_say(out, CRD_FINE, "All scores are finite numbers.", "");
    return;
  }
  const struct {
    uint64_t rows;
    const char *what;
  } kinds[] = { { x->nan, "NaN" }, { x->infinite, "inf" }, { x->minus_infinite, "-inf" } };
  out->severity = CRD_PROBLEM;
  crd__text_add(&out->found, "Scores are not finite in ");
  crd__doctor_say_spots(&out->found, &x->not_finite);
  const char *before = ":";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].rows == 0) continue;
    crd__text_addf(&out->found, "%s %s in %llu", before, kinds[i].what,
                   (unsigned long long)kinds[i].rows);
    before = ",";
  }
  crd__text_add(&out->found, ".");
  crd__text_add(&out->advice, x->nan ? "Find out why the model gives NaN there; evaluate fails on "
                                       "such rows, and this report skips them."
                                     : "If classes are masked, write a large negative logit such "
                                       "as -1e4 instead of minus infinity.");
}

const crd__doctor_finding crd__doctor_finding_not_finite = {
  .info = { .name = "not-finite", .summary = "scores that are NaN or infinite" },
  .judge = not_finite_judge,
};

/* absent_classes.c -- classes without labels, or never predicted. */
#include "doctor/finding.h"

static void absent_classes_judge(const crd__doctor_examination *x, crd__doctor_finding_text *out) {
  if (x->classes == 0 || x->usable == 0) return;
  const size_t absent = crd__doctor_say_empty(NULL, x, x->labelled, NULL);
  const size_t shunned = crd__doctor_say_empty(NULL, x, x->predicted, x->labelled);
  const bool small = x->usable < 10 * (uint64_t)x->classes;
  if (absent + shunned == 0) {
    crd__doctor_say(out, CRD_FINE, "Every class has labels and is predicted.", "");
    return;
  }
  out->severity = absent && !small ? CRD_WARNING : CRD_NOTE;
  if (absent) {
    crd__text_addf(&out->found, "%zu of %zu classes have no label (", absent, x->classes);
    crd__doctor_say_empty(&out->found, x, x->labelled, NULL);
    crd__text_addf(&out->found, ")%s", shunned ? "; " : "");
  }
  if (shunned) {
    crd__text_addf(&out->found, "%zu with labels %s never predicted (", shunned,
                   shunned == 1 ? "is" : "are");
    crd__doctor_say_empty(&out->found, x, x->predicted, x->labelled);
    crd__text_add(&out->found, ")");
  }
  crd__text_add(&out->found, ".");
  if (absent)
    crd__text_add(&out->advice,
                  "Classwise metrics do not cover these classes, and calibrators with "
                  "parameters per class cannot be fitted for them.");
  else crd__text_add(&out->advice, "Check which classes are predicted instead (confusion matrix).");
}

const crd__doctor_finding crd__doctor_finding_absent_classes = {
  .info = { .name = "absent-classes",
            .summary = "classes without labels, and classes never predicted" },
  .judge = absent_classes_judge,
};

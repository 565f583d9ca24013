/* labels.c -- whether labels are valid: class indices from 0, or one-hot. */
#include "data/array.h"
#include "doctor/finding.h"

static void say_from_one(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const crd__doctor_label_look *const look = &x->labels;
  const double rows = (double)(look->rows ? look->rows : 1);
  out->severity = CRD_PROBLEM;
  crd__text_addf(&out->found, "Labels range from %lld to %lld, for %zu classes: they count from 1.",
                 (long long)look->low, (long long)look->high, x->classes);
  if (crd__data_cols(&x->predictions->parts.scores) > 1)
    crd__text_addf(&out->found, " Accuracy is %s with 1 subtracted, %s without.",
                   crd__doctor_brief((double)look->hits_less / rows, 4).text,
                   crd__doctor_brief((double)look->hits / rows, 4).text);
  crd__text_add(&out->advice, "Subtract 1 from every label; the rest of this report does so.");
  out->remedy = "subtract-1";
}

static void say_bad(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const crd__doctor_label_look *const look = &x->labels;
  out->severity = CRD_PROBLEM;
  out->refused = true;
  crd__text_add(&out->found, "Labels are invalid in ");
  crd__doctor_say_spots(&out->found, &look->bad);
  crd__text_addf(&out->found, ": %s.", look->first_bad);
  if (x->classes && look->whole && look->high >= (int64_t)x->classes)
    crd__text_addf(&out->advice,
                   "Labels go up to %lld, scores have %zu columns: are columns missing, or do "
                   "labels mark samples to be ignored? Remove or repair these rows.",
                   (long long)look->high, x->classes);
  else crd__text_add(&out->advice, "Remove or repair these rows; evaluate fails on them.");
}

static void labels_judge(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const crd__doctor_label_look *const look = &x->labels;
  if (x->rows == 0) return;
  if (look->from_one) say_from_one(x, out);
  else if (look->bad.count > 0) say_bad(x, out);
  else if (x->classes == 0)
    crd__doctor_say(out, CRD_FINE, "Every row is marked as correct or incorrect.", "");
  else if (crd__data_cols(&x->predictions->parts.labels) > 1)
    crd__doctor_say(out, CRD_FINE, "One-hot: exactly one class is marked in every row.", "");
  else {
    out->severity = CRD_FINE;
    crd__text_addf(&out->found, "Class indices from %lld to %lld, for %zu classes.",
                   (long long)look->low, (long long)look->high, x->classes);
  }
}

const crd__doctor_finding crd__doctor_finding_labels = {
  .info = { .name = "labels",
            .summary = "labels that are out of range, not integers, or count from 1",
            .cheap = 1 },
  .heed = CRD_PROBLEM,
  .judge = labels_judge,
};

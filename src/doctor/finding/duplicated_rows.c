/* duplicated_rows.c -- samples that occur twice: scores equal to the last bit. */
#include "data/array.h"
#include "doctor/finding.h"

static void duplicated_rows_judge(const crd__doctor_examination *x, crd__doctor_saying *out) {
  const crd__doctor_copies *const copies = &x->copies;
  if (x->classes == 0 || crd__data_cols(&x->predictions->parts.scores) == 1 || x->rows < 2) return;
  if (copies->rows == 0) {
    crd__doctor_say(out, CRD_FINE, "No row of scores occurs twice.", "");
    return;
  }
  out->severity = (double)copies->rows >= 0.01 * (double)x->rows ? CRD_WARNING : CRD_NOTE;
  crd__text_addf(
      &out->found,
      "%llu row%s of scores repeat%s an earlier one to the last bit (row %llu equals row "
      "%llu); ",
      (unsigned long long)copies->rows, copies->rows == 1 ? "" : "s", copies->rows == 1 ? "s" : "",
      (unsigned long long)copies->second, (unsigned long long)copies->first);
  if (copies->same_label == 0) crd__text_add(&out->found, "labels differ.");
  else crd__text_addf(&out->found, "labels agree in %llu.", (unsigned long long)copies->same_label);
  crd__text_add(&out->advice,
                "Check whether samples occur twice: intervals become too narrow, and a split may "
                "put the same sample on both sides.");
}

const crd__doctor_finding crd__doctor_finding_duplicated_rows = {
  .info = { .name = "duplicated-rows", .summary = "rows of scores that occur more than once" },
  .judge = duplicated_rows_judge,
};

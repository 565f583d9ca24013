/* say.c -- text helpers of findings. */
#include "doctor/finding.h"

void crd__doctor_say(crd__doctor_finding_text *out, crd_severity severity, const char *found,
                     const char *advice) {
  out->severity = severity;
  crd__text_add(&out->found, found);
  crd__text_add(&out->advice, advice);
}

void crd__doctor_say_spots(crd__text *text, const crd__doctor_spots *spots) {
  crd__text_addf(text, "%llu row%s (", (unsigned long long)spots->count,
                 spots->count == 1 ? "" : "s");
  for (size_t i = 0; i < CRD__SPOTS && i < spots->count; i++)
    crd__text_addf(text, "%s%llu", i ? ", " : "", (unsigned long long)spots->row[i]);
  crd__text_add(text, spots->count > CRD__SPOTS ? ", ...)" : ")");
}

void crd__doctor_say_share(crd__text *text, double part, double whole) {
  crd__text_addf(text, "%s %%", crd__doctor_brief(100 * part / whole, 3).text);
}

static void add_number(crd__text *text, const crd__doctor_examination *x, size_t k) {
  const char *const name = crd_predictions_class_name(x->predictions, k);
  crd__text_addf(text, "%zu", k);
  if (name) crd__text_addf(text, " (%s)", name);
}

void crd__doctor_say_class(crd__text *text, const crd__doctor_examination *x, size_t k) {
  crd__text_add(text, "class ");
  add_number(text, x, k);
}

size_t crd__doctor_say_empty(crd__text *text, const crd__doctor_examination *x,
                             const size_t *counts, const size_t *where) {
  enum { NAMED = 5 };
  size_t empty = 0;
  for (size_t k = 0; k < x->classes; k++) {
    if (counts[k] > 0 || (where && where[k] == 0)) continue;
    if (text && empty < NAMED) {
      crd__text_add(text, empty ? ", " : "");
      add_number(text, x, k);
    }
    empty++;
  }
  if (text && empty > NAMED) crd__text_add(text, ", ...");
  return empty;
}

size_t crd__doctor_largest(const size_t *counts, size_t classes) {
  size_t largest = 0;
  for (size_t k = 1; k < classes; k++)
    if (counts[k] > counts[largest]) largest = k;
  return largest;
}

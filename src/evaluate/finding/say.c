/* say.c -- turns of phrase that several findings share. */
#include "evaluate/finding/finding.h"

void crd__say(crd__saying *out, crd_severity severity, const char *found, const char *advice) {
  out->severity = severity;
  crd__text_add(&out->found, found);
  crd__text_add(&out->advice, advice);
}

void crd__say_spots(crd__text *text, const crd__spots *spots) {
  crd__text_addf(text, "%llu row%s (", (unsigned long long)spots->count,
                 spots->count == 1 ? "" : "s");
  for (size_t i = 0; i < CRD__SPOTS && i < spots->count; i++)
    crd__text_addf(text, "%s%llu", i ? ", " : "", (unsigned long long)spots->row[i]);
  crd__text_add(text, spots->count > CRD__SPOTS ? ", ...)" : ")");
}

void crd__say_share(crd__text *text, double part, double whole) {
  crd__text_addf(text, "%s %%", crd__brief(100 * part / whole, 3).text);
}

size_t crd__say_empty(crd__text *text, const size_t *counts, const size_t *where, size_t classes) {
  enum { NAMED = 5 };
  size_t empty = 0;
  for (size_t k = 0; k < classes; k++) {
    if (counts[k] > 0 || (where && where[k] == 0)) continue;
    if (text && empty < NAMED) crd__text_addf(text, "%s%zu", empty ? ", " : "", k);
    empty++;
  }
  if (text && empty > NAMED) crd__text_add(text, ", ...");
  return empty;
}

size_t crd__largest(const size_t *counts, size_t classes) {
  size_t largest = 0;
  for (size_t k = 1; k < classes; k++)
    if (counts[k] > counts[largest]) largest = k;
  return largest;
}

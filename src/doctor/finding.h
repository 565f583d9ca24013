/*
 * finding.h -- the interface of a finding of the doctor, and text helpers.
 *
 * A finding describes what was found, with evidence, and gives advice. One that does not apply to
 * the predictions (absent classes, if only confidences are known) adds no text and is omitted.
 */
#ifndef CRD_DOCTOR_FINDING_H
#define CRD_DOCTOR_FINDING_H

#include "base/number.h"
#include "base/text.h"
#include "credence/doctor.h"
#include "doctor/examine.h"

/* The text of a finding. The texts remember failed appends. */
typedef struct {
  crd_severity severity;
  crd__text found, advice;
  const char *remedy; /* of crd_finding; NULL: none */
  bool refused;       /* evaluation fails with the same message: no warning needed */
} crd__doctor_finding_text;

typedef struct {
  crd_finding_info info; /* cheap: a sample of the rows is enough to suspect it ... */
  crd_severity heed;     /* ... and evaluation warns of it from this severity on */
  void (*judge)(const crd__doctor_examination *x, crd__doctor_finding_text *out);
} crd__doctor_finding;

#define FINDING(name) extern const crd__doctor_finding crd__doctor_finding_##name;
#include "doctor/finding/list.h"
#undef FINDING

/* A number as an argument of printf-style functions: addf(text, "%s", crd__doctor_brief(0.25,
 * 3).text). */
typedef struct {
  char text[CRD__NUMBER_SIZE];
} crd__doctor_figure;

static inline crd__doctor_figure crd__doctor_brief(double value, int digits) {
  crd__doctor_figure figure;
  crd__number_brief(figure.text, value, digits);
  return figure;
}

/* Sets severity and both texts; advice may be "". */
void crd__doctor_say(crd__doctor_finding_text *out, crd_severity severity, const char *found,
                     const char *advice);
/* "3 rows (4, 17, 20)", "1 row (4)", "1200 rows (4, 17, 20, ...)". */
void crd__doctor_say_spots(crd__text *text, const crd__doctor_spots *spots);
/* "12.5 %". */
void crd__doctor_say_share(crd__text *text, double part, double whole);
/* "class 3", or "class 3 (cat)" if it has a name. */
void crd__doctor_say_class(crd__text *text, const crd__doctor_examination *x, size_t k);
/* Lists classes whose count is 0, "3, 4 (dog), 5, ...", and returns their number. With `where`,
 * only classes with where[k] > 0. NULL text: only counts. */
size_t crd__doctor_say_empty(crd__text *text, const crd__doctor_examination *x,
                             const size_t *counts, const size_t *where);
/* Returns whether labels seem independent of the predictions (unrelated_labels.c). */
bool crd__doctor_labels_unrelated(const crd__doctor_examination *x);
/* Returns the most frequent class. */
size_t crd__doctor_largest(const size_t *counts, size_t classes);

#endif

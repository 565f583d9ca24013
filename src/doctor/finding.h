/*
 * finding.h -- what a finding of the doctor must supply: its row, and how it reads an examination.
 *
 * A finding says what there is with its evidence, and what to do. One that does not apply to the
 * predictions (absent classes, where only confidences are known) says nothing and is left out.
 */
#ifndef CRD_DOCTOR_FINDING_H
#define CRD_DOCTOR_FINDING_H

#include "base/number.h"
#include "base/text.h"
#include "credence/doctor.h"
#include "doctor/examine.h"

/* What a finding says. Failed appends are remembered by the texts. */
typedef struct {
  crd_severity severity;
  crd__text found, advice;
  const char *remedy; /* the word of a crd_finding; NULL: none */
  bool refused;       /* evaluation ends with the same sentence: no need to warn beside it */
} crd__doctor_saying;

typedef struct {
  crd_finding_info info; /* cheap: a sample of the rows is enough to suspect it ... */
  crd_severity heed;     /* ... and what is as severe as this is worth a warning to evaluation */
  void (*judge)(const crd__doctor_examination *x, crd__doctor_saying *out);
} crd__doctor_finding;

#define FINDING(name) extern const crd__doctor_finding crd__doctor_finding_##name;
#include "doctor/finding/list.h"
#undef FINDING

/* A number inside a printf-style sentence: addf(text, "%s", crd__doctor_brief(0.25, 3).text). */
typedef struct {
  char text[CRD__NUMBER_SIZE];
} crd__doctor_figure;

static inline crd__doctor_figure crd__doctor_brief(double value, int digits) {
  crd__doctor_figure figure;
  crd__number_brief(figure.text, value, digits);
  return figure;
}

/* Both sentences at once, where neither holds a number; advice may be "". */
void crd__doctor_say(crd__doctor_saying *out, crd_severity severity, const char *found,
                     const char *advice);
/* "3 rows (4, 17, 20)", "1 row (4)", "1200 rows (4, 17, 20, ...)". */
void crd__doctor_say_spots(crd__text *text, const crd__doctor_spots *spots);
/* "12.5 %". */
void crd__doctor_say_share(crd__text *text, double part, double whole);
/* "class 3", or "class 3 (cat)" where it has a name. */
void crd__doctor_say_class(crd__text *text, const crd__doctor_examination *x, size_t k);
/* "3, 4 (dog), 5, ..." of those for which the count is 0; their number is returned. With
 * `where`, only classes that it counts. NULL text: only the number. */
size_t crd__doctor_say_empty(crd__text *text, const crd__doctor_examination *x,
                             const size_t *counts, const size_t *where);
/* Accuracy is no better than labels at random would give (unrelated_labels.c). */
bool crd__doctor_labels_unrelated(const crd__doctor_examination *x);
/* The class that most rows have. */
size_t crd__doctor_largest(const size_t *counts, size_t classes);

#endif

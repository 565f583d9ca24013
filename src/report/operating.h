/* operating.h -- operating points of a result, or of the methods of a contest, in every form. */
#ifndef CRD_REPORT_OPERATING_H
#define CRD_REPORT_OPERATING_H

#include "base/text.h"
#include "credence/operating.h"
#include "credence/report.h"
#include "credence/shift.h"

/* Appends a point in plain words: "83.1 % of cases can be decided automatically at 1.6 % error
 * ...", or why none can. */
void crd__report_operating_sentence(crd__text *out, const crd_operating_point *point);
/* Appends "risk 0.02" or "coverage 0.9". */
void crd__report_operating_target(crd__text *out, const crd_target *target);

/* Append the points of a result, after an empty line; nothing for NULL. */
void crd__report_operating_text(crd__text *out, const crd_operating_table *table,
                                const crd_report_options *options);
void crd__report_operating_csv(crd__text *out, const crd_operating_table *table, const char *before,
                               const char *after);
void crd__report_operating_markdown(crd__text *out, const crd_operating_table *table);
/* The same for all methods of a contest; nothing if they have none. */
void crd__report_operating_contest_text(crd__text *out, const crd_contest *contest,
                                        const crd_report_options *options);
/* Append the points of shifted sets: a sentence each; of a shifted set of a contest: a table. */
void crd__report_operating_shift_text(crd__text *out, const crd_shift_table *shift,
                                      const crd_report_options *options);
void crd__report_operating_methods_text(crd__text *out, const crd_contest *contest,
                                        const crd_contest_shift *set,
                                        const crd_report_options *options);
void crd__report_operating_contest_csv(crd__text *out, const crd_contest *contest);
void crd__report_operating_contest_markdown(crd__text *out, const crd_contest *contest);

/* Returns what is promised for the methods, rather than for the uncalibrated rows; NULL: they have
 * no points. */
const char *crd__report_operating_contest_promise(const crd_contest *contest);

/* Writes the members operating_points and guarantee; nothing for NULL (operating_json.c). */
void crd__report_json_operating(crd__text *out, const crd_operating_table *table,
                                const char *indent);

/* The rates of two classes: key in JSON, name in words. NULL past the end. */
typedef struct {
  const char *key, *words;
  size_t offset; /* in crd_operating_point */
} crd__report_rate;
const crd__report_rate *crd__report_operating_rate(size_t index);
static inline const crd_proportion *crd__report_rate_of(const crd_operating_point *point,
                                                        const crd__report_rate *rate) {
  return (const crd_proportion *)(const void *)((const char *)point + rate->offset);
}

#endif

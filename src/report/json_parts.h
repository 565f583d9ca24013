/*
 * json_parts.h -- parts of JSON that results and contests share. Lines begin with `indent`, a line
 * feed and blanks; a part that has a key begins with a comma, behind what stands there already.
 */
#ifndef CRD_REPORT_JSON_PARTS_H
#define CRD_REPORT_JSON_PARTS_H

#include "base/text.h"
#include "credence/report.h"

/* The reason of a value that is infinite, and has no other. */
#define CRD__NOT_FINITE "not a finite number"

/* The version of the kinds of JSON that are written here; docs/schema has them. */
enum { CRD__JSON_VERSION = 1 };

/* Begins an object of that kind: {"credence": "result", "version": 1, */
void crd__report_json_begin(crd__text *out, const char *kind);
/* classes, input, binary, bins, weighted: what kind of rows. */
void crd__report_json_shape(crd__text *out, const crd_result *result, const char *indent);
void crd__report_json_metrics(crd__text *out, const crd_result *result, const char *indent);
/* {...} alone. */
void crd__report_json_differences(crd__text *out, const crd_comparison *comparison,
                                  const char *indent);
/* [...] alone; NULL: none. */
/* The clusters that were drawn, if any. */
void crd__report_json_clusters(crd__text *out, const crd_result *r, const char *indent);
void crd__report_json_groups(crd__text *out, const crd_group_table *groups, const char *indent);
void crd__report_json_reliability(crd__text *out, const crd_result *result, const char *indent);
void crd__report_json_warnings(crd__text *out, const char *const *notes, size_t count,
                               const char *indent);

/* Nothing where it is NULL (profile_json.c). */
void crd__report_json_profile(crd__text *out, const crd_profile *profile, const char *indent);
/* Diagnosis and provenance, as far as they are told along. */
void crd__report_json_along(crd__text *out, const crd_report_options *options, const char *indent);
/* {...} alone (diagnosis.c). */
void crd__report_json_diagnosis(crd__text *out, const crd_diagnosis *diagnosis, const char *indent);

#endif

/*
 * json_parts.h -- parts of JSON that results and contests share. `indent` is a line feed and
 * blanks, and begins each line; a part with a key begins with a comma, to follow another member.
 */
#ifndef CRD_REPORT_JSON_PARTS_H
#define CRD_REPORT_JSON_PARTS_H

#include "base/text.h"
#include "credence/report.h"

/* The reason of an infinite value that has no other. */
#define CRD__NOT_FINITE "not a finite number"

/* The version of the JSON kinds; their schemas are in docs/schema. */
enum { CRD__JSON_VERSION = 1 };

/* Begins an object: {"credence": "result", "version": 1, */
void crd__report_json_begin(crd__text *out, const char *kind);
/* Writes the object of a result, with the name of its model unless that is NULL (form/json.c). */
void crd__report_json_result(crd__text *out, const crd_named_result *model);
/* Writes classes, input, binary, bins and weighted. */
void crd__report_json_shape(crd__text *out, const crd_result *result, const char *indent);
void crd__report_json_metrics(crd__text *out, const crd_result *result, const char *indent);
/* Writes {...} without a key. */
void crd__report_json_differences(crd__text *out, const crd_comparison *comparison,
                                  const char *indent);
/* Writes the name and number of clusters, if any. */
void crd__report_json_clusters(crd__text *out, const crd_result *r, const char *indent);
/* Writes [...] without a key; NULL: empty. */
void crd__report_json_groups(crd__text *out, const crd_group_table *groups, const char *indent);
void crd__report_json_reliability(crd__text *out, const crd_result *result, const char *indent);
void crd__report_json_warnings(crd__text *out, const char *const *notes, size_t count,
                               const char *indent);

/* Writes a profile; nothing if it is NULL (profile_json.c). */
void crd__report_json_profile(crd__text *out, const crd_profile *profile, const char *indent);
/* Writes the diagnosis and the provenance, if the options have them. */
void crd__report_json_along(crd__text *out, const crd_report_options *options, const char *indent);
/* Writes {...} without a key (diagnosis.c). */
void crd__report_json_diagnosis(crd__text *out, const crd_diagnosis *diagnosis, const char *indent);

#endif

/* stored.h -- parts of stored results, read from JSON into the structs that they were. */
#ifndef CRD_REPORT_STORED_STORED_H
#define CRD_REPORT_STORED_STORED_H

#include "credence/report.h"
#include "report/stored/reader.h"

/* From the bytes of a file; to be destroyed. */
crd_status crd__report_stored_read(crd_context *ctx, const char *bytes, size_t length,
                                   crd_stored **out);

/* ---- Results (result.c). */

/* Everything at the top of a result but what is told along. */
crd_status crd__report_result_read(crd__report_reader *reader, const json_t *root,
                                   const crd_result **out);
/* classes, input, binary, bins, weighted; bins as bin_count. */
crd_status crd__report_shape_read(crd__report_reader *reader, const json_t *object,
                                  crd_result *out);
#define CRD__SHAPE_KEYS "classes input binary bins weighted"
/* Values; `like` (NULL: none) has the metrics that there must be, in its order. */
crd_status crd__report_metrics_read(crd__report_reader *reader, const json_t *metrics,
                                    const crd_result *like, crd_result *out);
/* The same metrics as the result has. */
crd_status crd__report_differences_read(crd__report_reader *reader, const json_t *differences,
                                        const crd_result *like, crd_comparison *out);
/* As many bins as the result has. */
crd_status crd__report_reliability_read(crd__report_reader *reader, const json_t *object,
                                        crd_result *out);
/* Texts of an object's array. */
crd_status crd__report_texts_read(crd__report_reader *reader, const json_t *object, const char *key,
                                  const char *const **out, size_t *count);
/* Groups of rows of `whole`'s kind; all have the metrics of `like`, or, where that is NULL, of the
 * first. *out is NULL where there are none. */
/* How rows were clustered, if they were. */
crd_status crd__report_clusters_read(crd__report_reader *reader, const json_t *root,
                                     crd_result *out);
crd_status crd__report_groups_read(crd__report_reader *reader, const json_t *object,
                                   const crd_result *whole, const crd_result *like,
                                   const crd_group_table **out);

/* What another package says (compat.c); *out is NULL where the object has none. */
crd_status crd__report_compat_read(crd__report_reader *reader, const json_t *object,
                                   const crd_compat_table **out);

/* ---- Contests (contest.c). */

crd_status crd__report_contest_read(crd__report_reader *reader, const json_t *root,
                                    const crd_contest **out);
/* Certificate and what was learnt, where there are any (fit.c). */
crd_status crd__report_fit_read(crd__report_reader *reader, const json_t *object,
                                crd_candidate *out);

/* ---- Profiles, and what is told along (profile.c, along.c). */

/* *out is NULL where the object has none. */
crd_status crd__report_profile_read(crd__report_reader *reader, const json_t *object,
                                    const crd_result *whole, const crd_profile **out);
crd_status crd__report_diagnosis_read(crd__report_reader *reader, const json_t *object,
                                      const crd_diagnosis **out);
crd_status crd__report_provenance_read(crd__report_reader *reader, const json_t *object,
                                       const crd_provenance **out);
/* One of logits, probabilities, ... by its name. */
crd_status crd__report_input_read(crd__report_reader *reader, const json_t *object, crd_input *out);

#endif

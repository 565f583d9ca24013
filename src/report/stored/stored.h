/* stored.h -- reads the parts of stored results from JSON. Every function fails with EINPUT. */
#ifndef CRD_REPORT_STORED_STORED_H
#define CRD_REPORT_STORED_STORED_H

#include "credence/report.h"
#include "report/stored/reader.h"

/* Reads a file's bytes; the caller destroys *out. */
crd_status crd__report_stored_read(crd_context *ctx, const char *bytes, size_t length,
                                   crd_stored **out);

/* The same for the record of a run (run.c). */
crd_status crd__report_run_read(crd_context *ctx, const char *bytes, size_t length,
                                const crd_run **out);

/* ---- Results (result.c). */

/* Reads a result without its diagnosis and provenance. */
crd_status crd__report_result_read(crd__report_reader *reader, const json_t *root,
                                   const crd_result **out);
/* Reads classes, input, binary, bins (as bin_count) and weighted. */
crd_status crd__report_shape_read(crd__report_reader *reader, const json_t *object,
                                  crd_result *out);
#define CRD__SHAPE_KEYS "classes input binary bins weighted"
/* Reads the metrics, which must be those of `like`, in its order (NULL: any). */
crd_status crd__report_metrics_read(crd__report_reader *reader, const json_t *metrics,
                                    const crd_result *like, crd_result *out);
/* Reads differences of the metrics of `like`, in its order. */
crd_status crd__report_differences_read(crd__report_reader *reader, const json_t *differences,
                                        const crd_result *like, crd_comparison *out);
/* Reads bin_count bins. */
crd_status crd__report_reliability_read(crd__report_reader *reader, const json_t *object,
                                        crd_result *out);
/* Reads an array of strings. */
crd_status crd__report_texts_read(crd__report_reader *reader, const json_t *object, const char *key,
                                  const char *const **out, size_t *count);
/* Reads the name and number of clusters, if any. */
crd_status crd__report_clusters_read(crd__report_reader *reader, const json_t *root,
                                     crd_result *out);
/* Reads groups of the rows of `whole`; all must have the metrics of `like`, or, if that is NULL, of
 * the first group. *out is NULL if there are none. */
crd_status crd__report_groups_read(crd__report_reader *reader, const json_t *object,
                                   const crd_result *whole, const crd_result *like,
                                   const crd_group_table **out);

/* Splits the name of a shifted set into its family and severity (shift.c). */
crd_status crd__report_family_read(crd__report_reader *reader, const char *name,
                                   const char **family, double *severity);
/* Reads shifted sets, which must have the metrics of `whole` (shift.c); *out is NULL if the object
 * has none. */
crd_status crd__report_shift_read(crd__report_reader *reader, const json_t *root,
                                  const crd_result *whole, const crd_shift_table **out);

/* Reads the values of another package (compat.c); *out is NULL if the object has none. */
crd_status crd__report_compat_read(crd__report_reader *reader, const json_t *object,
                                   const crd_compat_table **out);

/* Reads operating points and their guarantee (operating.c); *out is NULL if the object has none. */
crd_status crd__report_operating_read(crd__report_reader *reader, const json_t *object,
                                      const struct crd_operating_table **out);

/* ---- Contests (contest.c). */

crd_status crd__report_contest_read(crd__report_reader *reader, const json_t *root,
                                    const crd_contest **out);
/* Reads shifted sets, if any (contest_shift.c). */
crd_status crd__report_contest_shift_read(crd__report_reader *reader, const json_t *root,
                                          crd_contest *out);
/* Reads the certificate and the parameters, if any (fit.c). */
crd_status crd__report_fit_read(crd__report_reader *reader, const json_t *object,
                                crd_candidate *out);

/* ---- Profiles, diagnoses, provenance (profile.c, along.c). */

/* *out is NULL if the object has none. */
crd_status crd__report_profile_read(crd__report_reader *reader, const json_t *object,
                                    const crd_result *whole, const crd_profile **out);
crd_status crd__report_diagnosis_read(crd__report_reader *reader, const json_t *object,
                                      const crd_diagnosis **out);
crd_status crd__report_provenance_read(crd__report_reader *reader, const json_t *object,
                                       const crd_provenance **out);
/* Reads the kind of input: logits, probabilities or confidence. */
crd_status crd__report_input_read(crd__report_reader *reader, const json_t *object, crd_input *out);

#endif

/*
 * clusters.h -- clusters of rows that are not independent, such as those of one patient.
 *
 * A cluster has a 64-bit key that follows from its name alone, so that a patient is the same
 * cluster in every file, whatever the order of rows and the split into files.
 */
#ifndef CRD_DATA_CLUSTERS_H
#define CRD_DATA_CLUSTERS_H

#include "base/context.h"
#include "data/predictions.h"

/* Returns "patients" or "subjects" if the column's name means that: patient, Subjects, patient_id,
 * PatientID ...; else NULL. */
const char *crd__data_cluster_noun(const char *column);
/* Returns whether two columns mean the same kind of cluster; NULL: rows without clusters. */
bool crd__data_cluster_same(const char *column, const char *other);
/* Returns the first eight bytes, little-endian, of the SHA-256 of the name. A name that is an
 * integer is hashed as its shortest decimal text: 7, 007 and 7.0 are one cluster, as text or as
 * numbers. */
uint64_t crd__data_cluster_key(const char *name);

/* Sets parts.cluster and cluster_keys. CRD_EINPUT if the requested column is missing. */
crd_status crd__data_clusters_resolve(crd_context *ctx, crd_predictions *predictions,
                                      const char *asked);
/* Frees the clusters, unless they are borrowed. */
void crd__data_clusters_clear(crd_predictions *predictions);

#endif

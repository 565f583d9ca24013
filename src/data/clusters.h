/*
 * clusters.h -- which rows belong together because they are not independent: those of one patient.
 *
 * A cluster is known by a 64-bit key that follows from its name alone, so that the same patient is
 * the same cluster in every file, whatever the order of rows and however they are divided.
 */
#ifndef CRD_DATA_CLUSTERS_H
#define CRD_DATA_CLUSTERS_H

#include "base/context.h"
#include "data/predictions.h"

/* "patients" or "subjects" where the column's name says that rows of one value are one person's:
 * patient, Subjects, patient_id, PatientID ...; NULL where it does not. */
const char *crd__data_cluster_noun(const char *column);
/* Do two columns mean the same kind of cluster? NULL is rows without clusters. */
bool crd__data_cluster_same(const char *column, const char *other);
/* The first eight bytes, little-endian, of the SHA-256 of the name. A name that is a whole number
 * is hashed as its shortest decimal text: 7, 007 and 7.0 are one cluster, as text or as numbers. */
uint64_t crd__data_cluster_key(const char *name);

/* Settle parts.cluster and fill cluster_keys. EINPUT where the column asked for is not there. */
crd_status crd__data_clusters_resolve(crd_context *ctx, crd_predictions *predictions,
                                      const char *asked);

#endif

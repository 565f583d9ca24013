/* label_map.h -- other classes for labels, by name: "any=1,normal=0". */
#ifndef CRD_DATASET_LABEL_MAP_H
#define CRD_DATASET_LABEL_MAP_H

#include "dataset/kind.h"

/* Replaces the labels of a store: "NAME=CLASS,..." gives the samples labelled NAME the class CLASS,
 * and `any` those with all other names. Classes are sorted as labels are. NULL: does nothing.
 * CRD_EUSAGE if the map is malformed, CRD_EINPUT if a label has no class; adds a note about names
 * that no sample has. On failure the labels are unchanged. */
crd_status crd__dataset_label_map(crd_context *ctx, crd__dataset_store *store, const char *map);

#endif

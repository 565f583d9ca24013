/* classes.h -- maps the labels of a dataset to the classes of a network. */
#ifndef CRD_DATASET_CLASSES_H
#define CRD_DATASET_CLASSES_H

#include "base/context.h"
#include "credence/dataset.h"

/* Returns whether labels are mapped by the names of an encoding (NULL: none): it has names, and the
 * labels are not indices, which they are if all are integers below the number of names, and no name
 * is an integer. */
bool crd__dataset_has_names(const crd_dataset_shape *data, const crd_encoding *encoding);

/* Sets the class of each label where names are not used: integers stand for themselves; others are
 * numbered in their order, if there are as many as `classes`. Otherwise fails with CRD_EINPUT;
 * `network` names the network in the error message. */
crd_status crd__dataset_number_classes(crd_context *ctx, const crd_dataset_shape *data,
                                       size_t classes, const char *network, int64_t *class_of);

/* Maps the labels to `classes` classes of a network, by name or by number. Sets *out to an encoded
 * copy of the list of rows, or to NULL if the labels are class indices already. CRD_EINPUT if a
 * label has no class. */
crd_status crd__dataset_match_classes(crd_context *ctx, const crd_dataset *data,
                                      const crd_encoding *encoding, size_t classes,
                                      const char *network, crd_dataset **out);

#endif

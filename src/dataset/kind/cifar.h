/* cifar.h -- CIFAR's binary files, and the classes of CIFAR-10 and its successors. */
#ifndef CRD_DATASET_KIND_CIFAR_H
#define CRD_DATASET_KIND_CIFAR_H

#include "dataset/kind.h"

enum { CRD__CIFAR10_CLASSES = 10 };
extern const char *const crd__dataset_cifar10_names[CRD__CIFAR10_CLASSES];

/* A set of binary files: records of `label_bytes` labels, the last of which counts, then 3 x 32 x
 * 32 bytes. */
typedef struct {
  const char *const *train, *const *test; /* names of files; NULL ends */
  const char *inner; /* folder inside the published archive, which PATH may hold as well */
  size_t label_bytes;
  const char *const *names;
  size_t name_count;
} crd__dataset_cifar;

/* Opens the files of a folder. Fails with EINPUT if one is missing, empty or no multiple of its
 * records, or has a label beyond its classes. */
crd_status crd__dataset_cifar_open(crd_context *ctx, const crd__dataset_request *request,
                                   const char *path, const crd__dataset_cifar *set,
                                   crd__dataset_store *store);

/* Opens arrays of a file (npy, npz ...) as CIFAR-10 images and their labels, class indices: adds
 * them to the store. A key may be NULL: the file has one array. */
crd_status crd__dataset_cifar_add_arrays(crd_context *ctx, crd__dataset_store *store,
                                         const char *images, const char *image_key,
                                         const char *labels, const char *label_key);

#endif

/*
 * cifar10_1.c -- CIFAR-10.1: 2000 new test images for CIFAR-10, collected like the original ones.
 *
 *   Recht, Roelofs, Schmidt, Shankar: Do ImageNet classifiers generalize to ImageNet? ICML 2019.
 */
#include "base/folder.h"
#include "base/memory.h"
#include "dataset/chunks.h"
#include "dataset/kind/cifar.h"

static const char images_name[] = "cifar10.1_v6_data.npy",
                  labels_name[] = "cifar10.1_v6_labels.npy";

static crd_status cifar10_1_open(crd_context *ctx, const crd__dataset_request *request,
                                 crd__dataset_store *store) {
  char *images = NULL, *labels = NULL;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected cifar10.1:PATH, the folder of %s",
                     request->data, images_name);
  CRD_TRY(crd__dataset_chunks_create(ctx, request->options, store));
  crd_status status = crd__folder_join(ctx, request->path, images_name, &images);
  if (status == CRD_OK) status = crd__folder_join(ctx, request->path, labels_name, &labels);
  if (status == CRD_OK)
    status = crd__dataset_cifar_add_arrays(ctx, store, images, NULL, labels, NULL);
  crd__free(&ctx->alloc, images);
  crd__free(&ctx->alloc, labels);
  if (status != CRD_OK) return status;
  return crd__dataset_chunks_label(ctx, store, crd__dataset_cifar10_names, CRD__CIFAR10_CLASSES);
}

const crd__dataset_kind crd__dataset_kind_cifar10_1 = {
  .info = { .name = "cifar10.1",
            .summary = "2000 new test images for CIFAR-10",
            .path = "folder of cifar10.1_v6_data.npy and cifar10.1_v6_labels.npy",
            .splits = "",
            .reference = "Recht, Roelofs, Schmidt, Shankar: Do ImageNet classifiers generalize to "
                         "ImageNet? ICML 2019" },
  .open = cifar10_1_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};

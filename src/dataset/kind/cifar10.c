/*
 * cifar10.c -- CIFAR-10: 60,000 RGB images of 32 x 32 pixels in ten classes, binary version.
 *
 *   Krizhevsky: Learning multiple layers of features from tiny images. University of Toronto, 2009.
 */
#include "base/folder.h"
#include "dataset/chunks.h"
#include "dataset/kind/cifar.h"

static const char *const train[] = { "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                     "data_batch_4.bin", "data_batch_5.bin", NULL };
static const char *const test[] = { "test_batch.bin", NULL };

static const crd__dataset_cifar set = { .train = train,
                                        .test = test,
                                        .inner = "cifar-10-batches-bin",
                                        .label_bytes = 1,
                                        .names = crd__dataset_cifar10_names,
                                        .name_count = CRD__CIFAR10_CLASSES };

static crd_status cifar10_open(crd_context *ctx, const crd__dataset_request *request,
                               crd__dataset_store *store) {
  const char *const path =
      request->path ? request->path : crd__folder_of_variable("CREDENCE_CIFAR10");
  if (!path)
    return crd__fail(ctx, CRD_EUSAGE,
                     "%.400s: expected cifar10:PATH, the folder of data_batch_1.bin; the "
                     "environment variable CREDENCE_CIFAR10 may name it instead",
                     request->data);
  return crd__dataset_cifar_open(ctx, request, path, &set, store);
}

const crd__dataset_kind crd__dataset_kind_cifar10 = {
  .info = { .name = "cifar10",
            .summary = "50,000 + 10,000 RGB images 32 x 32, ten classes",
            .path = "folder of data_batch_1.bin ... data_batch_5.bin and test_batch.bin (default: "
                    "the environment variable CREDENCE_CIFAR10)",
            .splits = "train test",
            .reference = "Krizhevsky: Learning multiple layers of features from tiny images. "
                         "University of Toronto, 2009" },
  .open = cifar10_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};

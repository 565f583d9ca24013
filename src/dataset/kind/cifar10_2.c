/*
 * cifar10_2.c -- CIFAR-10.2: 10,000 new training and 2000 new test images for CIFAR-10.
 *
 *   Lu, Nott, Olson, Todeschini, Vahabi, Carmon, Schmidt: Harder or different? A closer look at
 *   distribution shift in dataset reproduction. ICML workshop on uncertainty and robustness, 2020.
 */
#include "base/folder.h"
#include "base/memory.h"
#include "dataset/chunks.h"
#include "dataset/kind/cifar.h"

#include <stdio.h>

static crd_status add_split(crd_context *ctx, crd__dataset_store *store, const char *folder,
                            const char *split) {
  char name[64], *file = NULL;
  snprintf(name, sizeof name, "cifar102_%.32s.npz", split);
  CRD_TRY(crd__folder_join(ctx, folder, name, &file));
  const crd_status status =
      crd__dataset_cifar_add_arrays(ctx, store, file, "images", file, "labels");
  crd__free(&ctx->alloc, file);
  return status;
}

static crd_status cifar10_2_open(crd_context *ctx, const crd__dataset_request *request,
                                 crd__dataset_store *store) {
  static const char *const all[] = { "train", "test" };
  const char *const *const splits = request->split_count ? request->splits : all;
  const size_t count = request->split_count ? request->split_count : 2;
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected cifar10.2:PATH, the folder of %s",
                     request->data, "cifar102_test.npz");
  CRD_TRY(crd__dataset_chunks_create(ctx, request->options, store));
  for (size_t i = 0; i < count; i++) CRD_TRY(add_split(ctx, store, request->path, splits[i]));
  return crd__dataset_chunks_label(ctx, store, crd__dataset_cifar10_names, CRD__CIFAR10_CLASSES);
}

const crd__dataset_kind crd__dataset_kind_cifar10_2 = {
  .info = { .name = "cifar10.2",
            .summary = "10,000 + 2000 new images for CIFAR-10",
            .path = "folder of cifar102_train.npz and cifar102_test.npz",
            .splits = "train test",
            .reference = "Lu, Nott, Olson, Todeschini, Vahabi, Carmon, Schmidt: Harder or "
                         "different? A closer look at distribution shift in dataset reproduction. "
                         "ICML workshop, 2020" },
  .open = cifar10_2_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};

/*
 * fashion_mnist.c -- Fashion-MNIST: 70,000 grey images of 28 x 28 pixels, ten kinds of clothing.
 *
 * Debian has it as the package dataset-fashion-mnist, in MNIST's format.
 *   Xiao, Rasul, Vollgraf: Fashion-MNIST: a novel image dataset for benchmarking machine learning
 *   algorithms. arXiv 1708.07747, 2017.
 */
#include "base/file.h"
#include "dataset/chunks.h"
#include "dataset/kind/idx.h"

static const char folder[] = "/usr/share/datasets/fashion-mnist";

static const char *const names[] = { "T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                     "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot" };

static crd_status fashion_mnist_open(crd_context *ctx, const crd__dataset_request *request,
                                     crd__dataset_store *store) {
  const char *const path = request->path ? request->path : folder;
  if (!request->path && !crd__folder_exists(folder))
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: no such folder: install the Debian package dataset-fashion-mnist, or "
                     "name the folder of the files: fashion-mnist:PATH",
                     folder);
  return crd__dataset_idx_open(ctx, request, path, names, sizeof names / sizeof *names, store);
}

const crd__dataset_kind crd__dataset_kind_fashion_mnist = {
  .info = { .name = "fashion-mnist",
            .summary = "60,000 + 10,000 grey images 28 x 28 of clothing, ten classes",
            .path = "folder of its four files (default: where Debian's package "
                    "dataset-fashion-mnist puts them)",
            .splits = "train test",
            .reference = "Xiao, Rasul, Vollgraf: Fashion-MNIST: a novel image dataset for "
                         "benchmarking machine learning algorithms. arXiv 1708.07747, 2017" },
  .open = fashion_mnist_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};

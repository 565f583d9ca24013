/*
 * cifar100.c -- CIFAR-100: 60,000 RGB images of 32 x 32 pixels in a hundred (fine) classes, binary
 * version. Records begin with the coarse label, which is not used.
 *
 *   Krizhevsky: Learning multiple layers of features from tiny images. University of Toronto, 2009.
 */
#include "dataset/chunks.h"
#include "dataset/kind/cifar.h"

static const char *const names[] = {
  "apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
  "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
  "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
  "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
  "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
  "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
  "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
  "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
  "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
  "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
  "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
  "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
  "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
  "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
  "table",       "tank",          "telephone", "television", "tiger",        "tractor",
  "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
  "willow_tree", "wolf",          "woman",     "worm"
};

static const char *const train[] = { "train.bin", NULL }, *const test[] = { "test.bin", NULL };

static const crd__dataset_cifar set = { .train = train,
                                        .test = test,
                                        .inner = "cifar-100-binary",
                                        .label_bytes = 2,
                                        .names = names,
                                        .name_count = sizeof names / sizeof *names };

static crd_status cifar100_open(crd_context *ctx, const crd__dataset_request *request,
                                crd__dataset_store *store) {
  if (!request->path)
    return crd__fail(ctx, CRD_EUSAGE, "%.400s: expected cifar100:PATH, the folder of train.bin",
                     request->data);
  return crd__dataset_cifar_open(ctx, request, request->path, &set, store);
}

const crd__dataset_kind crd__dataset_kind_cifar100 = {
  .info = { .name = "cifar100",
            .summary = "50,000 + 10,000 RGB images 32 x 32, a hundred classes",
            .path = "folder of train.bin and test.bin",
            .splits = "train test",
            .reference = "Krizhevsky: Learning multiple layers of features from tiny images. "
                         "University of Toronto, 2009" },
  .open = cifar100_open,
  .bytes = crd__dataset_chunks_bytes,
  .read = crd__dataset_chunks_read,
  .source = crd__dataset_chunks_source,
  .close = crd__dataset_chunks_close,
};

/* datasets.h -- a small example of every kind of dataset, for tests of the whole table. */
#ifndef CRD_TESTS_CONFORM_DATASETS_H
#define CRD_TESTS_CONFORM_DATASETS_H

#include "dataset/kind/testing.h"

#include "base/text.h"
#include "dataset/image/image.h"
#include "io/write.h"

enum { CIFAR_PIXELS = 3072, EXAMPLES = 3 };

/* Fills the folder; sets `path` to what follows the kind. */
typedef void (*make_example)(crd_context *ctx, const char *folder, char path[512]);

static inline void put_idx(const char *folder, const char *images_name, const char *labels_name) {
  static const unsigned char images[] = { 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                          0, 3, 0, 1, 2, 3, 4, 5, 9, 8, 7, 60, 50, 255 };
  static const unsigned char labels[] = { 0, 0, 8, 1, 0, 0, 0, 2, 7, 3 };
  put_in(folder, images_name, images, sizeof images);
  put_in(folder, labels_name, labels, sizeof labels);
}

static inline void make_idx(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx, (void)path;
  put_idx(folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  put_idx(folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
}

static inline void put_records(const char *folder, const char *name, size_t label_bytes,
                               unsigned char first) {
  static unsigned char bytes[2 * (2 + CIFAR_PIXELS)];
  const size_t record = label_bytes + CIFAR_PIXELS;
  for (size_t i = 0; i < 2 * record; i++) bytes[i] = (unsigned char)(i * i / 7 + first);
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < label_bytes; i++)
      bytes[k * record + i] = (unsigned char)((first + k) % 10);
  put_in(folder, name, bytes, 2 * record);
}

static inline void make_cifar10(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx, (void)path;
  for (unsigned char i = 0; i < 5; i++) {
    char name[32];
    snprintf(name, sizeof name, "data_batch_%d.bin", i + 1);
    put_records(folder, name, 1, i);
  }
  put_records(folder, "test_batch.bin", 1, 8);
}

static inline void make_cifar100(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx, (void)path;
  put_records(folder, "train.bin", 2, 3);
  put_records(folder, "test.bin", 2, 5);
}

static const unsigned char *byte_images(void) {
  static unsigned char pixels[EXAMPLES * CIFAR_PIXELS];
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(i * i / 5);
  return pixels;
}

static inline void make_cifar10_1(crd_context *ctx, const char *folder, char path[512]) {
  static const int64_t labels[EXAMPLES] = { 9, 0, 4 };
  const crd_array images = {
    .data = byte_images(), .dtype = CRD_U8, .rank = 4, .dims = { EXAMPLES, 32, 32, 3 }
  };
  const crd_array indices = { .data = labels, .dtype = CRD_I64, .rank = 1, .dims = { EXAMPLES } };
  char file[600];
  (void)path;
  snprintf(file, sizeof file, "%s/cifar10.1_v6_data.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &images, NULL, file));
  snprintf(file, sizeof file, "%s/cifar10.1_v6_labels.npy", folder);
  WORKS(ctx, crd_array_save(ctx, &indices, NULL, file));
}

/* Writes images and labels of each split: names[2 * s] and names[2 * s + 1]. */
static inline void put_npz(crd_context *ctx, const char *file, const char *const *names,
                           size_t splits) {
  static const int64_t labels[EXAMPLES] = { 2, 0, 1 };
  const crd_array images = {
    .data = byte_images(), .dtype = CRD_U8, .rank = 4, .dims = { EXAMPLES, 32, 32, 3 }
  };
  crd__io_array arrays[6];
  for (size_t s = 0; s < splits; s++) {
    arrays[2 * s] = (crd__io_array){ .name = names[2 * s], .shape = &images };
    arrays[2 * s].view = crd_array_matrix(images.data, CRD_U8, EXAMPLES, CIFAR_PIXELS);
    arrays[2 * s + 1] = (crd__io_array){ .name = names[2 * s + 1],
                                         .view = crd_array_matrix(labels, CRD_I64, EXAMPLES, 1) };
  }
  WORKS(ctx, crd__io_bundle_write(ctx, file, arrays, 2 * splits));
}

static inline void make_cifar10_2(crd_context *ctx, const char *folder, char path[512]) {
  static const char *const names[] = { "images", "labels" };
  static const char *const files[] = { "cifar102_train.npz", "cifar102_test.npz" };
  (void)path;
  for (size_t i = 0; i < 2; i++) {
    char file[600];
    snprintf(file, sizeof file, "%s/%s", folder, files[i]);
    put_npz(ctx, file, names, 1);
  }
}

static inline void make_npz(crd_context *ctx, const char *folder, char path[512]) {
  static const char *const names[] = { "train_images", "train_labels", "test_images",
                                       "test_labels" };
  snprintf(path, 512, "%.400s/images.npz", folder);
  put_npz(ctx, path, names, 2);
}

static inline void make_csv(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx;
  put_text_in(folder, "table.csv",
              "a,b,label,group,split,weight\n1,2,cat,p1,train,1\n3,4,dog,p2,train,2\n"
              "5,6,cat,p3,test,0.5\n7,9,dog,p3,test,1\n");
  snprintf(path, 512, "%.400s/table.csv", folder);
}

static inline void make_text(crd_context *ctx, const char *folder, char path[512]) {
  static const char *const splits[] = { "train", "test" }, *const classes[] = { "cats", "dogs" };
  (void)ctx, (void)path;
  for (size_t i = 0; i < 4; i++) {
    const char *const split = i % 2 ? NULL : make_folder(folder, splits[i / 2]);
    static const char *kept;
    if (split) kept = split;
    const char *const inner = make_folder(kept, classes[i % 2]);
    put_text_in(inner, "1", i % 2 ? "The dog barks." : "A cat, the cat.");
    put_text_in(inner, "2", i % 2 ? "dogs don't meow" : "Miaow!");
  }
}

static inline void make_mixture(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx, (void)folder;
  snprintf(path, 512, "train=20,val=10,test=10,classes=3,columns=4");
}

static inline void make_line(crd_context *ctx, const char *folder, char path[512]) {
  (void)ctx, (void)folder;
  snprintf(path, 512, "rows=10");
}

/* Images of 3 x 4 pixels; false: no library for PNG. */
static inline bool put_png(crd_context *ctx, const char *folder, const char *name,
                           unsigned char first) {
  unsigned char pixels[12];
  for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (unsigned char)(first + 17 * i);
  const crd__image image = { 3, 4, 1, pixels };
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  const crd_status status = crd__image_codec_png.encode(ctx, &image, 0, &text);
  if (status == CRD_OK) put_in(folder, name, text.bytes, text.length);
  crd__text_clear(&text);
  return status == CRD_OK;
}

static inline void make_folders(crd_context *ctx, const char *folder, char path[512]) {
  static const char *const splits[] = { "train", "test" }, *const classes[] = { "cat", "dog" };
  for (size_t s = 0; s < 2; s++) {
    const char *const split = make_folder(folder, splits[s]);
    for (size_t k = 0; k < 2; k++) {
      const char *const class = make_folder(split, classes[k]);
      if (!put_png(ctx, class, "1.png", (unsigned char)(40 * s + 20 * k)) ||
          !put_png(ctx, class, "2.png", (unsigned char)(40 * s + 20 * k + 7)))
        path[0] = '\0';
    }
  }
}

static inline void make_manifest(crd_context *ctx, const char *folder, char path[512]) {
  put_text_in(folder, "images.csv",
              "path,label,group,split,weight\na.png,0,p1,train,1\nb.png,1,p2,train,2\n"
              "c.png,1,p3,test,1\n");
  snprintf(path, 512, "%.400s/images.csv", folder);
  for (char name[] = "a.png"; name[0] <= 'c'; name[0]++)
    if (!put_png(ctx, folder, name, (unsigned char)name[0])) path[0] = '\0';
}

static const struct {
  const char *kind;
  make_example make;
} examples[] = {
  { "idx", make_idx },
  { "fashion-mnist", make_idx },
  { "cifar10", make_cifar10 },
  { "cifar100", make_cifar100 },
  { "cifar10.1", make_cifar10_1 },
  { "cifar10.2", make_cifar10_2 },
  { "npz", make_npz },
  { "csv", make_csv },
  { "text", make_text },
  { "synthetic:mixture", make_mixture },
  { "synthetic:line", make_line },
  { "folder", make_folders },
  { "manifest", make_manifest },
};

/* An example on disk. */
typedef struct {
  const crd_dataset_kind_info *kind;
  const char *folder;
  char path[512], data[600];
} example;

/* Makes the example of a kind; false: a library is not built in. A kind without one fails the test.
 */
static inline bool example_make(crd_context *ctx, const crd_dataset_kind_info *kind, example *out) {
  size_t i = 0;
  while (i < sizeof examples / sizeof *examples && strcmp(examples[i].kind, kind->name) != 0) i++;
  if (i == sizeof examples / sizeof *examples)
    fail_msg("%s: no example in tests/conform/datasets.h", kind->name);
  *out = (example){ .kind = kind, .folder = make_folder(NULL, "example") };
  snprintf(out->path, sizeof out->path, "%s", out->folder);
  examples[i].make(ctx, out->folder, out->path);
  snprintf(out->data, sizeof out->data, "%s:%s", kind->name, out->path);
  if (!out->path[0]) cannot_test_images("conform-datasets");
  return out->path[0];
}

static inline void example_remove(const example *e) { remove_tree(e->folder); }

#endif

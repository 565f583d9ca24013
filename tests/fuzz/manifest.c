/*
 * manifest.c -- any bytes as a manifest, beside the images a.png and b.png: it fails with an error
 * message, or every sample, label, patient and note can be read.
 */
#define _DEFAULT_SOURCE /* for mkdtemp */
#include "fuzz.h"

#include "base/context.h"
#include "dataset/image/image.h"

#include <string.h>
#include <unistd.h>

enum { SIDE = 4 };

static char folder[256];

static void path_of(char path[512], const char *name) {
  snprintf(path, 512, "%s/%s", folder, name);
}

static void clean_up(void) {
  static const char *const files[] = { "a.png", "b.png", "manifest.csv" };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[512];
    path_of(path, files[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void put(const char *name, const void *bytes, size_t length) {
  char path[512];
  path_of(path, name);
  FILE *const file = fopen(path, "wb");
  HOLDS(file != NULL && fwrite(bytes, 1, length, file) == length);
  HOLDS(fclose(file) == 0);
}

static void make_folder(crd_context *ctx) {
  const char *const parent = getenv("TMPDIR");
  unsigned char pixels[SIDE * SIDE] = { 0 };
  const crd__image image = { SIDE, SIDE, 1, pixels };
  crd__text text;
  if (folder[0]) return;
  snprintf(folder, sizeof folder, "%.200s/credence-fuzz-XXXXXX", parent ? parent : "/tmp");
  HOLDS(mkdtemp(folder) != NULL);
  atexit(clean_up);
  crd__text_init(&text, &ctx->alloc);
  if (crd__image_codec_png.encode(ctx, &image, 0, &text) == CRD_OK) {
    put("a.png", text.bytes, text.length);
    put("b.png", text.bytes, text.length);
  }
  crd__text_clear(&text);
}

static void read_rows(crd_context *ctx, const crd_dataset *dataset) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  float sample[SIDE * SIDE];
  size_t sum = 0;
  HOLDS(shape->rank == 3 && shape->dims[0] == 1 && shape->dims[1] == SIDE);
  for (size_t row = 0; row < shape->rows; row++) {
    const int64_t label = crd_dataset_label(dataset, row);
    const char *const group = crd_dataset_group(dataset, row);
    HOLDS(label >= -1 && label < (int64_t)shape->classes);
    HOLDS(crd_dataset_weight(dataset, row) >= 0);
    HOLDS(crd_dataset_read(ctx, dataset, &row, 1, sample) == CRD_OK);
    sum += group ? strlen(group) : 0;
  }
  for (size_t k = 0; k < shape->classes; k++) sum += strlen(shape->class_names[k]);
  for (size_t i = 0; crd_dataset_note(dataset, i); i++) sum += strlen(crd_dataset_note(dataset, i));
  volatile size_t keep = sum;
  (void)keep;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  const crd_dataset_options options = {
    .size = sizeof options, .height = SIDE, .width = SIDE, .channels = 1, .skip_corrupt = 1
  };
  char path[512], data[600];
  crd_context *ctx;
  crd_dataset *dataset;
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  crd_context_set_threads(ctx, 1);
  make_folder(ctx);
  put("manifest.csv", bytes, length);
  path_of(path, "manifest.csv");
  snprintf(data, sizeof data, "manifest:%s", path);
  if (crd_dataset_open(ctx, data, &options, &dataset) == CRD_OK) {
    read_rows(ctx, dataset);
    crd_dataset_destroy(dataset);
  } else HOLDS(dataset == NULL && crd_context_message(ctx)[0] != '\0');
  crd_context_destroy(ctx);
  return 0;
}

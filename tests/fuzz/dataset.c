/*
 * dataset.c -- any bytes as the files of a dataset, whose kind is FUZZ_NAME: it fails with an error
 * message, or all samples, labels and notes can be read.
 *
 * Kinds open files by their names, so the bytes are written to a folder of this process. Where a
 * kind has two files, the first two bytes are the length of the first one. Texts that begin with
 * "names\n" are a list of names, of which an archive is made: its checksums keep a fuzzer from
 * changing the names of a real one. Every other input asks for a split.
 */
#define _DEFAULT_SOURCE /* for mkdtemp */
#include "fuzz.h"

#include "dataset/dataset.h"

#include <string.h>
#include <unistd.h>

static const struct {
  const char *kind, *suffixes[2]; /* of inputs of even and odd length */
  const char *files[2];
  bool opens_folder;
} targets[] = {
  { "idx", { "#train", "#train" }, { "train-images-idx3-ubyte", "train-labels-idx1-ubyte" }, true },
  { "cifar10", { "#test", "#test" }, { "test_batch.bin" }, true },
  { "csv", { "", "#test" }, { "table.csv" }, false },
  { "text", { "", "#test+train" }, { "texts.tar" }, false },
};

static char folder[256], data[512];

static void clean_up(void) {
  for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
    for (size_t i = 0; i < 2; i++) {
      char path[512];
      if (!targets[t].files[i]) continue;
      snprintf(path, sizeof path, "%s/%s", folder, targets[t].files[i]);
      unlink(path);
    }
  rmdir(folder);
}

static void make_folder(void) {
  const char *parent = getenv("TMPDIR");
  if (folder[0]) return;
  /* Files in memory make a run fifteen times as fast. */
  if (!parent) parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(folder, sizeof folder, "%.200s/credence-fuzz-XXXXXX", parent);
  HOLDS(mkdtemp(folder) != NULL);
  atexit(clean_up);
}

static void put(const char *name, const uint8_t *bytes, size_t length) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const file = fopen(path, "wb");
  HOLDS(file != NULL && fwrite(bytes, 1, length, file) == length);
  HOLDS(fclose(file) == 0);
}

/* Writes a tar archive of files whose names are the lines, and whose text is their name. */
static void put_names(const char *file, const uint8_t *lines, size_t length) {
  enum { MEMBER = 1024, MEMBERS = 64 };
  static uint8_t archive[MEMBER * (MEMBERS + 1)];
  size_t count = 0;
  memset(archive, 0, sizeof archive);
  for (size_t at = 0; at < length && count < MEMBERS; count++) {
    uint8_t *const header = archive + count * MEMBER;
    const uint8_t *const end = memchr(lines + at, '\n', length - at);
    const size_t all = end ? (size_t)(end - lines) - at : length - at, some = all < 99 ? all : 99;
    unsigned sum = 0;
    memcpy(header, lines + at, some);
    memcpy(header + 512, lines + at, some);
    memcpy(header + 100, "0000644", 7);
    snprintf((char *)header + 124, 12, "%011o", (unsigned)some);
    memcpy(header + 148, "        0", 9);
    memcpy(header + 257, "ustar\00000", 8);
    for (size_t i = 0; i < 512; i++) sum += header[i];
    snprintf((char *)header + 148, 8, "%06o", sum);
    at += all + 1;
  }
  put(file, archive, (count + 1) * MEMBER);
}

static void put_files(const char *const *files, const uint8_t *bytes, size_t length) {
  if (strcmp(FUZZ_NAME, "text") == 0 && length > 6 && memcmp(bytes, "names\n", 6) == 0) {
    put_names(files[0], bytes + 6, length - 6);
    return;
  }
  if (!files[1]) {
    put(files[0], bytes, length);
    return;
  }
  size_t first = 0;
  if (length >= 2) first = bytes[0] | (size_t)bytes[1] << 8;
  const size_t skip = length < 2 ? length : 2, rest = length - skip;
  if (first > rest) first = rest;
  put(files[0], bytes + skip, first);
  put(files[1], bytes + skip + first, rest - first);
}

static void read_samples(crd_context *ctx, const crd_dataset *dataset) {
  enum { ROWS_MAX = 256 };
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  const crd__dataset_store *const store = dataset->store;
  size_t size = 1, sum = 0;
  for (size_t i = 0; i < shape->rank; i++) size *= (size_t)shape->dims[i];
  float *const sample = malloc((size ? size : 1) * sizeof *sample);
  HOLDS(sample != NULL);
  for (size_t row = 0; row < shape->rows && row < ROWS_MAX; row++) {
    const int64_t label = crd_dataset_label(dataset, row);
    HOLDS(label >= -1 && label < (int64_t)shape->classes);
    if (store->kind->source) sum += strlen(store->kind->source(store, row));
    if (shape->type == CRD_SAMPLES_TEXTS) {
      const crd__dataset_text text = store->kind->text(store, row);
      for (size_t i = 0; i < text.length; i++) sum += (unsigned char)text.bytes[i];
    } else HOLDS(crd_dataset_read(ctx, dataset, &row, 1, sample) == CRD_OK);
  }
  for (size_t k = 0; k < shape->classes; k++) sum += strlen(shape->class_names[k]);
  for (size_t i = 0; crd_dataset_note(dataset, i); i++) sum += strlen(crd_dataset_note(dataset, i));
  volatile size_t keep = sum;
  (void)keep;
  free(sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd_dataset *dataset;
  size_t t = 0;
  while (strcmp(targets[t].kind, FUZZ_NAME) != 0) t++;
  make_folder();
  put_files(targets[t].files, bytes, length);
  snprintf(data, sizeof data, "%s:%s%s%s%s", targets[t].kind, folder,
           targets[t].opens_folder ? "" : "/", targets[t].opens_folder ? "" : targets[t].files[0],
           targets[t].suffixes[length % 2]);
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  if (crd_dataset_open(ctx, data, NULL, &dataset) == CRD_OK) {
    read_samples(ctx, dataset);
    crd_dataset_destroy(dataset);
  } else HOLDS(dataset == NULL && crd_context_message(ctx)[0] != '\0');
  crd_context_destroy(ctx);
  return 0;
}

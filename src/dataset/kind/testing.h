/* testing.h -- helpers of the tests of kinds: folders of small files, opened datasets. */
#ifndef CRD_DATASET_KIND_TESTING_H
#define CRD_DATASET_KIND_TESTING_H

#include "io/testing.h"

#include "dataset/kind.h"

#include <dirent.h>
#include <sys/stat.h>

/* Makes a folder inside another one, or a scratch folder if that is NULL; the path stays valid for
 * some calls, as those of scratch_path. */
static inline const char *make_folder(const char *parent, const char *name) {
  static char paths[32][512];
  static unsigned next;
  char *const path = paths[next++ % 32], whole[512];
  if (parent) snprintf(whole, sizeof whole, "%.250s/%.250s", parent, name);
  else snprintf(whole, sizeof whole, "%s", scratch_path(name));
  memcpy(path, whole, sizeof whole);
  assert_int_equal(mkdir(path, 0777), 0);
  return path;
}

static inline void put_in(const char *folder, const char *name, const void *bytes, size_t length) {
  char path[1024];
  snprintf(path, sizeof path, "%.600s/%.255s", folder, name);
  FILE *const file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

static inline void put_text_in(const char *folder, const char *name, const char *text) {
  put_in(folder, name, text, strlen(text));
}

/* Removes a folder and everything in it. */
static inline void remove_tree(const char *path) {
  DIR *const directory = opendir(path);
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char inner[1024];
    struct stat info;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(inner, sizeof inner, "%.700s/%.255s", path, entry->d_name);
    if (lstat(inner, &info) == 0 && S_ISDIR(info.st_mode)) remove_tree(inner);
    else assert_int_equal(unlink(inner), 0);
  }
  closedir(directory);
  assert_int_equal(rmdir(path), 0);
}

/* DATA of a path: "idx:PATH#train". Stays valid for some calls. */
static inline const char *data_of(const char *kind, const char *path, const char *suffix) {
  static char texts[16][640];
  static unsigned next;
  char *const text = texts[next++ % 16];
  snprintf(text, sizeof texts[0], "%.40s:%.520s%.40s", kind, path, suffix);
  return text;
}

static inline crd_dataset *opened_with(crd_context *ctx, const char *data,
                                       const crd_dataset_options *options) {
  crd_dataset *dataset;
  if (crd_dataset_open(ctx, data, options, &dataset) != CRD_OK)
    fail_msg("%s: %s", data, crd_context_message(ctx));
  return dataset;
}

static inline crd_dataset *opened(crd_context *ctx, const char *data) {
  return opened_with(ctx, data, NULL);
}

/* Opening fails with this code, and its error message contains these words. */
#define REFUSED(ctx, code, data, words)                                                            \
  do {                                                                                             \
    crd_dataset *refused_dataset;                                                                  \
    FAILS(ctx, code, crd_dataset_open(ctx, data, NULL, &refused_dataset), words);                  \
    assert_null(refused_dataset);                                                                  \
  } while (0)

/* The sample of a row is these values. */
static inline void check_row(crd_context *ctx, const crd_dataset *dataset, size_t row,
                             const float *expected, size_t count) {
  float found[256];
  assert_true(count <= 256);
  WORKS(ctx, crd_dataset_read(ctx, dataset, &row, 1, found));
  for (size_t i = 0; i < count; i++)
    if (found[i] != expected[i])
      fail_msg("row %zu, value %zu: found %.9g, expected %.9g", row, i, (double)found[i],
               (double)expected[i]);
}

/* The name of a row's class. */
static inline const char *class_of(const crd_dataset *dataset, size_t row) {
  const int64_t label = crd_dataset_label(dataset, row);
  return label < 0 ? "none" : crd_dataset_describe(dataset)->class_names[label];
}

static inline void check_shape(const crd_dataset *dataset, size_t rows, size_t rank,
                               const int64_t *dims, size_t classes) {
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  assert_int_equal(shape->rows, rows);
  assert_int_equal(shape->rank, rank);
  for (size_t i = 0; i < rank; i++) assert_int_equal(shape->dims[i], dims[i]);
  assert_int_equal(shape->classes, classes);
}

/* Opens and reads all of DATA, for fail_each_allocation. */
static inline crd_status open_and_read(crd_context *ctx, const void *data) {
  crd_dataset *dataset;
  float found[4096];
  CRD_TRY(crd_dataset_open(ctx, data, NULL, &dataset));
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  crd_status status = CRD_OK;
  const size_t rows = shape->type == CRD_SAMPLES_TEXTS ? 0 : shape->rows;
  for (size_t row = 0; row < rows && status == CRD_OK; row++)
    status = crd_dataset_read(ctx, dataset, &row, 1, found);
  crd_dataset_destroy(dataset);
  return status;
}

#endif

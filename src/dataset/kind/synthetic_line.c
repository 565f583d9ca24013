/*
 * synthetic_line.c -- one input and two classes: x uniform on [-2, 2], P(y = 1 | x) = (x + 2) / 4.
 *
 * The true probability is known, so that the error of a network's probabilities can be measured
 * without an estimate. Sample i of a split is a function of (seed, split, i).
 */
#include "base/memory.h"
#include "base/random.h"
#include "base/settings.h"
#include "dataset/kind.h"

#include <string.h>

enum { ROWS, SEED, SETTINGS };
enum { STREAM = 0x6c696e65 /* "line": two for each split */ };

static const char *const split_names[] = { "train", "val", "test" };
enum { SPLITS = sizeof split_names / sizeof *split_names };

static const crd_setting_info settings[] = {
  { .name = "rows",
    .help = "samples of each split",
    .standard = "1000",
    .low = 1,
    .high = 1e9,
    .whole = 1 },
  { .name = "seed",
    .help = "seed of the samples",
    .standard = "0",
    .low = 0,
    .high = 9e15,
    .whole = 1 },
};

typedef struct {
  float *x;
} line;

static void synthetic_line_close(const crd_allocator *alloc, void *self) {
  crd__free(alloc, ((line *)self)->x);
  crd__free(alloc, self);
}

/* The frame has checked the name. */
static size_t split_index(const char *name) {
  size_t i = 0;
  while (i < SPLITS - 1 && strcmp(split_names[i], name) != 0) i++;
  return i;
}

static void fill_split(const crd__dataset_store *store, size_t split, const double *values,
                       size_t from) {
  const uint64_t seed = (uint64_t)values[SEED];
  const line *const self = store->self;
  for (size_t i = 0; i < (size_t)values[ROWS]; i++) {
    const double x = 4 * crd__random_uniform(seed, STREAM + 2 * split, i) - 2;
    const double chance = crd__random_uniform(seed, STREAM + 2 * split + 1, i);
    self->x[from + i] = (float)x;
    store->labels.of[from + i] = chance < (x + 2) / 4;
  }
}

static crd_status synthetic_line_open(crd_context *ctx, const crd__dataset_request *request,
                                      crd__dataset_store *store) {
  const crd__setting_table table = { "synthetic:line", SETTINGS, settings };
  double values[SETTINGS];
  line *self;
  CRD_TRY(crd__settings_standard(ctx, &table, values, NULL));
  CRD_TRY(crd__settings_read(ctx, &table, request->path, values, NULL));
  const size_t rows = (size_t)values[ROWS];
  const size_t count = request->split_count ? request->split_count : SPLITS;
  CRD_TRY(crd__new(ctx, 1, sizeof *self, "a dataset", &self));
  store->self = self;
  store->count = rows * count;
  store->type = CRD_SAMPLES_VECTORS;
  store->rank = 1;
  store->dims[0] = 1;
  store->all_classes = true;
  CRD_TRY(crd__new(ctx, store->count, sizeof(float), "samples", &self->x));
  CRD_TRY(crd__dataset_names_add(ctx, &store->alloc, &store->labels, "0", NULL));
  CRD_TRY(crd__dataset_names_add(ctx, &store->alloc, &store->labels, "1", NULL));
  CRD_TRY(crd__new(ctx, store->count, sizeof(int64_t), "labels", &store->labels.of));
  for (size_t s = 0; s < count; s++)
    fill_split(store, request->split_count ? split_index(request->splits[s]) : s, values, s * rows);
  return CRD_OK;
}

static crd_status synthetic_line_read(crd_context *ctx, const crd__dataset_store *store,
                                      size_t index, float *out) {
  const line *const self = store->self;
  (void)ctx;
  *out = self->x[index];
  return CRD_OK;
}

const crd__dataset_kind crd__dataset_kind_synthetic_line = {
  .info = { .name = "synthetic:line",
            .summary = "one number x, uniform on [-2, 2], and two classes: P(y = 1) = (x + 2) / 4",
            .path = "settings: rows=1000 of each split, seed=0",
            .splits = "train val test",
            .reference = "" },
  .open = synthetic_line_open,
  .read = synthetic_line_read,
  .close = synthetic_line_close,
};

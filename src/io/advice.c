/*
 * advice.c -- Python commands to paste: pixels or tokens to rows, one class of a multi-hot file.
 */
#include "io/advice.h"

#include "data/array.h"
#include "io/format.h"
#include "io/keys.h"

#include <string.h>

/* How Python opens a file as a mapping of names to arrays. */
static const struct {
  const char *format, *import, *open;
} loaders[] = {
  { "npz", "import numpy as np", "np.load('%s')" },
  { "hdf5", "import numpy as np, h5py", "h5py.File('%s')" },
  { "mat", "import numpy as np; from scipy.io import loadmat", "loadmat('%s')" },
  { "safetensors", "import numpy as np; from safetensors.numpy import load_file",
    "load_file('%s')" },
};

/* Returns whether the text can be quoted in Python inside a quoted shell word. */
static bool is_plain(const char *text) {
  return strlen(text) < 200 && strpbrk(text, "'\"\\$`!\n") == NULL;
}

/* Appends "python3 -c \"import numpy as np; d = np.load('x.npz'); "; false for other formats. */
static bool begin_python(const crd__io_bundle *bundle, crd__text *text) {
  for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
    if (strcmp(bundle->format->info.name, loaders[i].format) != 0 || !is_plain(bundle->name))
      continue;
    const char *const hole = strstr(loaders[i].open, "%s");
    crd__text_addf(text, "python3 -c \"%s; d = ", loaders[i].import);
    crd__text_add_bytes(text, loaders[i].open, (size_t)(hole - loaders[i].open));
    crd__text_add(text, bundle->name);
    crd__text_add(text, hole + 2);
    crd__text_add(text, "; ");
    return true;
  }
  return false;
}

/* ---- More than two dimensions. */

/* The axis of the classes: the one that the labels lack; without labels the second, as in PyTorch.
 */
static size_t class_axis(const crd__io_entry *scores, const crd__io_entry *labels) {
  for (size_t axis = 1; labels && axis < scores->rank; axis++) {
    bool fits = labels->rank + 1 == scores->rank;
    for (size_t i = 0; fits && i < labels->rank; i++)
      fits = labels->shape[i] == scores->shape[i + (i >= axis)];
    if (fits) return axis;
  }
  return 1;
}

static const crd__io_entry *find_deep(crd_context *ctx, crd__io_bundle *bundle) {
  for (size_t i = 0; i < bundle->count && i < 64; i++) {
    const crd__io_entry *const entry = &bundle->entries[i];
    if (crd__io_bundle_peek(ctx, bundle, i) == CRD_OK && entry->rank > 2 && !entry->strings &&
        !crd__data_array_is_integral(&entry->view))
      return entry;
  }
  return NULL;
}

static const crd__io_entry *find_shallower(crd_context *ctx, crd__io_bundle *bundle,
                                           const crd__io_entry *scores) {
  for (size_t i = 0; i < bundle->count && i < 64; i++) {
    const crd__io_entry *const entry = &bundle->entries[i];
    if (crd__io_bundle_peek(ctx, bundle, i) == CRD_OK && entry->rank + 1 == scores->rank)
      return entry;
  }
  return NULL;
}

void crd__io_advise_reshape(crd_context *ctx, crd__io_bundle *bundle, crd__text *text) {
  const crd__io_entry *const scores = find_deep(ctx, bundle);
  if (!scores) return;
  const crd__io_entry *const labels = find_shallower(ctx, bundle, scores);
  const size_t axis = class_axis(scores, labels);
  crd__text_add(text, "; make each pixel or token a row: ");
  if (!is_plain(scores->name) || (labels && !is_plain(labels->name)) ||
      !begin_python(bundle, text)) {
    crd__text_addf(text, "np.moveaxis(scores, %zu, -1).reshape(-1, %zu) in Python", axis,
                   scores->shape[axis]);
    return;
  }
  crd__text_addf(text,
                 "np.savez('rows.npz', scores=np.moveaxis(d['%s'][:], %zu, -1).reshape(-1, %zu)",
                 scores->name, axis, scores->shape[axis]);
  if (labels) crd__text_addf(text, ", labels=d['%s'][:].reshape(-1)", labels->name);
  crd__text_add(text, ")\"");
}

/* ---- Multi-hot labels. */

/* Returns whether at least a tenth of the first rows mark several classes, or none, with 1. */
static bool are_many_hot(const crd_array *labels) {
  enum { ROWS = 4096 };
  const size_t rows = crd__data_rows_of(labels) < ROWS ? crd__data_rows_of(labels) : ROWS;
  size_t other = 0;
  for (size_t i = 0; i < rows; i++) {
    size_t ones = 0;
    for (size_t k = 0; k < crd__data_cols(labels); k++) {
      const double value = crd__data_array_number(labels, i, k);
      if (value != 0 && value != 1) return false;
      ones += value == 1;
    }
    other += ones != 1;
  }
  return other > 1 && 10 * other >= rows;
}

crd_status crd__io_refuse_multi_hot(crd_context *ctx, const crd__io_bundle *bundle, size_t scores,
                                    size_t labels) {
  const crd__io_entry *const from = &bundle->entries[scores], *const truth =
                                                                  &bundle->entries[labels];
  crd__text text;
  if (truth->rank != 2 || truth->shape[1] < 2 || truth->names || !are_many_hot(&truth->view))
    return CRD_OK;
  const char *const name = crd__io_key_find(from->name, strlen(from->name)) ? from->name : "scores";
  crd__text_init(&text, &ctx->alloc);
  const bool line = is_plain(from->name) && is_plain(truth->name) && begin_python(bundle, &text);
  if (line)
    crd__text_addf(&text,
                   "np.savez('class0.npz', %s=d['%s'][:, 0], labels=d['%s'][:, 0])\", then "
                   "evaluate class0.npz with %s",
                   name, from->name, truth->name, crd__spell(ctx, "binary=pos"));
  else
    crd__text_addf(&text, "its column of the scores and of the labels, with %s",
                   crd__spell(ctx, "binary=pos"));
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK)
    status = crd__fail(ctx, CRD_EINPUT,
                       "%s: %s mark several classes or none in a row (multi-hot), expected exactly "
                       "one: evaluate one class at a time: %s",
                       bundle->name, truth->name, text.bytes);
  crd__text_clear(&text);
  return status;
}

/*
 * arrays.c -- datasets of arrays in memory: their layout, labels, weights and groups.
 *
 * Numbers are unchanged but for their type: bytes stay from 0 to 255, unlike those of kinds.
 */
#include "dataset/arrays.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "data/array.h"
#include "dataset/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES_MAX = 1000000 };

/* ---- Samples. */

/* Returns how much a dimension looks like channels: 4 of them (RGBA) are rare. */
static int channel_look(int64_t dim) { return dim == 1 || dim == 3 ? 2 : dim == 4; }

/* Views (n,h,w) as (n,1,h,w), and (n,h,w,c) as (n,c,h,w). */
static void place_image(crd_array *array) {
  if (array->rank == 3) {
    array->rank = 4;
    for (size_t i = 3; i > 1; i--) {
      array->dims[i] = array->dims[i - 1];
      array->strides[i] = array->strides[i - 1];
    }
    array->dims[1] = 1;
  } else if (channel_look(array->dims[3]) > channel_look(array->dims[1])) {
    const int64_t channels = array->dims[3];
    const ptrdiff_t stride = array->strides[3];
    for (size_t i = 3; i > 1; i--) {
      array->dims[i] = array->dims[i - 1];
      array->strides[i] = array->strides[i - 1];
    }
    array->dims[1] = channels;
    array->strides[1] = stride;
  }
}

crd_status crd__dataset_arrays_place(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *inputs) {
  crd__dataset_arrays *const self = store->self;
  crd_array array = *inputs;
  if (!array.data || array.rank == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: inputs have no rows, expected (rows, ...)", file);
  for (size_t i = 0; i < array.rank; i++)
    if (array.dims[i] < 1)
      return crd__fail(ctx, CRD_EINPUT,
                       "%s: dimension %zu of the inputs is %" PRId64 ", expected at least 1", file,
                       i, array.dims[i]);
  array = crd__data_array_strided(array);
  if (array.rank == 1) {
    array.rank = 2;
    array.dims[1] = 1;
  }
  if (array.rank == 3 || array.rank == 4) place_image(&array);
  self->inputs = array;
  store->count = (size_t)array.dims[0];
  store->type = array.rank == 4 ? CRD_SAMPLES_IMAGES : CRD_SAMPLES_VECTORS;
  store->rank = array.rank - 1;
  memcpy(store->dims, array.dims + 1, store->rank * sizeof *store->dims);
  return CRD_OK;
}

/* Reads the last two dimensions, or the last one. */
static float *read_plane(const crd_array *plane, float *out) {
  const size_t rows = crd__data_rows_of(plane), cols = crd__data_cols(plane);
  const unsigned char *const bytes = plane->data;
  if (plane->dtype == CRD_F32 && crd__data_array_is_contiguous(plane)) {
    memcpy(out, bytes, rows * cols * sizeof *out);
    return out + rows * cols;
  }
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++, out++) {
      if (plane->dtype == CRD_U8)
        *out = (float)bytes[(ptrdiff_t)i * plane->strides[0] + (ptrdiff_t)j * plane->strides[1]];
      else *out = (float)crd__data_array_number(plane, i, j);
    }
  return out;
}

crd_status crd__dataset_arrays_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    float *out) {
  const crd_array *const all = &((const crd__dataset_arrays *)store->self)->inputs;
  const size_t inner = all->rank < 4 ? all->rank - 1 : all->rank - 2; /* where the plane begins */
  crd_array plane = { .dtype = all->dtype, .rank = 2, .dims = { 1 }, .swapped = all->swapped };
  size_t planes = 1;
  (void)ctx;
  for (size_t i = inner; i < all->rank; i++) {
    plane.dims[i + 2 - all->rank] = all->dims[i];
    plane.strides[i + 2 - all->rank] = all->strides[i];
  }
  for (size_t i = 1; i < inner; i++) planes *= (size_t)all->dims[i];
  for (size_t p = 0; p < planes; p++) {
    ptrdiff_t at = (ptrdiff_t)index * all->strides[0];
    for (size_t i = inner, rest = p; i-- > 1; rest /= (size_t)all->dims[i])
      at += (ptrdiff_t)(rest % (size_t)all->dims[i]) * all->strides[i];
    plane.data = (const unsigned char *)all->data + at;
    out = read_plane(&plane, out);
  }
  return CRD_OK;
}

const char *crd__dataset_arrays_source(const crd__dataset_store *store, size_t index) {
  (void)index;
  return ((const crd__dataset_arrays *)store->self)->file;
}

void crd__dataset_arrays_close(const crd_allocator *alloc, void *self) {
  crd__dataset_arrays *const arrays = self;
  crd__io_bundle_destroy(arrays->bundle);
  crd__free(alloc, arrays->owned);
  crd__free(alloc, arrays->file);
  crd__free(alloc, arrays);
}

/* ---- Columns beside them. */

/* Checks that a column has a number for each sample. */
static crd_status check_column(crd_context *ctx, const crd__dataset_store *store, const char *file,
                               const char *what, crd_array *column) {
  CRD_TRY(crd__data_matrix(ctx, file, what, column));
  if (crd__data_rows_of(column) != store->count || crd__data_cols(column) != 1)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s are %zu x %zu, expected one for each of %zu rows",
                     file, what, crd__data_rows_of(column), crd__data_cols(column), store->count);
  return CRD_OK;
}

static crd_status read_integer(crd_context *ctx, const char *file, const char *what,
                               const crd_array *column, size_t row, int64_t *out) {
  char text[CRD__NUMBER_SIZE];
  if (crd__data_array_integer(column, row, 0, out)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: %s row %zu: found %s, expected an integer", file, what,
                   row, crd__number_format(text, crd__data_array_number(column, row, 0)));
}

static crd_status set_integer(crd_context *ctx, crd__dataset_store *store,
                              crd__dataset_names *names, size_t row, int64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, value);
  return crd__dataset_names_set(ctx, &store->alloc, names, store->count, row, text);
}

static crd_status label_by_index(crd_context *ctx, crd__dataset_store *store,
                                 const crd_array *labels, size_t classes) {
  char name[24];
  for (size_t k = 0; k < classes; k++) {
    snprintf(name, sizeof name, "%zu", k);
    CRD_TRY(crd__dataset_names_add(ctx, &store->alloc, &store->labels, name, NULL));
  }
  CRD_TRY(crd__new(ctx, store->count, sizeof(int64_t), "labels", &store->labels.of));
  for (size_t i = 0; i < store->count; i++)
    crd__data_array_integer(labels, i, 0, &store->labels.of[i]);
  return CRD_OK;
}

/* Finds the smallest and the largest label; -1 if there are no rows. */
static crd_status find_range(crd_context *ctx, const crd__dataset_store *store, const char *file,
                             crd_array *labels, int64_t range[2]) {
  int64_t label;
  CRD_TRY(check_column(ctx, store, file, "labels", labels));
  range[0] = range[1] = -1;
  for (size_t i = 0; i < store->count; i++) {
    CRD_TRY(read_integer(ctx, file, "labels", labels, i, &label));
    if (i == 0 || label < range[0]) range[0] = label;
    if (i == 0 || label > range[1]) range[1] = label;
  }
  return CRD_OK;
}

crd_status crd__dataset_arrays_label(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *given, size_t classes) {
  crd_array labels = *given;
  int64_t range[2];
  if (classes > CLASSES_MAX) /* each has a name */
    return crd__fail(ctx, CRD_EUSAGE, "%s: %zu classes, allowed are at most %d", file, classes,
                     CLASSES_MAX);
  CRD_TRY(find_range(ctx, store, file, &labels, range));
  const int64_t most = classes ? (int64_t)classes : CLASSES_MAX;
  if (range[0] < -1 || range[1] >= most)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: found labels from %" PRId64 " to %" PRId64
                     ", expected classes from 0 to %" PRId64 ", or -1 for none",
                     file, range[0], range[1], most - 1);
  return label_by_index(ctx, store, &labels, classes ? classes : (size_t)(range[1] + 1));
}

crd_status crd__dataset_arrays_label_freely(crd_context *ctx, crd__dataset_store *store,
                                            const char *file, const crd_array *given) {
  crd_array labels = *given;
  int64_t range[2], label = 0;
  CRD_TRY(find_range(ctx, store, file, &labels, range));
  if (range[0] >= 0 && range[1] < CLASSES_MAX)
    return label_by_index(ctx, store, &labels, (size_t)range[1] + 1);
  for (size_t i = 0; i < store->count; i++) {
    crd__data_array_integer(&labels, i, 0, &label);
    CRD_TRY(set_integer(ctx, store, &store->labels, i, label));
  }
  return crd__dataset_names_sort(ctx, &store->alloc, &store->labels, store->count);
}

crd_status crd__dataset_arrays_weight(crd_context *ctx, crd__dataset_store *store, const char *file,
                                      const crd_array *given) {
  crd_array weights = *given;
  CRD_TRY(check_column(ctx, store, file, "weights", &weights));
  CRD_TRY(crd__new(ctx, store->count, sizeof(double), "weights", &store->weights));
  for (size_t i = 0; i < store->count; i++) {
    char text[CRD__NUMBER_SIZE];
    const double weight = crd__data_array_number(&weights, i, 0);
    if (!(weight >= 0) || isinf(weight))
      return crd__fail(ctx, CRD_EINPUT, "%s: weights row %zu: found %s, expected at least 0", file,
                       i, crd__number_format(text, weight));
    store->weights[i] = weight;
  }
  return CRD_OK;
}

crd_status crd__dataset_arrays_group(crd_context *ctx, crd__dataset_store *store, const char *file,
                                     const crd_array *given) {
  crd_array groups = *given;
  int64_t group;
  CRD_TRY(check_column(ctx, store, file, "groups", &groups));
  for (size_t i = 0; i < store->count; i++) {
    CRD_TRY(read_integer(ctx, file, "groups", &groups, i, &group));
    CRD_TRY(set_integer(ctx, store, &store->groups, i, group));
  }
  return CRD_OK;
}

/* ---- Arrays in memory. */

static crd_status fill(crd_context *ctx, const crd_dataset_arrays *arrays,
                       crd__dataset_store *store) {
  static const char file[] = "dataset";
  CRD_TRY(crd__new(ctx, 1, sizeof(crd__dataset_arrays), "a dataset", &store->self));
  CRD_TRY(crd__dataset_arrays_place(ctx, store, file, &arrays->inputs));
  if (arrays->labels.data)
    CRD_TRY(crd__dataset_arrays_label(ctx, store, file, &arrays->labels, arrays->classes));
  store->all_classes = true;
  if (arrays->weights.data) CRD_TRY(crd__dataset_arrays_weight(ctx, store, file, &arrays->weights));
  if (arrays->groups.data) CRD_TRY(crd__dataset_arrays_group(ctx, store, file, &arrays->groups));
  return CRD_OK;
}

/* Replaces the names of classes "0", "1" ... */
static crd_status rename_classes(crd_context *ctx, const char *const *names,
                                 crd__dataset_store *store) {
  crd__dataset_names renamed = { 0 };
  crd_status status = CRD_OK;
  int64_t index = 0;
  for (size_t k = 0; status == CRD_OK && k < store->labels.count; k++) {
    status = crd__dataset_names_add(ctx, &store->alloc, &renamed, names[k], &index);
    if (status == CRD_OK && (size_t)index != k)
      status = crd__fail(ctx, CRD_EINPUT, "classes %zu and %zu are both called '%s'", (size_t)index,
                         k, names[k]);
  }
  if (status == CRD_OK) {
    renamed.of = store->labels.of;
    store->labels.of = NULL;
    crd__dataset_names_clear(&store->alloc, &store->labels);
    store->labels = renamed;
  } else crd__dataset_names_clear(&store->alloc, &renamed);
  return status;
}

crd_status crd_dataset_create(crd_context *ctx, const crd_dataset_arrays *arrays,
                              crd_dataset **out) {
  crd__dataset_store *store;
  crd_dataset_arrays own;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_dataset_arrays, arrays, &own));
  CRD_TRY(crd__dataset_store_create(ctx, &crd__dataset_arrays_kind, &store));
  crd_status status = fill(ctx, &own, store);
  if (status == CRD_OK && own.class_names) status = rename_classes(ctx, own.class_names, store);
  if (status == CRD_OK) return crd__dataset_of_store(ctx, store, "", out);
  crd__dataset_store_release(store);
  return status;
}

const crd__dataset_kind crd__dataset_arrays_kind = {
  .info = { .name = "", .summary = "arrays in memory", .reference = "" },
  .read = crd__dataset_arrays_read,
  .close = crd__dataset_arrays_close,
};

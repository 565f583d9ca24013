/* chunks.c -- samples that lie in arrays: finds their layout by shape, and reads one at a time. */
#include "dataset/chunks.h"

#include "base/memory.h"
#include "data/array.h"
#include "io/array.h"

#include <stdio.h>
#include <string.h>

crd_status crd__dataset_chunks_create(crd_context *ctx, const crd_dataset_options *options,
                                      crd__dataset_store *store) {
  crd__dataset_chunks *chunks;
  CRD_TRY(crd__new(ctx, 1, sizeof *chunks, "a dataset", &chunks));
  chunks->height = options->height;
  chunks->width = options->width;
  chunks->channels = (size_t)options->channels;
  chunks->resize = options->resize;
  store->self = chunks;
  return CRD_OK;
}

static void drop(const crd_allocator *alloc, crd__dataset_kept *kept) {
  crd__free(alloc, kept->owned);
  crd__io_content_close(alloc, &kept->content);
  crd__io_bundle_destroy(kept->bundle);
}

void crd__dataset_chunks_close(const crd_allocator *alloc, void *self) {
  crd__dataset_chunks *const chunks = self;
  for (size_t i = 0; i < chunks->count; i++) {
    crd__free(alloc, (void *)(uintptr_t)chunks->items[i].file);
    crd__free(alloc, (void *)(uintptr_t)chunks->items[i].label_file);
  }
  for (size_t i = 0; i < chunks->kept_count; i++) drop(alloc, &chunks->kept[i]);
  crd__free(alloc, chunks->items);
  crd__free(alloc, chunks->kept);
  crd__free(alloc, chunks);
}

/* Makes room for one more item. */
static crd_status grow(crd_context *ctx, const crd_allocator *alloc, void **items, size_t count,
                       size_t *capacity, size_t size) {
  if (count < *capacity) return CRD_OK;
  const size_t more = *capacity ? *capacity * 2 : 4;
  void *const moved = crd__resize(alloc, *items, more, size);
  if (!moved) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu arrays", more);
  *items = moved;
  *capacity = more;
  return CRD_OK;
}

crd_status crd__dataset_chunks_keep(crd_context *ctx, crd__dataset_store *store,
                                    crd__dataset_kept kept) {
  crd__dataset_chunks *const chunks = store->self;
  void *items = chunks->kept;
  const crd_status status = grow(ctx, &store->alloc, &items, chunks->kept_count,
                                 &chunks->kept_capacity, sizeof *chunks->kept);
  chunks->kept = items;
  if (status == CRD_OK) chunks->kept[chunks->kept_count++] = kept;
  else drop(&store->alloc, &kept);
  return status;
}

crd_status crd__dataset_chunks_array(crd_context *ctx, crd__dataset_store *store,
                                     crd__io_bundle *bundle, size_t index, crd_array *out) {
  static const crd__io_specifier all_rows = { .file = NULL };
  void *owned = NULL;
  *out = (crd_array){ 0 };
  CRD_TRY(crd__io_array_read(ctx, bundle, &all_rows, bundle->name, index, out, &owned));
  if (!owned) return CRD_OK;
  return crd__dataset_chunks_keep(ctx, store, (crd__dataset_kept){ .owned = owned });
}

/* ---- Layout. */

enum { SHAPE_TEXT = 128 };

static const char *shape_text(const crd_array *array, char out[SHAPE_TEXT]) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < array->rank && used < SHAPE_TEXT; i++)
    used += (size_t)snprintf(out + used, SHAPE_TEXT - used, "%s%lld", i ? " x " : "",
                             (long long)array->dims[i]);
  return out;
}

static bool is_channels(int64_t size) { return size == 1 || size == 3 || size == 4; }

/* Returns which dimension of (n, a, b, c) holds the channels; 0: none or both could. A dimension of
 * 4 yields to one of 1 or 3. */
static size_t find_channels(const int64_t *dims) {
  const bool first = is_channels(dims[1]), last = is_channels(dims[3]);
  if (first != last) return first ? 1 : 3;
  if (!first || (dims[1] == 4) == (dims[3] == 4)) return 0;
  return dims[1] == 4 ? 3 : 1;
}

static crd_status refuse(crd_context *ctx, const char *file, const crd_array *array) {
  char shape[SHAPE_TEXT];
  shape_text(array, shape);
  if (array->rank == 4 && is_channels(array->dims[1]))
    return crd__fail(ctx, CRD_EINPUT,
                     "%.300s: images of shape %s could have their channels first or last; allowed "
                     "is 1, 3 or 4 at one of these places",
                     file, shape);
  return crd__fail(ctx, CRD_EINPUT,
                   "%.300s: samples of shape %s, allowed are images (n, height, width), (n, "
                   "channels, height, width) or (n, height, width, channels) of 1, 3 or 4 "
                   "channels, and vectors (n, columns)",
                   file, shape);
}

/* Sets *out to a view (rows, channels, height, width). */
static crd_status place(crd_context *ctx, const char *file, const crd_array *given,
                        crd_array *out) {
  const crd_array a = crd__data_array_strided(*given);
  const size_t channels = a.rank == 4 ? find_channels(a.dims) : 0;
  *out = (crd_array){ .data = a.data, .dtype = a.dtype, .rank = 4, .swapped = a.swapped };
  out->dims[0] = a.rank ? a.dims[0] : 0;
  out->strides[0] = a.strides[0];
  if (a.rank < 2 || a.rank > 4 || (a.rank == 4 && channels == 0)) return refuse(ctx, file, &a);
  size_t height = a.rank - 2, width = a.rank - 1;
  if (channels == 3) {
    height = 1;
    width = 2;
  }
  out->dims[1] = channels ? a.dims[channels] : 1;
  out->strides[1] = channels ? a.strides[channels] : 0;
  out->dims[2] = a.rank == 2 ? 1 : a.dims[height];
  out->strides[2] = a.rank == 2 ? 0 : a.strides[height];
  out->dims[3] = a.dims[width];
  out->strides[3] = a.strides[width];
  for (size_t i = 0; i < 4; i++)
    if (out->dims[i] <= 0) {
      char shape[SHAPE_TEXT];
      return crd__fail(ctx, CRD_EINPUT, "%.300s: an array of shape %s has no %s", file,
                       shape_text(&a, shape), i ? "values" : "samples");
    }
  return CRD_OK;
}

/* ---- Adding. */

static crd_status check_alike(crd_context *ctx, const crd__dataset_store *store,
                              crd_sample_type type, const crd__dataset_chunk *chunk) {
  const crd__dataset_chunk *const first = &((crd__dataset_chunks *)store->self)->items[0];
  const crd_array *const now = &chunk->samples, *const before = &first->samples;
  if (type == store->type && now->dtype == before->dtype &&
      memcmp(now->dims + 1, before->dims + 1, 3 * sizeof *now->dims) == 0)
    return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%.200s: samples of %lld x %lld x %lld %s, those of %.200s are %lld x %lld x "
                   "%lld %s",
                   chunk->file, (long long)now->dims[1], (long long)now->dims[2],
                   (long long)now->dims[3], crd_dtype_name(now->dtype), first->file,
                   (long long)before->dims[1], (long long)before->dims[2],
                   (long long)before->dims[3], crd_dtype_name(before->dtype));
}

static void describe(crd__dataset_store *store, crd_sample_type type, const crd_array *samples) {
  store->type = type;
  store->rank = type == CRD_SAMPLES_VECTORS ? 1 : 3;
  const size_t skip = type == CRD_SAMPLES_VECTORS ? 3 : 1;
  for (size_t i = 0; i < store->rank; i++) store->dims[i] = samples->dims[skip + i];
}

crd_status crd__dataset_chunks_add(crd_context *ctx, crd__dataset_store *store,
                                   const crd__dataset_chunk *chunk) {
  crd__dataset_chunks *const chunks = store->self;
  crd__dataset_chunk mine = *chunk;
  CRD_TRY(place(ctx, chunk->file, &chunk->samples, &mine.samples));
  const crd_sample_type type = chunk->samples.rank == 2 ? CRD_SAMPLES_VECTORS : CRD_SAMPLES_IMAGES;
  if (type == CRD_SAMPLES_IMAGES)
    CRD_TRY(crd__dataset_chunks_arrange(ctx, store, chunk->file, &mine.samples));
  if (chunks->count > 0) CRD_TRY(check_alike(ctx, store, type, &mine));
  else describe(store, type, &mine.samples);
  void *items = chunks->items;
  CRD_TRY(grow(ctx, &store->alloc, &items, chunks->count, &chunks->capacity, sizeof mine));
  chunks->items = items;
  mine.file = crd__strdup(&store->alloc, chunk->file);
  mine.label_file = crd__strdup(&store->alloc, chunk->label_file ? chunk->label_file : "");
  chunks->items[chunks->count++] = mine;
  if (!mine.file || !mine.label_file)
    return crd__fail(ctx, CRD_ENOMEM, "%s: no memory for its name", chunk->file);
  const bool direct = mine.samples.dtype == CRD_U8 && crd__dataset_chunks_in_order(&mine.samples);
  chunks->direct = direct && (chunks->count == 1 || chunks->direct);
  store->count += (size_t)mine.samples.dims[0];
  return CRD_OK;
}

/* ---- Reading. */

/* Finds the chunk of a sample, of which there are few, and its row there. */
static const crd__dataset_chunk *find(const crd__dataset_store *store, size_t *index) {
  const crd__dataset_chunks *const chunks = store->self;
  const crd__dataset_chunk *at = chunks->items;
  for (; *index >= (size_t)at->samples.dims[0]; at++) *index -= (size_t)at->samples.dims[0];
  return at;
}

const char *crd__dataset_chunks_source(const crd__dataset_store *store, size_t index) {
  return find(store, &index)->file;
}

const unsigned char *crd__dataset_chunks_bytes(const crd__dataset_store *store, size_t index) {
  if (!((const crd__dataset_chunks *)store->self)->direct) return NULL;
  const crd_array *const samples = &find(store, &index)->samples;
  return (const unsigned char *)samples->data + (ptrdiff_t)index * samples->strides[0];
}

static void read_line(const crd_array *samples, const unsigned char *at, float *out) {
  const int64_t width = samples->dims[3];
  const ptrdiff_t stride = samples->strides[3];
  if (samples->dtype == CRD_U8) {
    for (int64_t x = 0; x < width; x++) out[x] = (float)at[x * stride] / 255.0f;
    return;
  }
  if (samples->dtype == CRD_F32 && !samples->swapped) {
    for (int64_t x = 0; x < width; x++) memcpy(&out[x], at + x * stride, sizeof *out);
    return;
  }
  crd_array line = { .data = at, .dtype = samples->dtype, .rank = 2, .swapped = samples->swapped };
  line.dims[0] = 1;
  line.dims[1] = width;
  line.strides[1] = stride;
  for (int64_t x = 0; x < width; x++) out[x] = (float)crd__data_array_number(&line, 0, (size_t)x);
}

crd_status crd__dataset_chunks_read(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                    float *out) {
  const crd_array *const samples = &find(store, &index)->samples;
  const unsigned char *const from =
      (const unsigned char *)samples->data + (ptrdiff_t)index * samples->strides[0];
  (void)ctx;
  for (int64_t c = 0; c < samples->dims[1]; c++)
    for (int64_t y = 0; y < samples->dims[2]; y++, out += samples->dims[3])
      read_line(samples, from + c * samples->strides[1] + y * samples->strides[2], out);
  return CRD_OK;
}

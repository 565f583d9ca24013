/* set.c -- the images of a dataset: collecting files, filling the store, reading them. */
#include "dataset/image/set.h"

#include "base/memory.h"

#include <string.h>

crd_status crd__image_set_create(crd_context *ctx, crd__dataset_store *store,
                                 crd__image_set **out) {
  CRD_TRY(crd__new(ctx, 1, sizeof **out, "a dataset", out));
  store->self = *out;
  return CRD_OK;
}

crd_status crd__image_set_add(crd_context *ctx, crd__image_set *set, const char *path,
                              crd__image_file **out) {
  if (set->count == set->capacity) {
    const size_t capacity = set->capacity ? 2 * set->capacity : 256;
    crd__image_file *const files = crd__resize(&ctx->alloc, set->files, capacity, sizeof *files);
    if (!files) return crd__fail(ctx, CRD_ENOMEM, "no memory for %zu files", capacity);
    set->files = files;
    set->capacity = capacity;
  }
  char *const copy = crd__strdup(&ctx->alloc, path);
  if (!copy) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  *out = &set->files[set->count++];
  **out = (crd__image_file){ .path = copy, .label = -1, .group = -1, .split = -1, .weight = 1 };
  return CRD_OK;
}

/* ---- Finishing. */

static crd_status refuse_split(crd_context *ctx, const crd__dataset_request *request,
                               const char *split, const crd__dataset_names *splits) {
  crd__text known;
  crd__text_init(&known, &ctx->alloc);
  for (size_t i = 0; i < splits->count; i++)
    crd__text_addf(&known, "%s'%.60s'", i ? ", " : "", splits->names[i]);
  const crd_status status =
      crd__fail(ctx, CRD_EUSAGE, "%.400s: there is no split '%.60s', found %s", request->data,
                split, known.length ? known.bytes : "no splits at all");
  crd__text_clear(&known);
  return status;
}

/* Moves the files of a split to the end of `chosen`. */
static void move_split(crd__image_set *set, int64_t split, crd__image_file *chosen, size_t *count) {
  for (size_t i = 0; i < set->count; i++) {
    if (set->files[i].split != split || !set->files[i].path) continue;
    chosen[(*count)++] = set->files[i];
    set->files[i].path = NULL;
  }
}

/* Keeps the files of the requested splits, in the order of the request. */
static crd_status choose(crd_context *ctx, const crd__dataset_request *request,
                         crd__dataset_store *store, crd__image_set *set) {
  crd__image_file *chosen;
  size_t count = 0;
  for (size_t s = 0; s < request->split_count; s++)
    if (crd__dataset_names_find(&store->splits, request->splits[s]) < 0)
      return refuse_split(ctx, request, request->splits[s], &store->splits);
  if (request->split_count == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, set->count, sizeof *chosen, "files", &chosen));
  for (size_t s = 0; s < request->split_count; s++)
    move_split(set, crd__dataset_names_find(&store->splits, request->splits[s]), chosen, &count);
  for (size_t i = 0; i < set->count; i++) crd__free(&ctx->alloc, set->files[i].path);
  crd__free(&ctx->alloc, set->files);
  set->files = chosen;
  set->capacity = set->count;
  set->count = count;
  crd__dataset_names_clear(&store->alloc, &store->splits); /* they have been taken */
  return CRD_OK;
}

/* Sets the index of each sample, unless nothing has a name. */
static crd_status fill_names(crd_context *ctx, const crd__image_set *set, size_t member,
                             crd__dataset_names *names) {
  if (names->count == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, set->count, sizeof *names->of, "samples", &names->of));
  for (size_t i = 0; i < set->count; i++)
    memcpy(&names->of[i], (const char *)&set->files[i] + member, sizeof *names->of);
  return CRD_OK;
}

static crd_status fill_store(crd_context *ctx, crd__dataset_store *store,
                             const crd__image_set *set) {
  store->count = set->count;
  store->type = CRD_SAMPLES_IMAGES;
  store->rank = 3;
  store->dims[0] = (int64_t)set->channels;
  store->dims[1] = (int64_t)set->height;
  store->dims[2] = (int64_t)set->width;
  CRD_TRY(fill_names(ctx, set, offsetof(crd__image_file, label), &store->labels));
  CRD_TRY(fill_names(ctx, set, offsetof(crd__image_file, group), &store->groups));
  CRD_TRY(fill_names(ctx, set, offsetof(crd__image_file, split), &store->splits));
  if (set->has_weights) {
    CRD_TRY(crd__new(ctx, set->count, sizeof *store->weights, "weights", &store->weights));
    for (size_t i = 0; i < set->count; i++) store->weights[i] = set->files[i].weight;
  }
  return crd__dataset_names_sort(ctx, &store->alloc, &store->labels, store->count);
}

crd_status crd__image_set_finish(crd_context *ctx, const crd__dataset_request *request,
                                 crd__dataset_store *store, crd__image_set *set) {
  const crd_dataset_options *const options = request->options;
  if (!options->height != !options->width)
    return crd__fail(ctx, CRD_EUSAGE, "%s: height %zu and width %zu, expected both or none",
                     crd__spell(ctx, "height"), options->height, options->width);
  CRD_TRY(crd__image_set_match(ctx, options, store, set));
  CRD_TRY(crd__image_set_check_groups(ctx, store, set));
  CRD_TRY(crd__image_set_measure(ctx, options, set));
  CRD_TRY(choose(ctx, request, store, set));
  CRD_TRY(crd__image_set_examine(ctx, options, store, set));
  return fill_store(ctx, store, set);
}

/* ---- Reading. */

/* Converts before it resizes when that leaves less to resize. */
static crd_status convert(crd_context *ctx, const crd__image_set *set, crd__image *image) {
  if (image->channels > set->channels) CRD_TRY(crd__image_convert(ctx, image, set->channels));
  CRD_TRY(crd__image_fit(ctx, image, set->height, set->width, set->resize));
  return crd__image_convert(ctx, image, set->channels);
}

crd_status crd__image_set_open(crd_context *ctx, const char *path, crd__blob *out) {
  if (crd__file_exists(path) && !crd__file_is_regular(path))
    return crd__fail(ctx, CRD_EINPUT, "%.400s: is not a regular file", path);
  return crd__blob_open(ctx, path, out);
}

crd_status crd__image_set_load(crd_context *ctx, const crd__image_set *set, const char *path,
                               crd__image *found, unsigned char *out) {
  crd__blob blob;
  crd__image image = { 0 };
  *found = (crd__image){ 0 };
  CRD_TRY(crd__image_set_open(ctx, path, &blob));
  crd_status status = crd__image_decode(ctx, blob.bytes, blob.length, CRD__IMAGE_PIXELS, &image);
  crd__blob_close(&ctx->alloc, &blob);
  *found = (crd__image){ image.height, image.width, image.channels, NULL };
  if (status == CRD_OK) status = convert(ctx, set, &image);
  if (status == CRD_OK) crd__image_planes(&image, out);
  crd__image_clear(&ctx->alloc, &image);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}

const unsigned char *crd__image_set_bytes(const crd__dataset_store *store, size_t index) {
  const crd__image_set *const set = store->self;
  const size_t size = set->channels * set->height * set->width;
  return set->kept ? set->kept + set->files[index].slot * size : NULL;
}

crd_status crd__image_set_decode(crd_context *ctx, const crd__dataset_store *store, size_t index,
                                 unsigned char *out) {
  const crd__image_set *const set = store->self;
  crd__image found;
  return crd__image_set_load(ctx, set, set->files[index].path, &found, out);
}

const char *crd__image_set_source(const crd__dataset_store *store, size_t index) {
  return ((const crd__image_set *)store->self)->files[index].path;
}

void crd__image_set_close(const crd_allocator *alloc, void *self) {
  crd__image_set *const set = self;
  for (size_t i = 0; i < set->count; i++) crd__free(alloc, set->files[i].path);
  crd__free(alloc, set->files);
  crd__free(alloc, set->reference);
  crd__free(alloc, set->kept);
  crd__free(alloc, set);
}

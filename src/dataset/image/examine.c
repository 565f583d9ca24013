/*
 * examine.c -- decodes every image when a dataset is opened.
 *
 * What is wrong is gathered by the threads as data, and reported afterwards in the order of the
 * files. Decoded images are kept if all of them fit in a quarter of memory.
 */
#include "dataset/image/set.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 4, NAMED_MOST = 20 };

typedef struct {
  crd__image size; /* as stored */
  char *reason;    /* why it cannot be decoded; NULL: it can */
  bool is_missing; /* the file itself cannot be opened */
} finding;

typedef struct {
  const crd_dataset_options *options;
  crd__image_set *set;
  finding *findings; /* one per file */
} examination;

/* Is the image of another size than the first, although all should be alike? */
static bool differs(const examination *e, const finding *f) {
  return !e->options->height &&
         (f->size.height != e->set->height || f->size.width != e->set->width);
}

/* Files whose content is at fault are noted; all else is a failure of the examination. */
static crd_status examine_file(crd_context *local, const examination *e, size_t index,
                               unsigned char *scratch) {
  const crd__image_file *const file = &e->set->files[index];
  const size_t size = e->set->channels * e->set->height * e->set->width;
  unsigned char *const out = e->set->kept ? e->set->kept + file->slot * size : scratch;
  finding *const f = &e->findings[index];
  f->is_missing = !crd__file_is_regular(file->path);
  crd_status status = crd__image_set_load(local, e->set, file->path, &f->size, out);
  if (status == CRD_OK) return differs(e, f) ? CRD_EINPUT : CRD_OK;
  if (status != CRD_EINPUT || f->is_missing) return status;
  f->reason = crd__strdup(&local->alloc, crd_context_message(local));
  return f->reason ? CRD_OK : crd__fail(local, CRD_ENOMEM, "no memory for a message");
}

static crd_status examine_chunk(crd_context *local, void *arg, unsigned worker, size_t from,
                                size_t to) {
  const examination *const e = arg;
  const size_t size = e->set->channels * e->set->height * e->set->width;
  unsigned char *scratch = NULL;
  crd_status status = CRD_OK;
  (void)worker;
  if (!e->set->kept) CRD_TRY(crd__new(local, size, 1, "an image", &scratch));
  for (size_t i = from; i < to && status == CRD_OK; i++)
    status = examine_file(local, e, i, scratch);
  crd__free(&local->alloc, scratch);
  return status;
}

/* ---- The size of all images: that of the first one that has one, of whatever split. */

static crd_status measure(crd_context *ctx, const char *path, crd__image *out) {
  crd__blob blob;
  CRD_TRY(crd__image_set_open(ctx, path, &blob));
  const crd_status status = crd__image_decode(ctx, blob.bytes, blob.length, CRD__IMAGE_SIZE, out);
  crd__blob_close(&ctx->alloc, &blob);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, path);
}

crd_status crd__image_set_measure(crd_context *ctx, const crd_dataset_options *options,
                                  crd__image_set *set) {
  crd__image size;
  size_t reference = 0;
  crd_status status = CRD_EINPUT;
  if (options->channels && options->channels != 1 && options->channels != 3)
    return crd__fail(ctx, CRD_EUSAGE, "channels %d, allowed are 1 (grey) and 3 (RGB)",
                     options->channels);
  while (reference < set->count && status == CRD_EINPUT)
    status = measure(ctx, set->files[reference++].path, &size);
  if (status == CRD_EINPUT) return measure(ctx, set->files[0].path, &size); /* none of them */
  if (status != CRD_OK) return status;
  set->reference = crd__strdup(&ctx->alloc, set->files[reference - 1].path);
  if (!set->reference) return crd__fail(ctx, CRD_ENOMEM, "no memory for a file name");
  set->height = options->height ? options->height : size.height;
  set->width = options->width ? options->width : size.width;
  set->channels = options->channels ? (size_t)options->channels : size.channels;
  set->resize = options->resize;
  return CRD_OK;
}

/* ---- Reports. */

/* Fails with the first file that is missing or of another size. */
static crd_status report_failure(crd_context *ctx, const examination *e, crd_status status) {
  const crd__image_set *const set = e->set;
  char place[440];
  for (size_t i = 0; i < set->count && status == CRD_EINPUT; i++) {
    const finding *const f = &e->findings[i];
    const crd__image_file *const file = &set->files[i];
    if (!f->is_missing && !(f->size.height && differs(e, f))) continue;
    if (!f->is_missing)
      return crd__fail(ctx, CRD_EINPUT,
                       "%.300s: an image of %zu x %zu pixels, but %.300s has %zu x %zu; %s resizes "
                       "all of them",
                       file->path, f->size.height, f->size.width, set->reference, set->height,
                       set->width, crd__spell(ctx, "height"));
    if (!file->line) return status;
    snprintf(place, sizeof place, "%.400s: line %zu", set->manifest, file->line);
    return crd__fail_in(ctx, status, place);
  }
  return status;
}

/* Reports images that cannot be decoded: as notes if they may be skipped, else as a failure. */
static crd_status report_corrupt(crd_context *ctx, const examination *e,
                                 crd__dataset_store *store) {
  size_t count = 0, first = SIZE_MAX, named = 0;
  for (size_t i = 0; i < e->set->count; i++) {
    count += e->findings[i].reason != NULL;
    if (e->findings[i].reason && first == SIZE_MAX) first = i;
  }
  if (count == 0) return CRD_OK;
  if (!e->options->skip_corrupt || count == e->set->count)
    return crd__fail(ctx, CRD_EINPUT, "%.500s (%zu of %zu images cannot be decoded; %s %s)",
                     e->findings[first].reason, count, e->set->count,
                     crd__spell(ctx, "skip_corrupt"),
                     count == e->set->count ? "would leave none" : "leaves them out");
  CRD_TRY(crd__notes_add(ctx, &store->alloc, &store->notes,
                         "%zu of %zu images cannot be decoded and are left out", count,
                         e->set->count));
  for (size_t i = first; i < e->set->count && named < NAMED_MOST; i++)
    if (e->findings[i].reason) {
      named++;
      CRD_TRY(
          crd__notes_add(ctx, &store->alloc, &store->notes, "left out: %s", e->findings[i].reason));
    }
  return count == named ? CRD_OK
                        : crd__notes_add(ctx, &store->alloc, &store->notes,
                                         "left out: %zu more images", count - named);
}

static crd_status report_colours(crd_context *ctx, const examination *e,
                                 crd__dataset_store *store) {
  const bool grey = e->set->channels == 1;
  size_t count = 0;
  for (size_t i = 0; i < e->set->count; i++)
    count += e->findings[i].size.channels && e->findings[i].size.channels != e->set->channels;
  if (count == 0 || e->options->channels) return CRD_OK;
  return crd__notes_add(ctx, &store->alloc, &store->notes,
                        "%zu of %zu images are %s, and are read as %s as the first one is", count,
                        e->set->count, grey ? "RGB" : "grey", grey ? "grey" : "RGB");
}

static void remove_corrupt(crd_context *ctx, const examination *e) {
  crd__image_set *const set = e->set;
  size_t kept = 0;
  for (size_t i = 0; i < set->count; i++) {
    if (e->findings[i].reason) crd__free(&ctx->alloc, set->files[i].path);
    else set->files[kept++] = set->files[i];
  }
  set->count = kept;
}

/* ---- The examination. */

/* Provides memory for all images, if they fit. */
static crd_status reserve(crd_context *ctx, crd__image_set *set) {
  size_t bytes;
  for (size_t i = 0; i < set->count; i++) set->files[i].slot = i;
  if (!crd__size_mul(set->height * set->width, set->channels * set->count, &bytes) ||
      bytes > crd__machine_memory() / 4)
    return CRD_OK;
  return crd__new(ctx, bytes, 1, "images", &set->kept);
}

static crd_status examine(crd_context *ctx, examination *e, crd__dataset_store *store) {
  CRD_TRY(reserve(ctx, e->set));
  const crd_status status =
      crd__parallel_for(ctx, "decoding images", e->set->count, CHUNK, examine_chunk, e);
  if (status != CRD_OK) return report_failure(ctx, e, status);
  CRD_TRY(report_corrupt(ctx, e, store));
  CRD_TRY(report_colours(ctx, e, store));
  remove_corrupt(ctx, e);
  return CRD_OK;
}

crd_status crd__image_set_examine(crd_context *ctx, const crd_dataset_options *options,
                                  crd__dataset_store *store, crd__image_set *set) {
  examination e = { .options = options, .set = set };
  const size_t count = set->count;
  CRD_TRY(crd__new(ctx, count, sizeof *e.findings, "images", &e.findings));
  const crd_status status = examine(ctx, &e, store);
  for (size_t i = 0; i < count; i++) crd__free(&ctx->alloc, e.findings[i].reason);
  crd__free(&ctx->alloc, e.findings);
  return status;
}

/*
 * loader.c -- batches of a dataset, shuffled, augmented and normalised by threads that read ahead.
 *
 * The order of an epoch is a Fisher-Yates shuffle whose random numbers are a function of (seed,
 * epoch), and a sample's augmentation is one of (seed, epoch, index of the sample): a batch does
 * not depend on batches before it, on timing, or on the number of threads.
 */
#include "dataset/dataset.h"
#include "dataset/statistics.h"
#include "dataset/transform/place.h"

#include "base/ahead.h"
#include "base/memory.h"
#include "base/options.h"

#include <string.h>

enum { BATCH = 128, RING_BYTES = 256 << 20 };
enum { ORDER = 0x6f726465 /* "orde" */, AUGMENT = 0x6175676d /* "augm" */ };

/* A batch in the ring. */
typedef struct {
  size_t rows;
  void *inputs;
  int64_t *labels;
  double *weights; /* NULL: all 1 */
  size_t *positions;
} slot;

/* What a thread needs. */
typedef struct {
  bool ordered;
  uint64_t epoch; /* of the order */
  size_t *order;
  float *values; /* three samples: one as it was read, two of an augmentation */
  unsigned char *bytes;
} workspace;

struct crd_loader {
  crd_allocator alloc;
  const crd_dataset *dataset;
  crd_loader_options options;
  size_t batch, batches, size, sample_bytes;
  crd__transform_chain chain;
  crd__transform_scale scale;
  float *table;
  size_t slot_count;
  slot *slots;
  unsigned workers;
  workspace *workspaces; /* one for each worker, and one for the caller */
  crd__ahead *ahead;
};

/* ---- One sample. */

static void scale_in_place(const crd_loader *l, float *values) {
  const size_t area = l->size / (l->scale.channels ? l->scale.channels : 1);
  for (size_t c = 0; c < l->scale.channels; c++)
    crd__transform_scale_plane(&l->scale, c, values + c * area, area);
}

static crd_status make_image(crd_context *local, const crd_loader *l, const workspace *d,
                             size_t index, uint64_t epoch_key, float *out) {
  const crd__dataset_store *const store = l->dataset->store;
  const uint64_t key = l->chain.count ? crd__random_bits(epoch_key, AUGMENT, index) : 0;
  crd__transform_source source = { 0 };
  CRD_TRY(crd__dataset_store_bytes(local, store, index, d->bytes, &source.bytes));
  if (!source.bytes) {
    CRD_TRY(crd__dataset_store_read(local, store, index, d->values + l->size, d->values));
    source.values = d->values;
  }
  return crd__transform_chain_apply(local, &l->chain, &l->scale, key, source, d->values + l->size,
                                    out);
}

static crd_status make_sample(crd_context *local, const crd_loader *l, const workspace *d,
                              size_t index, uint64_t epoch_key, void *out) {
  const crd__dataset_store *const store = l->dataset->store;
  if (store->type == CRD_SAMPLES_TEXTS) {
    crd__dataset_code_tokens(l->dataset->code, index, out);
    return CRD_OK;
  }
  if (store->type == CRD_SAMPLES_IMAGES) return make_image(local, l, d, index, epoch_key, out);
  CRD_TRY(crd__dataset_store_read(local, store, index, d->values, out));
  scale_in_place(l, out);
  return CRD_OK;
}

/* ---- One batch. */

static void shuffle(const crd_loader *l, uint64_t epoch, workspace *d) {
  const size_t rows = l->dataset->shape.rows;
  const uint64_t key = crd__random_bits(l->options.seed, ORDER, epoch);
  if (d->ordered && d->epoch == epoch) return;
  for (size_t i = 0; i < rows; i++) d->order[i] = i;
  for (size_t i = rows; i-- > 1;) {
    const size_t j = (size_t)(crd__random_bits(key, ORDER, i) % (i + 1)), kept = d->order[i];
    d->order[i] = d->order[j];
    d->order[j] = kept;
  }
  d->ordered = true;
  d->epoch = epoch;
}

static crd_status make_batch(crd_context *local, void *arg, unsigned worker, uint64_t number,
                             size_t index) {
  const crd_loader *const l = arg;
  const uint64_t epoch = number / l->batches;
  const uint64_t key = crd__random_bits(l->options.seed, AUGMENT, epoch);
  const size_t from = (size_t)(number % l->batches) * l->batch;
  const size_t left = l->dataset->shape.rows - from;
  workspace *const d = &l->workspaces[worker];
  slot *const s = &l->slots[index];
  s->rows = left < l->batch ? left : l->batch;
  if (l->options.shuffle) shuffle(l, epoch, d);
  for (size_t i = 0; i < s->rows; i++) {
    const size_t row = l->options.shuffle ? d->order[from + i] : from + i;
    if (crd__interrupted(local)) return crd__fail(local, CRD_EINTERRUPTED, "interrupted");
    s->positions[i] = row;
    s->labels[i] = crd_dataset_label(l->dataset, row);
    if (s->weights) s->weights[i] = crd_dataset_weight(l->dataset, row);
    CRD_TRY(make_sample(local, l, d, l->dataset->rows[row], key,
                        (unsigned char *)s->inputs + i * l->sample_bytes));
  }
  return CRD_OK;
}

/* ---- Creating. */

static crd_status count_batches(crd_context *ctx, crd_loader *l) {
  const size_t rows = l->dataset->shape.rows;
  l->batch = l->options.batch ? l->options.batch : BATCH;
  l->batches = rows / l->batch + (l->options.keep_last && rows % l->batch);
  if (l->batches == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu samples are fewer than a batch of %zu",
                     crd__dataset_title(l->dataset), rows, l->batch);
  if (l->batch > rows) l->batch = rows;
  return CRD_OK;
}

static crd_status fill_scale(crd_context *ctx, crd_loader *l) {
  const crd__dataset_store *const store = l->dataset->store;
  const crd_encoding *const encoding = l->options.encoding;
  const size_t channels = crd__dataset_channels(l->dataset);
  if (store->type == CRD_SAMPLES_TEXTS) return CRD_OK;
  l->scale.channels = channels;
  if (encoding && encoding->channels) {
    if (encoding->channels != channels)
      return crd__fail(ctx, CRD_EINPUT, "%s: samples have %zu %s, the encoding has %zu",
                       crd__dataset_title(l->dataset), channels,
                       store->type == CRD_SAMPLES_IMAGES ? "channels" : "columns",
                       encoding->channels);
    l->scale.mean = encoding->mean;
    l->scale.std = encoding->std;
  }
  if (store->type != CRD_SAMPLES_IMAGES) return CRD_OK;
  l->scale.height = (size_t)store->dims[1];
  l->scale.width = (size_t)store->dims[2];
  CRD_TRY(crd__new(ctx, channels + 1, 256 * sizeof(float), "a table", &l->table));
  crd__transform_scale_fill(&l->scale, l->table);
  l->scale.table = l->table;
  return CRD_OK;
}

static crd_status fill_chain(crd_context *ctx, crd_loader *l) {
  CRD_TRY(crd__transform_chain_read(ctx, l->options.augment, &l->chain));
  l->options.augment = NULL; /* it belongs to the caller */
  if (l->chain.count == 0 || l->dataset->store->type == CRD_SAMPLES_IMAGES) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: augmentations are for images, and the samples are %s",
                   crd__dataset_title(l->dataset),
                   l->dataset->store->type == CRD_SAMPLES_TEXTS ? "texts" : "vectors");
}

static crd_status check_texts(crd_context *ctx, const crd_loader *l) {
  if (l->dataset->store->type != CRD_SAMPLES_TEXTS || l->dataset->code) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "%s: texts are read as tokens, which need an encoding (%s)",
                   crd__dataset_title(l->dataset), crd__spell(ctx, "crd_dataset_encode"));
}

/* Two batches for each thread and two more, but no more memory than is reasonable. */
static crd_status make_slots(crd_context *ctx, crd_loader *l) {
  size_t bytes;
  if (!crd__size_mul(l->sample_bytes, l->batch, &bytes)) bytes = SIZE_MAX;
  const size_t most = RING_BYTES / (bytes ? bytes : 1);
  l->slot_count = 2 * (size_t)l->workers + 2;
  if (l->slot_count > most) l->slot_count = most > 2 ? most : 2;
  CRD_TRY(crd__new(ctx, l->slot_count, sizeof *l->slots, "batches", &l->slots));
  for (size_t i = 0; i < l->slot_count; i++) {
    slot *const s = &l->slots[i];
    CRD_TRY(crd__new(ctx, l->batch, l->sample_bytes, "a batch", &s->inputs));
    CRD_TRY(crd__new(ctx, l->batch, sizeof *s->labels, "a batch", &s->labels));
    CRD_TRY(crd__new(ctx, l->batch, sizeof *s->positions, "a batch", &s->positions));
    if (l->dataset->shape.has_weights)
      CRD_TRY(crd__new(ctx, l->batch, sizeof *s->weights, "a batch", &s->weights));
  }
  return CRD_OK;
}

static crd_status make_workspaces(crd_context *ctx, crd_loader *l) {
  const bool texts = l->dataset->store->type == CRD_SAMPLES_TEXTS;
  CRD_TRY(crd__new(ctx, (size_t)l->workers + 1, sizeof *l->workspaces, "threads", &l->workspaces));
  for (unsigned i = 0; i <= l->workers; i++) {
    workspace *const d = &l->workspaces[i];
    if (l->options.shuffle)
      CRD_TRY(crd__new(ctx, l->dataset->shape.rows, sizeof *d->order, "an order", &d->order));
    if (texts) continue;
    CRD_TRY(crd__new(ctx, l->size, 3 * sizeof *d->values, "a sample", &d->values));
    CRD_TRY(crd__new(ctx, l->size, 1, "a sample", &d->bytes));
  }
  return CRD_OK;
}

static crd_status prepare(crd_context *ctx, crd_loader *l) {
  CRD_TRY(fill_chain(ctx, l));
  CRD_TRY(check_texts(ctx, l));
  CRD_TRY(count_batches(ctx, l));
  CRD_TRY(fill_scale(ctx, l));
  l->size = 1;
  for (size_t i = 0; i < l->dataset->shape.rank; i++) l->size *= (size_t)l->dataset->shape.dims[i];
  l->sample_bytes = l->size * crd_dtype_size(l->dataset->shape.dtype);
  l->workers = crd__ahead_workers(ctx, l->options.workers);
  CRD_TRY(make_slots(ctx, l));
  CRD_TRY(make_workspaces(ctx, l));
  return crd__ahead_create(ctx, l->workers, l->slot_count, make_batch, l, &l->ahead);
}

crd_status crd_loader_create(crd_context *ctx, const crd_dataset *dataset,
                             const crd_loader_options *options, crd_loader **out) {
  crd_loader_options own;
  crd_loader *loader;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_loader_options, options, &own));
  CRD_TRY(crd__new(ctx, 1, sizeof *loader, "a loader", &loader));
  loader->alloc = ctx->alloc;
  loader->dataset = dataset;
  loader->options = own;
  const crd_status status = prepare(ctx, loader);
  if (status == CRD_OK) *out = loader;
  else crd_loader_destroy(loader);
  return status;
}

void crd_loader_destroy(crd_loader *l) {
  if (!l) return;
  const crd_allocator alloc = l->alloc;
  crd__ahead_destroy(l->ahead); /* first: its threads use everything else */
  for (size_t i = 0; l->slots && i < l->slot_count; i++) {
    crd__free(&alloc, l->slots[i].inputs);
    crd__free(&alloc, l->slots[i].labels);
    crd__free(&alloc, l->slots[i].weights);
    crd__free(&alloc, l->slots[i].positions);
  }
  for (size_t i = 0; l->workspaces && i <= l->workers; i++) {
    crd__free(&alloc, l->workspaces[i].order);
    crd__free(&alloc, l->workspaces[i].values);
    crd__free(&alloc, l->workspaces[i].bytes);
  }
  crd__free(&alloc, l->slots);
  crd__free(&alloc, l->workspaces);
  crd__free(&alloc, l->table);
  crd__transform_chain_clear(&alloc, &l->chain);
  crd__free(&alloc, l);
}

/* ---- Batches. */

size_t crd_loader_batches(const crd_loader *loader) { return loader->batches; }

void crd_loader_seek(crd_loader *loader, uint64_t epoch, size_t batch) {
  crd__ahead_seek(loader->ahead, epoch * loader->batches + batch);
}

crd_status crd_loader_next(crd_context *ctx, crd_loader *loader, crd_batch *out) {
  size_t index;
  *out = (crd_batch){ 0 };
  CRD_TRY(crd__ahead_next(ctx, loader->ahead, &index));
  const slot *const s = &loader->slots[index];
  *out = (crd_batch){ .rows = s->rows,
                      .inputs = s->inputs,
                      .labels = s->labels,
                      .weights = s->weights,
                      .positions = s->positions };
  return CRD_OK;
}

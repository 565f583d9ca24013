/* frozen.c -- the frozen part of a network, and its features (frozen.h). */
#include "train/frozen.h"
#include "base/file.h"
#include "base/memory.h"
#include "network/stream.h"
#include "train/trainer.h"

#include <stdio.h>
#include <string.h>

enum { SHARE = 4 /* of the machine's memory may hold features: a quarter */ };

/* ---- Features of a dataset. */

static void clear_features(const crd_allocator *alloc, crd__train_features *features) {
  crd__free(alloc, features->memory);
  crd_array_file_destroy(features->file);
}

static crd_status keep_in_memory(crd_context *ctx, const crd__network_batches *b,
                                 crd__train_features *out) {
  const crd_array *const shape = &b->outputs[0].shape;
  const uint64_t bytes = (uint64_t)b->feed.rows * b->outputs[0].row_bytes;
  if (bytes > crd__machine_memory() / SHARE)
    return crd__fail(ctx, CRD_ENOMEM,
                     "the features of %zu rows take %llu MB, more than a quarter of the memory; "
                     "name a folder for them: %s",
                     b->feed.rows, (unsigned long long)(bytes >> 20), crd__spell(ctx, "cache"));
  CRD_TRY(crd__new(ctx, b->feed.rows, b->outputs[0].row_bytes, "features", &out->memory));
  CRD_TRY(b->arrays[0].source.make(ctx, b->arrays[0].source.self, 0, b->feed.rows, out->memory));
  out->array = *shape;
  out->array.data = out->memory;
  return CRD_OK;
}

/* The name of the file is a hash of everything that the features depend on. */
static crd_status keep_in_file(crd_context *ctx, const crd_trainer *t, const crd_dataset *data,
                               const crd__network_batches *b, crd__train_features *out) {
  char hash[CRD__TRAIN_HASH], path[4096];
  CRD_TRY(crd__train_hash_features(ctx, t->frozen.front, data, t->encoding, hash));
  const int length = snprintf(path, sizeof path, "%s/%.16s.npy", t->options.cache, hash);
  if (length < 0 || (size_t)length >= sizeof path)
    return crd__fail(ctx, CRD_EUSAGE, "%s: the name is too long", t->options.cache);
  if (!crd__file_exists(path)) CRD_TRY(crd__io_bundle_write(ctx, path, b->arrays, 1));
  CRD_TRY(crd_array_file_open(ctx, path, &out->file));
  out->array = *crd_array_file_array(out->file);
  const crd_array *const shape = &b->outputs[0].shape;
  if (out->array.dtype == CRD_F32 && out->array.rank == shape->rank &&
      memcmp(out->array.dims, shape->dims, shape->rank * sizeof *shape->dims) == 0)
    return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT, "%s: not the features of this network and data; remove it",
                   path);
}

static crd_status run_front(crd_context *ctx, const crd_trainer *t, const crd_dataset *data,
                            crd__network_batches *b, crd__train_features *out) {
  const crd_array *const shape = &b->outputs[0].shape;
  if (shape->dtype != CRD_F32 || shape->rank < 2)
    return crd__fail(ctx, CRD_EINPUT, "the tensor '%.60s' is not one row of f32 per sample",
                     t->options.freeze);
  b->finite = true;
  return t->options.cache ? keep_in_file(ctx, t, data, b, out) : keep_in_memory(ctx, b, out);
}

static crd_status make_features(crd_context *ctx, const crd_trainer *t, const crd_dataset *data,
                                crd__train_features *out) {
  const crd_model *const front = t->frozen.front;
  crd_feed_options how = { .size = sizeof how,
                           .batch = t->options.batch,
                           .wide_outputs = 1,
                           .output = crd_model_output(front, 0)->name };
  crd__network_batches b;
  crd__network_stream stream;
  crd__network_normalise(t->encoding, &how);
  crd__network_stream_open(data, &stream);
  crd_status status = crd__network_batches_make(ctx, front, &stream.shape, 1, &how, &b);
  if (status == CRD_OK) {
    crd__network_feed_pull(&b.feed, 0, crd__network_stream_source(&stream));
    status = run_front(ctx, t, data, &b, out);
  }
  crd__network_batches_clear(&ctx->alloc, &b);
  crd__network_stream_clear(&ctx->alloc, &stream);
  return status;
}

crd_status crd__train_features_logits(crd_context *ctx, const crd_model *model,
                                      const crd__train_features *features, size_t batch,
                                      float *out) {
  const crd_feed_options how = { .size = sizeof how,
                                 .batch = batch,
                                 .wide_outputs = 1,
                                 .output = crd_model_output(model, 0)->name };
  crd__network_batches b;
  crd_status status = crd__network_batches_make(ctx, model, &features->array, 1, &how, &b);
  if (status == CRD_OK)
    status = b.arrays[0].source.make(ctx, b.arrays[0].source.self, 0, b.feed.rows, out);
  crd__network_batches_clear(&ctx->alloc, &b);
  return status;
}

/* ---- Training on features. */

/* Serves the kept features as vectors: what they are is known to the trained part. */
static crd_status make_rows(crd_context *ctx, const crd_trainer *t, crd__train_frozen *f) {
  const crd_dataset_shape *const shape = crd_dataset_describe(t->training);
  const size_t cells = crd_array_count(&f->training.array) / shape->rows;
  CRD_TRY(crd__new(ctx, shape->rows, sizeof *f->labels, "labels", &f->labels));
  if (shape->has_weights)
    CRD_TRY(crd__new(ctx, shape->rows, sizeof *f->weights, "weights", &f->weights));
  for (size_t i = 0; i < shape->rows; i++) {
    f->labels[i] = crd_dataset_label(t->training, i);
    if (f->weights) f->weights[i] = crd_dataset_weight(t->training, i);
  }
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = crd_array_matrix(f->training.array.data, CRD_F32, shape->rows, cells),
    .labels = crd_array_matrix(f->labels, CRD_I64, shape->rows, 1),
    .weights = crd_array_matrix(f->weights, CRD_F64, shape->rows, 1),
    .classes = shape->classes
  };
  return crd_dataset_create(ctx, &arrays, &f->rows);
}

/* Augmented images have other features in every epoch. */
static crd_status make_network(crd_context *ctx, const crd_trainer *t, crd__train_frozen *f) {
  const crd_dataset_shape *const data = crd_dataset_describe(t->training);
  crd_array input = { .dtype = data->dtype, .rank = data->rank + 1 };
  f->batch = t->options.batch < data->rows ? t->options.batch : data->rows;
  input.dims[0] = (int64_t)f->batch;
  memcpy(input.dims + 1, data->dims, data->rank * sizeof *data->dims);
  const crd_compile_options how = {
    .size = sizeof how, .batch = f->batch, .inputs = &input, .input_count = 1, .wide_outputs = 1
  };
  CRD_TRY(crd_network_compile(ctx, f->front, &how, &f->network));
  return crd__new(ctx, crd_array_count(&input), crd_dtype_size(input.dtype), "a batch", &f->padded);
}

static crd_status cut(crd_context *ctx, crd_trainer *t) {
  const char *const tensor = t->options.freeze;
  CRD_TRY(crd_model_cut(ctx, t->whole, tensor, CRD_PART_BEFORE, &t->frozen.front));
  crd_model *behind;
  CRD_TRY(crd_model_cut(ctx, t->whole, tensor, CRD_PART_AFTER, &behind));
  t->model = behind;
  return CRD_OK;
}

static void take_sample(crd__train_frozen *f, const crd_array *features) {
  f->sample = (crd_array){ .dtype = CRD_F32, .rank = features->rank - 1 };
  memcpy(f->sample.dims, features->dims + 1, f->sample.rank * sizeof *features->dims);
}

crd_status crd__train_frozen_make(crd_context *ctx, crd_trainer *t) {
  crd__train_frozen *const f = &t->frozen;
  const size_t count = t->options.monitor_count;
  if (t->options.mixup > 0)
    return crd__fail(ctx, CRD_EUSAGE, "%s mixes inputs; with %s there are features only",
                     crd__spell(ctx, "mixup"), crd__spell(ctx, "freeze"));
  CRD_TRY(cut(ctx, t));
  CRD_TRY(crd__new(ctx, count, sizeof *f->monitors, "features", &f->monitors));
  f->monitor_count = count;
  for (size_t i = 0; i < count; i++)
    CRD_TRY(make_features(ctx, t, t->monitors[i].data, &f->monitors[i]));
  if (!t->options.augment || t->options.evaluate_train)
    CRD_TRY(make_features(ctx, t, t->training, &f->training));
  if (t->options.augment) {
    CRD_TRY(make_network(ctx, t, f));
    take_sample(f, crd_network_output(f->network, 0));
    return CRD_OK;
  }
  take_sample(f, &f->training.array);
  return make_rows(ctx, t, f);
}

void crd__train_frozen_clear(const crd_allocator *alloc, crd__train_frozen *f) {
  crd_dataset_destroy(f->rows);
  crd_network_destroy(f->network);
  crd_model_destroy(f->front);
  clear_features(alloc, &f->training);
  for (size_t i = 0; i < f->monitor_count; i++) clear_features(alloc, &f->monitors[i]);
  crd__free(alloc, f->monitors);
  crd__free(alloc, f->labels);
  crd__free(alloc, f->weights);
  crd__free(alloc, f->padded);
  *f = (crd__train_frozen){ 0 };
}

/* Rows beyond an incomplete batch hold what an earlier one left: their features are not used. */
crd_status crd__train_frozen_apply(crd_context *ctx, const crd__train_frozen *f, const void *inputs,
                                   size_t rows, const void **out) {
  *out = inputs;
  if (!f->network) return CRD_OK;
  crd_array input = *crd_network_input(f->network, 0);
  const size_t bytes = crd_array_count(&input) / f->batch * crd_dtype_size(input.dtype);
  input.data = inputs;
  if (rows < f->batch) {
    memcpy(f->padded, inputs, rows * bytes);
    input.data = f->padded;
  }
  CRD_TRY(crd_network_run(ctx, f->network, &input, 1));
  *out = crd_network_output(f->network, 0)->data;
  return CRD_OK;
}

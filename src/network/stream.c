/*
 * stream.c -- datasets as inputs of networks.
 *
 * The feed pulls the rows of one batch at a time, in order; the dataset reads and decodes them on
 * all threads. Nothing but a batch is kept in memory.
 */
#include "network/stream.h"

#include "base/memory.h"

#include <string.h>

void crd__network_stream_open(const crd_dataset *data, crd__network_stream *out) {
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  *out = (crd__network_stream){ .data = data };
  out->shape.dtype = shape->dtype;
  out->shape.rank = shape->rank + 1;
  out->shape.dims[0] = (int64_t)shape->rows;
  memcpy(out->shape.dims + 1, shape->dims, shape->rank * sizeof *shape->dims);
}

static crd_status read_rows(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  crd__network_stream *const s = self;
  if (count > s->capacity) {
    size_t *const rows = crd__resize(&ctx->alloc, s->rows, count, sizeof *rows);
    if (!rows) return crd__fail(ctx, CRD_ENOMEM, "no memory for the rows of a batch");
    s->rows = rows;
    s->capacity = count;
  }
  for (size_t i = 0; i < count; i++) s->rows[i] = from + i;
  return crd_dataset_read(ctx, s->data, s->rows, count, out);
}

crd__data_source crd__network_stream_source(crd__network_stream *stream) {
  return (crd__data_source){ .make = read_rows, .self = stream };
}

void crd__network_stream_clear(const crd_allocator *alloc, crd__network_stream *stream) {
  crd__free(alloc, stream->rows);
  *stream = (crd__network_stream){ 0 };
}

void crd__network_normalise(const crd_encoding *encoding, crd_feed_options *options) {
  if (!encoding || !encoding->channels || options->mean || options->std) return;
  options->mean = encoding->mean;
  options->std = encoding->std;
  options->channels = encoding->channels;
}

bool crd__network_is_channels_first(const crd_model *model, const crd_array *rows) {
  const crd_port *const port = crd_model_input(model, 0);
  return port && port->known && port->rank == 4 && rows->rank == 4 &&
         port->dims[1] == rows->dims[1];
}

/* ---- Logits in memory. */

static crd_status check_logits(crd_context *ctx, const crd__network_batches *b,
                               const crd_encoding *encoding) {
  const crd_array *const shape = &b->outputs[0].shape;
  if (shape->rank == 2 && shape->dtype == CRD_F32 &&
      (size_t)shape->dims[1] == encoding->class_count)
    return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "output '%.60s' is %s with %zu dimensions and %lld values per row; expected f32 "
                   "with two: (rows, %zu classes)",
                   b->arrays[0].name, crd_dtype_name(shape->dtype), shape->rank,
                   (long long)(crd_array_count(shape) / b->feed.rows), encoding->class_count);
}

crd_status crd__network_logits(crd_context *ctx, const crd_model *model, const crd_dataset *data,
                               const crd_encoding *encoding, size_t batch, float *out) {
  crd_feed_options how = { .size = sizeof how,
                           .batch = batch,
                           .wide_outputs = 1,
                           .output = crd_model_output(model, 0)->name };
  crd__network_batches b;
  crd__network_stream stream;
  crd__network_normalise(encoding, &how);
  crd__network_stream_open(data, &stream);
  crd_status status = crd__network_batches_make(ctx, model, &stream.shape, 1, &how, &b);
  if (status == CRD_OK) status = check_logits(ctx, &b, encoding);
  if (status == CRD_OK) {
    crd__network_feed_pull(&b.feed, 0, crd__network_stream_source(&stream));
    status = b.arrays[0].source.make(ctx, b.arrays[0].source.self, 0, b.feed.rows, out);
  }
  crd__network_batches_clear(&ctx->alloc, &b);
  crd__network_stream_clear(&ctx->alloc, &stream);
  return status;
}

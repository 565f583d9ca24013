/*
 * batches.c -- runs a network over many rows.
 *
 * The writers pull rows in order; a batch runs when its first row is pulled. A network is compiled
 * for one batch size, so the last batch is padded: that costs less than compiling again, keeps the
 * weights in memory once, and a model with a fixed batch size needs it anyway.
 */
#include "network/batches.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const char *output_name(const crd_model *model, size_t index) {
  return crd_model_output(model, index)->name;
}

/* ---- Running. */

/* Return the index of the first NaN or infinity of a float32 array; `count` if there is none. */
static size_t find_nonfinite(const crd_array *tensor, size_t count) {
  const float *const values = tensor->data;
  size_t i = 0;
  if (tensor->dtype != CRD_F32) return count;
  while (i < count && isfinite(values[i])) i++;
  return i;
}

/* oneDNN may turn NaN into a number (the larger of NaN and 0 is 0), so outputs do not show NaN in
 * the inputs. */
static crd_status check_inputs(crd_context *ctx, const crd__network_batches *b, size_t rows) {
  for (size_t i = 0; i < b->feed.count; i++) {
    const crd_array *const input = &b->feed.tensors[i];
    const size_t width = crd_array_count(input) / b->feed.batch, count = rows * width;
    const size_t at = find_nonfinite(input, count);
    if (at < count)
      return crd__fail(ctx, CRD_ENUMERIC, "row %zu: value %zu of input '%s' is %s",
                       b->first + b->from + at / width, at % width, b->feed.inputs[i].port->name,
                       isnan(((const float *)input->data)[at]) ? "NaN" : "infinite");
  }
  return CRD_OK;
}

static crd_status check_output(crd_context *ctx, const crd__network_batches *b,
                               const crd_array *output, size_t rows) {
  const size_t width = crd_array_count(output) / b->feed.batch, count = rows * width;
  const size_t at = find_nonfinite(output, count);
  if (at == count) return CRD_OK;
  return crd__fail(ctx, CRD_ENUMERIC,
                   "row %zu: the network yields %s in column %zu; are its inputs scaled as in "
                   "training? (%s, %s, %s)",
                   b->first + b->from + at / width,
                   isnan(((const float *)output->data)[at]) ? "NaN" : "infinity", at % width,
                   crd__spell(ctx, "scale"), crd__spell(ctx, "mean"), crd__spell(ctx, "std"));
}

/* Run the batch that begins with this row. */
static crd_status run_batch(crd_context *ctx, crd__network_batches *b, size_t from) {
  const size_t left = b->feed.rows - from, rows = left < b->feed.batch ? left : b->feed.batch;
  CRD_TRY(crd__check_interrupt(ctx));
  b->done = 0;
  b->from = from;
  CRD_TRY(crd__network_feed_take(ctx, &b->feed, from));
  if (b->finite) CRD_TRY(check_inputs(ctx, b, rows));
  CRD_TRY(crd_network_run(ctx, b->network, b->feed.tensors, b->feed.count));
  for (size_t i = 0; i < b->count; i++) {
    const crd__network_batch_output *const output = &b->outputs[i];
    const crd_array *const batch = crd_network_output(b->network, output->index);
    if (b->finite) CRD_TRY(check_output(ctx, b, batch, rows));
    if (output->kept)
      memcpy(output->kept + from * output->row_bytes, batch->data, rows * output->row_bytes);
  }
  b->done = rows;
  crd__progress(ctx, "running", from + rows, b->feed.rows);
  return CRD_OK;
}

/* Copy rows of an output that is not kept from their batches, which run again if they have run for
 * another output. */
static crd_status pass_rows(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const crd__network_batch_output *const output = self;
  crd__network_batches *const b = output->all;
  const size_t bytes = output->row_bytes;
  for (unsigned char *to = out; count > 0;) {
    if (from < b->from || from >= b->from + b->done)
      CRD_TRY(run_batch(ctx, b, from / b->feed.batch * b->feed.batch));
    const unsigned char *const data = crd_network_output(b->network, output->index)->data;
    const size_t left = b->from + b->done - from, taken = left < count ? left : count;
    memcpy(to, data + (from - b->from) * bytes, taken * bytes);
    to += taken * bytes;
    from += taken;
    count -= taken;
  }
  return CRD_OK;
}

/* Copy rows of one of several outputs, which a file may need one after the other; all are kept. */
static crd_status keep_rows(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const crd__network_batch_output *const output = self;
  crd__network_batches *const b = output->all;
  while (b->from + b->done < from + count) CRD_TRY(run_batch(ctx, b, b->from + b->done));
  memcpy(out, output->kept + from * output->row_bytes, count * output->row_bytes);
  return CRD_OK;
}

crd_status crd__network_batches_begin(crd_context *ctx, crd__network_batches *batches) {
  return run_batch(ctx, batches, 0);
}

/* ---- Setup. */

static crd_status compile(crd_context *ctx, const crd_model *model, crd__network_batches *b) {
  const crd_compile_options how = { .size = sizeof how,
                                    .batch = b->feed.batch,
                                    .inputs = b->feed.tensors,
                                    .input_count = b->feed.count,
                                    .winograd = b->feed.options.winograd,
                                    .wide_outputs = b->feed.options.wide_outputs };
  return crd_network_compile(ctx, model, &how, &b->network);
}

static crd_status describe(crd_context *ctx, const crd_model *model, crd__network_batches *b,
                           size_t index, bool keep) {
  const crd_array *const batch = crd_network_output(b->network, index);
  const size_t size = crd_dtype_size(batch->dtype);
  if (batch->rank == 0 || batch->dims[0] != (int64_t)b->feed.batch)
    return crd__fail(ctx, CRD_EINPUT,
                     "output '%s' does not have one row per sample: its first dimension is %lld "
                     "for a batch of %zu",
                     output_name(model, index), batch->rank ? (long long)batch->dims[0] : 1,
                     b->feed.batch);
  const size_t cols = crd_array_count(batch) / b->feed.batch;
  crd__network_batch_output *const output = &b->outputs[b->count];
  *output = (crd__network_batch_output){ b, index, *batch, cols * size, NULL };
  output->shape.data = NULL;
  output->shape.dims[0] = (int64_t)b->feed.rows;
  b->arrays[b->count++] = (crd__io_array){
    .name = output_name(model, index),
    .view = crd_array_matrix(NULL, batch->dtype, b->feed.rows, cols),
    .shape = &output->shape,
    .source = { keep ? keep_rows : pass_rows, output, b->feed.batch },
  };
  return keep ? crd__new(ctx, b->feed.rows, output->row_bytes, "outputs", &output->kept) : CRD_OK;
}

/* Describe all outputs, or the requested one; then the features, and what is written beside. */
static crd_status take_outputs(crd_context *ctx, const crd_model *model, const char *features,
                               const char *beside, crd__network_batches *b) {
  const char *const wanted = b->feed.options.output;
  size_t count = 0;
  while (crd_network_output(b->network, count)) count++;
  CRD_TRY(crd__new(ctx, count + 2, sizeof *b->outputs, "outputs", &b->outputs));
  CRD_TRY(crd__new(ctx, count + 2, sizeof *b->arrays, "outputs", &b->arrays));
  for (size_t i = 0; i < count; i++)
    if (!wanted || strcmp(output_name(model, i), wanted) == 0)
      CRD_TRY(describe(ctx, model, b, i, features || beside || (!wanted && count > 1)));
  for (size_t i = 0; i < count && features; i++)
    if (strcmp(output_name(model, i), features) == 0) CRD_TRY(describe(ctx, model, b, i, false));
  for (size_t i = 0; i < count && beside; i++)
    if (strcmp(output_name(model, i), beside) == 0) CRD_TRY(describe(ctx, model, b, i, true));
  if (b->count) return CRD_OK;
  return crd__fail(ctx, CRD_EUSAGE, "no output is called '%s', the first one is '%s'", wanted,
                   output_name(model, 0));
}

static crd_status make(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                       size_t count, const crd_feed_options *options, const char *features,
                       const char *beside, crd__network_batches *out) {
  static const crd_feed_options defaults = { .size = sizeof defaults };
  *out = (crd__network_batches){ .network = NULL };
  CRD_TRY(
      crd__network_feed_make(ctx, model, inputs, count, options ? options : &defaults, &out->feed));
  CRD_TRY(compile(ctx, model, out));
  return take_outputs(ctx, model, features, beside, out);
}

crd_status crd__network_batches_make(crd_context *ctx, const crd_model *model,
                                     const crd_array *inputs, size_t count,
                                     const crd_feed_options *options, crd__network_batches *out) {
  return make(ctx, model, inputs, count, options, NULL, NULL, out);
}

crd_status crd__network_batches_make_with(crd_context *ctx, const crd_model *model,
                                          const crd_array *input, const crd_feed_options *options,
                                          const char *features, const char *beside,
                                          crd__network_batches *out) {
  return make(ctx, model, input, 1, options, features, beside, out);
}

void crd__network_batches_clear(const crd_allocator *alloc, crd__network_batches *batches) {
  for (size_t i = 0; i < batches->count; i++) crd__free(alloc, batches->outputs[i].kept);
  crd__free(alloc, batches->outputs);
  crd__free(alloc, batches->arrays);
  crd_network_destroy(batches->network);
  crd__network_feed_clear(alloc, &batches->feed);
  *batches = (crd__network_batches){ .network = NULL };
}

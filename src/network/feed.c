/*
 * feed.c -- converts rows of arrays to batches of a network's input.
 *
 * Rows that need no conversion are used where they are. All others are converted one plane (a
 * channel of a row) at a time. To floating-point types, y = (x * scale - mean) / std is computed in
 * float64 and rounded once; integers are copied.
 */
#include "network/feed.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/array.h"
#include "engine/kernel/element.h"

#include <stdio.h>
#include <string.h>

enum { BATCH = 128 };

static bool is_whole(crd_dtype dtype) { return crd__kernel_carrier_of(dtype) != CRD__REAL; }

/* Any type converts to floating point; integers convert to wider signed ones, so that no value is
 * lost. */
static bool can_become(crd_dtype from, crd_dtype to) {
  return from == to || !is_whole(to) ||
         (is_whole(from) && crd__kernel_carrier_of(to) == CRD__SIGNED &&
          crd_dtype_size(from) < crd_dtype_size(to));
}

/* ---- Shapes. */

static size_t row_count(const crd_array *tensor) {
  size_t count = 1;
  for (size_t i = 1; i < tensor->rank; i++) count *= (size_t)tensor->dims[i];
  return count;
}

static size_t channels_of(const crd_array *taken) {
  return taken->rank > 1 ? (size_t)taken->dims[1] : 1;
}

/* Change a shape from NHWC to NCHW. */
static void move_channels(crd_array *shape) {
  if (shape->rank < 3) return;
  const int64_t channels = shape->dims[shape->rank - 1];
  memmove(shape->dims + 2, shape->dims + 1, (shape->rank - 2) * sizeof *shape->dims);
  shape->dims[1] = channels;
}

static bool shape_fits(const crd_port *port, const crd_array *shape) {
  if (!port->known) return true;
  if (port->rank != shape->rank) return false;
  for (size_t i = 1; i < shape->rank; i++)
    if (port->dims[i] >= 0 && port->dims[i] != shape->dims[i]) return false;
  return true;
}

static void add_shape(crd__text *text, size_t rank, const int64_t *dims) {
  if (rank < 2) crd__text_add(text, "one value");
  if (rank == 2 && dims[1] < 0) crd__text_add(text, "any length");
  if (rank == 2 && dims[1] >= 0) crd__text_addf(text, "%lld values", (long long)dims[1]);
  for (size_t i = 1; rank > 2 && i < rank; i++) {
    if (i > 1) crd__text_add(text, " x ");
    if (dims[i] < 0) crd__text_add(text, "any");
    else crd__text_addf(text, "%lld", (long long)dims[i]);
  }
}

static crd_status refuse_shape(crd_context *ctx, const crd__network_feed_input *input) {
  const crd_port *const port = input->port;
  crd_array moved = input->given;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__text_addf(&text, "input '%.60s' takes rows of ", port->name);
  add_shape(&text, port->rank, port->dims);
  crd__text_add(&text, ", found ");
  add_shape(&text, input->taken.rank, input->taken.dims);
  move_channels(&moved);
  if (shape_fits(port, &moved))
    crd__text_addf(&text, "; are the channels last? (%s)", crd__spell(ctx, "channels_last"));
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__fail(ctx, CRD_EINPUT, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

/* ---- Setup. */

static bool has_arithmetic(const crd_feed_options *o) {
  return (o->scale != 0 && o->scale != 1) || o->mean || o->std;
}

static crd_status check_channels(crd_context *ctx, const crd_feed_options *o,
                                 const crd__network_feed_input *input) {
  const size_t channels = channels_of(&input->taken);
  if (!(o->mean || o->std) || o->channels == 1 || o->channels == channels) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "%zu means or standard deviations, but input '%s' has %zu channels", o->channels,
                   input->port->name, channels);
}

static crd_status make_input(crd_context *ctx, const crd__network_feed *feed,
                             crd__network_feed_input *input) {
  const crd_feed_options *const o = &feed->options;
  const crd_port *const port = input->port;
  if (!crd__data_array_is_contiguous(&input->given))
    return crd__fail(ctx, CRD_EINPUT, "input '%s' must be C-contiguous and in native byte order",
                     port->name);
  memset(input->given.strides, 0, sizeof input->given.strides);
  input->taken = input->given;
  input->taken.data = NULL;
  input->taken.dtype = port->dtype;
  if (o->channels_last) move_channels(&input->taken);
  if (!shape_fits(port, &input->taken)) return refuse_shape(ctx, input);
  if (!can_become(input->given.dtype, port->dtype))
    return crd__fail(ctx, CRD_EINPUT, "input '%s' takes %s, found %s", port->name,
                     crd_dtype_name(port->dtype), crd_dtype_name(input->given.dtype));
  if (has_arithmetic(o) && is_whole(port->dtype))
    return crd__fail(ctx, CRD_EINPUT, "input '%s' takes %s: it cannot be scaled", port->name,
                     crd_dtype_name(port->dtype));
  const bool moved = o->channels_last && input->given.rank > 2;
  input->plain = !moved && !has_arithmetic(o) && input->given.dtype == port->dtype;
  return check_channels(ctx, o, input);
}

/* Prepend the name of the input's file to the error message. */
static crd_status name_source(crd_context *ctx, const crd__network_feed *feed, size_t input,
                              crd_status status) {
  const char *const *const sources = feed->options.sources;
  return status == CRD_EINPUT && sources ? crd__fail_in(ctx, status, sources[input]) : status;
}

static crd_status count_rows(crd_context *ctx, crd__network_feed *feed) {
  for (size_t i = 0; i < feed->count; i++) {
    const crd__network_feed_input *const input = &feed->inputs[i];
    const size_t rows = input->given.rank ? (size_t)input->given.dims[0] : 0;
    if (rows == 0)
      return name_source(ctx, feed, i,
                         crd__fail(ctx, CRD_EINPUT, "input '%s' has no rows", input->port->name));
    if (i > 0 && rows != feed->rows)
      return name_source(
          ctx, feed, i,
          crd__fail(ctx, CRD_EINPUT, "input '%s' has %zu rows, found %zu for input '%s'",
                    feed->inputs[0].port->name, feed->rows, rows, input->port->name));
    feed->rows = rows;
  }
  return CRD_OK;
}

/* Choose the model's fixed batch size, else the requested one, at most the number of rows. */
static crd_status choose_batch(crd_context *ctx, crd__network_feed *feed) {
  size_t fixed = 0;
  for (size_t i = 0; i < feed->count && !fixed; i++) {
    const crd_port *const port = feed->inputs[i].port;
    if (port->known && port->rank && port->dims[0] > 0) fixed = (size_t)port->dims[0];
  }
  const size_t asked = feed->options.batch;
  if (fixed && asked && asked != fixed)
    return crd__fail(ctx, CRD_EINPUT, "a batch of %zu rows, but the model takes batches of %zu",
                     asked, fixed);
  feed->batch = fixed ? fixed : asked ? asked : BATCH;
  if (!fixed && feed->batch > feed->rows) feed->batch = feed->rows;
  return CRD_OK;
}

static crd_status take_inputs(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                              size_t count, crd__network_feed *feed) {
  size_t wanted = 0;
  while (crd_model_input(model, wanted)) wanted++;
  if (wanted != count)
    return crd__fail(ctx, CRD_EINPUT, "the model has %zu input%s, found %zu", wanted,
                     wanted == 1 ? "" : "s", count);
  CRD_TRY(crd__new(ctx, count, sizeof *feed->inputs, "inputs", &feed->inputs));
  CRD_TRY(crd__new(ctx, count, sizeof *feed->tensors, "inputs", &feed->tensors));
  feed->count = count;
  for (size_t i = 0; i < count; i++) {
    feed->inputs[i].port = crd_model_input(model, i);
    feed->inputs[i].given = inputs[i];
    CRD_TRY(name_source(ctx, feed, i, make_input(ctx, feed, &feed->inputs[i])));
  }
  return CRD_OK;
}

crd_status crd__network_feed_make(crd_context *ctx, const crd_model *model, const crd_array *inputs,
                                  size_t count, const crd_feed_options *options,
                                  crd__network_feed *out) {
  *out = (crd__network_feed){ .options = *options };
  CRD_TRY(take_inputs(ctx, model, inputs, count, out));
  CRD_TRY(count_rows(ctx, out));
  CRD_TRY(choose_batch(ctx, out));
  for (size_t i = 0; i < count; i++) {
    out->inputs[i].taken.dims[0] = (int64_t)out->batch;
    out->tensors[i] = out->inputs[i].taken;
  }
  return CRD_OK;
}

void crd__network_feed_pull(crd__network_feed *feed, size_t input, crd__data_source source) {
  feed->inputs[input].source = source;
}

void crd__network_feed_clear(const crd_allocator *alloc, crd__network_feed *feed) {
  for (size_t i = 0; i < feed->count; i++) {
    crd__free(alloc, feed->inputs[i].converted);
    crd__free(alloc, feed->inputs[i].pulled);
  }
  crd__free(alloc, feed->inputs);
  crd__free(alloc, feed->tensors);
  *feed = (crd__network_feed){ 0 };
}

/* ---- Batches. */

typedef struct {
  const crd__network_feed *feed;
  const crd__network_feed_input *input;
  size_t from;
  const unsigned char *rows; /* those of the array, or pulled ones ... */
  size_t first;              /* ... of which this is the first */
} conversion;

/* Finds the rows of a batch in the array, or pulls them from the source. */
static crd_status find_rows(crd_context *ctx, crd__network_feed_input *input, conversion *t) {
  const crd__network_feed *const feed = t->feed;
  const size_t left = feed->rows - t->from, count = left < feed->batch ? left : feed->batch;
  t->rows = input->given.data;
  t->first = 0;
  if (!input->source.make) return CRD_OK;
  if (!input->pulled)
    CRD_TRY(crd__new(ctx, feed->batch * row_count(&input->given),
                     crd_dtype_size(input->given.dtype), "a batch of inputs", &input->pulled));
  t->rows = input->pulled;
  t->first = t->from;
  return input->source.make(ctx, input->source.self, t->from, count, input->pulled);
}

static void convert_plane(const conversion *t, const unsigned char *row, size_t channel,
                          size_t at) {
  const crd_feed_options *const o = &t->feed->options;
  const crd__network_feed_input *const input = t->input;
  const size_t channels = channels_of(&input->taken), area = row_count(&input->taken) / channels;
  const crd_dtype from = input->given.dtype, to = input->taken.dtype;
  const bool last = o->channels_last && input->given.rank > 2;
  const size_t stride = last ? channels : 1, first = last ? channel : channel * area;
  const size_t k = o->channels > 1 ? channel : 0;
  const double scale = o->scale != 0 ? o->scale : 1;
  const double mean = o->mean ? o->mean[k] : 0, deviation = o->std ? o->std[k] : 1;
  unsigned char *const plane =
      (unsigned char *)input->converted + (at + channel * area) * crd_dtype_size(to);
  for (size_t done = 0; done < area; done += CRD__BLOCK) {
    const size_t count = area - done < CRD__BLOCK ? area - done : CRD__BLOCK;
    crd__kernel_block b;
    crd__kernel_block_load(from, count, row + (first + done * stride) * crd_dtype_size(from),
                           (ptrdiff_t)stride, &b);
    crd__kernel_block_convert(from, is_whole(to) ? to : CRD_F64, count, &b);
    for (size_t i = 0; i < count && !is_whole(to); i++)
      b.real[i] = (b.real[i] * scale - mean) / deviation;
    crd__kernel_block_store(to, count, &b, plane + done * crd_dtype_size(to), 1);
  }
}

/* Convert rows of the batch; rows are independent. */
static crd_status convert_rows(crd_context *local, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const conversion *const t = arg;
  const crd__network_feed_input *const input = t->input;
  const size_t elements = row_count(&input->given);
  const size_t bytes = elements * crd_dtype_size(input->given.dtype);
  (void)local, (void)worker;
  for (size_t i = from; i < to; i++) {
    const size_t last = t->feed->rows - 1, row = t->from + i < last ? t->from + i : last;
    const unsigned char *const at = t->rows + (row - t->first) * bytes;
    if (input->plain) {
      memcpy((unsigned char *)input->converted + i * bytes, at, bytes);
      continue;
    }
    for (size_t c = 0; elements && c < channels_of(&input->taken); c++)
      convert_plane(t, at, c, i * elements);
  }
  return CRD_OK;
}

crd_status crd__network_feed_take(crd_context *ctx, crd__network_feed *feed, size_t from) {
  for (size_t i = 0; i < feed->count; i++) {
    crd__network_feed_input *const input = &feed->inputs[i];
    const size_t bytes = row_count(&input->given) * crd_dtype_size(input->given.dtype);
    conversion t = { .feed = feed, .input = input, .from = from };
    CRD_TRY(find_rows(ctx, input, &t));
    if (input->plain && feed->rows - from >= feed->batch) {
      feed->tensors[i].data = t.rows + (from - t.first) * bytes;
      continue;
    }
    if (!input->converted)
      CRD_TRY(crd__new(ctx, crd_array_count(&input->taken), crd_dtype_size(input->taken.dtype),
                       "a batch of inputs", &input->converted));
    CRD_TRY(crd__parallel_for(ctx, NULL, feed->batch, 1, convert_rows, &t));
    feed->tensors[i].data = input->converted;
  }
  return CRD_OK;
}

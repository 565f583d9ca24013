/* write.c -- the frame around the writers: chooses one by extension, writes files all or nothing.
 */
#include "io/write.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/array.h"
#include "io/format.h"
#include "io/gzip.h"

#include <string.h>

enum { PIECE_BYTES = 65536 };

/* ---- Elements. */

static bool is_plain(crd_array view) {
  const ptrdiff_t size = (ptrdiff_t)crd_dtype_size(view.dtype);
  return !view.swapped && (view.strides[1] == size || crd__data_cols(&view) == 1) &&
         view.strides[0] == size * (ptrdiff_t)crd__data_cols(&view);
}

static void take_element(crd_array view, size_t row, size_t col, void *out) {
  const size_t size = crd_dtype_size(view.dtype);
  const unsigned char *from = (const unsigned char *)view.data + (ptrdiff_t)row * view.strides[0] +
                              (ptrdiff_t)col * view.strides[1];
  unsigned char *to = out;
  for (size_t i = 0; i < size; i++) to[i] = from[view.swapped ? size - 1 - i : i];
}

static crd_status emit_view(crd_context *ctx, crd_array view, const crd__io_sink *sink) {
  const size_t size = crd_dtype_size(view.dtype),
               count = crd__data_rows_of(&view) * crd__data_cols(&view);
  if (count == 0) return CRD_OK;
  if (is_plain(view)) return sink->write(ctx, sink->self, view.data, count * size);
  unsigned char piece[PIECE_BYTES];
  size_t used = 0;
  for (size_t i = 0; i < crd__data_rows_of(&view); i++) {
    for (size_t j = 0; j < crd__data_cols(&view); j++) {
      take_element(view, i, j, piece + used);
      used += size;
      if (used < PIECE_BYTES) continue;
      CRD_TRY(sink->write(ctx, sink->self, piece, used));
      used = 0;
    }
  }
  return used ? sink->write(ctx, sink->self, piece, used) : CRD_OK;
}

/* ---- Arrays. */

size_t crd__io_array_shape(const crd__io_array *array, int64_t out[CRD_RANK_MAX]) {
  out[0] = (int64_t)crd__data_rows_of(&array->view);
  out[1] = (int64_t)crd__data_cols(&array->view);
  if (!array->shape) return crd__data_cols(&array->view) == 1 ? 1 : 2;
  memcpy(out, array->shape->dims, array->shape->rank * sizeof *out);
  return array->shape->rank;
}

static crd_status emit_in_steps(crd_context *ctx, const crd__io_array *array, bool swapped,
                                void *buffer, const crd__io_sink *sink) {
  const size_t step = crd__data_source_step(&array->source, &array->view),
               rows = crd__data_rows_of(&array->view);
  for (size_t from = 0; from < rows; from += step) {
    crd_array block;
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(crd__data_source_read(ctx, &array->source, &array->view, from,
                                  rows - from < step ? rows - from : step, buffer, &block));
    block.swapped = !block.swapped == swapped;
    CRD_TRY(emit_view(ctx, block, sink));
  }
  return CRD_OK;
}

crd_status crd__io_array_emit(crd_context *ctx, const crd__io_array *array, bool swapped,
                              const crd__io_sink *sink) {
  void *buffer;
  CRD_TRY(crd__new(ctx,
                   crd__data_source_buffer(&array->source, &array->view,
                                           crd__data_source_step(&array->source, &array->view)),
                   1, "a block of rows", &buffer));
  const crd_status status = emit_in_steps(ctx, array, swapped, buffer, sink);
  crd__free(&ctx->alloc, buffer);
  return status;
}

/* ---- Files. */

static crd_status to_output(crd_context *ctx, void *self, const void *bytes, size_t count) {
  return crd_output_write(ctx, self, bytes, count);
}

typedef struct {
  const crd__io_format *format;
  const char *stem;
  const crd__io_array *arrays;
  size_t count;
} order;

static crd_status run(crd_context *ctx, const order *job, const crd__io_sink *sink) {
  return job->format->write(ctx, sink, job->stem, job->arrays, job->count);
}

static crd_status run_gzipped(crd_context *ctx, const order *job, const crd__io_sink *sink) {
  crd__io_gzip *gzip;
  CRD_TRY(crd__io_gzip_open(ctx, sink, &gzip));
  const crd__io_sink above = { crd__io_gzip_write, gzip };
  const crd_status status = run(ctx, job, &above);
  const crd_status closed = crd__io_gzip_close(ctx, gzip, status == CRD_OK);
  return status != CRD_OK ? status : closed;
}

static crd_status run_to_file(crd_context *ctx, const order *job, const char *path) {
  crd_output *output;
  CRD_TRY(crd_output_open(ctx, path, &output));
  const crd__io_sink sink = { to_output, output };
  const bool gzipped = strlen(job->stem) < strlen(path);
  crd_status status = gzipped ? run_gzipped(ctx, job, &sink) : run(ctx, job, &sink);
  status = crd_output_finish(ctx, output, status);
  return status == CRD_EUSAGE ? crd__fail_in(ctx, status, path) : status;
}

static crd_status refuse_name(crd_context *ctx, const char *path) {
  crd__text known;
  crd__text_init(&known, &ctx->alloc);
  for (size_t i = 0; crd__io_format_at(i); i++)
    if (crd__io_format_at(i)->write)
      crd__text_addf(&known, "%s%s", known.length ? " " : "",
                     crd__io_format_at(i)->info.extensions);
  const crd_status status = crd__fail(
      ctx, CRD_EUSAGE, "%s: no format that can be written has this extension, known are %s", path,
      known.bytes ? known.bytes : "");
  crd__text_clear(&known);
  return status;
}

crd_status crd__io_bundle_write(crd_context *ctx, const char *path, const crd__io_array *arrays,
                                size_t count) {
  char *stem = crd__strdup(&ctx->alloc, path);
  if (!stem) return crd__fail(ctx, CRD_ENOMEM, "%s: no memory for its name", path);
  if (crd__io_has_extension(path, "gz")) stem[strlen(stem) - 3] = '\0';
  const order job = { crd__io_format_of(stem), stem, arrays, count };
  const crd_status status =
      job.format && job.format->write ? run_to_file(ctx, &job, path) : refuse_name(ctx, path);
  crd__free(&ctx->alloc, stem);
  return status;
}

/* write.h -- writes named arrays to a file, in the format of its extension. */
#ifndef CRD_IO_WRITE_H
#define CRD_IO_WRITE_H

#include "base/context.h"
#include "data/source.h"

typedef struct {
  const char *name;
  crd_array view;          /* without data if there is a source */
  crd__data_source source; /* .make NULL: none */
  /* Shape of an array of higher rank: rows are the first dimension, columns the product of all
   * others. NULL: (rows,) or (rows, cols). */
  const crd_array *shape;
  /* Names of the values 0 .. word_count-1, which text formats write instead. */
  const char *const *words;
  size_t word_count;
  /* Names of all columns, written as header or class_names; NULL: none. */
  const char *const *columns;
} crd__io_array;

/* Destination of a format's bytes. */
typedef struct {
  crd_status (*write)(crd_context *ctx, void *self, const void *bytes, size_t count);
  void *self;
} crd__io_sink;

/* Sets its shape, as written to files; returns the rank. */
size_t crd__io_array_shape(const crd__io_array *array, int64_t out[CRD_RANK_MAX]);

/* Writes a file, all or nothing, in the format of its extension, compressed if .gz follows. Fails
 * with EUSAGE if no writer has that extension. */
crd_status crd__io_bundle_write(crd_context *ctx, const char *path, const crd__io_array *arrays,
                                size_t count);

/* Writes all elements, row by row, in native or swapped byte order. */
crd_status crd__io_array_emit(crd_context *ctx, const crd__io_array *array, bool swapped,
                              const crd__io_sink *sink);

#endif

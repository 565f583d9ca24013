/* write.h -- named arrays into a file, in the format that its name asks for. */
#ifndef CRD_IO_WRITE_H
#define CRD_IO_WRITE_H

#include "base/context.h"
#include "credence/tensor.h"

/* Rows made when they are asked for, for an array that no memory holds. */
typedef struct {
  /* Rows from .. from+count-1: elements of the view's type, row by row. Asked for in order. */
  crd_status (*make)(crd_context *ctx, void *self, size_t from, size_t count, void *out);
  void *self;
  size_t step; /* how many rows to ask for at once; 0: what is good for narrow ones */
} crd__io_source;

typedef struct {
  const char *name;
  crd_view view;         /* without data when there is a source */
  crd__io_source source; /* .make NULL: none */
  /* Type and shape where it is not (rows,) or (rows, cols): rows are the first dimension, columns
   * all others together. NULL: it is. */
  const crd_tensor *shape;
  /* What whole numbers 0 .. word_count-1 stand for: formats of text write the words. */
  const char *const *words;
  size_t word_count;
  /* What the columns are called, as many as there are, or NULL: a header, or class_names. */
  const char *const *columns;
} crd__io_array;

/* Where a format's bytes go. */
typedef struct {
  crd_status (*write)(crd_context *ctx, void *self, const void *bytes, size_t count);
  void *self;
} crd__io_sink;

/* Its shape as formats tell it; returns the rank. */
size_t crd__io_array_shape(const crd__io_array *array, int64_t out[CRD_RANK_MAX]);

/* The extension chooses a format that has a writer, also with .gz after it; the file appears whole
 * or not at all. */
crd_status crd__io_bundle_write(crd_context *ctx, const char *path, const crd__io_array *arrays,
                                size_t count);

/* All elements, row by row, in pieces: in native byte order, or the other. */
crd_status crd__io_array_emit(crd_context *ctx, const crd__io_array *array, bool swapped,
                              const crd__io_sink *sink);
/* How many rows to ask for at once. */
size_t crd__io_array_step(const crd__io_array *array);
/* Some rows as a view: of the array itself, or made in `room` (crd__io_array_room bytes). */
crd_status crd__io_array_rows(crd_context *ctx, const crd__io_array *array, size_t from,
                              size_t count, void *room, crd_view *out);
size_t crd__io_array_room(const crd__io_array *array, size_t rows);

#endif

/* source.c -- reading rows of a matrix that may be made on demand (source.h). */
#include "data/source.h"

#include "data/array.h"

/* Enough rows for several threads, but at most a few megabytes, or a few long rows. */
size_t crd__data_source_step(const crd__data_source *source, const crd_array *matrix) {
  enum { CELLS = 1 << 20, LEAST = 256, MOST = 1 << 16 };
  if (!source->make) return crd__data_rows_of(matrix);
  if (source->step) return source->step;
  const size_t step = CELLS / crd__data_cols(matrix);
  return step < LEAST ? LEAST : step > MOST ? MOST : step;
}

size_t crd__data_source_buffer(const crd__data_source *source, const crd_array *matrix,
                               size_t rows) {
  if (!source->make) return 0;
  const size_t all = crd__data_rows_of(matrix);
  return (rows < all ? rows : all) * crd__data_cols(matrix) * crd_dtype_size(matrix->dtype);
}

crd_status crd__data_source_read(crd_context *ctx, const crd__data_source *source,
                                 const crd_array *matrix, size_t from, size_t count, void *buffer,
                                 crd_array *out) {
  if (!source->make) {
    *out = crd_array_slice(*matrix, from, from + count);
    return CRD_OK;
  }
  *out = crd_array_matrix(buffer, matrix->dtype, count, crd__data_cols(matrix));
  return source->make(ctx, source->self, from, count, buffer);
}

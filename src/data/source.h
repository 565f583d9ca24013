/*
 * source.h -- the pull interface for batches of rows: rows are made on demand.
 *
 * The consumer pulls the next rows: a file that is written pulls the outputs of a calibrator or a
 * network, a network pulls its inputs. So files and datasets larger than memory stream through, and
 * no more than a batch is in memory.
 */
#ifndef CRD_DATA_SOURCE_H
#define CRD_DATA_SOURCE_H

#include "base/context.h"
#include "credence/array.h"

typedef struct {
  /* Writes rows from .. from+count-1 to `out`, C-contiguous, in the type and shape of the array
   * that the source stands for. Called in the order of the rows. NULL: the array has data. */
  crd_status (*make)(crd_context *ctx, void *self, size_t from, size_t count, void *out);
  void *self;
  size_t step; /* rows to pull at once; 0: chosen by their size */
} crd__data_source;

/* Returns the number of rows to pull at once: all, if the matrix has data. */
size_t crd__data_source_step(const crd__data_source *source, const crd_array *matrix);
/* Returns the bytes of the buffer that reading `rows` rows needs: 0, if the matrix has data. */
size_t crd__data_source_buffer(const crd__data_source *source, const crd_array *matrix,
                               size_t rows);
/* Sets *out to rows from .. from+count-1 of the matrix, or made in the buffer. */
crd_status crd__data_source_read(crd_context *ctx, const crd__data_source *source,
                                 const crd_array *matrix, size_t from, size_t count, void *buffer,
                                 crd_array *out);

#endif

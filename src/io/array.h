/* array.h -- arrays of any rank, read from a file or passed to a writer. */
#ifndef CRD_IO_ARRAY_H
#define CRD_IO_ARRAY_H

#include "credence/array_file.h"
#include "io/bundle.h"
#include "io/pred.h"
#include "io/write.h"

struct crd_array_file {
  crd_allocator alloc;
  crd__io_bundle *bundle; /* NULL: the elements were copied */
  void *owned;
  crd_array tensor;
};

/* Reads one entry of a bundle; `path` is for error messages. *owned is NULL if the tensor points
 * into the bundle; else it is the tensor's memory, to be freed, and the bundle is not needed. */
crd_status crd__io_array_take(crd_context *ctx, crd__io_bundle *bundle, const crd__io_pred *pred,
                              const char *path, size_t index, crd_array *tensor, void **owned);

/* Makes a writer's array of a tensor, which it borrows. */
void crd__io_array_of(const crd_array *tensor, const char *name, crd__io_array *out);

#endif

/* array.h -- inside of an array of a file; arrays for the writers. */
#ifndef CRD_IO_ARRAY_H
#define CRD_IO_ARRAY_H

#include "credence/array.h"
#include "io/bundle.h"
#include "io/pred.h"
#include "io/write.h"

struct crd_array {
  crd_allocator alloc;
  crd__io_bundle *bundle; /* NULL: the elements were copied */
  void *owned;
  crd_tensor tensor;
};

/* One entry of a bundle; `path` is what was typed, for messages. *owned is NULL where the tensor
 * points into the bundle; else it is its memory, to be freed, and the bundle is not needed. */
crd_status crd__io_array_take(crd_context *ctx, crd__io_bundle *bundle, const crd__io_pred *pred,
                              const char *path, size_t index, crd_tensor *tensor, void **owned);

/* A tensor, which must stay, as the writers take it. */
void crd__io_array_of(const crd_tensor *tensor, const char *name, crd__io_array *out);

#endif

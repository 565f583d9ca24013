/* array.h -- inside of an array of a file; arrays for the writers. */
#ifndef CRD_IO_ARRAY_H
#define CRD_IO_ARRAY_H

#include "credence/array.h"
#include "io/bundle.h"
#include "io/pred.h"
#include "io/write.h"

struct crd_array {
  crd_allocator alloc;
  crd__bundle *bundle; /* NULL: the elements were copied */
  void *owned;
  crd_tensor tensor;
};

/* One entry of a bundle, which then belongs to the array, also after failure. `path` is what was
 * typed, for messages. */
crd_status crd__array_take(crd_context *ctx, crd__bundle *bundle, const crd__pred *pred,
                           const char *path, size_t index, crd_array **out);

/* A tensor, which must stay, as the writers take it. */
void crd__array_of(const crd_tensor *tensor, const char *name, crd__array *out);

#endif

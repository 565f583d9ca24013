/* write.h -- named arrays into a file, in the format that its name asks for. */
#ifndef CRD_IO_WRITE_H
#define CRD_IO_WRITE_H

#include "base/context.h"
#include "credence/view.h"

typedef struct {
  const char *name;
  crd_view view;
} crd__array;

/* Where a format's bytes go. */
typedef struct {
  crd_status (*write)(crd_context *ctx, void *self, const void *bytes, size_t count);
  void *self;
} crd__sink;

/* The extension chooses a format that has a writer, also with .gz after it; the file appears whole
 * or not at all. */
crd_status crd__bundle_write(crd_context *ctx, const char *path, const crd__array *arrays,
                             size_t count);

/* All elements of a view, row by row, in native byte order, in pieces. */
crd_status crd__view_emit(crd_context *ctx, crd_view view, const crd__sink *sink);

#endif

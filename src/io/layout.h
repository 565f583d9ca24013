/* layout.h -- element type, byte order and shape of an array, common to all binary formats. */
#ifndef CRD_IO_LAYOUT_H
#define CRD_IO_LAYOUT_H

#include "io/bundle.h"

typedef struct {
  crd_dtype dtype;
  bool swapped, fortran;
  size_t rank, shape[CRD__FILE_RANK_MAX];
} crd__io_layout;

bool crd__io_native_is_little(void);

/* "10000 x 10 f32", for error messages. */
enum { CRD__LAYOUT_TEXT = 160 };
const char *crd__io_layout_describe(const crd__io_layout *layout, char out[CRD__LAYOUT_TEXT]);
/* Computes the bytes of all elements; fails with EINPUT if they exceed the address space. */
crd_status crd__io_layout_bytes(crd_context *ctx, const crd__io_layout *layout, size_t *out);
/* Marks the entry as loaded, with its elements at `data`. */
void crd__io_layout_fill(const crd__io_layout *layout, const void *data, crd__io_entry *entry);
/* The same with new memory, for a reader to fill. Fails with EINPUT if it exceeds the file's length
 * by too large a factor. */
crd_status crd__io_layout_allot(crd_context *ctx, const crd__io_bundle *bundle,
                                const crd__io_layout *layout, crd__io_entry *entry);

#endif

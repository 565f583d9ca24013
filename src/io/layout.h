/* layout.h -- how the elements of an array lie: what every binary format says in its own words. */
#ifndef CRD_IO_LAYOUT_H
#define CRD_IO_LAYOUT_H

#include "io/bundle.h"

typedef struct {
  crd_dtype dtype;
  bool swapped, fortran;
  size_t rank, shape[CRD__RANK_MAX];
} crd__io_layout;

bool crd__io_native_is_little(void);

/* "10000 x 10 f32", for messages. */
enum { CRD__LAYOUT_TEXT = 160 };
const char *crd__io_layout_describe(const crd__io_layout *layout, char out[CRD__LAYOUT_TEXT]);
/* How many bytes the elements take; refused when this machine cannot address them. */
crd_status crd__io_layout_bytes(crd_context *ctx, const crd__io_layout *layout, size_t *out);
/* The entry is loaded: its elements begin at `data`. */
void crd__io_layout_fill(const crd__io_layout *layout, const void *data, crd__io_entry *entry);
/* The same with memory of its own, for a reader to put the elements into. Refused when a file of
 * this length would have to expand beyond reason. */
crd_status crd__io_layout_allot(crd_context *ctx, const crd__io_bundle *bundle,
                                const crd__io_layout *layout, crd__io_entry *entry);

#endif

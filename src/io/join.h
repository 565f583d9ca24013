/* join.h -- several files as one: their arrays, row after row. */
#ifndef CRD_IO_JOIN_H
#define CRD_IO_JOIN_H

#include "io/bundle.h"
#include "io/files.h"

/* Fills a new bundle, whose `parts` are the open files, with the arrays that all parts have. Fails
 * with EINPUT if the classes of the parts have different names. */
crd_status crd__io_bundle_join(crd_context *ctx, crd__io_bundle *bundle);

#endif

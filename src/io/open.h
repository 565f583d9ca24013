/* open.h -- predictions from an open bundle. */
#ifndef CRD_IO_OPEN_H
#define CRD_IO_OPEN_H

#include "io/bundle.h"

/* Like crd_predictions_open, from a bundle opened with these options; takes ownership of the
 * bundle, also on failure. */
crd_status crd__io_predictions_of(crd_context *ctx, crd__io_bundle *bundle, const char *path,
                                  const crd_open_options *options, crd_predictions **out);

#endif

/* open.h -- predictions of a file that is open already. */
#ifndef CRD_IO_OPEN_H
#define CRD_IO_OPEN_H

#include "io/bundle.h"

/* The same as crd_predictions_open with a bundle of the options, which it takes over in any case.
 */
crd_status crd__io_predictions_of(crd_context *ctx, crd__io_bundle *bundle, const char *path,
                                  const crd_open_options *options, crd_predictions **out);

#endif

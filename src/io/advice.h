/* advice.h -- commands to paste that bring arrays into a supported form. */
#ifndef CRD_IO_ADVICE_H
#define CRD_IO_ADVICE_H

#include "io/bundle.h"

/* Appends "; make each pixel or token a row: python3 -c ..." if the scores have more than two
 * dimensions. */
void crd__io_advise_rows(crd_context *ctx, crd__io_bundle *bundle, crd__text *text);
/* Fails with EINPUT if labels (n, k) are multi-hot: many rows mark several classes or none. */
crd_status crd__io_advise_single(crd_context *ctx, const crd__io_bundle *bundle, size_t scores,
                                 size_t labels);

#endif

/* advice.h -- commands to paste where arrays must be put into another form first. */
#ifndef CRD_IO_ADVICE_H
#define CRD_IO_ADVICE_H

#include "io/bundle.h"

/* Where an array has more than two dimensions: "; reshape it to rows: python3 -c ..."; else
 * nothing. */
void crd__io_advise_rows(crd_context *ctx, crd__io_bundle *bundle, crd__text *text);
/* EINPUT when the labels, (n, k), mark several classes or none in many of their first rows. */
crd_status crd__io_advise_single(crd_context *ctx, const crd__io_bundle *bundle, size_t scores,
                                 size_t labels);

#endif

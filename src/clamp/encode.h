/* encode.h -- the part of a network in front of delta. */
#ifndef CRD_CLAMP_ENCODE_H
#define CRD_CLAMP_ENCODE_H

#include "clamp/pass.h"

/* Fails with EINPUT unless the encoder takes batches of these samples, and the network what the
 * encoder computes. */
crd_status crd__clamp_encoder_check(crd_context *ctx, const crd__clamp_chain *chain,
                                    const crd_dataset_shape *data);
/* Sets *out to what delta is added to, one row of pass->count elements for each sample; borrowed
 * until the next call. */
crd_status crd__clamp_encode(crd_context *ctx, const crd__clamp_pass *pass, const crd_batch *batch,
                             const float **out);
/* Returns the samples of a batch from a row on. */
const void *crd__clamp_sample_at(const crd__clamp_pass *pass, const crd_batch *batch, size_t row);

#endif

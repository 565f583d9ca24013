/*
 * encode.c -- the part of a network in front of delta: an embedding of tokens, or any other layers.
 *
 * It is run again in every pass: its values for all rows seldom fit into memory, and an embedding
 * costs little beside the layers behind it. Padding rows repeat the last row.
 */
#include "clamp/encode.h"
#include "base/context.h"

#include <math.h>
#include <string.h>

static const float token_most = 16777216; /* float32 has all integers up to here */

/* ---- Checks. */

/* Samples are read as float32; tokens in a file of arrays are too. */
static bool takes(const crd_array *input, const crd_dataset_shape *data) {
  const bool tokens = input->dtype == CRD_I64 && data->dtype == CRD_F32;
  bool same = input->rank == data->rank + 1 && (input->dtype == data->dtype || tokens);
  for (size_t i = 0; same && i < data->rank; i++) same = input->dims[i + 1] == data->dims[i];
  return same;
}

static bool is_same(const crd_array *made, const crd_array *taken) {
  bool same = made->dtype == CRD_F32 && taken->dtype == CRD_F32 && made->rank == taken->rank;
  for (size_t i = 0; same && i < made->rank; i++) same = made->dims[i] == taken->dims[i];
  return same && made->rank > 1;
}

crd_status crd__clamp_encoder_check(crd_context *ctx, const crd__clamp_chain *chain,
                                    const crd_dataset_shape *data) {
  const crd_array *const input = crd_network_input(chain->encoder, 0);
  const crd_array *const made = crd_network_output(chain->encoder, 0);
  const crd_array *const taken = crd_network_input(chain->network, 0);
  if (!input || crd_network_input(chain->encoder, 1) || !taken ||
      crd_network_input(chain->network, 1))
    return crd__fail(ctx, CRD_EINPUT, "the encoder and the network need exactly one input each");
  if (!takes(input, data) || input->dims[0] != taken->dims[0])
    return crd__fail(ctx, CRD_EINPUT, "the encoder does not take batches of the data's samples");
  if (made && is_same(made, taken)) return CRD_OK;
  return crd__fail(ctx, CRD_EINPUT,
                   "the network does not take what the encoder computes: f32 of the same shape");
}

/* ---- Batches. */

const void *crd__clamp_sample_at(const crd__clamp_pass *p, const crd_batch *batch, size_t row) {
  return (const char *)batch->inputs + row * p->sample * crd_dtype_size(p->dtype);
}

/* Copies a sample, or converts its tokens. */
static crd_status copy_sample(crd_context *ctx, const crd__clamp_pass *p, const void *from,
                              size_t row) {
  const float *const x = from;
  const size_t first = row * p->sample, size = crd_dtype_size(p->dtype);
  if (crd_network_input(p->encoder, 0)->dtype == p->dtype) {
    memcpy((char *)p->samples + first * size, from, p->sample * size);
    return CRD_OK;
  }
  for (size_t i = 0; i < p->sample; i++) {
    if (!(fabsf(x[i]) <= token_most) || x[i] != truncf(x[i]))
      return crd__fail(ctx, CRD_EINPUT, "batch row %zu has the token %g, which is not an integer",
                       row, (double)x[i]);
    ((int64_t *)p->samples)[first + i] = (int64_t)x[i];
  }
  return CRD_OK;
}

crd_status crd__clamp_encode(crd_context *ctx, const crd__clamp_pass *pass, const crd_batch *batch,
                             const float **out) {
  *out = batch->inputs;
  if (!pass->encoder) return CRD_OK;
  for (size_t r = 0; r < pass->batch; r++) {
    const size_t row = r < batch->rows ? r : batch->rows - 1;
    CRD_TRY(copy_sample(ctx, pass, crd__clamp_sample_at(pass, batch, row), r));
  }
  crd_array input = *crd_network_input(pass->encoder, 0);
  input.data = pass->samples;
  CRD_TRY(crd_network_run(ctx, pass->encoder, &input, 1));
  *out = crd_network_output(pass->encoder, 0)->data;
  return CRD_OK;
}

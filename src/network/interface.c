/* interface.c -- the public calls for networks of all kinds: checks arguments, then calls the
 * kind. */
#include "base/memory.h"
#include "base/text.h"
#include "data/array.h"
#include "engine/engine.h"
#include "network/network.h"

#include <stdio.h>

crd_status crd__network_wrap(crd_context *ctx, const crd__network_kind *kind, void *self,
                             crd_network **out) {
  crd_network *network;
  *out = NULL;
  const crd_status status = crd__new(ctx, 1, sizeof *network, "a network", &network);
  if (status != CRD_OK) {
    kind->destroy(self);
    return status;
  }
  *network = (crd_network){ ctx->alloc, kind, self, false };
  *out = network;
  return CRD_OK;
}

void crd_network_destroy(crd_network *network) {
  if (!network) return;
  const crd_allocator alloc = network->alloc;
  network->kind->destroy(network->self);
  crd__free(&alloc, network);
}

const crd_array *crd_network_input(const crd_network *network, size_t index) {
  return network->kind->input(network->self, index);
}

const crd_array *crd_network_output(const crd_network *network, size_t index) {
  return network->kind->output(network->self, index);
}

/* Write "f32 of 2 x 3". */
static void add_shape(crd__text *text, const crd_array *tensor) {
  crd__text_add(text, crd_dtype_name(tensor->dtype));
  if (tensor->rank == 0) crd__text_add(text, " without dimensions");
  if (tensor->rank > CRD_RANK_MAX) crd__text_addf(text, " of %zu dimensions", tensor->rank);
  for (size_t i = 0; i < tensor->rank && tensor->rank <= CRD_RANK_MAX; i++)
    crd__text_addf(text, "%s%lld", i ? " x " : " of ", (long long)tensor->dims[i]);
}

static bool has_shape(const crd_array *given, const crd_array *wanted) {
  return given->data && given->dtype == wanted->dtype &&
         crd__engine_same_shape(given->rank, given->dims, wanted->rank, wanted->dims);
}

static bool is_like(const crd_array *given, const crd_array *wanted) {
  return has_shape(given, wanted) && crd__data_array_is_contiguous(given);
}

/* Fail with "the gradient must be f32 of 2 x 3, found f32 of 2 x 4", or with another reason. */
static crd_status refuse(crd_context *ctx, const char *what, const crd_array *given,
                         const crd_array *wanted) {
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  crd__text_addf(&text, "the %s must be ", what);
  if (given && has_shape(given, wanted)) {
    crd__text_add(&text, "C-contiguous and in native byte order");
  } else {
    add_shape(&text, wanted);
    crd__text_add(&text, ", found ");
    if (!given || !given->data) crd__text_add(&text, "no data");
    else add_shape(&text, given);
  }
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__fail(ctx, CRD_EUSAGE, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

crd_status crd__network_refuse_input(crd_context *ctx, const crd_network *network, size_t index,
                                     const crd_array *given) {
  char what[80];
  snprintf(what, sizeof what, "input '%.60s'", network->kind->input_name(network->self, index));
  return refuse(ctx, what, given, crd_network_input(network, index));
}

static crd_status check_input(crd_context *ctx, const crd_network *network, size_t index,
                              const crd_array *given) {
  return is_like(given, crd_network_input(network, index))
             ? CRD_OK
             : crd__network_refuse_input(ctx, network, index, given);
}

crd_status crd_network_run(crd_context *ctx, crd_network *network, const crd_array *inputs,
                           size_t count) {
  size_t wanted = 0;
  while (crd_network_input(network, wanted)) wanted++;
  if (count != wanted)
    return crd__fail(ctx, CRD_EUSAGE, "the network has %zu inputs, found %zu", wanted, count);
  for (size_t i = 0; i < count; i++) CRD_TRY(check_input(ctx, network, i, &inputs[i]));
  network->ran = false;
  CRD_TRY(network->kind->run(ctx, network->self, inputs, count));
  network->ran = true;
  return CRD_OK;
}

crd_status crd_network_backward(crd_context *ctx, crd_network *network, const crd_array *gradient) {
  crd_array wanted = *crd_network_output(network, 0);
  wanted.dtype = CRD_F32;
  if (!is_like(gradient, &wanted))
    return refuse(ctx, "gradient with respect to the output", gradient, &wanted);
  if (!network->ran)
    return crd__fail(
        ctx, CRD_EUSAGE,
        "no run to differentiate: run the network first, and again before each backward pass");
  network->ran = false; /* the backward pass overwrites the memory of the run */
  return network->kind->backward(ctx, network->self, gradient);
}

const crd_array *crd_network_input_gradient(const crd_network *network, size_t index) {
  const crd__network_kind *const kind = network->kind;
  return kind->input_gradient ? kind->input_gradient(network->self, index) : NULL;
}

const crd_parameter *crd_network_parameter(const crd_network *network, size_t index) {
  return network->kind->parameter ? network->kind->parameter(network->self, index) : NULL;
}

void crd_network_clear_gradients(crd_network *network) {
  if (network->kind->clear) network->kind->clear(network->self);
}

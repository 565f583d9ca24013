/* interface.c -- the public calls for networks of all kinds: checks arguments, then calls the
 * kind. */
#include "base/memory.h"
#include "data/array.h"
#include "network/network.h"

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

static bool same_shape(const crd_array *a, const crd_array *b) {
  bool same = a->rank == b->rank;
  for (size_t i = 0; i < a->rank && same; i++) same = a->dims[i] == b->dims[i];
  return same;
}

static crd_status check_input(crd_context *ctx, const crd_network *network, size_t index,
                              const crd_array *given) {
  const crd_array *const wanted = crd_network_input(network, index);
  const char *const name = network->kind->input_name(network->self, index);
  if (given->dtype != wanted->dtype)
    return crd__fail(ctx, CRD_EUSAGE, "the input '%.60s' must be %s, found %s", name,
                     crd_dtype_name(wanted->dtype), crd_dtype_name(given->dtype));
  if (!given->data || !same_shape(given, wanted))
    return crd__fail(ctx, CRD_EUSAGE,
                     "the input '%.60s' does not have the shape that the network was compiled for",
                     name);
  if (!crd__data_array_is_contiguous(given))
    return crd__fail(ctx, CRD_EUSAGE,
                     "the input '%.60s' must be C-contiguous and in native byte order", name);
  return CRD_OK;
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
  const crd_array *const output = crd_network_output(network, 0);
  if (gradient->dtype != CRD_F32 || !gradient->data || !same_shape(gradient, output) ||
      !crd__data_array_is_contiguous(gradient))
    return crd__fail(ctx, CRD_EUSAGE,
                     "the gradient with respect to the output must be f32, C-contiguous and of the "
                     "shape of the output");
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

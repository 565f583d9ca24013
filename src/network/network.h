/*
 * network.h -- one interface for two kinds of networks: compiled models (network.c) and the user's
 * functions (custom.c). interface.c checks arguments and calls the kind.
 */
#ifndef CRD_NETWORK_NETWORK_H
#define CRD_NETWORK_NETWORK_H

#include "base/context.h"
#include "credence/network.h"
#include "graph/graph.h"

/* The functions of a kind. The frame has checked count, types and shapes of the arguments against
 * `input` and `output`, which return NULL past the end. */
typedef struct {
  crd_status (*run)(crd_context *ctx, void *self, const crd_array *inputs, size_t count);
  /* Differentiates at the last run; EUSAGE if the network has no gradients. */
  crd_status (*backward)(crd_context *ctx, void *self, const crd_array *gradient);
  const crd_array *(*input)(const void *self, size_t index);
  const crd_array *(*output)(const void *self, size_t index);
  const char *(*input_name)(const void *self, size_t index);
  /* These may be NULL. */
  const crd_array *(*input_gradient)(const void *self, size_t index);
  const crd_parameter *(*parameter)(const void *self, size_t index);
  void (*clear)(void *self);
  void (*destroy)(void *self);
} crd__network_kind;

struct crd_network {
  crd_allocator alloc;
  const crd__network_kind *kind;
  void *self;
  bool ran; /* a backward pass is possible */
};

/* Create a network of this kind. Takes ownership of `self`, also on failure. */
crd_status crd__network_wrap(crd_context *ctx, const crd__network_kind *kind, void *self,
                             crd_network **out);

/* Fail with "the input 'x' must be f32 of 2 x 3, found f32 of 2 x 4". `given` may be NULL. */
crd_status crd__network_refuse_input(crd_context *ctx, const crd_network *network, size_t index,
                                     const crd_array *given);

/* Compile a graph whose nodes have been inferred. Takes ownership of it, also on failure. */
crd_status crd__network_compile(crd_context *ctx, crd__graph *net, crd_network **out);

/* Set the index of the next run of a compiled network, which its random numbers depend on. */
void crd__network_set_run(const crd_network *network, uint64_t index);

/* Return the bytes of memory for activations of a compiled network. */
size_t crd__network_bytes(const crd_network *network);

#endif

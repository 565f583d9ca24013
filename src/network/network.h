/*
 * network.h -- networks of several kinds behind one interface: the engine's own (network.c), and
 * those of somebody else (custom.c). interface.c checks what is given and asks the kind.
 */
#ifndef CRD_NETWORK_NETWORK_H
#define CRD_NETWORK_NETWORK_H

#include "base/context.h"
#include "credence/network.h"

/* What a kind supplies. The frame has compared the numbers, types and shapes of what is given with
 * what `input` and `output` tell; those two answer NULL past the end. */
typedef struct {
  crd_status (*run)(crd_context *ctx, void *self, const crd_tensor *inputs, size_t count);
  /* At the last run; EUSAGE where it has no gradients. */
  crd_status (*backward)(crd_context *ctx, void *self, const crd_tensor *gradient);
  const crd_tensor *(*input)(const void *self, size_t index);
  const crd_tensor *(*output)(const void *self, size_t index);
  const char *(*input_name)(const void *self, size_t index);
  /* NULL: there are none. */
  const crd_tensor *(*input_gradient)(const void *self, size_t index);
  const crd_parameter *(*parameter)(const void *self, size_t index);
  void (*clear)(void *self);
  void (*destroy)(void *self);
} crd__network_kind;

struct crd_network {
  crd_allocator alloc;
  const crd__network_kind *kind;
  void *self;
  bool ran; /* there is a run to go back from */
};

/* A network of this kind, which owns `self`, also where this fails. */
crd_status crd__network_wrap(crd_context *ctx, const crd__network_kind *kind, void *self,
                             crd_network **out);

/* Of a compiled one: memory between the steps of a run. */
size_t crd__network_bytes(const crd_network *network);

#endif

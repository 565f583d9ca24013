/* custom.c -- networks from the user's own functions; owns the memory that they write. */
#include "base/memory.h"
#include "base/options.h"
#include "network/network.h"

#include <string.h>

typedef struct {
  crd_allocator alloc;
  crd_network_ops ops;
  void *self;
  crd_array input, output;  /* input: without data */
  crd_array input_gradient; /* data NULL until the first backward pass */
  float *result, *gradient;
} custom;

static void destroy(void *self) {
  custom *const c = self;
  const crd_allocator alloc = c->alloc;
  if (c->ops.destroy) c->ops.destroy(c->self);
  crd__free(&alloc, c->result);
  crd__free(&alloc, c->gradient);
  crd__free(&alloc, c);
}

static const crd_array *input(const void *self, size_t index) {
  return index ? NULL : &((const custom *)self)->input;
}

static const crd_array *output(const void *self, size_t index) {
  return index ? NULL : &((const custom *)self)->output;
}

static const char *input_name(const void *self, size_t index) {
  (void)self, (void)index;
  return "input";
}

static const crd_array *input_gradient(const void *self, size_t index) {
  const custom *const c = self;
  return index || !c->input_gradient.data ? NULL : &c->input_gradient;
}

/* A user's function may fail without a message; the one of an earlier failure must not stand for
 * it. */
static crd_status report(crd_context *ctx, const char *call, crd_status status) {
  if (status == CRD_OK || ctx->message[0]) return status;
  return crd__fail(ctx, status, "the network's own %s failed: %s", call, crd_status_text(status));
}

static crd_status run(crd_context *ctx, void *self, const crd_array *inputs, size_t count) {
  custom *const c = self;
  (void)count;
  ctx->message[0] = '\0';
  return report(ctx, "run", c->ops.run(c->self, ctx, inputs->data, c->result));
}

static crd_status backward(crd_context *ctx, void *self, const crd_array *gradient) {
  custom *const c = self;
  if (!c->ops.backward)
    return crd__fail(ctx, CRD_EUSAGE,
                     "this network has no gradients: its backward function is missing");
  ctx->message[0] = '\0';
  CRD_TRY(report(ctx, "backward", c->ops.backward(c->self, ctx, gradient->data, c->gradient)));
  c->input_gradient.data = c->gradient;
  return CRD_OK;
}

static const crd__network_kind kind = { .run = run,
                                        .backward = backward,
                                        .input = input,
                                        .output = output,
                                        .input_name = input_name,
                                        .input_gradient = input_gradient,
                                        .destroy = destroy };

static crd_status check_shape(crd_context *ctx, const char *what, const crd_array *tensor) {
  if (tensor->dtype != CRD_F32)
    return crd__fail(ctx, CRD_EUSAGE, "the %s of a network must be f32, found %s", what,
                     crd_dtype_name(tensor->dtype));
  if (tensor->rank > CRD_RANK_MAX)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the %s of a network has %zu dimensions; at most %d are supported", what,
                     tensor->rank, CRD_RANK_MAX);
  size_t bytes = sizeof(float);
  for (size_t i = 0; i < tensor->rank; i++)
    if (tensor->dims[i] < 1 || !crd__size_mul(bytes, (size_t)tensor->dims[i], &bytes))
      return crd__fail(
          ctx, CRD_EUSAGE,
          "the %s of a network is %lld along dimension %zu; it must be at least 1, and "
          "fit into memory",
          what, (long long)tensor->dims[i], i);
  return CRD_OK;
}

static crd_status make(crd_context *ctx, const crd_network_ops *ops, const crd_array *input_shape,
                       const crd_array *output_shape, custom *c) {
  if (!ops->run) return crd__fail(ctx, CRD_EUSAGE, "a network needs a run function");
  CRD_TRY(check_shape(ctx, "input", input_shape));
  CRD_TRY(check_shape(ctx, "output", output_shape));
  c->input = c->input_gradient = *input_shape;
  c->output = *output_shape;
  c->input.data = c->input_gradient.data = NULL;
  CRD_TRY(crd__new(ctx, crd_array_count(output_shape), sizeof *c->result, "an output", &c->result));
  c->output.data = c->result;
  return ops->backward ? crd__new(ctx, crd_array_count(input_shape), sizeof *c->gradient,
                                  "a gradient", &c->gradient)
                       : CRD_OK;
}

crd_status crd_network_create(crd_context *ctx, const crd_network_ops *ops, void *self,
                              const crd_array *input_shape, const crd_array *output_shape,
                              crd_network **out) {
  crd_network_ops own;
  custom *c;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_network_ops, ops, &own));
  crd_status status = crd__new(ctx, 1, sizeof *c, "a network", &c);
  if (status != CRD_OK) {
    if (own.destroy) own.destroy(self);
    return status;
  }
  *c = (custom){ .alloc = ctx->alloc, .ops = own, .self = self };
  status = make(ctx, &own, input_shape, output_shape, c);
  if (status == CRD_OK) return crd__network_wrap(ctx, &kind, c, out);
  destroy(c);
  return status;
}

/* ports.c -- see ports.h. */
#include "network/ports.h"
#include "engine/kernel/element.h"

static const crd__engine_tensor *tensor_of(const crd__graph *net, int index) {
  return &net->engine.tensors[index];
}

void crd__network_ports_type(const crd__graph *net, crd_array *inputs) {
  for (size_t i = 0; i < net->input_count; i++)
    inputs[i].dtype = crd__engine_tensor_type(tensor_of(net, net->inputs[i]));
}

/* Return the type of an output: declared in the file, otherwise inferred. */
static crd_dtype output_type(const crd__graph *net, int index) {
  const crd__engine_tensor *const y = tensor_of(net, index);
  const crd__onnx_edge *const edge = &net->file->edges[index];
  if (net->wide) return y->dtype;
  const bool declared = edge->typed && crd__engine_computed(edge->port.dtype) == y->dtype;
  return declared ? edge->port.dtype : crd__engine_tensor_type(y);
}

crd_status crd__network_ports_place(crd_context *ctx, crd__graph *net, const crd__engine_plan *plan,
                                    crd_array *outputs) {
  for (size_t i = 0; i < net->output_count; i++) {
    const crd_dtype computed = outputs[i].dtype;
    void *rounded;
    outputs[i].dtype = output_type(net, net->outputs[i]);
    outputs[i].data = crd__engine_plan_memory(plan, net->outputs[i]);
    if (outputs[i].dtype == computed) continue;
    CRD_TRY(crd__engine_memory(ctx, &net->engine, crd_array_count(&outputs[i]) + 1,
                               crd_dtype_size(outputs[i].dtype), &rounded));
    outputs[i].data = rounded;
  }
  return CRD_OK;
}

void crd__network_ports_enter(const crd__graph *net, const crd__engine_plan *plan,
                              const crd_array *inputs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const crd__engine_tensor *const x = tensor_of(net, net->inputs[i]);
    crd__kernel_cast(net->engine.threads, crd__engine_tensor_type(x), x->dtype,
                     crd__engine_tensor_count(x), inputs[i].data,
                     crd__engine_plan_memory(plan, net->inputs[i]));
  }
}

void crd__network_ports_leave(const crd__graph *net, const crd__engine_plan *plan,
                              const crd_array *outputs) {
  for (size_t i = 0; i < net->output_count; i++) {
    const crd__engine_tensor *const y = tensor_of(net, net->outputs[i]);
    if (outputs[i].dtype != y->dtype)
      crd__kernel_cast(net->engine.threads, y->dtype, outputs[i].dtype, crd__engine_tensor_count(y),
                       crd__engine_plan_memory(plan, net->outputs[i]), (void *)outputs[i].data);
  }
}
